import { isNotFound } from '../../api/api-error.ts'
import type { Api, Patch } from '../../api/api.ts'
import { hasFinalizer, removeFinalizerPatch } from '../../api/finalizers.ts'
import { VOLUME_ATTACHMENTS } from '../../api/kinds/volume-attachment.ts'
import type { VolumeAttachment, VolumeAttachmentStatus, VolumeError } from '../../api/kinds/volume-attachment.ts'
import { createMergePatch } from '../../api/merge-patch.ts'
import { refOf } from '../../api/object-key.ts'
import type { Clock } from '../../base/clock.ts'
import type { Operation } from './attach-view.ts'
import type { OwnWrites } from '../../kube/own-writes.ts'
import { targetAnnotations } from './target.ts'
import type { Target } from './target.ts'
import { within } from '../../kube/within.ts'

/** Every write that an attachment sees. Each names the uid: one that is late must not meet a new attachment of the same name. */
export interface AttachmentWriter {
  claim(attachment: VolumeAttachment, target: Target, signal: AbortSignal): Promise<void>
  attached(attachment: VolumeAttachment, metadata: Readonly<Record<string, string>>, signal: AbortSignal): Promise<void>
  failed(attachment: VolumeAttachment, operation: Operation, error: VolumeError, signal: AbortSignal): Promise<void>
  /** Takes our finalizer off. Where others keep the object, its status says that it is detached. */
  released(attachment: VolumeAttachment, signal: AbortSignal): Promise<void>
}

export type WriterParts = { api: Api; clock: Clock; finalizer: string; attachments: OwnWrites<VolumeAttachment> }

export function createAttachmentWriter({ api, clock, finalizer, attachments }: WriterParts): AttachmentWriter {
  const patch = async (attachment: VolumeAttachment, value: Patch, signal: AbortSignal, subresource?: 'status'): Promise<VolumeAttachment> => {
    const written = await within(clock, signal, (until) =>
      api.patch(VOLUME_ATTACHMENTS, refOf(attachment), value, { signal: until, ...(subresource ? { subresource } : {}) }),
    )
    attachments.remember(written)
    return written
  }
  const patchStatus = async (attachment: VolumeAttachment, status: VolumeAttachmentStatus, signal: AbortSignal): Promise<void> => {
    const change = createMergePatch(attachment.status ?? {}, status)
    if (Object.keys(change).length === 0) return
    const { uid } = attachment.metadata
    // The server wants to know in each status whether it is attached.
    await patch(attachment, { type: 'merge', value: { metadata: { uid }, status: { attached: status.attached, ...change } } }, signal, 'status')
  }

  const claim = async (attachment: VolumeAttachment, target: Target, signal: AbortSignal): Promise<void> => {
    const { uid, resourceVersion, finalizers = [] } = attachment.metadata
    // The whole list is written, so nothing may have changed since it was read.
    const metadata = {
      uid,
      resourceVersion,
      annotations: targetAnnotations(target),
      ...(finalizers.includes(finalizer) ? {} : { finalizers: [...finalizers, finalizer] }),
    }
    await patch(attachment, { type: 'merge', value: { metadata } }, signal)
  }
  const attached = (attachment: VolumeAttachment, metadata: Readonly<Record<string, string>>, signal: AbortSignal): Promise<void> => {
    const { attachError: _cleared, attachmentMetadata: _former, ...rest } = attachment.status ?? {}
    const status = { ...rest, attached: true, ...(Object.keys(metadata).length === 0 ? {} : { attachmentMetadata: metadata }) }
    return patchStatus(attachment, status, signal)
  }
  const failed = (attachment: VolumeAttachment, operation: Operation, error: VolumeError, signal: AbortSignal): Promise<void> => {
    const before = attachment.status ?? { attached: false }
    const { errorCode: _code, ...withoutCode } = error
    return patchStatus(attachment, { ...before, ...(operation === 'attach' ? { attachError: error } : { detachError: withoutCode }) }, signal)
  }
  const released = async (attachment: VolumeAttachment, signal: AbortSignal): Promise<void> => {
    const release = removeFinalizerPatch(attachment, finalizer, { form: 'json' })
    try {
      const left = release ? await patch(attachment, release, signal) : attachment
      // Without finalizers it is gone with that write.
      if ((left.metadata.finalizers ?? []).length > 0 && !hasFinalizer(left, finalizer)) await patchStatus(left, { attached: false }, signal)
    } catch (error) {
      if (!isNotFound(error)) throw error
    }
  }
  return { claim, attached, failed, released }
}
