import type { Api } from '../api/api.ts'
import { leaseName } from '../api/lease-name.ts'
import { startLeaderElection } from '../kube/process/leader-election.ts'
import type { LeaderElection } from '../kube/process/leader-election.ts'
import type { RoleWorld } from '../kube/process/role-world.ts'
import { textAnswer } from '../kube/process/serve-http.ts'
import type { HttpAnswer } from '../kube/process/serve-http.ts'
import type { SidecarMetrics } from './sidecar-metrics.ts'
import type { StandardConfig } from './standard-options.ts'

export type ElectionParts = Pick<RoleWorld, 'clock' | 'random' | 'log'> & {
  config: Pick<StandardConfig, `leaderElection${'Labels' | 'LeaseDurationMs' | 'RenewDeadlineMs' | 'RetryPeriodMs'}`>
  /** On a separate connection. */
  electionApi: Api
  /** The identity of this replica, and the namespace of its leases. */
  identity: string
  namespace: string
}

export type SidecarElections = ReturnType<typeof createSidecarElections>

// As upstream: a leader that does not step down by itself has this long before its health check fails.
const OVERDUE_GRACE_MS = 20_000

/** All elections that the process takes part in. */
export function createSidecarElections(parts: ElectionParts, metrics: Pick<SidecarMetrics, 'followElection'>) {
  const { config, electionApi, identity, namespace, clock, random, log } = parts
  const running = new Map<string, LeaderElection>()
  const campaign = (name: string): LeaderElection => {
    const election = startLeaderElection({
      api: electionApi,
      clock,
      random,
      log,
      namespace,
      name,
      identity,
      labels: config.leaderElectionLabels,
      leaseDurationMs: config.leaderElectionLeaseDurationMs,
      renewDeadlineMs: config.leaderElectionRenewDeadlineMs,
      retryPeriodMs: config.leaderElectionRetryPeriodMs,
    })
    running.set(leaseName(name), election)
    metrics.followElection(leaseName(name), election)
    return election
  }
  /** Expired leases that still count as ours: only a hanging process has any. */
  const overdue = (): string[] => {
    const latestMs = clock.monotonicMs() - config.leaderElectionLeaseDurationMs - OVERDUE_GRACE_MS
    return Array.from(running).flatMap(([name, election]) =>
      (election.renewedMs() ?? Number.POSITIVE_INFINITY) < latestMs ? [name] : [],
    )
  }
  const healthPage = (): Promise<HttpAnswer> => {
    const names = overdue()
    const body = names.length === 0 ? 'ok' : `not renewed and not given up: ${names.join(', ')}\n`
    return Promise.resolve(textAnswer(names.length === 0 ? 200 : 500, body))
  }
  return { campaign, healthPage }
}
