import { findCondition } from '../../api/conditions.ts'
import type { Node } from '../../api/kinds/node.ts'
import type { PersistentVolumeClaim } from '../../api/kinds/persistent-volume-claim.ts'
import type { Pod } from '../../api/kinds/pod.ts'
import { findTimestamp } from '../../api/timestamps.ts'
import { isFinishedPod, podClaimKeysOf } from '../../storage/pod-claims.ts'

/** All that is known about a node and the claims that pods use there. */
export type NodeView = {
  readonly seen: {
    readonly name: string
    readonly state: NodeState
    /** Claims of this driver. Empty if the node is ready. */
    readonly users: readonly ClaimUsers[]
  }
  readonly held: {
    /** Wall clock. */
    readonly nowMs: number
    /** Claims on which the failure was reported, by key, with their UIDs. */
    readonly told: ReadonlyMap<string, string>
  }
}

export type ClaimUsers = { readonly claim: PersistentVolumeClaim; readonly pods: readonly string[] }

export type NodeState =
  | { readonly kind: 'ready' }
  | { readonly kind: 'not-ready'; readonly sinceMs: number }
  /** Deleted or terminated: it does not come back by itself. */
  | { readonly kind: 'gone' }
  /** The node has not reported anything yet. */
  | { readonly kind: 'unknown' }

export function nodeStateOf(node: Node | undefined): NodeState {
  // The phase is no longer part of the documented status, but cloud controllers may still set it.
  const { phase } = (node?.status ?? {}) as { phase?: string }
  if (!node || phase === 'Terminated') return { kind: 'gone' }
  const ready = findCondition(node.status?.conditions, 'Ready')
  if (!ready) return { kind: 'unknown' }
  if (ready.status === 'True') return { kind: 'ready' }
  const since = ready.lastTransitionTime ?? node.metadata.creationTimestamp
  return { kind: 'not-ready', sinceMs: findTimestamp(since) ?? 0 }
}

/** The claims that the pods use, each with the names of its pods. */
export function claimUsersOf(
  pods: Iterable<Pod>,
  findClaim: (key: string) => PersistentVolumeClaim | undefined,
): ClaimUsers[] {
  const users = new Map<string, { claim: PersistentVolumeClaim; pods: string[] }>()
  for (const pod of pods) {
    if (isFinishedPod(pod)) continue
    for (const key of podClaimKeysOf(pod)) {
      const claim = users.get(key)?.claim ?? findClaim(key)
      if (!claim) continue
      const { pods: names } = users.get(key) ?? { pods: [] }
      users.set(key, { claim, pods: [...names, pod.metadata.name ?? ''].sort() })
    }
  }
  return [...users.values()]
}
