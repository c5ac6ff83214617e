import { hasCondition } from '../../api/conditions.ts'
import type { PersistentVolume } from '../../api/kinds/persistent-volume.ts'
import type { VolumeAttributesClass } from '../../api/kinds/volume-attributes-class.ts'
import { findAnnotation, MODIFY_SECRET_NAME, MODIFY_SECRET_NAMESPACE } from '../../storage/names.ts'
import type { SecretRef } from '../../storage/secret-reason.ts'
import type { ModifyHeld, ModifyView } from './modify-view.ts'
import { nextSecretStep, waitForRetry } from './next-expand-step.ts'
import type { SecretStep } from './next-expand-step.ts'
import { REASONS } from './reasons.ts'
import type { ResizerReason } from './reasons.ts'

export type ModifyStep =
  | { readonly kind: 'wait'; readonly reason: ResizerReason; readonly retryInMs?: number }
  /** The claim no longer requests a class, and nothing is running. */
  | { readonly kind: 'cancel' }
  /** Report that the class does not exist. */
  | { readonly kind: 'mark-pending'; readonly reason: ResizerReason }
  /** Save the target in the claim's status before the driver is called. */
  | { readonly kind: 'begin'; readonly className: string }
  | SecretStep
  | { readonly kind: 'modify'; readonly volume: PersistentVolume; readonly attributesClass: VolumeAttributesClass }
  | { readonly kind: 'record-volume'; readonly volume: PersistentVolume; readonly className: string }
  | { readonly kind: 'record-claim'; readonly className: string }

/** What to do about the VolumeAttributesClass of one claim. */
export function nextModifyStep({ seen, held }: ModifyView): ModifyStep {
  const { claim, volume, wanted, begun } = seen
  const { volumeName, volumeAttributesClassName: wantedName = '' } = claim.spec
  if (!volumeName || claim.status?.phase !== 'Bound') return wait(REASONS.NotBound)
  const { currentVolumeAttributesClassName: current = '', modifyVolumeStatus: status } = claim.status
  if (!status && wantedName === current) return wait(REASONS.Modified)
  if (!volume) return wait(REASONS.VolumeMissing(volumeName))
  const { memory } = held ?? {}
  const begunName = status?.targetVolumeAttributesClassName ?? ''
  const isRunning = status?.status === 'InProgress'
  if (memory?.kind === 'done' && isRunning && memory.target === begunName)
    return volume.spec.volumeAttributesClassName === begunName
      ? { kind: 'record-claim', className: begunName }
      : { kind: 'record-volume', volume, className: begunName }
  if (wantedName === '' && !isRunning)
    return hasCondition(claim.status.conditions, 'ModifyingVolume') ? { kind: 'cancel' } : wait(REASONS.ModifyCanceled)
  // A call whose outcome is unknown is repeated with its own class, even if the claim requests another one by now. A resizer that has
  // just started knows the outcome of no call.
  const isInDoubt = isRunning && !(memory?.kind === 'failed' && memory.outcome !== 'in-doubt')
  if (isInDoubt || wantedName === '')
    return begun ? nextCallStep(volume, begun, held) : wait(REASONS.VolumeAttributesClassMissing(begunName))
  if (!wanted) {
    const isPending = status?.status === 'Pending'
    return isPending
      ? wait(REASONS.VolumeAttributesClassMissing(wantedName))
      : { kind: 'mark-pending', reason: REASONS.VolumeAttributesClassMissing(wantedName) }
  }
  const waiting = waitForClass(wantedName, held)
  if (waiting) return waiting
  return isRunning && wantedName === begunName
    ? nextCallStep(volume, wanted, held)
    : { kind: 'begin', className: wantedName }
}

function waitForClass(className: string, held: ModifyHeld | undefined): ModifyStep | undefined {
  const { memory } = held ?? {}
  const isTried = memory?.kind === 'failed' && memory.target === className
  return isTried ? waitForRetry(memory, held, REASONS.ModifyInfeasible) : undefined
}

function nextCallStep(
  volume: PersistentVolume,
  attributesClass: VolumeAttributesClass,
  held: ModifyHeld | undefined,
): ModifyStep {
  const className = attributesClass.metadata.name ?? ''
  const driver = volume.spec.csi?.driver ?? ''
  const waiting = waitForClass(className, held)
  if (waiting) return waiting
  if (attributesClass.driverName !== driver)
    return {
      kind: 'refuse',
      target: className,
      reason: REASONS.VolumeAttributesClassOfOther(className, attributesClass.driverName),
    }
  return nextSecretStep(secretRefOf(volume), className, held) ?? { kind: 'modify', volume, attributesClass }
}

/** The secret that the provisioner recorded for modifications, otherwise the one for expansions. */
function secretRefOf(volume: PersistentVolume): Partial<SecretRef> | undefined {
  const name = findAnnotation(volume, MODIFY_SECRET_NAME)
  const namespace = findAnnotation(volume, MODIFY_SECRET_NAMESPACE)
  return name && namespace ? { name, namespace } : volume.spec.csi?.controllerExpandSecretRef
}

const wait = (reason: ResizerReason): ModifyStep => ({ kind: 'wait', reason })
