import type { PersistentVolumeClaim } from '../../api/kinds/persistent-volume-claim.ts'
import type { PersistentVolume } from '../../api/kinds/persistent-volume.ts'
import type { Pod } from '../../api/kinds/pod.ts'
import { keyOf } from '../../api/object-key.ts'
import { Groups } from '../../base/groups.ts'

/** A node that was chosen for a pod whose volumes are being prepared. */
export type Reservation = {
  readonly node: string
  readonly untilMs: number
  /** By claim key: the volume that was chosen for the claim, or none if a volume is to be created for the node. */
  readonly claims: ReadonlyMap<string, { readonly volume?: string; readonly isWritten: boolean }>
  /** The pod's node has been written to the API server. */
  readonly isPlaced: boolean
}

export type Match = { readonly claim: PersistentVolumeClaim; readonly volume: PersistentVolume }

/** What a pod gets on a node: existing volumes for some of its claims; the others are created for the node. */
export type Choice = Readonly<{ node: string; matches: readonly Match[]; select: readonly PersistentVolumeClaim[] }>

type ClaimChoice = { readonly node: string; readonly volume?: string; isWritten: boolean }

/** Nodes and volumes that are reserved for pods. They count as used from the moment of the choice. `moved` is called with the affected pods. */
export function createReservations(moved: (podKey: string) => void) {
  const create = ({ metadata: { uid } }: Pod, node: string, untilMs: number) => ({
    uid,
    node,
    untilMs,
    claims: new Map<string, ClaimChoice>(),
    isPlaced: false,
  })
  const kept = new Map<string, ReturnType<typeof create>>()
  const byClaim = new Groups<ClaimChoice>()
  /** Claim keys by volume. */
  const keepers = new Map<string, string>()

  const find = (pod: Pod) => {
    const present = kept.get(keyOf(pod))
    return present?.uid === pod.metadata.uid ? present : undefined
  }
  const dropChoice = (claimKey: string, choice: ClaimChoice): void => {
    byClaim.delete(claimKey, choice)
    if (choice.volume !== undefined) keepers.delete(choice.volume)
  }
  const drop = (podKey: string) => {
    const dropped = kept.get(podKey)
    kept.delete(podKey)
    dropped?.claims.forEach((choice, claimKey) => dropChoice(claimKey, choice))
    return dropped
  }
  return {
    find,
    /** Adds to the pod's reservation on that node. */
    keep: (pod: Pod, { node, matches = [], select = [] }: Pick<Choice, 'node'> & Partial<Choice>, untilMs: number) => {
      const key = keyOf(pod)
      if (!find(pod)) drop(key)
      const reservation = find(pod) ?? create(pod, node, untilMs)
      kept.set(key, reservation)
      const add = (claimKey: string, choice: ClaimChoice): void => {
        const before = reservation.claims.get(claimKey)
        if (before) dropChoice(claimKey, before)
        reservation.claims.set(claimKey, choice)
        byClaim.add(claimKey, choice)
        if (choice.volume !== undefined) keepers.set(choice.volume, claimKey)
      }
      for (const { claim, volume } of matches) add(keyOf(claim), { node, volume: keyOf(volume), isWritten: false })
      for (const claim of select) add(keyOf(claim), { node, isWritten: false })
      moved(key)
      return reservation
    },
    /** Returns the released reservation; undefined if there was none. */
    release: (podKey: string): Reservation | undefined => {
      const dropped = drop(podKey)
      if (dropped) moved(podKey)
      return dropped
    },
    /** Keys of the pods with a reservation on the node. */
    on: (node: string): string[] => [...kept].flatMap(([key, each]) => (each.node === node ? [key] : [])),
    /** The claim for which a pod that is about to be placed has chosen the volume. */
    keeperOf: (volumeName: string): string | undefined => keepers.get(volumeName),
    /** The choice for the claim by a pod that is about to be placed: a volume, or the node for which one is to be created. */
    choiceFor: (claimKey: string): Readonly<ClaimChoice> | undefined => {
      for (const choice of byClaim.get(claimKey)) return choice
      return undefined
    },
  }
}
