import { PERSISTENT_VOLUME_CLAIMS } from '../../api/kinds/persistent-volume-claim.ts'
import type { PersistentVolumeClaim } from '../../api/kinds/persistent-volume-claim.ts'
import type { Pod, Volume } from '../../api/kinds/pod.ts'
import { keyOf } from '../../api/object-key.ts'
import { isControlledBy, ownerReferenceTo } from '../../api/owner-references.ts'
import { awaiting, because, defineReasons } from '../../api/reason.ts'
import type { ReasonIn } from '../../api/reason.ts'
import { isFinishedPod, podClaimsOf } from '../../storage/pod-claims.ts'

type EphemeralReason = ReasonIn<typeof REASONS>

export const REASONS = defineReasons({
  PodLeaving: 'the pod has finished or is being deleted',
  ClaimsMade: 'the pod has all its claims',
  /** A claim of that name belongs to something else. */
  ClaimInTheWay: (pod: Pod, podVolumeName: string, claimName: string) => {
    const { namespace = '' } = pod.metadata
    return because(
      `ephemeral volume ${podVolumeName}: PVC ${namespace}/${claimName} was not created for pod ${keyOf(pod)} (pod is not owner)`,
      {
        ...awaiting(PERSISTENT_VOLUME_CLAIMS, { namespace, name: claimName }),
        detail: { volume: podVolumeName },
        cure: 'Delete the claim, or rename the pod.',
      },
    )
  },
})

export type EphemeralView = {
  readonly seen: {
    readonly pod: Pod
    /** Claims of the pod's namespace with the names that the claims of its ephemeral volumes must have. */
    readonly claims: readonly PersistentVolumeClaim[]
  }
}

export type EphemeralStep = Readonly<
  | { kind: 'wait'; reason: EphemeralReason }
  | { kind: 'make-claims'; claims: readonly PersistentVolumeClaim[]; obstacles: readonly EphemeralReason[] }
>

/** Which claims of one pod are missing, and which cannot be created. All at once: they do not depend on each other. */
export function nextEphemeralStep({ seen: { pod, claims } }: EphemeralView): EphemeralStep {
  if (pod.metadata.deletionTimestamp !== undefined || isFinishedPod(pod))
    return { kind: 'wait', reason: REASONS.PodLeaving }
  const missing: PersistentVolumeClaim[] = []
  const obstacles: EphemeralReason[] = []
  for (const { volume, claimName, isEphemeral } of podClaimsOf(pod)) {
    if (!isEphemeral) continue
    const present = claims.find(({ metadata }) => metadata.name === claimName)
    if (!present) missing.push(claimFor(pod, volume, claimName))
    else if (!isControlledBy(present, pod)) obstacles.push(REASONS.ClaimInTheWay(pod, volume.name, claimName))
  }
  return missing.length + obstacles.length === 0
    ? { kind: 'wait', reason: REASONS.ClaimsMade }
    : { kind: 'make-claims', claims: missing, obstacles }
}

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
