import type { Watch, WorkQueue } from '../../kube/controller/index.ts'
import type { AttachView, Operation } from './attach-view.ts'
import type { AttachmentWriter } from './attachment-writer.ts'

/** What the controller of attachments is given, with a driver that attaches and with one that does not. */
export type AttachmentParts = {
  readonly queue: WorkQueue
  readonly watch: readonly Watch[]
  lane(key: string): Operation
  /** Undefined when the attachment is gone or somebody else's. */
  see(key: string): AttachView['seen'] | undefined
  readonly write: AttachmentWriter
}
