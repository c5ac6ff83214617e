import { hasFinalizer } from '../../api/finalizers.ts'
import type { PersistentVolumeClaim } from '../../api/kinds/persistent-volume-claim.ts'
import type { PersistentVolume, VolumeMode } from '../../api/kinds/persistent-volume.ts'
import type { VolumeSnapshot, VolumeSnapshotContent } from '../../api/kinds/volume-snapshot.ts'
import type { ObjectReference } from '../../api/kinds/references.ts'
import { keyOfRef } from '../../api/object-key.ts'
import type { KubeObject, ObjectMeta } from '../../api/object.ts'
import { quantityToBytes } from '../../api/quantity.ts'
import type { ObjectAwaited } from '../../api/reason.ts'
import type { VolumeContentSource } from '../../csi/generated/csi/v1/csi.ts'
import { ok, refuse } from './decision.ts'
import type { Decision, Obstacle } from './decision.ts'
import { classNameOf, findAnnotation } from '../../storage/names.ts'
import { ALLOW_VOLUME_MODE_CHANGE, CLONE_SOURCE_FINALIZER, SNAPSHOT_SOURCE_FINALIZER } from './names.ts'
import { isGranted } from './reference-grant.ts'
import type { ReferenceGrant } from './reference-grant.ts'

const SNAPSHOT_GROUP = 'snapshot.storage.k8s.io'

/**
 * What a claim is to begin with. `other` is a kind that some populator knows: it makes the volume, and we stay away.
 */
export type DataSource =
  | {
      readonly kind: 'snapshot' | 'claim'
      readonly namespace: string
      readonly name: string
      readonly isForeign: boolean
    }
  | { readonly kind: 'other'; readonly group: string; readonly kindName: string; readonly name: string }

export type DataSourceParts = {
  /** Whether a source may be in another namespace. */
  readonly crossNamespace: boolean
  /** Of all namespaces, or at least the source's. */
  readonly grants: Iterable<ReferenceGrant>
}

/** Undefined when the claim begins empty. */
export function dataSourceOf(
  claim: PersistentVolumeClaim,
  { crossNamespace, grants }: DataSourceParts,
): Decision<DataSource | undefined> {
  const { dataSource, dataSourceRef } = claim.spec
  const source = dataSource ?? dataSourceRef
  if (!source) return ok(undefined)
  const own = claim.metadata.namespace ?? ''
  const namespace = (dataSource ? undefined : dataSourceRef?.namespace) || own
  const { kind: kindName, name } = source
  // The server writes null where there is none.
  const group = source.apiGroup ?? ''
  const isForeign = namespace !== own
  if (isForeign && !crossNamespace) {
    const cure = 'Switch on the feature gate CrossNamespaceVolumeDataSource.'
    return refuse({ code: 'CrossNamespaceSourceDisabled', detail: { source: `${namespace}/${name}` }, cure })
  }
  if (isForeign && !isGranted(grants, own, { group, kind: kindName, namespace, name })) {
    const detail = { source: `${kindName} ${namespace}/${name}`, namespace: own }
    return refuse({
      code: 'SourceNotGranted',
      detail,
      cure: `Create a ReferenceGrant in ${namespace} for PersistentVolumeClaims of ${own}.`,
    })
  }
  if (kindName === 'VolumeSnapshot' && group === SNAPSHOT_GROUP)
    return ok({ kind: 'snapshot', namespace, name, isForeign })
  if (kindName === 'VolumeSnapshot')
    return refuse({
      code: 'SourceGroupUnknown',
      detail: { group, kind: kindName },
      cure: `Use apiGroup ${SNAPSHOT_GROUP}.`,
    })
  if (kindName === 'PersistentVolumeClaim' && group === '') return ok({ kind: 'claim', namespace, name, isForeign })
  return ok({ kind: 'other', group, kindName, name })
}

export type SnapshotQuestion = {
  readonly claim: PersistentVolumeClaim
  readonly requestedBytes: bigint
  readonly driverName: string
  readonly source: { readonly namespace: string; readonly name: string }
  readonly snapshot: VolumeSnapshot | undefined
  /** The content that the snapshot is bound to. */
  readonly content: VolumeSnapshotContent | undefined
  /** Whether a snapshot of a block volume may not become a file system, nor the other way, unless its content allows it. */
  readonly preventModeConversion: boolean
}

/** The snapshot as the driver knows it, once everything about it is as it must be. */
export function snapshotContentSource(question: SnapshotQuestion): Decision<VolumeContentSource> {
  const { claim, requestedBytes, driverName, source, snapshot, content, preventModeConversion } = question
  const awaited: ObjectAwaited = { kind: 'object', kindName: 'VolumeSnapshot', ...source }
  if (!snapshot) return refuse({ code: 'SnapshotNotFound', waitsFor: awaited })
  // Once begun it has to be brought to an end, and our finalizer keeps the snapshot until then.
  if (isLeaving(snapshot, SNAPSHOT_SOURCE_FINALIZER))
    return refuse({ code: 'SnapshotLeaving', detail: { snapshot: keyOfRef(source) } })
  const contentName = snapshot.status?.boundVolumeSnapshotContentName
  if (!contentName) return refuse({ code: 'SnapshotNotBound', waitsFor: awaited })
  const contentAwaited: ObjectAwaited = { kind: 'object', kindName: 'VolumeSnapshotContent', name: contentName }
  if (!content) return refuse({ code: 'SnapshotContentNotFound', waitsFor: contentAwaited })
  if (!refersTo(content.spec.volumeSnapshotRef, snapshot.metadata))
    return refuse({ code: 'SnapshotContentOfOther', detail: { content: contentName } })
  if (content.spec.driver !== driverName) return otherDriver('SnapshotOfOtherDriver', content.spec.driver, driverName)
  if (snapshot.status?.readyToUse !== true) return refuse({ code: 'SnapshotNotReady', waitsFor: awaited })
  const snapshotId = content.status?.snapshotHandle
  if (!snapshotId) return refuse({ code: 'SnapshotHandleMissing', waitsFor: contentAwaited })
  const { restoreSize } = snapshot.status
  if (restoreSize !== undefined && requestedBytes < quantityToBytes(restoreSize))
    return tooSmall(requestedBytes, restoreSize)
  const { sourceVolumeMode } = content.spec
  const mode = modeOf(claim.spec)
  if (
    preventModeConversion &&
    sourceVolumeMode &&
    sourceVolumeMode !== mode &&
    !isTrue(findAnnotation(content, ALLOW_VOLUME_MODE_CHANGE))
  ) {
    return modeMismatch(
      sourceVolumeMode,
      mode,
      `Annotate VolumeSnapshotContent ${contentName} with ${ALLOW_VOLUME_MODE_CHANGE}=true.`,
    )
  }
  return ok({ type: { $case: 'snapshot', value: { snapshotId } } })
}

export type CloneQuestion = {
  readonly claim: PersistentVolumeClaim
  readonly requestedBytes: bigint
  readonly driverName: string
  readonly source: { readonly namespace: string; readonly name: string }
  readonly sourceClaim: PersistentVolumeClaim | undefined
  /** The volume that the source claim is bound to. */
  readonly sourceVolume: PersistentVolume | undefined
}

/** The volume to clone as the driver knows it, once everything about it is as it must be. */
export function cloneContentSource(question: CloneQuestion): Decision<VolumeContentSource> {
  const { claim, requestedBytes, driverName, source, sourceClaim, sourceVolume } = question
  const awaited: ObjectAwaited = { kind: 'object', kindName: 'PersistentVolumeClaim', ...source }
  if (!sourceClaim) return refuse({ code: 'SourceClaimNotFound', waitsFor: awaited })
  if (isLeaving(sourceClaim, CLONE_SOURCE_FINALIZER))
    return refuse({ code: 'SourceClaimLeaving', detail: { claim: keyOfRef(source) } })
  if (sourceClaim.status?.phase !== 'Bound') return refuse({ code: 'SourceClaimNotBound', waitsFor: awaited })
  if (classNameOf(sourceClaim) === '')
    return refuse({ code: 'SourceClaimWithoutClass', detail: { claim: keyOfRef(source) } })
  const wanted = sourceClaim.spec.resources?.requests?.['storage']
  if (wanted !== undefined && requestedBytes < quantityToBytes(wanted)) return tooSmall(requestedBytes, wanted)
  const [from, to] = [modeOf(sourceClaim.spec), modeOf(claim.spec)]
  if (from !== to) return modeMismatch(from, to, `Use volumeMode ${from}.`)
  const { volumeName = '' } = sourceClaim.spec
  const volumeAwaited: ObjectAwaited = { kind: 'object', kindName: 'PersistentVolume', name: volumeName }
  if (!sourceVolume) return refuse({ code: 'SourceVolumeNotFound', waitsFor: volumeAwaited })
  const { csi, claimRef } = sourceVolume.spec
  if (!csi) return refuse({ code: 'SourceVolumeNotCSI', detail: { volume: volumeName } })
  if (csi.driver !== driverName) return otherDriver('SourceOfOtherDriver', csi.driver, driverName)
  if (!claimRef || !refersTo(claimRef, sourceClaim.metadata))
    return refuse({ code: 'SourceVolumeOfOtherClaim', detail: { volume: volumeName } })
  if (sourceVolume.status?.phase !== 'Bound') return refuse({ code: 'SourceVolumeNotBound', waitsFor: volumeAwaited })
  return ok({ type: { $case: 'volume', value: { volumeId: csi.volumeHandle } } })
}

const isLeaving = (source: KubeObject, finalizer: string): boolean =>
  source.metadata.deletionTimestamp !== undefined && !hasFinalizer(source, finalizer)

const refersTo = (ref: ObjectReference, { uid, namespace, name }: ObjectMeta): boolean =>
  ref.uid === uid && ref.namespace === namespace && ref.name === name

const modeOf = ({ volumeMode = 'Filesystem' }: { readonly volumeMode?: VolumeMode }): VolumeMode => volumeMode

// As Go's strconv.ParseBool, which drivers' documentation relies on.
const isTrue = (text = ''): boolean => ['1', 't', 'T', 'TRUE', 'true', 'True'].includes(text)

const tooSmall = (requestedBytes: bigint, needed: string): Obstacle =>
  refuse({
    code: 'SmallerThanSource',
    detail: { requestedBytes: String(requestedBytes), source: needed },
    cure: `Ask for at least ${needed}.`,
  })

const otherDriver = (code: string, driver: string, ours: string): Obstacle =>
  refuse({ code, detail: { driver, expected: ours }, cure: `Use a StorageClass of ${driver}.` })

const modeMismatch = (from: string, to: string, cure: string): Obstacle =>
  refuse({ code: 'VolumeModeDiffers', detail: { source: from, claim: to }, cure })
