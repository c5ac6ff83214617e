import type { KubeObject } from '../../api/object.ts'
import type { Reason } from '../../api/reason.ts'
import type { Logger } from '../../base/logger.ts'
import type { CacheChange } from '../cache/object-cache.ts'
import type { FollowedKind } from './follow-kind.ts'
import type { WorkQueue, WorkResult } from './work-queue.ts'
import type { ChangeSource } from './change-source.ts'

/** A decision. A step of kind `wait` has a reason; every other kind has a function in `perform`. */
export type AnyStep = { readonly kind: string }

/** The part of a `wait` step that the framework reads. An object in `reason.waitsFor` wakes the key when it changes. */
export type WaitStep = {
  readonly kind: 'wait'
  readonly reason: Reason
  /** Decide again after this time at the latest. Default: when something changes. */
  readonly retryInMs?: number | undefined
  /** Topics reported by other parts that wake the key, see `ControllerRole.report`. */
  readonly wakeOn?: readonly string[]
}

/** An event that goes with a reason. */
export type Notice = { readonly type: 'Normal' | 'Warning'; readonly event: string }

/** The result of a step's function. Without one, the next decision is made on what the step has changed. A result ends the pass. */
export type StepOutcome = WorkResult | undefined | void

/** What a view is built from besides the objects. */
export type Known<Memory, Reads> = {
  /** What is remembered about the key. */
  readonly memory: Memory | undefined
  /** What this pass has read from the server. */
  readonly reads: Partial<Reads>
  /** Whether another pass of the role holds the resource. */
  readonly isHeldByOther: (resource: string) => boolean
}

/** One pass over one key: steps until the decision is to wait. */
export interface Pass<View, Memory = unknown, Reads = unknown> extends Known<Memory, Reads> {
  readonly key: string
  readonly view: View
  /** With the controller, the key and the number of the pass in each line. */
  readonly log: Logger
  /** Aborts when the controller stops: long-running work must give up then. */
  readonly signal: AbortSignal
  /** Kept as long as the key has a view. Set it to undefined to forget it. */
  memory: Memory | undefined
  /** Kept until the end of the pass. */
  reads: Partial<Reads>
  /** Records an event about the object, unless it repeats the last one about this key and topic. */
  readonly say: (about: KubeObject, notice: Notice, text: string, topic?: string) => void
  /** Everything is fine: the next event is recorded even if it repeats the last one. */
  readonly unsay: () => void
  /** Wakes the key when the object in `reason.waitsFor` changes or one of the topics is reported: for a step that fails instead of waiting. */
  readonly waitFor: (step: Omit<WaitStep, 'kind'>) => void
  /**
   * Keeps other passes of the role off the resource until this pass ends. False if another pass holds it: then end the pass; the key is queued again
   * when the resource is free.
   */
  readonly hold: (resource: string) => boolean
}

export type Performers<View, Step extends AnyStep, Memory, Reads> = {
  readonly [Kind in Exclude<Step['kind'], 'wait'>]: (
    step: Extract<Step, { kind: Kind }>,
    pass: Pass<View, Memory, Reads>,
  ) => StepOutcome | Promise<StepOutcome>
} & {
  /** Side effects of a wait, such as an event. */
  readonly wait?: (step: Extract<Step, { kind: 'wait' }>, pass: Pass<View, Memory, Reads>) => void
}

/** What a controller watches, and which keys a change concerns. */
export type Watch = (enqueue: (key: string) => void) => () => void

/** Every change of the kind, or of another source, enqueues the keys that `keysOf` returns: one, several or none. */
export function on<Change>(
  source: Pick<ChangeSource<Change>, 'onChange'>,
  keysOf: (change: Change) => Iterable<string> | string | undefined,
): Watch {
  return (enqueue) =>
    source.onChange((change) => {
      const keys = keysOf(change)
      if (typeof keys === 'string') enqueue(keys)
      else if (keys) for (const key of keys) enqueue(key)
    })
}

/** Enqueues these keys once, at the start. */
export const atStart =
  (...keys: readonly string[]): Watch =>
  (enqueue) => {
    for (const key of keys) enqueue(key)
    return () => {}
  }

/** Enqueues these keys once the kind is complete, for a kind that the role does not wait for, see `FollowOptions.isAwaited`. */
export const onceSynced =
  (kind: Pick<FollowedKind<KubeObject>, 'synced'>, ...keys: readonly string[]): Watch =>
  (enqueue) => {
    const stopping = new AbortController()
    kind.synced(stopping.signal).then(
      () => keys.forEach(enqueue),
      () => {},
    )
    return () => stopping.abort()
  }

/** The key of the object, if it exists after the change. */
export const keyIfPresent = <T>({ key, after }: CacheChange<T>): string | undefined => (after ? key : undefined)

/** A controller as a value. `startControllers` runs it. */
export type ControllerDefinition<View, Step extends AnyStep, Memory = undefined, Reads = object> = {
  readonly name: string
  readonly watch: readonly Watch[]
  /** From `ControllerRole.createQueue`, if others add keys too. Default: a separate queue. */
  readonly queue?: WorkQueue
  /** The lane of a key. Default: the first lane. */
  lane?(key: string): string
  /** Maximum number of steps of one pass. Default 20. A pass that needs more is aborted and retried later. */
  readonly stepLimit?: number
  /** Everything a decision needs. Undefined if nothing is left to do for the key; then its memory is dropped. */
  view(key: string, known: Known<Memory, Reads>): View | undefined
  /** Side effects of every pass, regardless of the decision, such as waking another controller. */
  onView?(pass: Pass<View, Memory, Reads>): void
  decide(view: View): Step
  /** The UIDs of the claims, or snapshots, whose lives the steps belong to: their spans are in the traces of these objects. Default: none. */
  lifeOf?(view: View): readonly (string | undefined)[]
  /** A resource that the pass must hold before it takes the step, see `Pass.hold`. Default, or undefined: none. */
  resource?(view: View, key: string, step: Step): string | undefined
  /** Called when the key has no view any more. */
  forget?(key: string): void
  readonly perform: Performers<View, Step, Memory, Reads>
  /** How to report errors that a retry alone does not fix: rejections by the API server. Default: they are logged. */
  readonly report?: { readonly event: string; about(view: View): KubeObject | undefined }
  /** Handles an error that a step has thrown; undefined leaves it to the framework. */
  onError?(error: unknown, pass: Pass<View, Memory, Reads>): WorkResult | undefined | Promise<WorkResult | undefined>
}

/** Checks a definition and infers its types. */
export function defineController<View, Step extends AnyStep, Memory = undefined, Reads = object>(
  definition: ControllerDefinition<View, Step, Memory, Reads>,
): ControllerDefinition<View, Step, Memory, Reads> {
  return definition
}
