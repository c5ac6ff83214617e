import { matchesNodeSelector } from '../../api/node-selector.ts'
import { compareQuantities, quantityToBytes } from '../../api/quantity.ts'
import type { Node } from '../../api/kinds/node.ts'
import { NodeServiceCapability_RPC_Type as Capability } from '../../csi/generated/csi/v1/csi.ts'
import { attachmentName } from '../../storage/attachment-name.ts'
import type { CsiVolume } from '../../storage/resolve-pod-volume.ts'
import type { DeviceStep, DeviceView } from './device-view.ts'
import { delayOf } from './next-mount-step.ts'
import { callEnded, PODS_KNOWN, REASONS, wait } from './reasons.ts'

export function nextDeviceStep(view: DeviceView): DeviceStep {
  const { volume } = view.seen
  if (!volume || view.held?.isLabelledOtherwise) return nextUnstageStep(view)
  return view.held?.state === 'staged' ? nextGrowStep(view, volume) : nextStageStep(view, volume)
}

function nextStageStep(view: DeviceView, volume: CsiVolume): DeviceStep {
  const { seen, held } = view
  const { driver, node, policy } = seen
  if (held && !held.isRegistered) return wait(REASONS.DriverNotRegistered(driver))
  if (!node) return wait(REASONS.NodeMissing)
  if (!policy) return wait(REASONS.DriverPolicyNotKnown(driver))
  const { name: nodeName = '' } = node.metadata
  const { required } = volume.spec.nodeAffinity ?? {}
  if (required && !matchesNodeSelector(required, node))
    return { kind: 'refuse', reason: REASONS.NodeAffinityMismatch(nodeName, volume.volumeName) }
  if (policy.attach) {
    const waiting = nextAttachedStep(view, node, attachmentName({ ...volume, nodeName }))
    if (waiting) return waiting
  }
  if (!held) return wait(REASONS.VolumeNotStaged(volume.volumeName))
  const delay = delayOf(held.patience, held.nowMs)
  if (delay) return delay
  if (!held.capabilities) return { kind: 'probe' }
  return held.capabilities.has(Capability.STAGE_UNSTAGE_VOLUME) ? { kind: 'stage' } : { kind: 'accept' }
}

/** Undefined: it is attached. */
function nextAttachedStep(view: DeviceView, node: Node, name: string): DeviceStep | undefined {
  const { attachment, uniqueName } = view.seen
  const { held } = view
  // Reported before anything else: a volume that is reported in use is not detached.
  if (held && !held.isReported) return wait(REASONS.UseNotReported(node.metadata.name ?? ''))
  const isListed = node.status?.volumesAttached?.some((volume) => volume.name === uniqueName) ?? false
  const { attached = false, attachError } = attachment?.status ?? {}
  const notAttached = REASONS.NotAttached(name, attachError?.message)
  if (!isListed) return wait(notAttached)
  if (held) {
    const delay = delayOf(held.patience, held.nowMs)
    if (delay) return delay
    if (!held.isAttachmentRead) return { kind: 'read-attachment', name }
  }
  if (attachment?.metadata.deletionTimestamp !== undefined)
    return { kind: 'refuse', reason: REASONS.VolumeDetaching(name) }
  return attached ? undefined : { kind: 'refuse', reason: notAttached }
}

/** Expands the volume once the controller's part of the expansion is done. */
function nextGrowStep({ seen, held }: DeviceView, { claim, persistentVolume: volume }: CsiVolume): DeviceStep {
  if (!held) return wait(REASONS.Staged)
  const delay = delayOf(held.patience, held.nowMs)
  const required =
    claim && volume ? findGrowth(claim.status?.capacity?.['storage'], volume.spec.capacity?.['storage']) : undefined
  const { publishedAt: volumePath, expandedToBytes = 0n, capabilities } = held
  const canExpand = held.isRegistered && !held.isExpandRefused && (capabilities?.has(Capability.EXPAND_VOLUME) ?? true)
  if (canExpand && volumePath !== undefined && required !== undefined && expandedToBytes < required) {
    if (delay) return delay
    if (held.isUserBusy) return wait(REASONS.VolumeBusy, { wakeOn: [callEnded(seen.uniqueName)] })
    return capabilities ? { kind: 'expand', volumePath, requiredBytes: required } : { kind: 'probe' }
  }
  if (held.lookAtMs === undefined || !claim) return wait(REASONS.Staged)
  if (delay) return delay
  if (held.lookAtMs > held.nowMs) return wait(REASONS.Staged, { retryInMs: held.lookAtMs - held.nowMs })
  return !capabilities && held.isRegistered ? { kind: 'probe' } : { kind: 'look' }
}

function findGrowth(present: string | undefined, wanted: string | undefined): bigint | undefined {
  if (present === undefined || wanted === undefined || compareQuantities(present, wanted) >= 0) return undefined
  return quantityToBytes(wanted)
}

function nextUnstageStep({ seen: { driver }, held }: DeviceView): DeviceStep {
  if (!held) return wait(REASONS.Unmounted)
  if (held.users > 0) return wait(REASONS.VolumeInUse(held.users))
  if (held.state === 'none' && !held.isOnDisk) return { kind: 'forget' }
  if (!held.isReady) return wait(REASONS.PodsNotKnown, { wakeOn: [PODS_KNOWN] })
  if (!held.isOnDisk && held.capabilities && !held.capabilities.has(Capability.STAGE_UNSTAGE_VOLUME))
    return { kind: 'forget' }
  if (!held.isRegistered) return wait(REASONS.DriverNotRegistered(driver))
  const delay = delayOf(held.patience, held.nowMs)
  if (delay) return delay
  // Without its file the volume may still be staged, unless the driver does not stage at all.
  return held.capabilities || held.isOnDisk ? { kind: 'unstage' } : { kind: 'probe' }
}
