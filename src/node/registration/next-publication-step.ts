import { nextCsiNodeInfoStep } from './next-csi-node-info-step.ts'
import type { CsiNodeInfoStep } from './next-csi-node-info-step.ts'
import { nextCsiNodeStep } from './next-csi-node-step.ts'
import type { CsiNodeStep } from './next-csi-node-step.ts'
import { nextNodeObjectStep } from './next-node-object-step.ts'
import type { NodeObjectStep } from './next-node-object-step.ts'
import type { PublicationPassView } from './publication-view.ts'
import { REASONS } from './reasons.ts'
import type { RegistrationReason } from './reasons.ts'

export type PublicationStep =
  | { readonly kind: 'wait'; readonly reason: RegistrationReason; readonly retryInMs?: number }
  /** The Node is gone, or another one has its name: everything has to be published again. */
  | { readonly kind: 'begin'; readonly uid: string | undefined }
  | { readonly kind: 'read-csi-node' }
  | Exclude<NodeObjectStep, { kind: 'done' }>
  | { readonly kind: 'write-csi-node'; readonly write: Exclude<CsiNodeStep, { kind: 'done' }> }
  | { readonly kind: 'read-node-info' }
  | { readonly kind: 'write-node-info'; readonly write: Exclude<CsiNodeInfoStep, { kind: 'done' }> }
  /** The server has no CSINode. */
  | { readonly kind: 'do-without'; readonly reason: RegistrationReason; readonly cause: Error }
  | { readonly kind: 'mark-published' }
  | { readonly kind: 'forget-withdrawn' }

/** What to publish next: the Node, then CSINode, then CSINodeInfo where it exists. */
export function nextPublicationStep({ nodeName, memory, publication, ...view }: PublicationPassView): PublicationStep {
  const uid = publication?.seen.node.metadata.uid
  if (memory.uid !== uid) return { kind: 'begin', uid }
  if (!publication) return { kind: 'wait', reason: REASONS.nodeMissing(nodeName) }
  const { csiNode, csiNodeInfo } = memory
  if (csiNode.kind === 'unread' || view.isReadDue) return { kind: 'read-csi-node' }
  const nodeStep = nextNodeObjectStep(publication)
  if (nodeStep.kind !== 'done') return nodeStep
  if (csiNode.kind === 'unserved')
    return { kind: 'do-without', reason: REASONS.typeNotServed(nodeName), cause: csiNode.cause }
  const write = nextCsiNodeStep(publication)
  if (write.kind !== 'done') return { kind: 'write-csi-node', write }
  // Before CSINodeInfo: what goes wrong there must not affect anything else.
  if (view.hasPending) return { kind: 'mark-published' }
  if (csiNodeInfo.kind === 'unread') return { kind: 'read-node-info' }
  const infoWrite = csiNodeInfo.kind === 'read' ? nextCsiNodeInfoStep(publication) : undefined
  if (infoWrite && infoWrite.kind !== 'done') return { kind: 'write-node-info', write: infoWrite }
  if (view.hasWithdrawn) return { kind: 'forget-withdrawn' }
  return { kind: 'wait', reason: REASONS.published(nodeName), retryInMs: view.recheckInMs }
}
