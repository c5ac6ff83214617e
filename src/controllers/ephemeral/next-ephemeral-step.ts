import type { PersistentVolumeClaim } from '../../api/kinds/persistent-volume-claim.ts'
import type { Pod, Volume } from '../../api/kinds/pod.ts'
import { isControlledBy, ownerReferenceTo } from '../../api/owner-references.ts'
import type { Reason } from '../../api/reason.ts'
import { isFinishedPod, podClaimsOf } from '../../storage/pod-claims.ts'

export type EphemeralView = {
  readonly seen: {
    readonly pod: Pod
    /** Those of the pod's namespace that have the names which its own claims have to have. */
    readonly claims: readonly PersistentVolumeClaim[]
  }
}

/** Everything that is to be done: the claims of one pod do not depend on each other. */
export type EphemeralStep =
  | { readonly kind: 'wait'; readonly reason: Reason }
  | {
      readonly kind: 'make-claims'
      readonly claims: readonly PersistentVolumeClaim[]
      readonly obstacles: readonly Reason[]
    }

/** Which claims of one pod are missing, and which can't be made. */
export function nextEphemeralStep({ seen: { pod, claims } }: EphemeralView): EphemeralStep {
  if (pod.metadata.deletionTimestamp !== undefined || isFinishedPod(pod))
    return { kind: 'wait', reason: { code: 'PodLeaving' } }
  const missing: PersistentVolumeClaim[] = []
  const obstacles: Reason[] = []
  for (const { volume, claimName, isEphemeral } of podClaimsOf(pod)) {
    if (!isEphemeral) continue
    const present = claims.find(({ metadata }) => metadata.name === claimName)
    if (!present) missing.push(claimFor(pod, volume, claimName))
    else if (!isControlledBy(present, pod)) obstacles.push(claimInTheWay(pod, volume, claimName))
  }
  return missing.length + obstacles.length === 0
    ? { kind: 'wait', reason: { code: 'ClaimsMade' } }
    : { kind: 'make-claims', claims: missing, obstacles }
}

/** A claim of that name is somebody else's. */
export const claimInTheWay = (pod: Pod, volume: Pick<Volume, 'name'>, claimName: string): Reason => ({
  code: 'ClaimInTheWay',
  waitsFor: {
    kind: 'object',
    apiVersion: 'v1',
    kindName: 'PersistentVolumeClaim',
    namespace: pod.metadata.namespace ?? '',
    name: claimName,
  },
  detail: { volume: volume.name },
  cure: 'The claim does not belong to the pod: delete or rename one of the two',
})

function claimFor(pod: Pod, volume: Volume, name: string): PersistentVolumeClaim {
  const { metadata: { labels, annotations } = {}, spec = {} } = volume.ephemeral?.volumeClaimTemplate ?? {}
  const { namespace = '' } = pod.metadata
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: {
      namespace,
      name,
      ...(labels ? { labels } : {}),
      ...(annotations ? { annotations } : {}),
      ownerReferences: [ownerReferenceTo(pod, { controller: true, blockOwnerDeletion: true })],
    },
    spec,
  }
}
