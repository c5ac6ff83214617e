import { defineController } from '../../kube/controller/index.ts'
import type { AttachmentParts } from './attachment-parts.ts'
import { nextTrivialStep } from './next-trivial-step.ts'

/** For drivers that do not attach: attachments are marked as attached, and nothing is called. */
export function defineTrivialController({ queue, watch, lane, see, write }: AttachmentParts) {
  return defineController({
    name: 'attacher',
    queue,
    watch,
    lane,
    view: (key) => {
      const seen = see(key)
      return seen && { seen: { attachment: seen.attachment } }
    },
    decide: nextTrivialStep,
    perform: {
      acknowledge: (_step, { view: { seen } }) => write.attached(seen.attachment, {}),
      release: (_step, { view: { seen } }) => write.released(seen.attachment),
    },
  })
}
