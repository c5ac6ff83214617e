import { formatReason } from '../../api/reason.ts'
import type { Pod } from '../../api/kinds/pod.ts'
import type { AttachmentView, PodWish, Refusal } from './attachment-view.ts'
import { IN_LINE_NAMESPACE } from '../../storage/names.ts'
import { REASONS } from './reasons.ts'

export type Granted = { readonly granted: readonly PodWish[]; readonly refused: readonly Refusal[] }

/**
 * Who may have the volume here. A claim is proof enough; a pod that only names a handle does not get what a pod of another namespace has
 * on this node, since it would be reached with that one's secrets.
 */
export function grantWishes({ wishes, attachment }: Pick<AttachmentView['seen'], 'wishes' | 'attachment'>): Granted {
  const owner = attachment?.metadata.annotations?.[IN_LINE_NAMESPACE] ?? firstNamespace(wishes)
  const isGranted = ({ volume, pod }: PodWish): boolean =>
    volume.volume !== undefined || pod.metadata.namespace === owner
  const refuse = ({ pod, volume }: PodWish): Refusal => ({
    pod,
    reason: REASONS.otherNamespace({ volume: volume.name }),
  })
  return { granted: wishes.filter(isGranted), refused: wishes.filter((wish) => !isGranted(wish)).map(refuse) }
}

function firstNamespace(wishes: readonly PodWish[]): string | undefined {
  const byClaim = wishes.filter(({ volume }) => volume.volume !== undefined)
  const candidates = byClaim.length > 0 ? byClaim : wishes
  return candidates.toSorted((a, b) => compareAge(a.pod, b.pod))[0]?.pod.metadata.namespace
}

function compareAge({ metadata: a }: Pod, { metadata: b }: Pod): number {
  const [first, second] = [`${a.creationTimestamp} ${a.uid}`, `${b.creationTimestamp} ${b.uid}`]
  return first < second ? -1 : first > second ? 1 : 0
}

export const refusalText = ({ reason }: Refusal): string => formatReason(reason)
