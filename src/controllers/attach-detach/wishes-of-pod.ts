import type { Pod } from '../../api/kinds/pod.ts'
import type { Reason } from '../../api/reason.ts'
import { attachmentName } from '../../storage/attachment-name.ts'
import { isPodOver } from '../../storage/is-pod-over.ts'
import { needsAttach } from '../../storage/needs-attach.ts'
import { resolvePodVolume } from '../../storage/resolve-pod-volume.ts'
import type { VolumeLookup } from '../../storage/resolve-pod-volume.ts'
import type { PodWish } from './attachment-view.ts'

export type WishesOfPod = {
  readonly wishes: readonly PodWish[]
  /** Volumes that the pod may not have. */
  readonly refused: readonly { readonly volume: string; readonly reason: Reason }[]
}

const NONE: WishesOfPod = { wishes: [], refused: [] }

/** Which volumes have to be attached because of this pod: none before it has a node, and none once it is over. */
export function wishesOfPod(pod: Pod, lookup: VolumeLookup, options: { skipAttach: boolean }): WishesOfPod {
  const { nodeName, volumes = [] } = pod.spec
  if (!nodeName || volumes.length === 0 || isPodOver(pod)) return NONE
  const wishes = new Map<string, PodWish>()
  const refused: { volume: string; reason: Reason }[] = []
  for (const each of volumes) {
    const resolved = resolvePodVolume(pod, each, lookup)
    if (resolved.kind === 'refused') refused.push({ volume: each.name, reason: resolved.reason })
    if (resolved.kind !== 'csi') continue
    const { volume } = resolved
    if (!needsAttach(lookup.driver(volume.driver), options)) continue
    const name = attachmentName({ ...volume, nodeName })
    // Two volumes of a pod can be the same one.
    if (!wishes.has(name)) wishes.set(name, { name, nodeName, pod, volume })
  }
  return { wishes: [...wishes.values()], refused }
}
