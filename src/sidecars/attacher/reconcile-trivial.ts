import { isNotFound } from '../../api/api-error.ts'
import type { VolumeAttachment } from '../../api/kinds/volume-attachment.ts'
import { unreachable } from '../../base/abort.ts'
import { DONE } from '../../kube/controller.ts'
import type { Reconciler } from '../../kube/controller.ts'
import type { AttachmentWriter } from './attachment-writer.ts'
import { nextTrivialStep } from './next-trivial-step.ts'

export type TrivialParts = { readAttachment(key: string): VolumeAttachment | undefined; write: AttachmentWriter }

/** For drivers that know no attaching: attachments are said to be attached, and nothing is called. */
export function createTrivialReconciler({ readAttachment, write }: TrivialParts): Reconciler {
  return async (key, { log, signal }) => {
    const attachment = readAttachment(key)
    if (!attachment) return DONE
    const step = nextTrivialStep({ seen: { attachment } })
    log.debug('attach step', { step })
    try {
      switch (step.kind) {
        case 'wait':
          break
        case 'acknowledge':
          await write.attached(attachment, {}, signal)
          break
        case 'release':
          await write.released(attachment, signal)
          break
        default:
          unreachable(step)
      }
    } catch (error) {
      if (!isNotFound(error)) throw error
    }
    return DONE
  }
}
