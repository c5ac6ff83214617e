import { createEventRecorder } from '../kube/controller/event-recorder.ts'
import { createInformers } from '../kube/cache/informers.ts'
import type { LeaderElection } from '../kube/process/leader-election.ts'
import { fenceApi } from '../kube/process/fence-api.ts'
import { superviseRole } from '../kube/process/supervise-role.ts'
import type { RoleState, SupervisedRole } from '../kube/process/supervise-role.ts'
import { createQueueMetrics } from '../kube/controller/queue-metrics.ts'
import type { RoleWorld } from '../kube/process/role-world.ts'
import type { RunningRole } from '../kube/process/running-role.ts'
import type { ControllerDefinition } from './controller-definitions.ts'

export type ControllersParts = Pick<RoleWorld, 'api' | 'clock' | 'random' | 'log' | 'registry' | 'tracer'> & {
  /** Absent: the controllers always run. */
  readonly election?: LeaderElection
}

export interface RunningControllers {
  roles(): readonly SupervisedRole[]
  /** Resolves when each controller is running, is waiting to become leader, or has failed once. */
  readonly settled: Promise<void>
  /** Nothing is in flight or queued in any of them. */
  isIdle(): boolean
  stop(): Promise<void>
}

/** Runs controllers in one process, with one cache for each kind. A controller that fails is restarted without affecting the others. */
export function runControllers(
  definitions: readonly ControllerDefinition[],
  parts: ControllersParts,
): RunningControllers {
  const { api, clock, random, log, election, registry } = parts
  const informers = createInformers({ api, clock, random, log })
  const metrics = registry ? { registry, queues: createQueueMetrics(registry, clock) } : {}
  const working = new Map<string, RunningRole>()
  const waiting = new Set(definitions.map(({ name }) => name))
  const settled = Promise.withResolvers<void>()
  const moved = (definition: ControllerDefinition, { kind }: RoleState): void => {
    if (kind === 'starting') return
    if (kind !== 'working') working.delete(definition.name)
    waiting.delete(definition.name)
    if (waiting.size === 0) settled.resolve()
  }
  const roles = definitions.map((definition) => {
    const ownLog = log.with({ role: definition.name })
    const tracer = parts.tracer?.as(definition.name)
    const events = createEventRecorder({ api, clock, log: ownLog, component: definition.component })
    return superviseRole({
      name: definition.name,
      leadership: election ? { kind: 'shared', election } : { kind: 'none' },
      onState: (state) => moved(definition, state),
      start: async (ending, fence) => {
        const controller = await definition.start(
          { api: fenceApi(api, fence), informers, events, clock, random, log: ownLog, ...metrics, tracer },
          ending,
        )
        working.set(definition.name, controller)
        return controller
      },
      clock,
      random,
      log,
    })
  })
  if (roles.length === 0) settled.resolve()
  const isIdle = (): boolean =>
    waiting.size === 0 && Array.from(working.values()).every((controller) => controller.isIdle())
  const stop = async (): Promise<void> => {
    await Promise.all(roles.map((role) => role.stop()))
    await election?.stop()
    await informers.stop()
  }
  return { roles: () => roles, settled: settled.promise, isIdle, stop }
}
