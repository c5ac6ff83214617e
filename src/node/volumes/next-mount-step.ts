import type { DriverPolicy } from '../../storage/driver-policy.ts'
import { IN_LINE_NAMESPACE } from '../../storage/names.ts'
import type { DriverVolume, Patience } from './volume-table.ts'
import type { MountStep, MountView } from './mount-view.ts'
import { needsVolumes } from './pod-view.ts'
import { PODS_KNOWN, REASONS, wait } from './reasons.ts'
import type { VolumeReason, VolumeWait } from './reasons.ts'

export function nextMountStep(view: MountView): MountStep {
  const { seen, held } = view
  if (!seen.pod || !needsVolumes(seen.pod)) return nextUnpublishStep(view)
  // Nothing of a running pod is unmounted because its volumes could not be read.
  if (!seen.wish) return held?.isPodResolved ? nextUnpublishStep(view) : wait(REASONS.VolumesOfPodNotKnown)
  return nextPublishStep(view, seen.wish)
}

function nextPublishStep(view: MountView, wish: DriverVolume): MountStep {
  const { seen, held } = view
  const { volumeName, driver, policy } = seen
  if (held?.state === 'mounted') {
    if (held.republishAtMs === undefined) return wait(REASONS.Mounted)
    const retryInMs = Math.max(held.republishAtMs, held.patience?.retryAtMs ?? 0) - held.nowMs
    if (retryInMs > 0) return wait(REASONS.Mounted, { retryInMs })
    if (!held.isRegistered || held.isExpanding) return wait(REASONS.Mounted)
    return { kind: 'publish', isRepeat: true }
  }
  if (held && !held.isRegistered) return wait(REASONS.DriverNotRegistered(driver))
  if (!policy) return wait(REASONS.DriverPolicyNotKnown(driver))
  const problem = findProblem(view, wish, policy)
  if (problem) return { kind: 'refuse', reason: problem }
  if (!held) return wait(REASONS.VolumesNotMounted(volumeName))
  if (wish.kind === 'csi' && (held.device !== 'staged' || held.isExpanding))
    return wait(REASONS.VolumeNotStaged(volumeName))
  const delay = delayOf(held.patience, held.nowMs)
  if (delay) return delay
  return held.capabilities ? { kind: 'publish', isRepeat: false } : { kind: 'probe' }
}

function findProblem({ seen, held }: MountView, wish: DriverVolume, policy: DriverPolicy): VolumeReason | undefined {
  const { driver, volumeName, pod } = seen
  if (wish.kind === 'ephemeral')
    return policy.lifecycleModes.includes('Ephemeral')
      ? undefined
      : REASONS.LifecycleModeNotAllowed(driver, 'Ephemeral')
  const { spec, persistentVolume } = wish.volume
  // A claim proves that the pod may use the volume. A handle does not: the volume may need secrets of another namespace.
  if (!persistentVolume) {
    const { namespace = '' } = pod?.metadata ?? {}
    const owners = [seen.attachment?.metadata.annotations?.[IN_LINE_NAMESPACE] ?? namespace, ...seen.otherNamespaces]
    return owners.some((owner) => owner !== namespace) ? REASONS.VolumeOfOtherNamespace(volumeName) : undefined
  }
  if (!policy.lifecycleModes.includes('Persistent')) return REASONS.LifecycleModeNotAllowed(driver, 'Persistent')
  const isSinglePod = spec.accessModes?.length === 1 && spec.accessModes[0] === 'ReadWriteOncePod'
  if (isSinglePod && held && held.otherPods > 0) return REASONS.VolumeInUseBySinglePod(volumeName)
  return undefined
}

function nextUnpublishStep({ seen: { driver, pod }, held }: MountView): MountStep {
  if (!held) return wait(REASONS.Unmounted)
  if (!held.isPresent) return { kind: 'forget' }
  if (!pod && !held.isReady) return wait(REASONS.PodsNotKnown, { wakeOn: [PODS_KNOWN] })
  if (!held.isRegistered) return wait(REASONS.DriverNotRegistered(driver))
  if (held.isExpanding) return wait(REASONS.VolumeExpanding)
  // A failed publish does not delay its undoing.
  return (held.isUnmountFailing ? delayOf(held.patience, held.nowMs) : undefined) ?? { kind: 'unpublish' }
}

/** The backoff after a failure. */
export function delayOf(
  patience: Patience | undefined,
  nowMs: number,
): (VolumeWait & { readonly retryInMs: number }) | undefined {
  if (!patience || patience.retryAtMs <= nowMs) return undefined
  const retryInMs = patience.retryAtMs - nowMs
  return { kind: 'wait', reason: REASONS.BackingOff(patience.detail, Math.ceil(retryInMs / 1000)), retryInMs }
}
