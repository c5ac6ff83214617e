import type { PersistentVolumeClaim } from '../../api/kinds/persistent-volume-claim.ts'
import type { Pod } from '../../api/kinds/pod.ts'
import { findCondition } from '../../api/conditions.ts'
import { expansionHint, findAnnotation } from '../../storage/names.ts'
import { isFinishedPod, podClaimsOf } from '../../storage/pod-claims.ts'
import { requestedSizeOf } from '../../storage/requested-size.ts'
import { REASONS } from './reasons.ts'
import type { ExpansionReason } from './reasons.ts'

/** `pods` are those that use the claim. */
export type HintView = { readonly seen: { readonly claim: PersistentVolumeClaim; readonly pods: readonly Pod[] } }

export type HintStep =
  | { readonly kind: 'wait'; readonly reason: ExpansionReason }
  /** Annotate the pod, so that its node reads the claim. */
  | { readonly kind: 'hint'; readonly pod: Pod; readonly annotation: string; readonly size: string }

/** Nodes may not watch claims, but they watch their pods: one pod of each node that has the volume gets the new size as an annotation. */
export function nextHintStep({ seen: { claim, pods } }: HintView): HintStep {
  if (!awaitsNodes(claim)) return { kind: 'wait', reason: REASONS.NodesNotAwaited }
  const size = claim.status?.allocatedResources?.['storage'] ?? requestedSizeOf(claim)
  const users = pods.flatMap((pod) => {
    const podClaim = podClaimsOf(pod).find(({ claimName }) => claimName === claim.metadata.name)
    return podClaim && isMounting(pod) ? [{ pod, annotation: expansionHint(podClaim.volume.name) }] : []
  })
  for (const onNode of Map.groupBy(users, ({ pod }) => pod.spec.nodeName).values()) {
    const [user] = onNode
    if (user && !onNode.some(({ pod, annotation }) => findAnnotation(pod, annotation) === size))
      return { kind: 'hint', ...user, size }
  }
  return { kind: 'wait', reason: REASONS.NodesHinted }
}

/** The resizer has done its part. Without the resize status, only resizers before Kubernetes 1.34 set the condition. */
function awaitsNodes({ metadata, status }: PersistentVolumeClaim): boolean {
  if (metadata.deletionTimestamp !== undefined) return false
  const state = status?.allocatedResourceStatuses?.['storage']
  return state === undefined
    ? findCondition(status?.conditions, 'FileSystemResizePending')?.status === 'True'
    : state === 'NodeResizePending'
}

const isMounting = (pod: Pod): boolean =>
  Boolean(pod.spec.nodeName) && pod.metadata.deletionTimestamp === undefined && !isFinishedPod(pod)
