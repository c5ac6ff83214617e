import { createUuid } from '../base/random.ts'
import { startControllers } from '../kube/controller/index.ts'
import { startLeaderElection } from '../kube/process/leader-election.ts'
import { fenceApi } from '../kube/process/fence-api.ts'
import { superviseRole } from '../kube/process/supervise-role.ts'
import type { RoleState } from '../kube/process/supervise-role.ts'
import type { ConnectedCluster } from './connect.ts'

export type RunOptions = {
  /** Name of the controllers in logs, and of the lease. */
  readonly name: string
  /** Only the process that holds the lease is active. Default: no leader election. */
  readonly leaderElection?: { readonly namespace: string }
  onState?(state: RoleState): void
}

export interface RunningControllers extends AsyncDisposable {
  stop(): Promise<void>
}

/** Runs controllers; with leader election, only while this process is the leader. Controllers that fail to start are retried. */
export function runControllers(
  cluster: ConnectedCluster,
  { name, leaderElection, onState }: RunOptions,
  assemble: Parameters<typeof startControllers>[2],
): RunningControllers {
  const { clock, random, log } = cluster
  const campaign = (namespace: string) => () =>
    startLeaderElection({ api: cluster.electionApi, clock, random, log, namespace, name, identity: createUuid(random) })
  const role = superviseRole({
    name,
    leadership: leaderElection ? { kind: 'own', campaign: campaign(leaderElection.namespace) } : { kind: 'none' },
    start: (ending, fence) => startControllers({ ...cluster, api: fenceApi(cluster.api, fence) }, ending, assemble),
    clock,
    random,
    log,
    ...(onState ? { onState } : {}),
  })
  return { stop: role.stop, [Symbol.asyncDispose]: role.stop }
}

/** Resolves with the name of the first signal that asks the process to stop. Call it first: before that, a signal ends the process immediately. */
export function untilStopped(): Promise<'SIGINT' | 'SIGTERM'> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve(signal))
  })
}
