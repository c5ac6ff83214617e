import type { AttachedVolume, Node } from '../../api/kinds/node.ts'
import { attachmentNameOf } from '../../storage/attachment-name.ts'
import { parseUniqueVolumeName } from '../../storage/unique-volume-name.ts'
import { grantWishes } from './attachment-view.ts'
import type { AttachmentView } from './attachment-view.ts'
import { mayDetach } from './may-detach.ts'
import { isManaged, isReported } from './node-facts.ts'
import { REASONS } from './reasons.ts'
import type { AttachDetachReason } from './reasons.ts'

export type NodeStatusView = {
  readonly seen: { readonly node: Node; readonly attachments: readonly AttachmentView[] }
  readonly held?: {
    readonly nowMs: number
    /** Since when there is something to add. */
    readonly addingSinceMs?: number
    readonly gatherMs: number
    /** The last write may or may not have happened. */
    readonly isInDoubt: boolean
  }
}

export type NodeStatusStep = Readonly<
  | { kind: 'wait'; reason: AttachDetachReason; retryInMs?: number }
  /** Ask the server for the node's list. */
  | { kind: 'look' }
  | { kind: 'write'; volumes: readonly AttachedVolume[]; added: readonly AttachmentView[]; removed: readonly string[] }
>

/** What the node's list of attached volumes must contain, in one write. */
export function nextNodeStatusStep({ seen: { node, attachments }, held }: NodeStatusView): NodeStatusStep {
  if (!isManaged(node)) return { kind: 'wait', reason: REASONS.NodeNotManaged(node.metadata.name ?? '') }
  if (held?.isInDoubt) return { kind: 'look' }
  const present = node.status?.volumesAttached ?? []
  const reported = new Set(present.map(({ name }) => name))
  const staying = new Set<string>()
  const added: AttachmentView[] = []
  for (const view of attachments) {
    const report = reportOf(view)
    const { uniqueName = '' } = view.seen
    if (report !== 'withdraw') staying.add(uniqueName)
    if (report === 'report' && !reported.has(uniqueName)) added.push(view)
  }
  // Volumes without a CSI driver are managed by others.
  const kept = present.filter(({ name }) => staying.has(name) || !parseUniqueVolumeName(name))
  if (kept.length === present.length && added.length === 0) return { kind: 'wait', reason: REASONS.NodeStatusCurrent }

  if (kept.length === present.length && held && attachments.some(isExpected)) {
    const retryInMs = (held.addingSinceMs ?? held.nowMs) + held.gatherMs - held.nowMs
    if (retryInMs > 0) return { kind: 'wait', reason: REASONS.GatheringVolumes, retryInMs }
  }
  const names = added.map(({ seen }) => seen.uniqueName ?? '').sort()
  const removed = present.filter((volume) => !kept.includes(volume)).map(({ name }) => name)
  return { kind: 'write', volumes: [...kept, ...names.map((name) => ({ name, devicePath: '' }))], added, removed }
}

/** Whether this attachment requires a check of the node's list. */
export function isReportStale(view: AttachmentView): boolean {
  const { node, uniqueName } = view.seen
  if (!node || uniqueName === undefined || !isOwn(view)) return false
  const report = reportOf(view)
  return report !== 'keep' && isReported(node, uniqueName) !== (report === 'report')
}

/** `keep`: the node's list stays as it is. */
function reportOf(view: AttachmentView): 'report' | 'keep' | 'withdraw' {
  const { attachment } = view.seen
  if (!attachment?.status?.attached || attachment.metadata.deletionTimestamp || view.held?.deletion || !isOwn(view))
    return 'withdraw'
  if (isWanted(view)) return 'report'
  return mayDetach(view).may ? 'withdraw' : 'keep'
}

/** A node looks up the attachment only by this name. A needed volume has the computed name already, which saves the hash. */
function isOwn({ seen: { name, nodeName, uniqueName, wishes } }: AttachmentView): boolean {
  if (uniqueName === undefined) return false
  return (
    wishes.some((wish) => wish.name === name && wish.nodeName === nodeName && wish.volume.uniqueName === uniqueName) ||
    attachmentNameOf(uniqueName, nodeName) === name
  )
}

const isWanted = ({ seen }: AttachmentView): boolean => grantWishes(seen).granted.length > 0

/** Whether it is about to be attached. */
function isExpected(view: AttachmentView): boolean {
  const { attachment } = view.seen
  if (!isWanted(view) || attachment?.metadata.deletionTimestamp || view.held?.deletion) return false
  return attachment ? !attachment.status?.attached && !attachment.status?.attachError : view.held?.create !== undefined
}
