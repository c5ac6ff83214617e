import type { Taint } from '../../api/kinds/node.ts'
import { NODES } from '../../api/kinds/node.ts'
import type { Pod } from '../../api/kinds/pod.ts'
import { because, defineReasons, objectAwaited } from '../../api/reason.ts'
import type { ReasonIn } from '../../api/reason.ts'
import { tolerates } from '../../api/tolerations.ts'

export type EvictionView = {
  readonly seen: {
    readonly pod: Pod
    /** The `NoExecute` taints of the pod's node. */
    readonly taints: readonly Taint[]
  }
  readonly held: {
    readonly nowMs: number
    /** Since when the pod is to be evicted once it no longer tolerates the taints. Not from the taint: after a restart, nodes get time to report again. */
    readonly sinceMs?: number | undefined
  }
}

export type EvictionStep =
  | { readonly kind: 'wait'; readonly reason: EvictionReason; readonly retryInMs?: number }
  /** Starts the time that the pod tolerates. */
  | { readonly kind: 'schedule' }
  /** The pod tolerates the taints for ever, or they are gone. */
  | { readonly kind: 'cancel' }
  | { readonly kind: 'evict' }

export type EvictionReason = ReasonIn<typeof REASONS>

export const REASONS = defineReasons({
  Tolerated: 'the pod tolerates the taints of its node',
  PodLeaving: 'the pod is being deleted',
  ToleratedForSeconds: ({ spec }: Pod, seconds: number) =>
    because(`the pod is evicted in ${seconds}s unless node ${spec.nodeName} recovers`, {
      waitsFor: objectAwaited(NODES, { name: spec.nodeName ?? '' }),
    }),
})

/** The next step for a pod on a node with taints: deleted as soon as it does not tolerate one of them. */
export function nextEvictionStep({ seen: { pod, taints }, held: { nowMs, sinceMs } }: EvictionView): EvictionStep {
  if (pod.metadata.deletionTimestamp !== undefined) return { kind: 'wait', reason: REASONS.PodLeaving }
  const toleratedMs = toleratedForMs(pod, taints)
  if (toleratedMs <= 0) return { kind: 'evict' }
  if (toleratedMs === Number.POSITIVE_INFINITY)
    return sinceMs === undefined ? { kind: 'wait', reason: REASONS.Tolerated } : { kind: 'cancel' }
  if (sinceMs === undefined) return { kind: 'schedule' }
  const retryInMs = sinceMs + toleratedMs - nowMs
  if (retryInMs <= 0) return { kind: 'evict' }
  return { kind: 'wait', reason: REASONS.ToleratedForSeconds(pod, Math.ceil(retryInMs / 1000)), retryInMs }
}

/** The shortest time of the tolerations that apply, the first for each taint. 0 if a taint is not tolerated at all. */
function toleratedForMs({ spec: { tolerations = [] } }: Pod, taints: readonly Taint[]): number {
  const seconds = taints.map((taint) => {
    const toleration = tolerations.find((each) => tolerates(each, taint))
    return toleration ? (toleration.tolerationSeconds ?? Number.POSITIVE_INFINITY) : 0
  })
  return Math.min(...seconds) * 1000
}
