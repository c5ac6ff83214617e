import type { Api } from '../../api/api.ts'
import type { Host } from '../../base/host/index.ts'
import type { Target } from '../../explain/index.ts'
import type { CallHappening, DemoView, ObjectHappening } from './happening.ts'

/** One step of the walkthrough. It decides nothing: it describes the user's action, the expected result, and how to check it. */
export type DemoStep = {
  readonly name: string
  readonly shows: string
  /** Of the design documents; empty if they do not describe it. */
  readonly requirements: readonly string[]
  /** The user's action. Absent if the step follows from the previous one. */
  act?(api: Api): Promise<unknown>
  /** Calls that have to be made for it. */
  readonly calls: readonly string[]
  /** Objects to report on, by kind, or by kind and the start of their state: `Pod Running`. */
  readonly objects: readonly string[]
  /** The step is over once this holds and its calls are made. */
  until(view: DemoView): boolean
  readonly checks: readonly DemoCheck[]
  /** The object to explain if the step does not end. */
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

/** The result of one step. */
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
