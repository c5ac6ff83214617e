import { isConflict, isLasting, isNotFound } from '../../api/api-error.ts'
import { keyOfRef } from '../../api/object-key.ts'
import type { Reason } from '../../api/reason.ts'
import type { Logger } from '../../base/logger.ts'
import type { Tracer } from '../../base/tracing/index.ts'
import { after, DONE, FAILED } from './work-queue.ts'
import type { WorkResult } from './work-queue.ts'
import type { EventRecorder } from './event-recorder.ts'
import type { AnyStep, ControllerDefinition, Pass, StepOutcome, WaitStep } from './controller-definition.ts'
import type { HoldTable } from './hold-table.ts'
import { traceStep } from './trace-steps.ts'
import { createSaidOnce } from './said-once.ts'
import type { SaidOnce } from './said-once.ts'
import { createWakeList } from './wake-list.ts'
import type { WakeList } from './wake-list.ts'

export type PassParts = {
  readonly events: EventRecorder
  readonly log: Logger
  readonly signal: AbortSignal
  readonly holds: HoldTable
  /** Adds a key to the right lane of the queue. */
  enqueue(key: string): void
  readonly tracer?: Tracer | undefined
}

/** The step loop of one controller, and its state between passes. */
export interface Passes {
  /** A pass that only waits is synchronous and creates no promise. */
  run(key: string): WorkResult | Promise<WorkResult>
  /** Wakes the keys that are waiting for the topic. */
  report(topic: string): void
  /** Number of keys with any state. */
  kept(): number
}

const DEFAULT_STEP_LIMIT = 20
/**
 * When to decide again after the server has shown that the cache is behind. Usually the cache catches up and enqueues the key; this covers an object
 * that was created and deleted in between, which the cache never shows.
 */
export const CACHE_BEHIND_MS = 1000

/** `PersistentVolume pv-1`: the topic of every change of that object. */
export const topicOf = (kindName: string, key: string): string => `${kindName} ${key}`

// One function, because all of it works on the tables that are kept between passes.
export function createPasses<View, Step extends AnyStep, Memory, Reads>(
  definition: ControllerDefinition<View, Step, Memory, Reads>,
  parts: PassParts,
): Passes {
  const { name, stepLimit = DEFAULT_STEP_LIMIT } = definition
  const { signal, tracer } = parts
  const memories = new Map<string, Memory>()
  const wakes = createWakeList()
  const said = createSaidOnce()
  let count = 0

  const forget = (key: string): WorkResult => {
    memories.delete(key)
    wakes.forget(key)
    said.forget(key)
    definition.forget?.(key)
    return DONE
  }

  const run = (key: string): WorkResult | Promise<WorkResult> => {
    const pass = new RunningPass<View, Memory, Reads>(shared, key, ++count)
    const view = definition.view(key, pass)
    if (view === undefined) return forget(key)
    pass.view = view
    const step = decide(pass)
    return step.kind === 'wait' ? wait(step, pass) : takeSteps(step, pass)
  }

  const decide = (pass: RunningPass<View, Memory, Reads>): Step => {
    definition.onView?.(pass)
    const step = definition.decide(pass.view)
    if (parts.log.isDebugEnabled)
      pass.log.debug('step', { step: step.kind, ...('reason' in step ? { reason: step.reason } : {}) })
    return step
  }

  const wait = (step: Step, pass: RunningPass<View, Memory, Reads>): WorkResult => {
    // The kind identifies the member of the union, and `WaitStep` is what all wait steps have.
    const waiting = step as unknown as WaitStep
    wakes.wait(pass.key, topicsOf(waiting))
    definition.perform.wait?.(step as never, pass)
    return waiting.retryInMs === undefined ? DONE : after(waiting.retryInMs)
  }

  // The type of `perform` has a function for each kind of step, and the step has the kind of the key.
  const performerOf = (step: Step): Performer<Step, View, Memory, Reads> =>
    definition.perform[step.kind as keyof typeof definition.perform] as unknown as Performer<Step, View, Memory, Reads>

  const perform = (step: Step, pass: RunningPass<View, Memory, Reads>): Promised<StepOutcome> => {
    if (!tracer) return performerOf(step)(step, pass)
    return traceStep(tracer, definition, pass, { name: step.kind, act: () => performerOf(step)(step, pass) })
  }

  const takeSteps = async (first: Step, pass: RunningPass<View, Memory, Reads>): Promise<WorkResult> => {
    wakes.forget(pass.key)
    const lane = definition.lane?.(pass.key)
    try {
      let step = first
      for (let steps = 0; steps < stepLimit; steps++) {
        const resource = definition.resource?.(pass.view, pass.key, step)
        if (resource !== undefined && !pass.hold(resource)) return DONE
        const outcome = await perform(step, pass)
        if (outcome) return outcome
        signal.throwIfAborted()
        const view = definition.view(pass.key, pass)
        if (view === undefined) return forget(pass.key)
        pass.view = view
        if (lane !== undefined && definition.lane?.(pass.key) !== lane) {
          // The key now belongs to another lane, which has its own workers.
          parts.enqueue(pass.key)
          return DONE
        }
        step = decide(pass)
        if (step.kind === 'wait') return wait(step, pass)
      }
      pass.log.warn('a pass took too many steps', { limit: stepLimit })
      return FAILED
    } catch (error) {
      return await fail(error, pass)
    } finally {
      pass.releaseAll()
    }
  }

  const fail = async (error: unknown, pass: RunningPass<View, Memory, Reads>): Promise<WorkResult> => {
    if (signal.aborted) return DONE
    try {
      const result = await handle(error, pass)
      if (result) return result
    } catch (second) {
      if (signal.aborted) return DONE
      return judge(second, pass)
    }
    return judge(error, pass)
  }

  const handle = (error: unknown, pass: RunningPass<View, Memory, Reads>): Promised<WorkResult | undefined> => {
    const act = () => definition.onError?.(error, pass)
    return tracer ? traceStep(tracer, definition, pass, { name: 'handle-error', act }) : act()
  }

  /** The only place that decides what an error means for its key. */
  const judge = (error: unknown, pass: RunningPass<View, Memory, Reads>): WorkResult => {
    // A conflict only means that the view was stale: the change that caused it is on its way.
    if (isConflict(error)) {
      pass.log.debug('reconciling met a conflict', { error })
      return FAILED
    }
    if (isNotFound(error)) {
      pass.log.debug('an object is gone that the cache still shows', { error })
      return after(CACHE_BEHIND_MS)
    }
    pass.log.warn('reconciling failed', { error })
    const about = isLasting(error) ? definition.report?.about(pass.view) : undefined
    if (about && definition.report)
      pass.say(about, { type: 'Warning', event: definition.report.event }, (error as Error).message)
    return FAILED
  }

  const shared = { name, memories, said, wakes, parts }
  const report = (topic: string): void => {
    if (wakes.size() === 0) return
    for (const key of wakes.take(topic)) parts.enqueue(key)
  }
  return { run, report, kept: () => memories.size + wakes.size() + said.size() }
}

type Promised<T> = T | Promise<T>
type Performer<Step, View, Memory, Reads> = (step: Step, pass: Pass<View, Memory, Reads>) => Promised<StepOutcome>

function topicsOf({ reason, wakeOn = [] }: Omit<WaitStep, 'kind'>): readonly string[] {
  const object = objectTopic(reason)
  return object === undefined ? wakeOn : [...wakeOn, object]
}

const objectTopic = ({ waitsFor }: Reason): string | undefined =>
  waitsFor?.kind === 'object' ? topicOf(waitsFor.kindName, keyOfRef(waitsFor)) : undefined

type Shared<Memory> = {
  readonly name: string
  readonly memories: Map<string, Memory>
  readonly said: SaidOnce
  readonly wakes: WakeList
  readonly parts: PassParts
}

class RunningPass<View, Memory, Reads> implements Pass<View, Memory, Reads> {
  readonly key: string
  // Set before anything except `view` sees the pass.
  view!: View
  reads: Partial<Reads> = {}
  readonly #shared: Shared<Memory>
  readonly #number: number
  #log: Logger | undefined
  #hasHolds = false

  constructor(shared: Shared<Memory>, key: string, number: number) {
    this.key = key
    this.#shared = shared
    this.#number = number
  }

  get signal(): AbortSignal {
    return this.#shared.parts.signal
  }

  // Most passes log nothing.
  get log(): Logger {
    this.#log ??= this.#shared.parts.log.with({ controller: this.#shared.name, key: this.key, pass: this.#number })
    return this.#log
  }

  get memory(): Memory | undefined {
    return this.#shared.memories.get(this.key)
  }

  set memory(memory: Memory | undefined) {
    if (memory === undefined) this.#shared.memories.delete(this.key)
    else this.#shared.memories.set(this.key, memory)
  }

  // Getters that create a function, so that steps can destructure the pass; most passes need none of them.
  get say(): Pass<View>['say'] {
    const { said, parts } = this.#shared
    return (about, { type, event }, text, topic = '') => {
      if (said.isNews(this.key, `${about.metadata.uid ?? ''} ${topic}`, `${event} ${text}`))
        parts.events.record(about, type, event, text)
    }
  }

  get unsay(): () => void {
    return () => this.#shared.said.forget(this.key)
  }

  get waitFor(): Pass<View>['waitFor'] {
    return (step) => this.#shared.wakes.wait(this.key, topicsOf(step))
  }

  get hold(): (resource: string) => boolean {
    const { holds, enqueue } = this.#shared.parts
    return (resource) => {
      this.#hasHolds = true
      return holds.take(resource, this.#holder, () => enqueue(this.key))
    }
  }

  get isHeldByOther(): (resource: string) => boolean {
    return (resource) => this.#shared.parts.holds.isHeldByOther(resource, this.#holder)
  }

  releaseAll(): void {
    if (this.#hasHolds) this.#shared.parts.holds.releaseAll(this.#holder)
  }

  get #holder(): string {
    return `${this.#shared.name} ${this.key}`
  }
}
