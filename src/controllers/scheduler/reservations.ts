import type { PersistentVolumeClaim } from '../../api/kinds/persistent-volume-claim.ts'
import type { Pod } from '../../api/kinds/pod.ts'
import { keyOf } from '../../api/object-key.ts'
import type { ClusterState } from './cluster-view.ts'
import type { Match } from './fit-volumes.ts'
import type { Reservation } from './next-placement-step.ts'

/** Nodes and volumes that are kept for pods. They count as used from the moment of the choice. */
export function createReservations({
  state,
  now,
  holdMs,
}: {
  state: Pick<ClusterState, 'assume' | 'forget'>
  now: () => number
  holdMs: number
}) {
  const create = (uid: string, node: string) => ({
    uid,
    node,
    untilMs: now() + holdMs,
    selected: new Set<string>(),
    matched: new Map<string, string>(),
    volumes: new Map<string, string>(),
    selects: new Set<string>(),
    isPlaced: false,
  })
  const reservations = new Map<string, ReturnType<typeof create>>()
  const find = (pod: Pod) => {
    const kept = reservations.get(keyOf(pod))
    return kept?.uid === pod.metadata.uid ? kept : undefined
  }
  return {
    find: (pod: Pod): Reservation | undefined => find(pod),
    /** Adds to what the pod already has on that node. */
    keep: (
      pod: Pod,
      node: string,
      { matches, select }: { matches: readonly Match[]; select: readonly PersistentVolumeClaim[] } = NO_CHOICE,
    ): void => {
      const kept = find(pod) ?? create(pod.metadata.uid ?? '', node)
      reservations.set(keyOf(pod), kept)
      for (const { claim, volume } of matches) kept.volumes.set(keyOf(volume), keyOf(claim))
      for (const claim of select) kept.selects.add(keyOf(claim))
      state.assume(pod, kept)
    },
    selected: (pod: Pod, claimKey: string): void => void find(pod)?.selected.add(claimKey),
    matched: (pod: Pod, claimKey: string, volumeName: string): void =>
      void find(pod)?.matched.set(claimKey, volumeName),
    placed: (pod: Pod): void => {
      const kept = find(pod)
      if (kept) kept.isPlaced = true
    },
    /** The node to which the API server was asked to bind the pod. */
    placeOf: (podKey: string): string | undefined => {
      const kept = reservations.get(podKey)
      return kept?.isPlaced ? kept.node : undefined
    },
    /** Undefined when there was none; otherwise the node, and the volumes that were kept. */
    release: (podKey: string): { readonly node: string; readonly volumes: ReadonlyMap<string, string> } | undefined => {
      const kept = reservations.get(podKey)
      reservations.delete(podKey)
      if (kept) state.forget(podKey)
      return kept
    },
    /** Keys of the pods for which the node is kept. */
    on: (node: string): string[] => [...reservations].flatMap(([key, kept]) => (kept.node === node ? [key] : [])),
  }
}

const NO_CHOICE = { matches: [], select: [] }
