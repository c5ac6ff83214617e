import { hasFinalizer } from '../../api/finalizers.ts'
import type { KubeObject } from '../../api/object.ts'
import type { ProtectionReason } from './reasons.ts'
import { REASONS } from './reasons.ts'

export type ProtectionStep =
  | { readonly kind: 'wait'; readonly reason: ProtectionReason; readonly retryInMs?: number }
  | { readonly kind: 'add-finalizer' }
  | { readonly kind: 'remove-finalizer' }

/** An object has the finalizer until it is to be deleted and is not in use. */
export function nextFinalizerStep(
  object: KubeObject,
  finalizer: string,
  findUse: () => ProtectionReason | undefined,
): ProtectionStep {
  const isHeld = hasFinalizer(object, finalizer)
  if (object.metadata.deletionTimestamp === undefined)
    return isHeld ? { kind: 'wait', reason: REASONS.protected } : { kind: 'add-finalizer' }
  if (!isHeld) return { kind: 'wait', reason: REASONS.notHeld }
  const use = findUse()
  return use ? { kind: 'wait', reason: use } : { kind: 'remove-finalizer' }
}
