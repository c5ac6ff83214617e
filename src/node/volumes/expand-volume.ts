import { ignoreNotFound } from '../../api/api-error.ts'
import { PERSISTENT_VOLUME_CLAIMS } from '../../api/kinds/persistent-volume-claim.ts'
import type { PersistentVolumeClaim } from '../../api/kinds/persistent-volume-claim.ts'
import { PERSISTENT_VOLUMES } from '../../api/kinds/persistent-volume.ts'
import { refOf } from '../../api/object-key.ts'
import { CsiError, isCsiError } from '../../csi/csi-error.ts'
import { outcomeOf } from '../../csi/outcome-of.ts'
import type { CsiVolume } from '../../storage/resolve-pod-volume.ts'
import type { VolumeContext } from './volume-context.ts'
import { capabilityOf } from './volume-requests.ts'
import type { Device } from './volume-table.ts'

type Expansion = { readonly volumePath: string; readonly requiredBytes: bigint }

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
        volumeCapability: capabilityOf(volume.spec, volume.csi.fsType ?? '', capabilities, device.mountGroup),
        secrets: { ...secretValues },
      },
      call,
    )
  } catch (error) {
    if (!(error instanceof CsiError) || outcomeOf('NodeExpandVolume', error) !== 'failed') throw error
    // Retrying does not help here; another node or a later mount may.
    device.isExpandRefused = true
    if (volume.claim && !isCsiError(error, 'FAILED_PRECONDITION'))
      await patchStatus(context, volume.claim, {
        allocatedResourceStatuses: { storage: 'NodeResizeInfeasible' },
      }).catch(() => undefined)
    throw error
  }
  device.expandedToBytes = requiredBytes
  await writeCapacity(context, device, volume)
}

async function writeCapacity(
  context: VolumeContext,
  device: Device,
  { claim, persistentVolume: volume }: CsiVolume,
): Promise<void> {
  const { table, findPod, events } = context
  const size = volume?.spec.capacity?.['storage']
  if (!claim || size === undefined) return
  const { conditions = [], allocatedResourceStatuses = {} } = claim.status ?? {}
  const written = await patchStatus(context, claim, {
    capacity: { storage: size },
    conditions: conditions.filter(({ type }) => type !== 'FileSystemResizePending' && type !== 'Resizing'),
    ...('storage' in allocatedResourceStatuses ? { allocatedResourceStatuses: { storage: null } } : {}),
  })
  if (written) renewWishes(context, device, { claim: written })
  const text = `MountVolume.NodeExpandVolume succeeded for volume "${device.volumeName}"`
  for (const { podUid } of table.mountsOf(device.uniqueName)) {
    const pod = findPod(podUid)
    if (pod) events.record(pod, 'Normal', 'FileSystemResizeSuccessful', text)
  }
}

const patchStatus = ({ api }: VolumeContext, claim: PersistentVolumeClaim, status: object) =>
  api
    .patch(
      PERSISTENT_VOLUME_CLAIMS,
      refOf(claim),
      { type: 'merge', value: { metadata: { uid: claim.metadata.uid }, status } },
      { subresource: 'status' },
    )
    .catch(ignoreNotFound)

/** Reads claim and volume again: a node is not told when they change. */
export async function readGrowth(context: VolumeContext, device: Device, volume: CsiVolume): Promise<void> {
  const { api, clock, config, random } = context
  device.claimReadAtMs = clock.monotonicMs() + (config.claimLookMs * random.fraction()) / 2
  const { claim: before, persistentVolume } = volume
  if (!before || !persistentVolume) return
  const claim = await api.get(PERSISTENT_VOLUME_CLAIMS, refOf(before)).catch(ignoreNotFound)
  if (claim?.metadata.uid !== before.metadata.uid) return
  // Unchanged: the second read is not needed.
  if (claim?.metadata.resourceVersion === before.metadata.resourceVersion) return
  const newer = await api.get(PERSISTENT_VOLUMES, refOf(persistentVolume)).catch(ignoreNotFound)
  if (claim && newer) renewWishes(context, device, { claim, persistentVolume: newer, spec: newer.spec })
}

function renewWishes({ table }: VolumeContext, { uniqueName }: Device, newer: Partial<CsiVolume>): void {
  for (const mount of table.mountsOf(uniqueName))
    if (mount.wish?.kind === 'csi' && mount.wish.volume.claim)
      mount.wish = { kind: 'csi', volume: { ...mount.wish.volume, ...newer } }
}
