import { ignoreNotFound } from '../../api/api-error.ts'
import type { Api } from '../../api/api.ts'
import { PERSISTENT_VOLUME_CLAIMS } from '../../api/kinds/persistent-volume-claim.ts'
import type { PersistentVolumeClaim } from '../../api/kinds/persistent-volume-claim.ts'
import type { Pod } from '../../api/kinds/pod.ts'
import type { Host } from '../../base/host/index.ts'
import { containersOf } from '../../storage/containers-of.ts'
import { claimNameOf } from '../../storage/pod-claims.ts'
import { findMount } from './mount-points.ts'
import { createVolumePaths } from './paths.ts'
import { usedVolumesOf } from './pod-view.ts'
import type { UsedVolume } from './pod-view.ts'

/** Where one volume of a pod is on the machine of its node. */
export type PodVolumePath = {
  /** The name in the pod's spec. */
  readonly volume: string
  readonly claim?: string
  readonly persistentVolume?: string
  readonly mode: 'Filesystem' | 'Block'
  /** Where containers would see it: `mountPath`, or `devicePath` of a block volume. */
  readonly containerPaths: readonly string[]
  /** Absent while the volume has no place yet: its claim is not bound. */
  readonly path?: string
  readonly isMounted: boolean
}

export type PodPathsParts = Readonly<{ api: Api; host: Pick<Host, 'files' | 'mounts'>; signal: AbortSignal }>

/** The volumes of CSI drivers that the pod's containers use, below the root directory of the pod's node on this machine. */
export async function findPodVolumePaths(pod: Pod, rootDir: string, parts: PodPathsParts): Promise<PodVolumePath[]> {
  const { api, host, signal } = parts
  const { namespace = '' } = pod.metadata
  const found: PodVolumePath[] = []
  for (const used of usedVolumesOf(pod)) {
    const claimName = claimNameOf(pod, used.volume)
    const claim =
      claimName === undefined
        ? undefined
        : await api.get(PERSISTENT_VOLUME_CLAIMS, { namespace, name: claimName }, { signal }).catch(ignoreNotFound)
    const place = placeOf(pod, used, { rootDir, claimName, claim })
    if (!place) continue
    found.push({ ...place, isMounted: place.path !== undefined && (await isMounted(pod, place.path, host)) })
  }
  return found
}

function placeOf(
  pod: Pod,
  { volume }: UsedVolume,
  {
    rootDir,
    claimName,
    claim,
  }: { rootDir: string; claimName: string | undefined; claim: PersistentVolumeClaim | undefined },
): Omit<PodVolumePath, 'isMounted'> | undefined {
  if (claimName === undefined && !volume.csi) return undefined
  const persistentVolume = claim?.spec.volumeName
  const mode = claim?.spec.volumeMode === 'Block' ? 'Block' : 'Filesystem'
  const name = claimName === undefined ? volume.name : persistentVolume
  const paths = createVolumePaths(rootDir)
  const pathOf = mode === 'Block' ? paths.blockLink : paths.mountTarget
  return {
    volume: volume.name,
    mode,
    ...(claimName === undefined ? {} : { claim: claimName }),
    ...(persistentVolume ? { persistentVolume } : {}),
    containerPaths: containerPathsOf(pod, volume.name),
    ...(name ? { path: pathOf(pod.metadata.uid ?? '', name) } : {}),
  }
}

const containerPathsOf = (pod: Pod, volume: string): string[] => [
  ...new Set(
    containersOf(pod).flatMap(({ volumeMounts = [], volumeDevices = [] }) => [
      ...volumeMounts.filter(({ name }) => name === volume).map(({ mountPath }) => mountPath),
      ...volumeDevices.filter(({ name }) => name === volume).map(({ devicePath }) => devicePath),
    ]),
  ),
]

// A driver may publish without a mount, as a link or a directory: then the running pod tells that it has succeeded.
async function isMounted(pod: Pod, path: string, host: PodPathsParts['host']): Promise<boolean> {
  const stat = await host.files.findStat(path)
  if (!stat) return false
  return pod.status?.phase === 'Running' || stat.kind === 'symlink' || (await findMount(host, path)) !== undefined
}
