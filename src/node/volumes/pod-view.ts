import type { Pod, Volume } from '../../api/kinds/pod.ts'
import type { WaitStep } from '../../kube/controller/index.ts'
import { containersOf } from '../../storage/containers-of.ts'
import { isFinishedPod } from '../../storage/pod-claims.ts'
import type { PodVolume } from '../../storage/resolve-pod-volume.ts'
import { isPresent } from './volume-table.ts'
import type { MountState, Patience } from './volume-table.ts'
import type { VolumeContext } from './volume-context.ts'

/** One pod of the node. */
export type PodView = {
  readonly seen: {
    /** Undefined if it is gone. */
    readonly pod?: Pod | undefined
    /** By the name of the pod's volume, as far as they are known; only those that a container uses. */
    readonly volumes: ReadonlyMap<string, PodVolume>
  }
  readonly held?: {
    readonly nowMs: number
    /** All pods of the node are known. */
    readonly isReady: boolean
    /** When the node first saw the pod. */
    readonly seenAtMs: number
    readonly hasDirectory: boolean
    /** By the name of the pod's volume: the last lookup failed. */
    readonly patience: ReadonlyMap<string, Patience>
    readonly mounts: readonly { readonly volumeName: string; readonly isPresent: boolean; readonly state: MountState }[]
  }
}

export type PodStep =
  | WaitStep
  /** Nothing is left of the pod. */
  | { readonly kind: 'forget' }
  /** Read claim and volume. */
  | { readonly kind: 'resolve'; readonly pod: Pod; readonly podVolumeName: string }
  | { readonly kind: 'report-waiting'; readonly pod: Pod }
  | { readonly kind: 'report-running'; readonly pod: Pod }
  | { readonly kind: 'report-ready'; readonly pod: Pod }
  | { readonly kind: 'remove-directory' }
  /** Everything is unmounted: delete the object for good. */
  | { readonly kind: 'delete-pod'; readonly pod: Pod }

/** Undefined when neither the API server nor this node has anything of the pod. */
export function readPodView({ clock, table, findPod, isReady }: VolumeContext, uid: string): PodView | undefined {
  const pod = findPod(uid)
  const entry = pod ? table.podOf(uid) : table.pods.get(uid)
  const nowMs = clock.monotonicMs()
  return (
    entry && {
      seen: { pod, volumes: entry.volumes },
      held: {
        nowMs,
        seenAtMs: (entry.seenAtMs ??= nowMs),
        isReady: isReady(),
        hasDirectory: entry.hasDirectory,
        patience: entry.failures,
        mounts: table
          .mountsOfPod(uid)
          .map((mount) => ({ volumeName: mount.volumeName, state: mount.state, isPresent: isPresent(mount) })),
      },
    }
  )
}

/** A volume that some container of the pod uses, and as what. */
export type UsedVolume = { readonly volume: Volume; readonly asFiles: boolean; readonly asDevice: boolean }

/** Volumes that no container uses are never mounted. */
export function usedVolumesOf(pod: Pod): UsedVolume[] {
  const containers = containersOf(pod)
  const mounted = new Set(containers.flatMap(({ volumeMounts = [] }) => volumeMounts.map(({ name }) => name)))
  const devices = new Set(containers.flatMap(({ volumeDevices = [] }) => volumeDevices.map(({ name }) => name)))
  return (pod.spec.volumes ?? []).flatMap((volume): UsedVolume[] => {
    const [asFiles, asDevice] = [mounted.has(volume.name), devices.has(volume.name)]
    return asFiles || asDevice ? [{ volume, asFiles, asDevice }] : []
  })
}

/** No containers run here: a pod that is being deleted or has finished no longer needs its volumes. */
export const needsVolumes = (pod: Pod): boolean => pod.metadata.deletionTimestamp === undefined && !isFinishedPod(pod)

/** Whether the volume was found: it neither waits for something nor was it refused. */
export const isKnown = (volume: PodVolume | undefined): volume is Exclude<PodVolume, { kind: 'waits' | 'refused' }> =>
  volume !== undefined && volume.kind !== 'waits' && volume.kind !== 'refused'
