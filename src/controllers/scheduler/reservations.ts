import type { PersistentVolumeClaim } from '../../api/kinds/persistent-volume-claim.ts'
import type { Pod } from '../../api/kinds/pod.ts'
import { keyOf } from '../../api/object-key.ts'
import type { ClusterState } from './cluster-state.ts'
import type { Match } from './fit-volumes.ts'
import type { Reservation } from './placement-view.ts'

/** Nodes and volumes that are kept for pods on their way. They count as used from the moment of the choice. */
export interface Reservations {
  find(pod: Pod): Reservation | undefined
  /** Adds to what the pod has already on that node. */
  keep(pod: Pod, node: string, choice?: { matches: readonly Match[]; select: readonly PersistentVolumeClaim[] }): void
  selected(pod: Pod, claimKey: string): void
  matched(pod: Pod, claimKey: string, volumeName: string): void
  placed(pod: Pod): void
  /** Where the server was told to have the pod of this key run. */
  placeOf(podKey: string): string | undefined
  /** Undefined when there was none; else the node, and the volumes that were kept beside it. */
  release(podKey: string): { readonly node: string; readonly volumes: ReadonlyMap<string, string> } | undefined
  /** Keys of the pods that the node is kept for. */
  on(node: string): string[]
}

type Kept = {
  uid: string
  node: string
  untilMs: number
  selected: Set<string>
  matched: Map<string, string>
  volumes: Map<string, string>
  selects: Set<string>
  isPlaced: boolean
}

export function createReservations({
  state,
  now,
  holdMs,
}: {
  state: ClusterState
  now: () => number
  holdMs: number
}): Reservations {
  const reservations = new Map<string, Kept>()
  const find = (pod: Pod): Kept | undefined => {
    const kept = reservations.get(keyOf(pod))
    return kept?.uid === pod.metadata.uid ? kept : undefined
  }
  const keep = (
    pod: Pod,
    node: string,
    { matches, select }: { matches: readonly Match[]; select: readonly PersistentVolumeClaim[] } = {
      matches: [],
      select: [],
    },
  ): void => {
    const kept = find(pod) ?? {
      uid: pod.metadata.uid ?? '',
      node,
      untilMs: now() + holdMs,
      selected: new Set<string>(),
      matched: new Map<string, string>(),
      volumes: new Map<string, string>(),
      selects: new Set<string>(),
      isPlaced: false,
    }
    reservations.set(keyOf(pod), kept)
    for (const { claim, volume } of matches) kept.volumes.set(keyOf(volume), keyOf(claim))
    for (const claim of select) kept.selects.add(keyOf(claim))
    state.assume(pod, kept)
  }
  return {
    find,
    keep,
    selected: (pod, claimKey) => void find(pod)?.selected.add(claimKey),
    matched: (pod, claimKey, volumeName) => void find(pod)?.matched.set(claimKey, volumeName),
    placed: (pod) => {
      const kept = find(pod)
      if (kept) kept.isPlaced = true
    },
    placeOf: (podKey) => {
      const kept = reservations.get(podKey)
      return kept?.isPlaced ? kept.node : undefined
    },
    release: (podKey) => {
      const kept = reservations.get(podKey)
      reservations.delete(podKey)
      if (kept) state.forget(podKey)
      return kept
    },
    on: (node) => [...reservations].flatMap(([key, kept]) => (kept.node === node ? [key] : [])),
  }
}
