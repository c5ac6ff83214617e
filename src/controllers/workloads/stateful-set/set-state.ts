import type { ControllerRevision } from '../../../api/kinds/controller-revision.ts'
import type { PersistentVolumeClaim } from '../../../api/kinds/persistent-volume-claim.ts'
import type { Pod } from '../../../api/kinds/pod.ts'
import type { PodTemplateSpec, StatefulSet, StatefulSetStatus } from '../../../api/kinds/stateful-set.ts'
import type { OwnerReference } from '../../../api/object.ts'
import { nameOf, templateOf } from '../revisions.ts'
import { ordinalOf, ordinalRange } from './identity.ts'
import type { StatefulSetReason } from './reasons.ts'

/** A pod to create, with its claims that do not exist yet. */
export type NewPod = { readonly pod: Pod; readonly claims: readonly PersistentVolumeClaim[] }

export type StatefulSetStep =
  | { readonly kind: 'wait'; readonly reason: StatefulSetReason; readonly retryInMs?: number | undefined }
  | { readonly kind: 'adopt-pods'; readonly pods: readonly Pod[] }
  | { readonly kind: 'release-pods'; readonly pods: readonly Pod[] }
  | { readonly kind: 'adopt-revisions'; readonly revisions: readonly ControllerRevision[] }
  | { readonly kind: 'delete-revisions'; readonly revisions: readonly ControllerRevision[] }
  | { readonly kind: 'create-revision'; readonly revision: ControllerRevision }
  | { readonly kind: 'renumber-revision'; readonly revision: ControllerRevision; readonly number: number }
  | { readonly kind: 'write-status'; readonly status: StatefulSetStatus }
  | { readonly kind: 'create-pods'; readonly pods: readonly NewPod[] }
  | { readonly kind: 'create-claims'; readonly pods: readonly NewPod[] }
  | {
      readonly kind: 'change-claim-owners'
      readonly claims: readonly {
        readonly claim: PersistentVolumeClaim
        readonly ownerReferences: readonly OwnerReference[]
        readonly isForeign: boolean
      }[]
    }
  | { readonly kind: 'label-pods'; readonly pods: readonly { pod: Pod; labels: Readonly<Record<string, string>> }[] }
  | { readonly kind: 'delete-pods'; readonly pods: readonly Pod[] }

/** The set with everything that the decisions about its pods need. */
export type SetState = {
  readonly set: StatefulSet
  /** Pods with an ordinal that the set should have. */
  readonly replicas: ReadonlyMap<number, Pod>
  /** The other pods, with the highest ordinal first. */
  readonly surplus: readonly Pod[]
  readonly current: ControllerRevision
  readonly update: ControllerRevision
  findClaim(name: string): PersistentVolumeClaim | undefined
  readonly nowMs: number
}

/** Which pods the set should have, and which are surplus. */
export function placesOf(set: StatefulSet, pods: readonly Pod[]): Pick<SetState, 'replicas' | 'surplus'> {
  const { start, end } = ordinalRange(set)
  const replicas = new Map<number, Pod>()
  const surplus: { ordinal: number; pod: Pod }[] = []
  for (const pod of pods) {
    const ordinal = ordinalOf(set, pod) ?? -1
    if (ordinal >= start && ordinal < end) replicas.set(ordinal, pod)
    else surplus.push({ ordinal, pod })
  }
  surplus.sort((one, other) => other.ordinal - one.ordinal)
  return { replicas, surplus: surplus.map(({ pod }) => pod) }
}

/** The template of a new pod: below the partition, that of the current revision. */
export function revisionFor(
  { set, current, update }: SetState,
  ordinal: number,
): { readonly ordinal: number; readonly revision: string; readonly template: PodTemplateSpec } {
  const { updateStrategy: { type = 'RollingUpdate', rollingUpdate } = {} } = set.spec
  const { start } = ordinalRange(set)
  const kept = rollingUpdate ? (rollingUpdate.partition ?? 0) : (set.status?.currentReplicas ?? 0)
  const isKept = (rollingUpdate !== undefined || type === 'RollingUpdate') && ordinal < start + kept
  const revision = isKept ? current : update
  return { ordinal, revision: nameOf(revision), template: templateOf(revision) ?? set.spec.template }
}
