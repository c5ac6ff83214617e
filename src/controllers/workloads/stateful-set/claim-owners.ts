import type { PersistentVolumeClaim } from '../../../api/kinds/persistent-volume-claim.ts'
import type { Pod } from '../../../api/kinds/pod.ts'
import type { StatefulSet } from '../../../api/kinds/stateful-set.ts'
import type { KubeObject, OwnerReference } from '../../../api/object.ts'
import { isOwnedBy, ownerReferenceTo } from '../../../api/owner-references.ts'

/** Who owns the claims of a pod follows from `persistentVolumeClaimRetentionPolicy`: the garbage collector deletes a claim with its owner. */
type Policy = { readonly whenDeleted: 'Retain' | 'Delete'; readonly whenScaled: 'Retain' | 'Delete' }

const policyOf = ({ spec: { persistentVolumeClaimRetentionPolicy: policy } }: StatefulSet): Policy => ({
  whenDeleted: policy?.whenDeleted ?? 'Retain',
  whenScaled: policy?.whenScaled ?? 'Retain',
})

/** The owners of a claim whose pod the set wants to have. */
export const ownersOfNewClaim = (set: StatefulSet): OwnerReference[] =>
  policyOf(set).whenDeleted === 'Delete' ? [controllerReferenceTo(set)] : []

/** What to do with the owners of a claim. */
export type ClaimOwners =
  | { readonly kind: 'right' }
  /** Another controller manages the claim: the policy has no effect on it. */
  | { readonly kind: 'foreign' }
  | { readonly kind: 'change'; readonly ownerReferences: readonly OwnerReference[]; readonly isForeign: boolean }

/** The owners that a pod's claim should have. `isSurplus`: the set is scaled down, and the pod is to be deleted. */
export function claimOwners(
  claim: PersistentVolumeClaim,
  { set, pod, isSurplus }: { set: StatefulSet; pod: Pod; isSurplus: boolean },
): ClaimOwners {
  const references = claim.metadata.ownerReferences ?? []
  // References to a former set or pod of the same name: the garbage collector decides about the claim.
  if ([set, pod].some((owner) => references.some((reference) => isStale(reference, owner)))) return { kind: 'right' }
  const others = references.filter((reference) => !isNamed(reference, set) && !isNamed(reference, pod))
  const hasOwn = isOwnedBy(claim, set) || isOwnedBy(claim, pod)
  const { whenDeleted, whenScaled } = policyOf(set)
  const isAnyDelete = whenDeleted === 'Delete' || whenScaled === 'Delete'
  if (isAnyDelete && others.some(({ controller }) => controller))
    return hasOwn ? { kind: 'change', ownerReferences: others, isForeign: true } : { kind: 'foreign' }

  const owner = isSurplus && whenScaled === 'Delete' ? pod : whenDeleted === 'Delete' ? set : undefined
  const wanted = owner ? [...others, controllerReferenceTo(owner)] : others
  const isRight =
    isOwnedBy(claim, set) === (owner === set) &&
    isOwnedBy(claim, pod) === (owner === pod) &&
    references.every(({ uid, controller }) => uid !== owner?.metadata.uid || controller)
  return isRight ? { kind: 'right' } : { kind: 'change', ownerReferences: wanted, isForeign: false }
}

/** The claim is to be deleted with a former pod of the same name: a new pod must wait until it is gone. */
export const isClaimOfFormerPod = (set: StatefulSet, claim: PersistentVolumeClaim, podName: string): boolean =>
  policyOf(set).whenScaled === 'Delete' &&
  (claim.metadata.ownerReferences ?? []).some(({ kind, name }) => kind === 'Pod' && name === podName)

const controllerReferenceTo = (owner: KubeObject): OwnerReference =>
  ownerReferenceTo(owner, { controller: true, blockOwnerDeletion: true })

const isNamed = (reference: OwnerReference, owner: KubeObject): boolean =>
  reference.apiVersion === owner.apiVersion && reference.kind === owner.kind && reference.name === owner.metadata.name

const isStale = (reference: OwnerReference, owner: KubeObject): boolean =>
  isNamed(reference, owner) && reference.uid !== owner.metadata.uid
