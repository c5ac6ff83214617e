import { hasCondition } from '../../api/conditions.ts'
import type { PersistentVolume } from '../../api/kinds/persistent-volume.ts'
import type { VolumeAttributesClass } from '../../api/kinds/volume-attributes-class.ts'
import { findAnnotation } from '../../storage/names.ts'
import type { ModifyHeld, ModifyView } from './modify-view.ts'
import { REASONS } from './reasons.ts'
import type { ResizerReason } from './reasons.ts'
import { secretProblemOf } from './secret-problem.ts'

type SecretRef = { readonly namespace: string; readonly name: string }

export type ModifyStep =
  | { readonly kind: 'wait'; readonly reason: ResizerReason; readonly retryInMs?: number }
  /** The claim requests no class any more, and nothing is running. */
  | { readonly kind: 'cancel' }
  /** Say that the class is not there. */
  | { readonly kind: 'mark-pending'; readonly reason: ResizerReason }
  /** Save the target in the claim's status before the driver is called. */
  | { readonly kind: 'begin'; readonly className: string }
  | { readonly kind: 'read-secret'; readonly ref: SecretRef }
  /** The user has to know why nothing happens. It is tried again later. */
  | { readonly kind: 'refuse'; readonly className: string; readonly reason: ResizerReason }
  | { readonly kind: 'modify'; readonly volume: PersistentVolume; readonly attributesClass: VolumeAttributesClass }
  | { readonly kind: 'record-volume'; readonly volume: PersistentVolume; readonly className: string }
  | { readonly kind: 'record-claim'; readonly className: string }

/** What to do about the VolumeAttributesClass of one claim. */
export function nextModifyStep({ seen, held }: ModifyView): ModifyStep {
  const { claim, volume, wanted, begun } = seen
  const { volumeName, volumeAttributesClassName: wantedName = '' } = claim.spec
  if (!volumeName || claim.status?.phase !== 'Bound') return wait(REASONS.notBound)
  const { currentVolumeAttributesClassName: current = '', modifyVolumeStatus: status } = claim.status
  if (!status && wantedName === current) return wait(REASONS.modified)
  if (!volume) return wait(REASONS.volumeMissing(volumeName))
  const { memory } = held ?? {}
  const begunName = status?.targetVolumeAttributesClassName ?? ''
  const isRunning = status?.status === 'InProgress'
  if (memory?.kind === 'modified' && isRunning && memory.className === begunName)
    return volume.spec.volumeAttributesClassName === begunName
      ? { kind: 'record-claim', className: begunName }
      : { kind: 'record-volume', volume, className: begunName }
  if (wantedName === '' && !isRunning)
    return hasCondition(claim.status.conditions, 'ModifyingVolume') ? { kind: 'cancel' } : wait(REASONS.modifyCanceled)
  // A call whose outcome is unknown is repeated with its own class, even if the claim requests another one by now. A resizer that has
  // just started knows the outcome of no call.
  const isInDoubt = isRunning && !(memory?.kind === 'failed' && memory.outcome !== 'in-doubt')
  if (isInDoubt || wantedName === '')
    return begun ? nextCallStep(volume, begun, held) : wait(REASONS.classMissing(begunName))
  if (!wanted) {
    const isPending = status?.status === 'Pending'
    return isPending
      ? wait(REASONS.classMissing(wantedName))
      : { kind: 'mark-pending', reason: REASONS.classMissing(wantedName) }
  }
  const waiting = waitForRetry(wantedName, held)
  if (waiting) return waiting
  return isRunning && wantedName === begunName
    ? nextCallStep(volume, wanted, held)
    : { kind: 'begin', className: wantedName }
}

/** The class was tried not long ago. */
function waitForRetry(className: string, held: ModifyHeld | undefined): ModifyStep | undefined {
  const { memory } = held ?? {}
  if (!held || memory?.kind !== 'failed' || memory.className !== className || memory.retryAtMs <= held.nowMs)
    return undefined
  const reason =
    memory.outcome === 'infeasible' ? REASONS.modifyInfeasible(memory.message) : REASONS.retrying(memory.message)
  return { kind: 'wait', reason, retryInMs: memory.retryAtMs - held.nowMs }
}

function nextCallStep(
  volume: PersistentVolume,
  attributesClass: VolumeAttributesClass,
  held: ModifyHeld | undefined,
): ModifyStep {
  const className = attributesClass.metadata.name ?? ''
  const driver = volume.spec.csi?.driver ?? ''
  const waiting = waitForRetry(className, held)
  if (waiting) return waiting
  if (attributesClass.driverName !== driver)
    return { kind: 'refuse', className, reason: REASONS.classOfOther(className, attributesClass.driverName) }
  const ref = secretRefOf(volume)
  if (ref) {
    if (!held?.secret) return { kind: 'read-secret', ref }
    const problem = secretProblemOf(held.secret, ref)
    if (problem) return { kind: 'refuse', className, reason: problem }
  }
  return { kind: 'modify', volume, attributesClass }
}

const SECRET_NAME = 'volume.kubernetes.io/controller-modify-secret-name'
const SECRET_NAMESPACE = 'volume.kubernetes.io/controller-modify-secret-namespace'

/** The secret that the provisioner noted for modifications, else the one for expansions. */
function secretRefOf(volume: PersistentVolume): SecretRef | undefined {
  const name = findAnnotation(volume, SECRET_NAME)
  const namespace = findAnnotation(volume, SECRET_NAMESPACE)
  if (name && namespace) return { name, namespace }
  const ref = volume.spec.csi?.controllerExpandSecretRef
  return ref?.name ? { name: ref.name, namespace: ref.namespace ?? '' } : undefined
}

const wait = (reason: ResizerReason): ModifyStep => ({ kind: 'wait', reason })
