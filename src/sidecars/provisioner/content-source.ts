import { hasFinalizer } from '../../api/finalizers.ts'
import type { PersistentVolumeClaim } from '../../api/kinds/persistent-volume-claim.ts'
import type { PersistentVolume, VolumeMode } from '../../api/kinds/persistent-volume.ts'
import type { VolumeSnapshot, VolumeSnapshotContent } from '../../api/kinds/volume-snapshot.ts'
import type { ObjectReference } from '../../api/kinds/references.ts'
import type { KubeObject, ObjectMeta } from '../../api/object.ts'
import { quantityToBytes } from '../../api/quantity.ts'
import type { ResourceType } from '../../api/resource-type.ts'
import type { VolumeContentSource } from '../../csi/generated/csi/v1/csi.ts'
import { classNameOf, findAnnotation } from '../../storage/names.ts'
import { ALLOW_MODE_CHANGE } from '../../storage/snapshot-names.ts'
import type { ProvisionSettings } from './provisioner-options.ts'
import { CLONE_SOURCE_FINALIZER, SNAPSHOT_SOURCE_FINALIZER } from './names.ts'
import { GRANTS_CHANGED, ok, REASONS, refuse } from './reasons.ts'
import type { Decision } from './reasons.ts'

const SNAPSHOT_GROUP = 'snapshot.storage.k8s.io'

/** The data source of a claim. `other` is a kind for a populator, which creates the volume instead of us. */
export type DataSource =
  | { readonly kind: 'snapshot' | 'claim'; readonly namespace: string; readonly name: string }
  | { readonly kind: 'other'; readonly group: string; readonly kindName: string; readonly name: string }

export type DataSourceParts = {
  /** Whether a source may be in another namespace. */
  readonly crossNamespace: boolean
  /** Of all namespaces, or at least the source's. */
  readonly grants: Iterable<ReferenceGrant>
}

/** Undefined if the volume starts empty. */
export function dataSourceOf(claim: PersistentVolumeClaim, parts: DataSourceParts): Decision<DataSource | undefined> {
  const { crossNamespace, grants } = parts
  const { dataSource, dataSourceRef } = claim.spec
  const source = dataSource ?? dataSourceRef
  if (!source) return ok(undefined)
  const own = claim.metadata.namespace ?? ''
  const namespace = (dataSource ? undefined : dataSourceRef?.namespace) || own
  const { kind, name } = source
  const ref = { namespace, name }
  // The server writes null if there is none.
  const group = source.apiGroup ?? ''
  if (namespace !== own) {
    if (!crossNamespace) return refuse(REASONS.CrossNamespaceSourceDisabled(ref))
    if (!isGranted(grants, own, { group, kind, ...ref }))
      return refuse(REASONS.SourceNotGranted(kind, ref, own), GRANTS_CHANGED)
  }
  if (kind === 'VolumeSnapshot')
    return group === SNAPSHOT_GROUP
      ? ok({ kind: 'snapshot', ...ref })
      : refuse(REASONS.SourceGroupUnknown(SNAPSHOT_GROUP, group))
  if (kind === 'PersistentVolumeClaim' && group === '') return ok({ kind: 'claim', ...ref })
  return ok({ kind: 'other', group, kindName: kind, name })
}

type SourceQuestion = {
  readonly claim: PersistentVolumeClaim
  readonly requestedBytes: bigint
  readonly driverName: string
  readonly source: { readonly namespace: string; readonly name: string }
}

export type SnapshotQuestion = SourceQuestion & {
  readonly snapshot: VolumeSnapshot | null | undefined
  /** The content that the snapshot is bound to. */
  readonly content: VolumeSnapshotContent | null | undefined
  readonly settings: Pick<ProvisionSettings, 'preventVolumeModeConversion'>
}

/** The driver's handle of the snapshot, if the snapshot can be restored. */
export function snapshotContentSource(question: SnapshotQuestion): Decision<VolumeContentSource> {
  const { claim, requestedBytes, driverName, source, snapshot, content, settings } = question
  if (!snapshot) return refuse(REASONS.SnapshotNotFound(source))
  // Once begun, the restore has to be completed, and our finalizer keeps the snapshot until then.
  if (isLeaving(snapshot, SNAPSHOT_SOURCE_FINALIZER)) return refuse(REASONS.SnapshotLeaving(source))
  const contentName = snapshot.status?.boundVolumeSnapshotContentName
  if (!contentName) return refuse(REASONS.SnapshotNotBound(source))
  if (!content) return refuse(REASONS.SnapshotContentNotFound(contentName))
  if (!refersTo(content.spec.volumeSnapshotRef, snapshot.metadata))
    return refuse(REASONS.SnapshotContentOfOther(contentName))
  if (content.spec.driver !== driverName) return refuse(REASONS.SnapshotOfOtherDriver(content.spec.driver))
  if (snapshot.status?.readyToUse !== true) return refuse(REASONS.SnapshotNotReady(source))
  const snapshotId = content.status?.snapshotHandle
  if (!snapshotId) return refuse(REASONS.SnapshotHandleMissing(contentName))
  const { restoreSize } = snapshot.status
  if (restoreSize !== undefined && requestedBytes < quantityToBytes(restoreSize))
    return refuse(REASONS.SmallerThanSource(requestedBytes, restoreSize))
  const { sourceVolumeMode } = content.spec
  const mode = modeOf(claim.spec)
  const mayConvert = !settings.preventVolumeModeConversion || isTrue(findAnnotation(content, ALLOW_MODE_CHANGE))
  if (sourceVolumeMode && sourceVolumeMode !== mode && !mayConvert) {
    const cure = `Annotate VolumeSnapshotContent ${contentName} with ${ALLOW_MODE_CHANGE}=true.`
    return refuse(REASONS.VolumeModeDiffers(sourceVolumeMode, mode, cure))
  }
  return ok({ type: { $case: 'snapshot', value: { snapshotId } } })
}

export type CloneQuestion = SourceQuestion & {
  readonly sourceClaim: PersistentVolumeClaim | undefined
  /** The volume that the source claim is bound to. */
  readonly sourceVolume: PersistentVolume | undefined
}

/** The driver's handle of the volume to clone, if it can be cloned. */
export function cloneContentSource(question: CloneQuestion): Decision<VolumeContentSource> {
  const { claim, requestedBytes, driverName, source, sourceClaim, sourceVolume } = question
  if (!sourceClaim) return refuse(REASONS.SourceClaimNotFound(source))
  if (isLeaving(sourceClaim, CLONE_SOURCE_FINALIZER)) return refuse(REASONS.SourceClaimLeaving(source))
  if (sourceClaim.status?.phase !== 'Bound') return refuse(REASONS.SourceClaimNotBound(source))
  if (classNameOf(sourceClaim) === '') return refuse(REASONS.SourceClaimWithoutClass(source))
  const wanted = sourceClaim.spec.resources?.requests?.['storage']
  if (wanted !== undefined && requestedBytes < quantityToBytes(wanted))
    return refuse(REASONS.SmallerThanSource(requestedBytes, wanted))
  const [from, to] = [modeOf(sourceClaim.spec), modeOf(claim.spec)]
  if (from !== to) return refuse(REASONS.VolumeModeDiffers(from, to, `Use volumeMode ${from}.`))
  const { volumeName = '' } = sourceClaim.spec
  if (!sourceVolume) return refuse(REASONS.SourceVolumeNotFound(volumeName))
  const { csi, claimRef } = sourceVolume.spec
  if (!csi) return refuse(REASONS.SourceVolumeNotCSI(volumeName))
  if (csi.driver !== driverName) return refuse(REASONS.SourceOfOtherDriver(csi.driver))
  if (!claimRef || !refersTo(claimRef, sourceClaim.metadata))
    return refuse(REASONS.SourceVolumeOfOtherClaim(volumeName))
  if (sourceVolume.status?.phase !== 'Bound') return refuse(REASONS.SourceVolumeNotBound(volumeName))
  return ok({ type: { $case: 'volume', value: { volumeId: csi.volumeHandle } } })
}

const isLeaving = (source: KubeObject, finalizer: string): boolean =>
  source.metadata.deletionTimestamp !== undefined && !hasFinalizer(source, finalizer)

const refersTo = (ref: ObjectReference, { uid, namespace, name }: ObjectMeta): boolean =>
  ref.uid === uid && ref.namespace === namespace && ref.name === name

const modeOf = ({ volumeMode = 'Filesystem' }: { readonly volumeMode?: VolumeMode }): VolumeMode => volumeMode

// Like Go's strconv.ParseBool, which drivers' documentation relies on.
const isTrue = (text = ''): boolean => ['1', 't', 'T', 'TRUE', 'true', 'True'].includes(text)

type GrantTarget = { readonly group: string; readonly kind: string; readonly namespace: string; readonly name: string }

/** Lets objects of other namespaces refer to objects of its own namespace. */
export type ReferenceGrant = {
  readonly apiVersion: 'gateway.networking.k8s.io/v1beta1'
  readonly kind: 'ReferenceGrant'
  readonly metadata: ObjectMeta
  readonly spec: {
    readonly from: readonly { readonly group: string; readonly kind: string; readonly namespace: string }[]
    /** Without a name, all objects of the kind. */
    readonly to: readonly { readonly group: string; readonly kind: string; readonly name?: string }[]
  }
}

export const REFERENCE_GRANTS: ResourceType<ReferenceGrant> = {
  group: 'gateway.networking.k8s.io',
  version: 'v1beta1',
  kind: 'ReferenceGrant',
  plural: 'referencegrants',
  namespaced: true,
}

/** Registers a controller that fills volumes from objects of a kind. */
export type VolumePopulator = {
  readonly apiVersion: 'populator.storage.k8s.io/v1beta1'
  readonly kind: 'VolumePopulator'
  readonly metadata: ObjectMeta
  readonly sourceKind: { readonly group: string; readonly kind: string }
}

export const VOLUME_POPULATORS: ResourceType<VolumePopulator> = {
  group: 'populator.storage.k8s.io',
  version: 'v1beta1',
  kind: 'VolumePopulator',
  plural: 'volumepopulators',
  namespaced: false,
}

/** Whether one of the grants lets claims of a namespace refer to an object. */
function isGranted(grants: Iterable<ReferenceGrant>, claimNamespace: string, to: GrantTarget): boolean {
  for (const { metadata, spec } of grants) {
    const isFrom = spec.from.some(
      ({ group, kind, namespace }) => group === '' && kind === 'PersistentVolumeClaim' && namespace === claimNamespace,
    )
    const isTo = spec.to.some(
      ({ group, kind, name }) => group === to.group && kind === to.kind && (!name || name === to.name),
    )
    if (metadata.namespace === to.namespace && isFrom && isTo) return true
  }
  return false
}
