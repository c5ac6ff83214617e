import type { KubeObject } from '../../api/object.ts'
import { findControllerReference } from '../../api/owner-references.ts'

/** The objects that a controller owns or should own. */
export type SortedMembers<T> = {
  /** Controlled by the owner and selected by it. */
  readonly members: readonly T[]
  /** Selected, but without a controller. */
  readonly toAdopt: readonly T[]
  /** Controlled, but no longer selected. */
  readonly toRelease: readonly T[]
}

/** Which of the candidates belong to the owner. An owner that is being deleted neither adopts nor releases. */
export function sortMembers<T extends KubeObject>(
  owner: KubeObject,
  candidates: readonly T[],
  isSelected: (object: T) => boolean,
): SortedMembers<T> {
  const isOwnerLeaving = owner.metadata.deletionTimestamp !== undefined
  const members: T[] = []
  const toAdopt: T[] = []
  const toRelease: T[] = []
  for (const object of candidates) {
    const controller = findControllerReference(object)
    if (controller) {
      if (controller.uid !== owner.metadata.uid) continue
      if (isSelected(object)) members.push(object)
      else if (!isOwnerLeaving) toRelease.push(object)
    } else if (!isOwnerLeaving && object.metadata.deletionTimestamp === undefined && isSelected(object)) {
      toAdopt.push(object)
    }
  }
  return { members, toAdopt, toRelease }
}
