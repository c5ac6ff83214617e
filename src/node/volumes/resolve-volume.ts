import { ignoreNotFound } from '../../api/api-error.ts'
import type { Api } from '../../api/api.ts'
import { PERSISTENT_VOLUMES } from '../../api/kinds/persistent-volume.ts'
import { PERSISTENT_VOLUME_CLAIMS } from '../../api/kinds/persistent-volume-claim.ts'
import type { CSIDriver } from '../../api/kinds/csi-driver.ts'
import type { Pod } from '../../api/kinds/pod.ts'
import { PVC_PROTECTION } from '../../storage/names.ts'
import { ephemeralClaimName } from '../../storage/pod-claims.ts'
import { resolvePodVolume } from '../../storage/resolve-pod-volume.ts'
import type { PodVolume } from '../../storage/resolve-pod-volume.ts'
import { findUnserved } from './next-pod-step.ts'
import { isPathName } from './paths.ts'
import type { UsedVolume } from './pod-view.ts'
import { REASONS } from './reasons.ts'
import type { VolumeReason } from './reasons.ts'
import { isUsableDriverName } from './volume-table.ts'
import type { DriverVolume, VolumeFacts } from './volume-table.ts'

type ResolveParts = { readonly api: Api; readonly csiDrivers: { get(name: string): CSIDriver | undefined } }

/** Reads claim and volume, which a node may get but not watch, and finds out what the driver knows the volume by. */
export async function resolveVolume(pod: Pod, used: UsedVolume, { api, csiDrivers }: ResolveParts): Promise<PodVolume> {
  const { volume: podVolume, asFiles, asDevice } = used
  const { namespace = '' } = pod.metadata
  const claimName =
    podVolume.persistentVolumeClaim?.claimName ?? (podVolume.ephemeral ? ephemeralClaimName(pod, podVolume) : undefined)
  const claim =
    claimName === undefined
      ? undefined
      : await api.get(PERSISTENT_VOLUME_CLAIMS, { namespace, name: claimName }).catch(ignoreNotFound)
  const volume = claim?.spec.volumeName
    ? await api.get(PERSISTENT_VOLUMES, { name: claim.spec.volumeName }).catch(ignoreNotFound)
    : undefined
  const lookup = { claim: () => claim, volume: () => volume, driver: csiDrivers.get }
  const resolved = resolvePodVolume(pod, podVolume, lookup)
  const unserved = findUnserved(podVolume.name, resolved)
  if (unserved) return refused(unserved)
  if (resolved.kind !== 'csi' && resolved.kind !== 'ephemeral') return resolved
  // Without its finalizer the claim may disappear at any moment, and its volume with it.
  if (claim?.metadata.deletionTimestamp && !claim.metadata.finalizers?.includes(PVC_PROTECTION))
    return refused(REASONS.claimLeaving(namespace, claimName ?? ''))
  const { driver, volumeName } = factsOf(resolved, podVolume.name)
  if (!isUsableDriverName(driver)) return refused(REASONS.unsafeName(driver))
  if (!isPathName(volumeName)) return refused(REASONS.unsafeName(volumeName))
  if (resolved.kind === 'ephemeral') return asDevice ? refused(REASONS.blockInLine(podVolume.name)) : resolved
  const mode = resolved.volume.spec.volumeMode ?? 'Filesystem'
  if (mode === 'Block' ? asFiles : asDevice) return refused(REASONS.wrongMode({ volume: podVolume.name, mode }))
  return resolved
}

/** What a driver knows the volume by. */
export const factsOf = (wish: DriverVolume, podVolumeName: string): VolumeFacts =>
  wish.kind === 'csi'
    ? {
        volumeName: wish.volume.volumeName,
        driver: wish.volume.driver,
        volumeHandle: wish.volume.volumeHandle,
        isBlock: wish.volume.spec.volumeMode === 'Block',
      }
    : { volumeName: podVolumeName, driver: wish.source.driver, volumeHandle: wish.volumeHandle, isBlock: false }

const refused = (reason: VolumeReason): PodVolume => ({ kind: 'refused', reason })
