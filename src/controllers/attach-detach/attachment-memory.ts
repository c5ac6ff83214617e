import type { VolumeAttachment } from '../../api/kinds/volume-attachment.ts'
import type { Clock } from '../../base/clock.ts'
import type { AttachmentHeld, Create } from './attachment-view.ts'

// A cache that has not shown it by then may have missed it.
const CHECK_AFTER_MS = 10_000

export type AttachmentMemory = ReturnType<typeof createAttachmentMemory>

/**
 * Our knowledge about attachments beyond the server's objects: our own pending writes, and how long we have been waiting. It may be lost in a
 * restart.
 */
export function createAttachmentMemory(clock: Clock) {
  /** Attachments that were requested and not seen yet, by name. */
  const creates = new Map<string, Create>()
  const deletions = new Map<string, { readonly uid: string; readonly state: 'sent' | 'answered' }>()
  const phases = new Map<string, { readonly id: string; readonly sinceMs: number }>()

  /** Since when the attachment of this uid is in the phase. */
  const sinceMs = (name: string, uid: string, phase: string): number => {
    const id = `${phase} ${uid}`
    const known = phases.get(name)
    if (known?.id === id) return known.sinceMs
    phases.set(name, { id, sinceMs: clock.monotonicMs() })
    return clock.monotonicMs()
  }
  return {
    creates,
    deletions,
    held: (name: string, attachment: VolumeAttachment | undefined, isWanted: boolean): Partial<AttachmentHeld> => {
      const { uid = '', deletionTimestamp } = attachment?.metadata ?? {}
      const writes = { create: creates.get(name)?.state, deletion: deletions.get(name)?.state }
      if (deletionTimestamp) return { ...writes, waitingSinceMs: sinceMs(name, uid, 'leaving') }
      if (attachment && !isWanted) return { ...writes, unwantedSinceMs: sinceMs(name, uid, 'unwanted') }
      if (attachment && !attachment.status?.attached)
        return { ...writes, waitingSinceMs: sinceMs(name, uid, 'waiting') }
      phases.delete(name)
      return writes
    },
    created: (name: string, kind: 'sent' | 'in-doubt'): void => {
      const create = creates.get(name)
      if (create) creates.set(name, { ...create, state: { kind, checkAtMs: clock.monotonicMs() + CHECK_AFTER_MS } })
    },
    /** The server has reported the current object. */
    seen: (name: string, attachment: VolumeAttachment | undefined): void => {
      if (attachment?.metadata.uid !== deletions.get(name)?.uid || attachment?.metadata.deletionTimestamp)
        deletions.delete(name)
      // A request that is still being sent ends by itself.
      if (creates.get(name)?.state.kind !== 'sending') creates.delete(name)
      if (!attachment) phases.delete(name)
    },
  }
}
