import type { Node } from '../../api/kinds/node.ts'
import type { NodeDescription } from './node-description.ts'
import type { ReportReason } from './reasons.ts'

export type ReportView = {
  readonly seen: { readonly name: string; readonly node?: Node }
  /** Undefined when asked from outside. */
  readonly held?: {
    readonly nowMs: number
    readonly description: NodeDescription
    /** Why the node can't take pods yet; undefined when it can. */
    readonly obstacle?: ReportReason | undefined
    /** When the status was last written, on the wall clock. Left out: never since the agent started. */
    readonly writtenAtMs?: number | undefined
    readonly heartbeatMs: number
  }
}

/** A write of the status. */
export type StatusWrite = { readonly uid: string | undefined; readonly atMs: number }

/** What there is to report. The last write counts only for the very same Node. */
export function readReportView(
  name: string,
  node: Node | undefined,
  { written, ...held }: Omit<NonNullable<ReportView['held']>, 'writtenAtMs'> & { written: StatusWrite | undefined },
): ReportView {
  const writtenAtMs = written && written.uid === node?.metadata.uid ? written.atMs : undefined
  return { seen: { name, ...(node ? { node } : {}) }, held: { ...held, writtenAtMs } }
}
