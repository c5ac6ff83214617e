import { isControlledBy } from '../api/owner-references.ts'
import type { CSIDriver } from '../api/kinds/csi-driver.ts'
import type {
  CSIPersistentVolumeSource,
  PersistentVolume,
  PersistentVolumeSpec,
} from '../api/kinds/persistent-volume.ts'
import type { PersistentVolumeClaim } from '../api/kinds/persistent-volume-claim.ts'
import type { CSIVolumeSource, Pod, Volume } from '../api/kinds/pod.ts'
import type { Reason } from '../api/reason.ts'
import { POD_HANDLES_ANNOTATION } from '../compat/mirror-csi-driver.ts'
import { allowsPodHandles, ephemeralHandle, inLineHandle, inLineVolumeSpec } from './in-line-volume.ts'
import { BIND_COMPLETED, hasAnnotation } from './names.ts'
import { ephemeralClaimName } from './pod-claims.ts'
import { uniqueVolumeName } from './unique-volume-name.ts'
import { persistentVolumeKindOf, volumeKindOf } from './volume-kind.ts'

/** A volume that a driver has, whatever way a pod came to it. */
export type CsiVolume = {
  readonly driver: string
  readonly handle: string
  readonly uniqueName: string
  /** What people know it by: the PersistentVolume's name, or that of the pod's volume. */
  readonly name: string
  readonly spec: PersistentVolumeSpec
  readonly csi: CSIPersistentVolumeSource
  /** Undefined for a volume that stands in the pod itself. */
  readonly volume?: PersistentVolume
  readonly claim?: PersistentVolumeClaim
}

export type PodVolume =
  /** Not a volume of a CSI driver, but of this kind: `nfs`. With a name: that of its PersistentVolume. */
  | { readonly kind: 'other'; readonly source: string; readonly persistentVolume?: string }
  /** The driver makes it when the pod comes: it is published, and neither attached nor staged. */
  | { readonly kind: 'ephemeral'; readonly handle: string; readonly source: CSIVolumeSource }
  | { readonly kind: 'csi'; readonly volume: CsiVolume }
  /** Until something changes. */
  | { readonly kind: 'waits'; readonly reason: Reason }
  /** A pod may not have it. */
  | { readonly kind: 'refused'; readonly reason: Reason }

export type VolumeLookup = {
  claim(namespace: string, name: string): PersistentVolumeClaim | undefined
  volume(name: string): PersistentVolume | undefined
  driver(name: string): CSIDriver | undefined
}

/** From a pod's volume to what the driver knows. */
export function resolvePodVolume(pod: Pod, volume: Volume, lookup: VolumeLookup): PodVolume {
  const claimName =
    volume.persistentVolumeClaim?.claimName ?? (volume.ephemeral ? ephemeralClaimName(pod, volume) : undefined)
  if (claimName !== undefined) return throughClaim(pod, volume, claimName, lookup)
  if (volume.csi) return inLine(pod, volume.name, volume.csi, lookup)
  return { kind: 'other', source: volumeKindOf(volume) }
}

function throughClaim(pod: Pod, volume: Volume, claimName: string, lookup: VolumeLookup): PodVolume {
  const { namespace = '' } = pod.metadata
  const claim = lookup.claim(namespace, claimName)
  if (!claim) return waits('ClaimMissing', claimRef(namespace, claimName))
  if (volume.ephemeral && !isControlledBy(claim, pod))
    return { kind: 'refused', reason: REASONS.claimOfOther(namespace, claimName) }
  const { volumeName } = claim.spec
  if (!volumeName || !isBound(claim)) return waits('ClaimNotBound', claimRef(namespace, claimName))
  const found = lookup.volume(volumeName)
  if (!found) return waits('VolumeMissing', volumeRef(volumeName))
  if (found.spec.claimRef?.uid === undefined || found.spec.claimRef.uid !== claim.metadata.uid)
    return waits('VolumeBoundToOther', volumeRef(volumeName))
  const { csi } = found.spec
  if (!csi) return { kind: 'other', source: persistentVolumeKindOf(found.spec), persistentVolume: volumeName }
  return { kind: 'csi', volume: { ...namesOf(csi, volumeName), spec: found.spec, csi, volume: found, claim } }
}

// Whoever placed the pod went by the annotation, which is written first: to wait for the phase would only mean to come again.
const isBound = (claim: PersistentVolumeClaim): boolean =>
  claim.status?.phase === 'Bound' || (claim.status?.phase !== 'Lost' && hasAnnotation(claim, BIND_COMPLETED))

function inLine({ metadata }: Pod, name: string, source: CSIVolumeSource, lookup: VolumeLookup): PodVolume {
  const handle = inLineHandle(source)
  if (handle === undefined) return { kind: 'ephemeral', handle: ephemeralHandle(metadata.uid ?? '', name), source }
  if (!allowsPodHandles(lookup.driver(source.driver)))
    return { kind: 'refused', reason: REASONS.podHandles(source.driver, name) }
  const spec = inLineVolumeSpec(source, handle, metadata.namespace ?? '')
  return { kind: 'csi', volume: { ...namesOf(spec.csi, name), spec, csi: spec.csi } }
}

const namesOf = ({ driver, volumeHandle: handle }: CSIPersistentVolumeSource, name: string) => ({
  driver,
  handle,
  uniqueName: uniqueVolumeName(driver, handle),
  name,
})

const claimRef = (namespace: string, name: string) =>
  ({ kind: 'object', apiVersion: 'v1', kindName: 'PersistentVolumeClaim', namespace, name }) as const
const volumeRef = (name: string) => ({ kind: 'object', apiVersion: 'v1', kindName: 'PersistentVolume', name }) as const
const waits = (code: string, waitsFor: NonNullable<Reason['waitsFor']>): PodVolume => ({
  kind: 'waits',
  reason: { code, waitsFor },
})

const REASONS = {
  claimOfOther: (namespace: string, name: string): Reason => ({
    code: 'ClaimNotOfPod',
    detail: { claim: `${namespace}/${name}` },
    cure: 'The claim was not made for this pod: delete or rename one of them',
  }),
  podHandles: (driver: string, volume: string): Reason => ({
    code: 'PodHandlesNotAllowed',
    detail: { driver, volume },
    cure: `To let pods name volumes of this driver by their handles, give its CSIDriver the lifecycle mode Ephemeral and the annotation ${POD_HANDLES_ANNOTATION}=true`,
  }),
}
