import { hasFinalizer } from '../../api/finalizers.ts'
import type { PersistentVolumeClaim } from '../../api/kinds/persistent-volume-claim.ts'
import type { StorageClass } from '../../api/kinds/storage-class.ts'
import type { VolumeSnapshot } from '../../api/kinds/volume-snapshot.ts'
import { ControllerCapability as Capability, PluginService } from '../../csi/index.ts'
import type { VolumeContentSource } from '../../csi/generated/csi/v1/csi.ts'
import type { ObjectRef } from '../../api/object.ts'
import { selectedNodeOf } from '../../storage/names.ts'
import type { SecretRef } from '../../storage/secret-reason.ts'
import type { DriverFacts } from '../discover-driver.ts'
import { cloneContentSource, dataSourceOf, snapshotContentSource } from './content-source.ts'
import type { DataSource, VolumePopulator } from './content-source.ts'
import { createVolumeRequest, fsTypeOf, requestedBytes } from './create-volume-request.ts'
import { CLONE_SOURCE_FINALIZER, SNAPSHOT_SOURCE_FINALIZER, volumeNameOf } from './names.ts'
import type { ProvisionSettings } from './provisioner-options.ts'
import type { ProvisionCaches, ProvisionPlan, ReadObjects, Wanted } from './provision-view.ts'
import { ok, POPULATORS_CHANGED, REASONS, refuse } from './reasons.ts'
import type { Decision, Obstacle, ProvisionerReason } from './reasons.ts'
import { resolveSecretRefs } from './resolve-secret-ref.ts'
import { accessibilityRequirements } from './topology.ts'

export type PlanStep =
  | { readonly kind: 'planned'; readonly plan: ProvisionPlan }
  | { readonly kind: 'read'; readonly wanted: Wanted }
  /** Update the source, now with our finalizer, and decide again. For snapshots the server may answer Forbidden. */
  | { readonly kind: 'protect-source'; readonly object: PersistentVolumeClaim | VolumeSnapshot }
  /** A populator provisions volumes from this kind of source, if one exists. */
  | { readonly kind: 'hand-off'; readonly reason: ProvisionerReason; readonly wakeOn: readonly string[] }
  | Obstacle

export type PlanQuestion = {
  readonly driverName: string
  readonly claim: PersistentVolumeClaim
  readonly class: StorageClass
  readonly caches: ProvisionCaches
  readonly read: ReadObjects
  readonly settings: ProvisionSettings
  /** Absent for `holdfast why`: then the driver is assumed to have all capabilities. */
  readonly facts?: DriverFacts | undefined
}

/** How to request the volume of a claim that is ours, or what is missing for it. The source is protected last, when there is no other obstacle. */
export function planVolume(question: PlanQuestion): PlanStep {
  const { claim, class: storageClass, caches, settings } = question
  const { CrossNamespaceVolumeDataSource: crossNamespace, Topology: useTopology } = settings.featureGates
  const source = dataSourceOf(claim, { crossNamespace, grants: caches.grants() })
  if (source.kind !== 'ok') return source
  if (source.value?.kind === 'other') return handOff(source.value, caches)
  const incapable =
    question.facts &&
    findMissingCapability(question.facts, [
      [source.value?.kind === 'snapshot', 'snapshot restore', 'CREATE_DELETE_SNAPSHOT'],
      [source.value?.kind === 'claim', 'clone operations', 'CLONE_VOLUME'],
      [usesAttributesClass(claim, settings), 'VolumeAttributesClass', 'MODIFY_VOLUME'],
    ])
  if (incapable) return refuse(incapable)
  if (claim.spec.selector) return refuse(REASONS.SelectorNotSupported)

  const parameters = storageClass.parameters ?? {}
  const fsType = fsTypeOf(parameters, settings.defaultFstype)
  if (fsType.kind !== 'ok') return fsType
  const size = requestedBytes(claim)
  if (size.kind !== 'ok') return size
  const contentSource = source.value ? findContentSource(question, source.value, size.value) : ok(undefined)
  if (contentSource.kind !== 'ok') return contentSource

  const hasTopology = useTopology && hasTopologyService(question)
  const topology = hasTopology ? accessibilityRequirements(question) : ok(undefined)
  if (topology.kind !== 'ok') return topology
  const volumeName = volumeNameOf(claim.metadata.uid ?? '', settings)
  const secrets = resolveSecretRefs(parameters, volumeName, claim)
  if (secrets.kind !== 'ok') return secrets
  const values = readSecretValues(question.read.secret, secrets.value.provisioner)
  if (values.kind !== 'ok') return values
  const mutableParameters = findMutableParameters(question)
  if (mutableParameters.kind !== 'ok') return mutableParameters

  const request = createVolumeRequest({
    volumeName,
    claim,
    class: storageClass,
    fsType: fsType.value,
    requestedBytes: size.value,
    singleNodeMultiWriter: question.facts?.controller.has(Capability.SINGLE_NODE_MULTI_WRITER) ?? false,
    extraMetadata: settings.extraCreateMetadata,
    secrets: values.value,
    contentSource: contentSource.value,
    topology: topology.value,
    mutableParameters: mutableParameters.value,
  })
  if (request.kind !== 'ok') return request
  const unprotected = source.value && findUnprotected(question, source.value)
  if (unprotected) return { kind: 'protect-source', object: unprotected }
  const plan = { request: request.value, claim, class: storageClass, secrets: secrets.value, fsType: fsType.value }
  return { kind: 'planned', plan: { ...plan, selectedNode: selectedNodeOf(claim), topology: hasTopology } }
}

function handOff({ group, kindName, name }: Exclude<DataSource, Own>, { populators }: ProvisionCaches): PlanStep {
  const registered = populators?.()
  const isFor = ({ sourceKind: { group: g, kind } }: VolumePopulator): boolean => g === group && kind === kindName
  const isUnknown = registered && group !== '' && !Array.from(registered).some(isFor)
  const reasonFor = isUnknown ? REASONS.PopulatorUnregistered : REASONS.PopulatorExpected
  const reason = reasonFor(`${kindName}${group === '' ? '' : `.${group}`}`, name)
  return { kind: 'hand-off', reason, wakeOn: POPULATORS_CHANGED }
}

type Own = Exclude<DataSource, { kind: 'other' }>
type Reading<T> = Decision<T> | Extract<PlanStep, { kind: 'read' }>

const wants = (kind: Wanted['kind'], ref: ObjectRef) => ({ kind: 'read', wanted: { kind, ref } }) as const

type Operation = readonly [isWanted: boolean, name: string, capability: keyof typeof Capability]

/** The capabilities that every driver needs here to create and delete volumes, and those that the other requested operations need. */
export function findMissingCapability(
  { services, controller }: DriverFacts,
  others: readonly Operation[] = [],
): ProvisionerReason | undefined {
  if (!services.has(PluginService.CONTROLLER_SERVICE))
    return REASONS.DriverLacksCapability('dynamic provisioning', 'plugin CONTROLLER_SERVICE')
  const operations: readonly Operation[] = [[true, 'dynamic provisioning', 'CREATE_DELETE_VOLUME'], ...others]
  const missing = operations.find(([isWanted, , capability]) => isWanted && !controller.has(Capability[capability]))
  return missing && REASONS.DriverLacksCapability(missing[1], `controller ${missing[2]}`)
}

const hasTopologyService = ({ facts, caches }: PlanQuestion): boolean =>
  facts?.services.has(PluginService.VOLUME_ACCESSIBILITY_CONSTRAINTS) ?? caches.cluster.pickKeys() !== undefined

function findContentSource(question: PlanQuestion, source: Own, requested: bigint): Reading<VolumeContentSource> {
  const { claim, driverName, read, caches, settings } = question
  const { kind, ...ref } = source
  const common = { claim, driverName, requestedBytes: requested, source: ref }
  if (kind === 'claim') {
    const sourceClaim = sourceClaimOf(question, source)
    const sourceVolume = caches.findVolume(sourceClaim?.spec.volumeName ?? '')
    return cloneContentSource({ ...common, sourceClaim, sourceVolume })
  }
  if (read.snapshot === undefined) return wants('snapshot', ref)
  const name = read.snapshot?.status?.boundVolumeSnapshotContentName
  if (name && read.snapshotContent === undefined) return wants('snapshotContent', { name })
  const { snapshot, snapshotContent: content } = read
  return snapshotContentSource({ ...common, snapshot, content, settings })
}

const sourceClaimOf = ({ read, caches }: PlanQuestion, { namespace, name }: Own): PersistentVolumeClaim | undefined =>
  read.sourceClaim ?? caches.findClaim({ namespace, name })

/** The values of the secret, once it was read; empty if no secret is named. */
export function readSecretValues(
  secret: ReadObjects['secret'],
  ref: SecretRef | undefined,
): Reading<Readonly<Record<string, string>> | undefined> {
  if (!ref) return ok(undefined)
  if (!secret) return wants('secret', ref)
  return secret.kind === 'read' ? ok(secret.values) : refuse(REASONS.Secret(secret, ref))
}

function findMutableParameters(question: PlanQuestion): Reading<Readonly<Record<string, string>> | undefined> {
  const { claim, settings, read, driverName } = question
  const { volumeAttributesClassName: name = '' } = claim.spec
  if (!usesAttributesClass(claim, settings)) return ok(undefined)
  if (read.attributesClass === undefined) return wants('attributesClass', { name })
  if (!read.attributesClass) return refuse(REASONS.AttributesClassNotFound(name))
  const { driverName: other, parameters = {} } = read.attributesClass
  return other === driverName ? ok(parameters) : refuse(REASONS.AttributesClassOfOtherDriver(name, other))
}

const usesAttributesClass = (claim: PersistentVolumeClaim, { useAttributesClasses }: ProvisionSettings): boolean =>
  useAttributesClasses && (claim.spec.volumeAttributesClassName ?? '') !== ''

function findUnprotected(question: PlanQuestion, source: Own): PersistentVolumeClaim | VolumeSnapshot | undefined {
  const { read } = question
  if (source.kind === 'snapshot')
    return read.snapshot && !read.protectionForbidden
      ? withFinalizer(read.snapshot, SNAPSHOT_SOURCE_FINALIZER)
      : undefined
  const sourceClaim = sourceClaimOf(question, source)
  return sourceClaim && withFinalizer(sourceClaim, CLONE_SOURCE_FINALIZER)
}

// Written with the resource version it was read with: the upstream provisioner's RBAC allows claims to be updated but not patched.
function withFinalizer<T extends PersistentVolumeClaim | VolumeSnapshot>(object: T, finalizer: string): T | undefined {
  if (hasFinalizer(object, finalizer)) return undefined
  return { ...object, metadata: { ...object.metadata, finalizers: [...(object.metadata.finalizers ?? []), finalizer] } }
}
