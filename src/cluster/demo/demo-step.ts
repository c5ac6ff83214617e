import type { Api } from '../../api/api.ts'
import type { Host } from '../../base/host/index.ts'
import type { Target } from '../../explain/index.ts'
import type { CallHappening, DemoView, ObjectHappening } from './happening.ts'

/** One step of the walkthrough. Nothing of it is decided here: it says what a person does, what has to follow, and how to see that it did. */
export type DemoStep = {
  readonly name: string
  readonly shows: string
  /** Of the design documents; empty if they do not describe it. */
  readonly requirements: readonly string[]
  /** What a person does. Left out: it follows from the step before. */
  act?(api: Api): Promise<unknown>
  /** Calls that have to be made for it. */
  readonly calls: readonly string[]
  /** Objects that are told about, by their kind, or the kind and how their state begins: `Pod Running`. */
  readonly objects: readonly string[]
  /** The step is over once this holds and its calls are made. */
  until(view: DemoView): boolean
  readonly checks: readonly DemoCheck[]
  /** What to ask about when it does not come to an end. */
  readonly subject?: Target
}

/** Something that must be true at the end of a step. */
export type DemoCheck = { readonly says: string; holds(evidence: Evidence): boolean | Promise<boolean> }

export type Evidence = {
  readonly view: DemoView
  /** Of this step, in order. */
  readonly calls: readonly CallHappening[]
  readonly host: Host
  /** Where the cluster keeps everything. */
  readonly directory: string
}

/** What became of one step. */
export type StepReport = {
  readonly name: string
  readonly shows: string
  readonly requirements: readonly string[]
  readonly outcome: 'held' | 'failed' | 'not tried'
  readonly tookMs: number
  readonly happenings: readonly ToldHappening[]
  readonly checks: readonly { readonly says: string; readonly held: boolean }[]
  /** Why it failed. */
  readonly problem?: string
}

/** With the time since a person acted, instead of that of a clock. */
export type ToldHappening = (Omit<CallHappening, 'atMs'> | Omit<ObjectHappening, 'atMs'>) & { readonly afterMs: number }
