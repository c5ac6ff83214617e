import type { ControllerCapability, GroupControllerCapability, NodeCapability, PluginService } from '../csi/index.ts'
import type { CaseContext } from './case-context.ts'
import type { RecordedCall } from './recorded-call.ts'

/** What a case needs of the driver or of the command line. Without it the case is not applicable. */
export type Need =
  | `plugin:${keyof typeof PluginService}`
  | `controller:${keyof typeof ControllerCapability}`
  | `group:${keyof typeof GroupControllerCapability}`
  | `node:${keyof typeof NodeCapability}`
  | 'node'
  | 'two nodes'
  | 'restart'
  | 'mutable parameters'

/** One rule of the specification, and when it applies. */
export type CaseInfo = {
  /** `topic/what-holds`. Part of commands that people type, so it never changes. */
  readonly id: string
  /** What a correct driver does, as one sentence. */
  readonly title: string
  /** The words of the specification that require it. */
  readonly clause: string
  /** Heading of the specification under which the clause stands. */
  readonly section: string
  readonly needs: readonly Need[]
  /** The most volumes that exist at the same time. Default 0. */
  readonly volumes?: number
  /** Runs while no other case does, because it counts or limits something that others change. */
  readonly alone?: true
}

/** A case that calls the driver itself. Cases that drive it through a cluster are in `cluster/`. */
export type Case = CaseInfo & { readonly run: (check: CaseContext) => Promise<void> }

export type Failure = {
  /** What the driver should have done. */
  readonly expected: string
  readonly found: string
  /** The last calls of the case, the decisive one at the end. */
  readonly calls: readonly RecordedCall[]
  /** What the driver wrote to its log in the meantime. */
  readonly log?: string
}

export type Outcome =
  | { readonly kind: 'passed' }
  | { readonly kind: 'failed'; readonly failure: Failure }
  | { readonly kind: 'not-applicable'; readonly reason: string }

export type CaseResult = { readonly case: CaseInfo; readonly outcome: Outcome; readonly tookMs: number }
