import { isNotFound } from '../../api/api-error.ts'
import { PERSISTENT_VOLUME_CLAIMS } from '../../api/kinds/persistent-volume-claim.ts'
import type { PersistentVolumeClaim } from '../../api/kinds/persistent-volume-claim.ts'
import { PERSISTENT_VOLUMES } from '../../api/kinds/persistent-volume.ts'
import { refOf } from '../../api/object-key.ts'
import { CsiError, isCsiError } from '../../csi/csi-error.ts'
import { outcomeOf } from '../../csi/outcome-of.ts'
import type { ReconcileContext } from '../../kube/controller.ts'
import { within } from '../../kube/within.ts'
import type { CsiVolume } from '../../storage/resolve-pod-volume.ts'
import type { SecretReader } from './secret-reader.ts'
import { capabilityOf } from './volume-requests.ts'
import type { Device } from './volume-table.ts'
import type { VolumeWork } from './volume-work.ts'

/** The node's part of growing a volume. */
export interface ExpandVolume {
  grow(
    device: Device,
    volume: CsiVolume,
    step: { readonly volumePath: string; readonly requiredBytes: bigint },
    context: ReconcileContext,
  ): Promise<void>
  /** Reads claim and volume again: a node is not told when they change. */
  look(device: Device, signal: AbortSignal): Promise<void>
}

export function createExpandVolume(work: VolumeWork, secrets: SecretReader): ExpandVolume {
  const { api, clock, config, table, files, drivers } = work

  const look = async (device: Device, signal: AbortSignal): Promise<void> => {
    const mounts = table.mountsOf(device.key)
    const [wish] = mounts.flatMap(({ volume }) =>
      volume?.kind === 'csi' && volume.volume.claim && volume.volume.volume ? [volume.volume] : [],
    )
    device.claimReadAtMs = clock.monotonicMs() + (config.claimLookMs * work.random.fraction()) / 2
    if (!wish?.claim || !wish.volume) return
    const { claim: before, volume: held } = wish
    const claim = await within(clock, signal, (until) =>
      find(api.get(PERSISTENT_VOLUME_CLAIMS, refOf(before), { signal: until })),
    )
    // Nothing has changed: the second read is saved.
    if (
      !claim ||
      claim.metadata.uid !== before.metadata.uid ||
      claim.metadata.resourceVersion === before.metadata.resourceVersion
    )
      return
    const volume = await within(clock, signal, (until) =>
      find(api.get(PERSISTENT_VOLUMES, refOf(held), { signal: until })),
    )
    if (volume) renew(device, { claim, volume, spec: volume.spec })
  }
  const renew = (device: Device, newer: Partial<CsiVolume>): void => {
    for (const mount of table.mountsOf(device.key)) {
      if (mount.volume?.kind !== 'csi' || !mount.volume.volume.claim) continue
      const volume = { ...mount.volume, volume: { ...mount.volume.volume, ...newer } }
      const volumes = work.podStates.get(mount.podUid)?.volumes
      for (const [name, known] of volumes ?? []) if (known === mount.volume) volumes?.set(name, volume)
      mount.volume = volume
    }
  }

  const grow: ExpandVolume['grow'] = async (device, volume, { volumePath, requiredBytes }, { signal, log }) => {
    const driver = drivers.find(device.driver)
    const capabilities = drivers.capabilities(device.driver)
    if (!driver || !capabilities) throw new Error(`the driver ${device.driver} has gone`)
    const secretValues = await secrets.read(volume.csi.nodeExpandSecretRef, { mayBeKept: false }, signal)
    try {
      await driver.nodeExpandVolume(
        {
          volumeId: device.handle,
          volumePath,
          stagingTargetPath: device.isOnDisk ? files.stagingOf(device) : '',
          capacityRange: { requiredBytes },
          volumeCapability: capabilityOf(volume.spec, volume.csi.fsType ?? '', capabilities, device.mountGroup),
          secrets: secretValues,
        },
        { timeoutMs: config.callTimeoutMs, signal },
      )
    } catch (error) {
      if (!(error instanceof CsiError) || outcomeOf('NodeExpandVolume', error) !== 'failed') throw error
      // Another try alone does not help here; other nodes and later mounts may.
      device.isExpandRefused = true
      if (!isCsiError(error, 'FAILED_PRECONDITION')) await writeInfeasible(volume, signal)
      throw error
    }
    device.expandedToBytes = requiredBytes
    log.info('volume expanded', { volume: device.handle, bytes: requiredBytes })
    await writeCapacity(device, volume, signal)
  }
  const writeCapacity = async (device: Device, { claim, volume }: CsiVolume, signal: AbortSignal): Promise<void> => {
    const size = volume?.spec.capacity?.['storage']
    if (!claim || size === undefined) return
    const { conditions = [], allocatedResourceStatuses = {} } = claim.status ?? {}
    const left = conditions.filter(({ type }) => type !== 'FileSystemResizePending' && type !== 'Resizing')
    const value = {
      metadata: { uid: claim.metadata.uid },
      status: {
        capacity: { storage: size },
        conditions: left,
        ...('storage' in allocatedResourceStatuses ? { allocatedResourceStatuses: { storage: null } } : {}),
      },
    }
    const written = await patchClaim(claim, value, signal)
    if (written) renew(device, { claim: written })
    for (const mount of table.mountsOf(device.key)) {
      const pod = work.findPod(mount.podUid)
      if (pod)
        work.tell(
          pod,
          'FileSystemResizeSuccessful',
          `MountVolume.NodeExpandVolume succeeded for volume "${device.specName}"`,
        )
    }
  }
  const writeInfeasible = async ({ claim }: CsiVolume, signal: AbortSignal): Promise<void> => {
    if (claim)
      await patchClaim(
        claim,
        {
          metadata: { uid: claim.metadata.uid },
          status: { allocatedResourceStatuses: { storage: 'NodeResizeInfeasible' } },
        },
        signal,
      ).catch(() => undefined)
  }
  const patchClaim = async (
    claim: PersistentVolumeClaim,
    value: object,
    signal: AbortSignal,
  ): Promise<PersistentVolumeClaim | undefined> =>
    within(clock, signal, (until) =>
      find(
        api.patch(
          PERSISTENT_VOLUME_CLAIMS,
          refOf(claim),
          { type: 'merge', value },
          { subresource: 'status', signal: until },
        ),
      ),
    )

  return { grow, look }
}

async function find<T>(request: Promise<T>): Promise<T | undefined> {
  try {
    return await request
  } catch (error) {
    if (isNotFound(error)) return undefined
    throw error
  }
}
