import type { AttachmentView, PodWish } from './attachment-view.ts'
import { IN_LINE_NAMESPACE } from '../../storage/names.ts'

export type Granted = { readonly granted: readonly PodWish[]; readonly refused: readonly PodWish[] }

/**
 * The pods that may use the volume here. A claim is sufficient. A pod that only names a handle is denied a volume that a pod of another namespace has
 * on this node, because it would be accessed with the secrets of that namespace.
 */
export function grantWishes({ wishes, attachment }: Pick<AttachmentView['seen'], 'wishes' | 'attachment'>): Granted {
  const owner = attachment?.metadata.annotations?.[IN_LINE_NAMESPACE] ?? firstNamespace(wishes)
  const isGranted = (wish: PodWish): boolean => !isInLine(wish) || wish.pod.metadata.namespace === owner
  return { granted: wishes.filter(isGranted), refused: wishes.filter((wish) => !isGranted(wish)) }
}

/** The volume is defined in the pod itself: no PersistentVolume, no claim. */
export const isInLine = ({ volume: { persistentVolume: volume } }: PodWish): boolean => volume === undefined

function firstNamespace(wishes: readonly PodWish[]): string | undefined {
  const byClaim = wishes.filter((wish) => !isInLine(wish))
  const candidates = byClaim.length > 0 ? byClaim : wishes
  const oldest = candidates.reduce<PodWish | undefined>(
    (first, wish) => (first && ageOf(first) <= ageOf(wish) ? first : wish),
    undefined,
  )
  return oldest?.pod.metadata.namespace
}

const ageOf = ({ pod: { metadata } }: PodWish): string => `${metadata.creationTimestamp} ${metadata.uid}`
