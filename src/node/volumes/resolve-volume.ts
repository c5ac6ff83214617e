import { isNotFound } from '../../api/api-error.ts'
import type { Api } from '../../api/api.ts'
import { PERSISTENT_VOLUMES } from '../../api/kinds/persistent-volume.ts'
import type { PersistentVolume } from '../../api/kinds/persistent-volume.ts'
import { PERSISTENT_VOLUME_CLAIMS } from '../../api/kinds/persistent-volume-claim.ts'
import type { PersistentVolumeClaim } from '../../api/kinds/persistent-volume-claim.ts'
import type { CSIDriver } from '../../api/kinds/csi-driver.ts'
import type { Pod, Volume } from '../../api/kinds/pod.ts'
import { PVC_PROTECTION } from '../../storage/names.ts'
import { ephemeralClaimName } from '../../storage/pod-claims.ts'
import { resolvePodVolume } from '../../storage/resolve-pod-volume.ts'
import type { PodVolume } from '../../storage/resolve-pod-volume.ts'
import { findUnserved } from './next-pod-step.ts'
import { isPathName } from './paths.ts'
import { REASONS } from './reasons.ts'
import type { UsedVolume } from './used-volumes.ts'
import { isUsableDriverName } from './volume-table.ts'

export type ResolveParts = { api: Api; findDriver(name: string): CSIDriver | undefined }

/** Reads claim and volume, which a node may get but not watch, and says what the driver knows the volume by. */
export async function resolveVolume(
  pod: Pod,
  used: UsedVolume,
  { api, findDriver }: ResolveParts,
  signal: AbortSignal,
): Promise<PodVolume> {
  const { namespace = '' } = pod.metadata
  const claimName = claimNameOf(pod, used.volume)
  const claim =
    claimName === undefined
      ? undefined
      : await find(api.get(PERSISTENT_VOLUME_CLAIMS, { namespace, name: claimName }, { signal }))
  const volume = claim?.spec.volumeName
    ? await find(api.get(PERSISTENT_VOLUMES, { name: claim.spec.volumeName }, { signal }))
    : undefined
  return judge(pod, used, { claim, volume, findDriver })
}

type Found = {
  claim: PersistentVolumeClaim | undefined
  volume: PersistentVolume | undefined
  findDriver(name: string): CSIDriver | undefined
}

function judge(
  pod: Pod,
  { volume: podVolume, asFiles, asDevice }: UsedVolume,
  { claim, volume, findDriver }: Found,
): PodVolume {
  const { namespace = '' } = pod.metadata
  const resolved = resolvePodVolume(pod, podVolume, { claim: () => claim, volume: () => volume, driver: findDriver })
  const unserved = findUnserved(podVolume.name, resolved)
  if (unserved) return refused(unserved)
  if (resolved.kind !== 'csi' && resolved.kind !== 'ephemeral') return resolved
  // Without its protection it may be gone any moment, with its volume.
  if (claim?.metadata.deletionTimestamp && !claim.metadata.finalizers?.includes(PVC_PROTECTION))
    return refused(REASONS.claimLeaving(namespace, claim.metadata.name ?? ''))
  const driver = resolved.kind === 'csi' ? resolved.volume.driver : resolved.source.driver
  if (!isUsableDriverName(driver)) return refused(REASONS.unsafeName(driver))
  const name = resolved.kind === 'csi' ? resolved.volume.name : podVolume.name
  if (!isPathName(name)) return refused(REASONS.unsafeName(name))
  if (resolved.kind === 'ephemeral') return asDevice ? refused(REASONS.blockInLine(podVolume.name)) : resolved
  const mode = resolved.volume.spec.volumeMode ?? 'Filesystem'
  if (mode === 'Block' ? asFiles : asDevice) return refused(REASONS.wrongMode({ volume: podVolume.name, mode }))
  return resolved
}

const claimNameOf = (pod: Pod, volume: Volume): string | undefined =>
  volume.persistentVolumeClaim?.claimName ?? (volume.ephemeral ? ephemeralClaimName(pod, volume) : undefined)

const refused = (reason: Extract<PodVolume, { kind: 'refused' }>['reason']): PodVolume => ({ kind: 'refused', reason })

async function find<T>(request: Promise<T>): Promise<T | undefined> {
  try {
    return await request
  } catch (error) {
    if (isNotFound(error)) return undefined
    throw error
  }
}
