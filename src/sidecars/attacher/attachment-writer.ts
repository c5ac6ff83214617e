import { isNotFound } from '../../api/api-error.ts'
import type { Api, Patch } from '../../api/api.ts'
import { hasFinalizer, removeFinalizerPatch } from '../../api/finalizers.ts'
import { VOLUME_ATTACHMENTS } from '../../api/kinds/volume-attachment.ts'
import type { VolumeAttachment, VolumeAttachmentStatus, VolumeError } from '../../api/kinds/volume-attachment.ts'
import { createMergePatch } from '../../api/merge-patch.ts'
import { refOf } from '../../api/object-key.ts'
import type { Operation } from './attach-view.ts'
import { targetAnnotations } from './target.ts'
import type { Target } from './target.ts'

/** Every write to an attachment. Each names the uid: one that is late must not meet a new attachment of the same name. */
export interface AttachmentWriter {
  claim(attachment: VolumeAttachment, target: Target): Promise<void>
  attached(attachment: VolumeAttachment, metadata: Readonly<Record<string, string>>): Promise<void>
  failed(attachment: VolumeAttachment, operation: Operation, error: VolumeError): Promise<void>
  /** Takes our finalizer off. Where others keep the object, its status says that it is detached. */
  released(attachment: VolumeAttachment): Promise<void>
}

export function createAttachmentWriter(api: Api, finalizer: string): AttachmentWriter {
  const patch = (attachment: VolumeAttachment, value: Patch, subresource?: 'status'): Promise<VolumeAttachment> =>
    api.patch(VOLUME_ATTACHMENTS, refOf(attachment), value, subresource ? { subresource } : {})
  const patchStatus = async (attachment: VolumeAttachment, status: VolumeAttachmentStatus): Promise<void> => {
    const change = createMergePatch(attachment.status ?? {}, status)
    if (Object.keys(change).length === 0) return
    const { uid } = attachment.metadata
    // The server wants to know in each status whether it is attached.
    await patch(
      attachment,
      { type: 'merge', value: { metadata: { uid }, status: { attached: status.attached, ...change } } },
      'status',
    )
  }

  const claim = async (attachment: VolumeAttachment, target: Target): Promise<void> => {
    const { uid, resourceVersion, finalizers = [] } = attachment.metadata
    // The whole list is written, so nothing may have changed since it was read.
    const metadata = {
      uid,
      resourceVersion,
      annotations: targetAnnotations(target),
      ...(finalizers.includes(finalizer) ? {} : { finalizers: [...finalizers, finalizer] }),
    }
    await patch(attachment, { type: 'merge', value: { metadata } })
  }
  const attached = (attachment: VolumeAttachment, metadata: Readonly<Record<string, string>>): Promise<void> => {
    const { attachError: _cleared, attachmentMetadata: _former, ...rest } = attachment.status ?? {}
    return patchStatus(attachment, {
      ...rest,
      attached: true,
      ...(Object.keys(metadata).length === 0 ? {} : { attachmentMetadata: metadata }),
    })
  }
  const failed = (attachment: VolumeAttachment, operation: Operation, error: VolumeError): Promise<void> => {
    const before = attachment.status ?? { attached: false }
    const { errorCode: _code, ...withoutCode } = error
    return patchStatus(attachment, {
      ...before,
      ...(operation === 'attach' ? { attachError: error } : { detachError: withoutCode }),
    })
  }
  const released = async (attachment: VolumeAttachment): Promise<void> => {
    const release = removeFinalizerPatch(attachment, finalizer, { form: 'json' })
    try {
      const left = release ? await patch(attachment, release) : attachment
      // Without finalizers it is gone with that write.
      if ((left.metadata.finalizers ?? []).length > 0 && !hasFinalizer(left, finalizer))
        await patchStatus(left, { attached: false })
    } catch (error) {
      if (!isNotFound(error)) throw error
    }
  }
  return { claim, attached, failed, released }
}
