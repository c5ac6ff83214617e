import type { Pod, Volume } from '../../api/kinds/pod.ts'
import { isFinishedPod } from '../../storage/pod-claims.ts'

/** A volume that some container of the pod uses, and as what. */
export type UsedVolume = { readonly volume: Volume; readonly asFiles: boolean; readonly asDevice: boolean }

/** Volumes that no container uses are never mounted. */
export function usedVolumesOf({ spec }: Pod): UsedVolume[] {
  const containers = [...(spec.initContainers ?? []), ...spec.containers, ...(spec.ephemeralContainers ?? [])]
  const mounted = new Set(containers.flatMap(({ volumeMounts = [] }) => volumeMounts.map(({ name }) => name)))
  const devices = new Set(containers.flatMap(({ volumeDevices = [] }) => volumeDevices.map(({ name }) => name)))
  return (spec.volumes ?? []).flatMap((volume): UsedVolume[] => {
    const [asFiles, asDevice] = [mounted.has(volume.name), devices.has(volume.name)]
    return asFiles || asDevice ? [{ volume, asFiles, asDevice }] : []
  })
}

/** As there are no containers, a pod that is to go, or has finished, needs its volumes no longer. */
export const needsVolumes = (pod: Pod): boolean => pod.metadata.deletionTimestamp === undefined && !isFinishedPod(pod)
