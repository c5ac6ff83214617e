import type { PersistentVolumeClaim } from '../../api/kinds/persistent-volume-claim.ts'
import type { PersistentVolume } from '../../api/kinds/persistent-volume.ts'
import { keyOf } from '../../api/object-key.ts'
import { createWaitingClaims } from './waiting-claims.ts'

/**
 * Brings volumes that became free to claims that wait. A claim has one offer at a time, and looks at all free volumes when its turn comes:
 * what it leaves is offered to the next.
 */
export interface VolumeOffers {
  /** The newest state of a claim; undefined when it does not wait for any volume, or is gone. */
  note(key: string, claim: PersistentVolumeClaim | undefined): void
  /** The volume may be free. */
  offer(name: string): void
  /** A pass over the claim has come to its end. */
  settle(key: string): void
}

export type OfferParts = {
  /** Undefined when it is not free, or somebody is about to get it. */
  findFree(name: string): PersistentVolume | undefined
  /** Has the claim looked at. */
  enqueue(claimKey: string): void
}

export function createVolumeOffers({ findFree, enqueue }: OfferParts): VolumeOffers {
  const waiting = createWaitingClaims()
  // Not among the waiting until they had their turn.
  const offered = new Map<string, { readonly volume: string; newest: PersistentVolumeClaim | undefined }>()

  const note = (key: string, claim: PersistentVolumeClaim | undefined): void => {
    const present = offered.get(key)
    if (present) present.newest = claim
    else if (claim) waiting.put(claim)
    else waiting.remove(key)
  }
  const offer = (name: string): void => {
    const volume = findFree(name)
    const claim = volume && waiting.findFor(volume)
    if (!claim) return
    const key = keyOf(claim)
    waiting.remove(key)
    offered.set(key, { volume: name, newest: claim })
    enqueue(key)
  }
  const settle = (key: string): void => {
    const settled = offered.get(key)
    if (!settled) return
    // The next one first: this one has had its choice.
    offer(settled.volume)
    offered.delete(key)
    note(key, settled.newest)
  }
  return { note, offer, settle }
}
