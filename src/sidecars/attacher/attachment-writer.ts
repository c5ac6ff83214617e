import { isNotFound } from '../../api/api-error.ts'
import type { Api } from '../../api/api.ts'
import { hasFinalizer, removeFinalizerPatch } from '../../api/finalizers.ts'
import { VOLUME_ATTACHMENTS } from '../../api/kinds/volume-attachment.ts'
import type { VolumeAttachment, VolumeAttachmentStatus, VolumeError } from '../../api/kinds/volume-attachment.ts'
import { createMergePatch } from '../../api/merge-patch.ts'
import { refOf } from '../../api/object-key.ts'
import { formatTimestamp } from '../../api/timestamps.ts'
import { cutText } from '../../base/cut-text.ts'
import { codeNumber } from '../../csi/codes.ts'
import { CsiError } from '../../csi/csi-error.ts'
import type { Operation } from './attach-view.ts'
import { targetAnnotations } from '../attach-target.ts'
import type { Target } from '../attach-target.ts'

export type AttachmentWriter = ReturnType<typeof createAttachmentWriter>

/** All writes to attachments. Each includes the UID: a late write must not change a new attachment of the same name. */
export function createAttachmentWriter(api: Api, finalizer: string) {
  const patchStatus = async (attachment: VolumeAttachment, status: VolumeAttachmentStatus): Promise<void> => {
    const change = createMergePatch(attachment.status ?? {}, status)
    if (Object.keys(change).length === 0) return
    // The server requires `attached` in every status.
    const value = {
      metadata: { uid: attachment.metadata.uid },
      status: { attached: status.attached, ...change },
    }
    await api.patch(VOLUME_ATTACHMENTS, refOf(attachment), { type: 'merge', value }, { subresource: 'status' })
  }
  return {
    claim: async (attachment: VolumeAttachment, target: Target): Promise<void> => {
      const { uid, resourceVersion, finalizers = [] } = attachment.metadata
      // The whole list is written, so nothing may have changed since it was read.
      const metadata = {
        uid,
        resourceVersion,
        annotations: targetAnnotations(target),
        ...(finalizers.includes(finalizer) ? {} : { finalizers: [...finalizers, finalizer] }),
      }
      await api.patch(VOLUME_ATTACHMENTS, refOf(attachment), { type: 'merge', value: { metadata } })
    },
    attached: (attachment: VolumeAttachment, metadata: Readonly<Record<string, string>>): Promise<void> => {
      const { attachError: _cleared, attachmentMetadata: _former, ...rest } = attachment.status ?? {}
      const published = Object.keys(metadata).length === 0 ? {} : { attachmentMetadata: metadata }
      return patchStatus(attachment, { ...rest, attached: true, ...published })
    },
    failed: (attachment: VolumeAttachment, operation: Operation, error: VolumeError): Promise<void> => {
      const { errorCode: _code, ...withoutCode } = error
      const failure = operation === 'attach' ? { attachError: error } : { detachError: withoutCode }
      return patchStatus(attachment, { attached: false, ...attachment.status, ...failure })
    },
    /** Removes our finalizer. If others keep the object, its status shows that it is detached. */
    released: async (attachment: VolumeAttachment): Promise<void> => {
      const release = removeFinalizerPatch(attachment, finalizer, { form: 'json' })
      try {
        const left = release ? await api.patch(VOLUME_ATTACHMENTS, refOf(attachment), release) : attachment
        // Without finalizers, that write has deleted it.
        if ((left.metadata.finalizers ?? []).length > 0 && !hasFinalizer(left, finalizer))
          await patchStatus(left, { attached: false })
      } catch (error) {
        if (!isNotFound(error)) throw error
      }
    },
  }
}

// The server rejects longer messages, and then the user would see nothing.
const LONGEST_MESSAGE_BYTES = 1024

/** An error for an attachment's status. Only the driver's own errors have a code. */
export function createVolumeError(message: string, nowMs: number, cause?: unknown): VolumeError {
  const code = cause instanceof CsiError ? cause.code : undefined
  return {
    time: formatTimestamp(nowMs),
    message: cutMessage(message),
    ...(code === undefined ? {} : { errorCode: codeNumber(code) }),
  }
}

export const cutMessage = (message: string): string => cutText(message, LONGEST_MESSAGE_BYTES)
