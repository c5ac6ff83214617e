import { hasFinalizer } from '../../api/finalizers.ts'
import type { VolumeAttachment } from '../../api/kinds/volume-attachment.ts'
import type { Reason } from '../../api/reason.ts'
import { operationOf } from './attach-view.ts'
import { attacherFinalizer } from '../attacher-finalizer.ts'
import { REASONS } from './reasons.ts'

export type TrivialStep =
  | { readonly kind: 'wait'; readonly reason: Reason }
  /** Say that it is attached: there is nothing to attach. */
  | { readonly kind: 'acknowledge' }
  /** Take our finalizer off, which is left from a time when the driver could attach. */
  | { readonly kind: 'release' }

/** What to do about an attachment of a driver that knows no attaching. */
export function nextTrivialStep({ seen: { attachment } }: { seen: { attachment: VolumeAttachment } }): TrivialStep {
  if (operationOf(attachment) === 'detach') {
    return hasFinalizer(attachment, attacherFinalizer(attachment.spec.attacher))
      ? { kind: 'release' }
      : { kind: 'wait', reason: REASONS.released }
  }
  return attachment.status?.attached ? { kind: 'wait', reason: REASONS.acknowledged } : { kind: 'acknowledge' }
}
