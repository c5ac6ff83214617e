import type { Reason } from '../../api/reason.ts'
import type { DriverPolicy } from '../../storage/driver-policy.ts'
import { IN_LINE_NAMESPACE } from '../../storage/names.ts'
import { REASONS } from './reasons.ts'
import { needsVolumes } from './used-volumes.ts'
import type { DriverVolume } from './volume-table.ts'
import type { MountStep, MountView, Patience } from './volume-view.ts'

/** What to do next about one volume of one pod. */
export function nextMountStep(view: MountView): MountStep {
  const { pod, volume, policy } = view.seen
  const { held } = view
  if (!pod || !needsVolumes(pod)) return nextUnpublishStep(view)
  // Of a pod that lives nothing is undone because its volumes could not be read.
  if (!volume) return held?.isPodResolved ? nextUnpublishStep(view) : wait(REASONS.wishesUnknown)
  return nextPublishStep(view, volume, policy)
}

function nextPublishStep(view: MountView, volume: DriverVolume, policy: DriverPolicy | undefined): MountStep {
  const { seen, held } = view
  const { specName, driver } = seen
  if (held?.state === 'mounted') {
    if (held.republishAtMs === undefined) return wait(REASONS.mounted)
    const dueInMs = Math.max(held.republishAtMs, held.patience?.retryAtMs ?? 0) - held.nowMs
    if (dueInMs > 0 || !held.isRegistered || held.isExpanding)
      return wait(REASONS.mounted, dueInMs > 0 ? dueInMs : undefined)
    return { kind: 'publish', isRepeat: true }
  }
  if (held && !held.isRegistered) return wait(REASONS.driverNotRegistered(driver))
  if (!policy) return wait(REASONS.policyUnknown(driver))
  const problem = findProblem(view, volume, policy)
  if (problem) return { kind: 'refuse', reason: problem }
  if (!held) return wait(REASONS.mountsPending(specName))
  if (volume.kind === 'csi' && (held.device !== 'staged' || held.isExpanding)) return wait(REASONS.notStaged(specName))
  const delay = delayOf(held.patience, held.nowMs)
  if (delay) return delay
  return held.capabilities ? { kind: 'publish', isRepeat: false } : { kind: 'probe' }
}

function findProblem({ seen, held }: MountView, volume: DriverVolume, policy: DriverPolicy): Reason | undefined {
  const { driver, specName, pod } = seen
  if (volume.kind === 'ephemeral')
    return policy.lifecycleModes.includes('Ephemeral') ? undefined : REASONS.modeNotAllowed(driver, 'Ephemeral')
  const { spec, volume: persistent } = volume.volume
  // A claim is proof enough that the pod may have it. By a handle alone a pod would come to what another namespace's secrets open.
  if (!persistent) {
    const { namespace = '' } = pod?.metadata ?? {}
    const owners = [seen.attachment?.metadata.annotations?.[IN_LINE_NAMESPACE] ?? namespace, ...seen.otherNamespaces]
    return owners.some((owner) => owner !== namespace) ? REASONS.otherNamespace(specName) : undefined
  }
  if (!policy.lifecycleModes.includes('Persistent')) return REASONS.modeNotAllowed(driver, 'Persistent')
  const isSinglePod = spec.accessModes?.length === 1 && spec.accessModes[0] === 'ReadWriteOncePod'
  if (isSinglePod && held && held.otherPods > 0) return REASONS.singlePod(specName)
  return undefined
}

function nextUnpublishStep({ seen: { driver, pod }, held }: MountView): MountStep {
  if (!held) return wait(REASONS.unmounted)
  if (!held.isPresent) return { kind: 'forget' }
  if (!pod && !held.isReady) return wait(REASONS.podsUnknown)
  if (!held.isRegistered) return wait(REASONS.driverNotRegistered(driver))
  if (held.isExpanding) return wait(REASONS.expanding)
  // A publish that failed does not keep us from undoing it.
  return (held.isUnmountFailing ? delayOf(held.patience, held.nowMs) : undefined) ?? { kind: 'unpublish' }
}

/** Patience after a failure. */
export function delayOf(
  patience: Patience | undefined,
  nowMs: number,
): { kind: 'wait'; reason: Reason; retryInMs: number } | undefined {
  if (!patience || patience.retryAtMs <= nowMs) return undefined
  const retryInMs = patience.retryAtMs - nowMs
  return { kind: 'wait', reason: REASONS.backingOff(patience.detail, Math.ceil(retryInMs / 1000)), retryInMs }
}

const wait = (reason: Reason, retryInMs?: number): MountStep => ({
  kind: 'wait',
  reason,
  ...(retryInMs === undefined ? {} : { retryInMs }),
})
