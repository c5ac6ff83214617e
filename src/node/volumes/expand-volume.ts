import { ignoreNotFound } from '../../api/api-error.ts'
import { PERSISTENT_VOLUME_CLAIMS } from '../../api/kinds/persistent-volume-claim.ts'
import type { PersistentVolumeClaim } from '../../api/kinds/persistent-volume-claim.ts'
import { PERSISTENT_VOLUMES } from '../../api/kinds/persistent-volume.ts'
import type { Pod } from '../../api/kinds/pod.ts'
import { refOf } from '../../api/object-key.ts'
import { CsiError, isCsiError } from '../../csi/csi-error.ts'
import { outcomeOf } from '../../csi/outcome-of.ts'
import type { CacheChange } from '../../kube/cache/object-cache.ts'
import { EXPANSION_HINTS } from '../../storage/names.ts'
import { RESIZE_CONDITIONS } from '../../storage/resize-conditions.ts'
import type { CsiVolume } from '../../storage/resolve-pod-volume.ts'
import type { DeviceStep } from './device-view.ts'
import type { VolumeContext } from './volume-context.ts'
import { capabilityOf } from './volume-requests.ts'
import type { Device } from './volume-table.ts'

/** The expansion controller has left a hint on a pod that we know: a claim of the pod has changed. */
export function isHinted({ before, after }: CacheChange<Pod>): boolean {
  if (!before) return false
  const { annotations = {} } = before.metadata
  return Object.entries(after?.metadata.annotations ?? {}).some(
    ([key, value]) => key.startsWith(EXPANSION_HINTS) && annotations[key] !== value,
  )
}

/** Has the claims of the pod read again immediately. */
export function lookNow({ table }: VolumeContext, pod: Pod | undefined): string[] {
  return table.mountsOfPod(pod?.metadata.uid ?? '').flatMap((mount) => {
    const device = table.deviceOf(mount)
    if (!device) return []
    device.claimReadAtMs = LOOK_NOW
    return [device.uniqueName]
  })
}

type Expansion = Extract<DeviceStep, { kind: 'expand' }>

/** The node's part of expanding a volume. */
export async function expandVolume(
  context: VolumeContext,
  device: Device,
  volume: CsiVolume,
  { volumePath, requiredBytes }: Expansion,
): Promise<void> {
  const { drivers, secrets, files, call } = context
  const driver = drivers.get(device.driver)
  const capabilities = drivers.capabilities(device.driver) ?? new Set()
  const secretValues = await secrets.read(volume.csi.nodeExpandSecretRef)
  try {
    await driver.nodeExpandVolume(
      {
        volumeId: device.volumeHandle,
        volumePath,
        stagingTargetPath: device.isOnDisk ? files.stagingOf(device) : '',
        capacityRange: { requiredBytes },
        volumeCapability: capabilityOf(volume, capabilities, device.stagedAs),
        secrets: { ...secretValues },
      },
      call,
    )
  } catch (error) {
    if (!(error instanceof CsiError) || outcomeOf('NodeExpandVolume', error) !== 'failed') throw error
    // Retrying does not help here; another node or a later mount may.
    device.isExpandRefused = true
    const status = { allocatedResourceStatuses: { storage: 'NodeResizeInfeasible' } }
    if (volume.claim && !isCsiError(error, 'FAILED_PRECONDITION'))
      await patchStatus(context, volume.claim, status).catch(() => undefined)
    throw error
  }
  // If the claim cannot be written, both are repeated: otherwise a claim without its new size would wait forever.
  await writeCapacity(context, device, volume)
  device.expandedToBytes = requiredBytes
}

async function writeCapacity(context: VolumeContext, device: Device, volume: CsiVolume): Promise<void> {
  const { claim, persistentVolume } = volume
  const size = persistentVolume?.spec.capacity?.['storage']
  if (!claim || size === undefined) return
  const { conditions = [], allocatedResourceStatuses = {} } = claim.status ?? {}
  const written = await patchStatus(context, claim, {
    capacity: { storage: size },
    conditions: conditions.filter(({ type }) => !RESIZE_CONDITIONS.includes(type)),
    ...('storage' in allocatedResourceStatuses ? { allocatedResourceStatuses: { storage: null } } : {}),
  })
  if (written) renewWishes(context, device, { claim: written })
  const text = `MountVolume.NodeExpandVolume succeeded for volume "${device.volumeName}"`
  for (const { podUid } of context.table.mountsOf(device.uniqueName)) {
    const pod = context.findPod(podUid)
    if (pod) context.events.record(pod, 'Normal', 'FileSystemResizeSuccessful', text)
  }
}

function patchStatus({ api }: VolumeContext, claim: PersistentVolumeClaim, status: object) {
  const patch = { type: 'merge', value: { metadata: { uid: claim.metadata.uid }, status } } as const
  const to = { subresource: 'status' }
  return api.patch(PERSISTENT_VOLUME_CLAIMS, refOf(claim), patch, to).catch(ignoreNotFound)
}

/** Reads claim and volume again: a node is not told when they change. */
export async function readGrowth(context: VolumeContext, device: Device, volume: CsiVolume): Promise<void> {
  const { api, clock, config, random } = context
  const { claim: before, persistentVolume } = volume
  // Before the reads: a hint that comes meanwhile has them repeated.
  device.claimReadAtMs = clock.monotonicMs() + (config.claimLookMs * random.fraction()) / 2
  if (!before || !persistentVolume) return
  try {
    const claim = await api.get(PERSISTENT_VOLUME_CLAIMS, refOf(before)).catch(ignoreNotFound)
    if (claim?.metadata.uid !== before.metadata.uid) return
    // Unchanged: the second read is not needed.
    if (claim?.metadata.resourceVersion === before.metadata.resourceVersion) return
    const newer = await api.get(PERSISTENT_VOLUMES, refOf(persistentVolume)).catch(ignoreNotFound)
    if (!claim || !newer) return
    renewWishes(context, device, { claim, persistentVolume: newer, spec: newer.spec })
    // The resizer asks again, for another size.
    if (claim.status?.allocatedResourceStatuses?.['storage'] === 'NodeResizePending') device.isExpandRefused = false
  } catch (error) {
    device.claimReadAtMs = LOOK_NOW
    throw error
  }
}

// Before any time of the clock.
const LOOK_NOW = Number.NEGATIVE_INFINITY

function renewWishes({ table }: VolumeContext, { uniqueName }: Device, newer: Partial<CsiVolume>): void {
  for (const mount of table.mountsOf(uniqueName))
    if (mount.wish?.kind === 'csi' && mount.wish.volume.claim)
      mount.wish = { kind: 'csi', volume: { ...mount.wish.volume, ...newer } }
}
