import type { Api } from '../../api/api.ts'
import type { KubeObject } from '../../api/object.ts'
import type { ResourceType } from '../../api/resource-type.ts'
import type { BackoffOptions } from '../../base/backoff.ts'
import { startWhole } from '../../base/stops.ts'
import type { Stops } from '../../base/stops.ts'
import type { InformerScope } from '../cache/informer.ts'
import type { CacheChange, IndexFunction } from '../cache/object-cache.ts'
import { startOptionalCache } from '../cache/optional-cache.ts'
import type { OptionalCache } from '../cache/optional-cache.ts'
import type { RoleWorld } from '../process/role-world.ts'
import type { RunningRole } from '../process/running-role.ts'
import { createWorkQueue } from './work-queue.ts'
import type { WorkQueue } from './work-queue.ts'
import type { ControllerDefinition } from './controller-definition.ts'
import { followKind } from './follow-kind.ts'
import type { FollowedKind } from './follow-kind.ts'
import { createHoldTable } from './hold-table.ts'
import type { HoldTable } from './hold-table.ts'
import { limitRequests } from './limit-requests.ts'
import { rememberWrites } from './remember-writes.ts'
import { traceRequests } from './trace-steps.ts'
import { createPasses, topicOf } from './run-passes.ts'
import type { Passes } from './run-passes.ts'

// Controllers with different views and steps in one list: each is called only with what it created itself.
// oxlint-disable-next-line no-explicit-any
type AnyController = ControllerDefinition<any, any, any, any>

export type QueueOptions = {
  /** The name in metrics. */
  readonly name: string
  /** Workers of each lane. Default: one lane with 10. */
  readonly lanes?: Readonly<Record<string, number>>
  readonly backoff?: BackoffOptions
}

export type FollowOptions<T> = {
  readonly scope?: InformerScope
  readonly indexes?: Readonly<Record<string, IndexFunction<T>>>
  /** Whether the first pass waits until the kind is complete. Default true. If false, check `isSynced` before treating an object as absent. */
  readonly isAwaited?: boolean
}

/** What the controllers of a role are built from: the world of the role, and the tools of the framework. */
export type ControllerRole<World extends RoleWorld = RoleWorld> = Omit<World, 'api' | 'queues'> & RoleTools

export interface RoleTools {
  /** Every request has a deadline and ends with the role; the followed kinds show the responses to writes immediately. */
  readonly api: Api
  /** Aborts when the role stops. */
  readonly signal: AbortSignal
  /** Aborts when the role has to end, also while it is still starting. */
  readonly starting: AbortSignal
  /** Complete before the first pass, unless `isAwaited` is false. Controllers of the role that follow the same kind share it. */
  follow<T extends KubeObject>(type: ResourceType<T>, options?: FollowOptions<T>): FollowedKind<T>
  /** For a kind that the server may not have, or may not let us read: then it is empty. Resolves once that is known. */
  followOptional<T extends KubeObject>(
    type: ResourceType<T>,
    onChange: (change: CacheChange<T>) => void,
  ): Promise<OptionalCache<T>>
  createQueue(options: QueueOptions): WorkQueue
  /** Wakes every key of the role that is waiting for this topic, see `WaitStep.wakeOn` and `topicOf`. */
  report(topic: string): void
  /** The resources that passes of the role hold, see `Pass.hold`. */
  readonly holds: Pick<HoldTable, 'isHeldByOther' | 'onRelease'>
  /** Calls back once all followed kinds are complete, before the first pass. */
  onReady(act: () => void): void
  readonly onStop: Stops['onStop']
  /** Adds a condition for `isIdle`, besides the queues. */
  onIdle(isIdle: () => boolean): void
  /** The role cannot continue: it is stopped and restarted later. */
  fail(error: Error): void
}

/** Starts the controllers that `assemble` returns. Resolves when all followed kinds are complete and the controllers are working. */
export function startControllers<World extends RoleWorld>(
  world: World,
  signal: AbortSignal,
  assemble: (role: ControllerRole<World>) => readonly AnyController[] | Promise<readonly AnyController[]>,
): Promise<RunningRole> {
  return startWhole(async (stops) => {
    const { informers, events, clock, random, log, tracer } = world
    const stopping = new AbortController()
    const followed = new Map<string, { type: ResourceType; kind: FollowedKind<KubeObject> }>()
    const awaited = new Set<Pick<FollowedKind<KubeObject>, 'synced'>>()
    const running: Passes[] = []
    const holds = createHoldTable()
    const queues: WorkQueue[] = []
    const idle: (() => boolean)[] = []
    const begin: (() => void)[] = []
    const failure = Promise.withResolvers<never>()
    // There may be no listener.
    failure.promise.catch(() => {})

    const remember = (type: ResourceType, object: KubeObject): void => {
      for (const each of followed.values()) if (isSameType(each.type, type)) each.kind.remember(object)
    }
    const report = (topic: string): void => {
      for (const passes of running) passes.report(topic)
    }
    const follow = <T extends KubeObject>(
      type: ResourceType<T>,
      { scope = {}, indexes = {}, isAwaited = true }: FollowOptions<T> = {},
    ): FollowedKind<T> => {
      const id = JSON.stringify([type.group, type.version, type.plural, scope])
      let kind = followed.get(id)?.kind as unknown as FollowedKind<T> | undefined
      if (!kind) {
        kind = followKind(informers.get(type, scope))
        stops.onStop(kind.stop)
        stops.onStop(kind.onUpdate((key) => report(topicOf(type.kind, key))))
        followed.set(id, { type, kind: kind as unknown as FollowedKind<KubeObject> })
      }
      if (isAwaited) awaited.add(kind)
      for (const [name, values] of Object.entries(indexes)) kind.addIndex(name, values)
      return kind
    }
    const createQueue = ({ name, ...options }: QueueOptions): WorkQueue => {
      const queue = createWorkQueue({ clock, random, observe: world.queues?.observerOf(name), ...options })
      queues.push(queue)
      return queue
    }
    const limited = limitRequests(world.api, { clock, signal: stopping.signal })
    const tools: RoleTools = {
      api: rememberWrites(tracer ? traceRequests(limited, tracer) : limited, remember),
      signal: stopping.signal,
      starting: signal,
      follow,
      followOptional: (type, onChange) =>
        startOptionalCache(type, { informers, clock, log, starting: signal, onStop: stops.onStop }, onChange),
      createQueue,
      report,
      holds,
      onReady: (act) => void begin.push(act),
      onStop: stops.onStop,
      onIdle: (isIdle) => void idle.push(isIdle),
      fail: failure.reject,
    }
    for (const definition of await assemble({ ...world, ...tools })) {
      const queue = definition.queue ?? createQueue({ name: definition.name })
      const enqueue = (key: string): void => queue.add(key, definition.lane?.(key))
      const passes = createPasses(definition, { events, log, signal: stopping.signal, holds, enqueue, tracer })
      running.push(passes)
      for (const watch of definition.watch) stops.onStop(watch(enqueue))
      begin.push(() => queue.start((key) => passes.run(key)))
    }
    // An object that is not known yet must not look absent: nothing is decided before everything was read.
    await Promise.all(Array.from(awaited, (kind) => kind.synced(signal)))
    // Requests in flight end with the signal, then the passes that wait for them, then the queues.
    stops.onStop(async () => {
      stopping.abort(new Error('the controller was stopped'))
      await Promise.all(queues.map((queue) => queue.stop()))
    })
    for (const start of begin) start()
    return {
      isIdle: () => queues.every((queue) => queue.depth() === 0) && idle.every((isIdle) => isIdle()),
      stop: stops.run,
      failed: failure.promise,
    }
  })
}

const isSameType = (one: ResourceType, other: ResourceType): boolean =>
  one === other || (one.plural === other.plural && one.group === other.group)
