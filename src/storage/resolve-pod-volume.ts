import { isControlledBy } from '../api/owner-references.ts'
import type { CSIDriver } from '../api/kinds/csi-driver.ts'
import type {
  CSIPersistentVolumeSource,
  PersistentVolume,
  PersistentVolumeSpec,
} from '../api/kinds/persistent-volume.ts'
import type { PersistentVolumeClaim } from '../api/kinds/persistent-volume-claim.ts'
import type { CSIVolumeSource, Pod, Volume } from '../api/kinds/pod.ts'
import { keyOf } from '../api/object-key.ts'
import type { Reason } from '../api/reason.ts'
import { allowsPodHandles, ephemeralHandle, inLineHandle, inLineVolumeSpec } from './in-line-volume.ts'
import { BIND_COMPLETED, hasAnnotation } from './names.ts'
import { claimNameOf } from './pod-claims.ts'
import { REASONS } from './reasons.ts'
import type { PodVolumeReason } from './reasons.ts'
import { uniqueVolumeName } from './unique-volume-name.ts'
import { persistentVolumeKindOf, volumeKindOf } from './volume-kind.ts'

/** A volume of a CSI driver, through a claim or in-line. */
export type CsiVolume = {
  readonly driver: string
  readonly volumeHandle: string
  readonly uniqueName: string
  /** The name of the PersistentVolume, or for an in-line volume its name in the pod's spec. */
  readonly volumeName: string
  readonly spec: PersistentVolumeSpec
  readonly csi: CSIPersistentVolumeSource
  /** Undefined for an in-line volume. */
  readonly persistentVolume?: PersistentVolume
  readonly claim?: PersistentVolumeClaim
}

/** `Why` is a parameter because a node has further reasons to refuse a volume. */
export type PodVolume<Why extends Reason = Reason> =
  /** Not a volume of a CSI driver, but of this kind: `nfs`. `persistentVolume` is the name of its PersistentVolume, if it has one. */
  | { readonly kind: 'other'; readonly source: string; readonly persistentVolume?: string }
  /** The driver creates it for the pod: it is published, but neither attached nor staged. */
  | { readonly kind: 'ephemeral'; readonly volumeHandle: string; readonly source: CSIVolumeSource }
  | { readonly kind: 'csi'; readonly volume: CsiVolume }
  /** Unusable until something changes. */
  | { readonly kind: 'waits'; readonly reason: Why }
  /** The pod may not use it. */
  | { readonly kind: 'refused'; readonly reason: Why }

export type ResolvedVolume = PodVolume<PodVolumeReason>

export type VolumeLookup = {
  claim(namespace: string, name: string): PersistentVolumeClaim | undefined
  volume(name: string): PersistentVolume | undefined
  driver(name: string): CSIDriver | undefined
}

/** Resolves a pod's volume to its driver and handle. */
export function resolvePodVolume(pod: Pod, volume: Volume, lookup: VolumeLookup): ResolvedVolume {
  const claimName = claimNameOf(pod, volume)
  if (claimName !== undefined) return throughClaim(pod, volume, claimName, lookup)
  if (volume.csi) return inLine(pod, volume.name, volume.csi, lookup)
  return { kind: 'other', source: volumeKindOf(volume) }
}

function throughClaim(pod: Pod, volume: Volume, claimName: string, lookup: VolumeLookup): ResolvedVolume {
  const { namespace = '' } = pod.metadata
  const claim = lookup.claim(namespace, claimName)
  if (!claim) return waits(REASONS.ClaimMissing(namespace, claimName))
  if (volume.ephemeral && !isControlledBy(claim, pod))
    return { kind: 'refused', reason: REASONS.ClaimNotOfPod(namespace, claimName, keyOf(pod)) }
  const { volumeName } = claim.spec
  if (!volumeName || !isBound(claim)) return waits(REASONS.ClaimNotBound(namespace, claimName))
  const found = lookup.volume(volumeName)
  if (!found) return waits(REASONS.VolumeMissing(volumeName))
  if (found.spec.claimRef?.uid === undefined || found.spec.claimRef.uid !== claim.metadata.uid)
    return waits(REASONS.VolumeBoundToOther(volumeName))
  const { csi } = found.spec
  if (!csi) return { kind: 'other', source: persistentVolumeKindOf(found.spec), persistentVolume: volumeName }
  return { kind: 'csi', volume: { ...namesOf(csi, volumeName), spec: found.spec, csi, persistentVolume: found, claim } }
}

// The scheduler checks the annotation, which is written before the phase.
const isBound = (claim: PersistentVolumeClaim): boolean =>
  claim.status?.phase === 'Bound' || (claim.status?.phase !== 'Lost' && hasAnnotation(claim, BIND_COMPLETED))

function inLine(
  { metadata }: Pod,
  podVolumeName: string,
  source: CSIVolumeSource,
  lookup: VolumeLookup,
): ResolvedVolume {
  const volumeHandle = inLineHandle(source)
  if (volumeHandle === undefined)
    return { kind: 'ephemeral', volumeHandle: ephemeralHandle(metadata.uid ?? '', podVolumeName), source }
  if (!allowsPodHandles(lookup.driver(source.driver)))
    return { kind: 'refused', reason: REASONS.PodHandlesNotAllowed(source.driver, podVolumeName) }
  const spec = inLineVolumeSpec(source, volumeHandle, metadata.namespace ?? '')
  return { kind: 'csi', volume: { ...namesOf(spec.csi, podVolumeName), spec, csi: spec.csi } }
}

const namesOf = ({ driver, volumeHandle }: CSIPersistentVolumeSource, volumeName: string) => ({
  driver,
  volumeHandle,
  uniqueName: uniqueVolumeName(driver, volumeHandle),
  volumeName,
})

const waits = (reason: PodVolumeReason): ResolvedVolume => ({ kind: 'waits', reason })
