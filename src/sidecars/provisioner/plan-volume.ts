import { hasFinalizer } from '../../api/finalizers.ts'
import type { PersistentVolumeClaim } from '../../api/kinds/persistent-volume-claim.ts'
import type { PersistentVolume } from '../../api/kinds/persistent-volume.ts'
import type { Secret } from '../../api/kinds/secret.ts'
import type { StorageClass } from '../../api/kinds/storage-class.ts'
import type { VolumeAttributesClass } from '../../api/kinds/volume-attributes-class.ts'
import type { VolumeSnapshot, VolumeSnapshotContent } from '../../api/kinds/volume-snapshot.ts'
import type { ObjectRef } from '../../api/object.ts'
import { keyOfRef } from '../../api/object-key.ts'
import type { Reason } from '../../api/reason.ts'
import {
  ControllerServiceCapability_RPC_Type as Capability,
  PluginCapability_Service_Type as PluginService,
} from '../../csi/generated/csi/v1/csi.ts'
import type { CreateVolumeRequest, TopologyRequirement, VolumeContentSource } from '../../csi/generated/csi/v1/csi.ts'
import type { DriverFacts } from '../discover-driver.ts'
import { fsTypeOf } from './class-parameters.ts'
import { cloneContentSource, dataSourceOf, snapshotContentSource } from './content-source.ts'
import type { DataSource } from './content-source.ts'
import { createVolumeRequest } from './create-volume-request.ts'
import { ok, refuse } from './decision.ts'
import type { Decision, Obstacle } from './decision.ts'
import { selectedNodeOf } from '../../storage/names.ts'
import { CLONE_SOURCE_FINALIZER, SNAPSHOT_SOURCE_FINALIZER } from './names.ts'
import type { ProvisionSettings } from './provision-settings.ts'
import type { ReferenceGrant } from './reference-grant.ts'
import { requestedBytes } from './requested-bytes.ts'
import { resolveSecretRefs } from './resolve-secret-ref.ts'
import type { SecretRef, SecretRefs } from './resolve-secret-ref.ts'
import { secretValues } from './secret-values.ts'
import { accessibilityRequirements } from './topology.ts'
import type { ClusterTopology } from './topology.ts'
import { volumeNameOf } from './volume-name.ts'

/** What is in the caches anyway. */
export type ProvisionCaches = {
  findClaim(ref: ObjectRef): PersistentVolumeClaim | undefined
  findVolume(name: string): PersistentVolume | undefined
  /** A PersistentVolume that tells of this volume of the driver, whatever its name. Left out when asked from outside. */
  findByHandle?(handle: string): PersistentVolume | undefined
  grants(): Iterable<ReferenceGrant>
  readonly cluster: ClusterTopology
}

/** What was read for this pass and is not cached, or not surely new. Null: it is not there. Undefined: nobody asked. */
export type ReadObjects = {
  readonly claim?: PersistentVolumeClaim | null
  readonly volume?: PersistentVolume | null
  readonly secret?: Secret | null
  readonly snapshot?: VolumeSnapshot | null
  readonly snapshotContent?: VolumeSnapshotContent | null
  readonly attributesClass?: VolumeAttributesClass | null
  /** The source as it was written with our finalizer; the cache may lag behind. */
  readonly sourceClaim?: PersistentVolumeClaim
  /** Set when we may not write the source: then it goes on without protection. */
  readonly protectionForbidden?: boolean
}

/** One object to read before the question can be answered; the answer goes into the member of `ReadObjects` of the same name. */
export type Wanted =
  | { readonly kind: 'claim' | 'volume' | 'secret' | 'snapshot'; readonly ref: ObjectRef }
  | { readonly kind: 'snapshotContent' | 'attributesClass'; readonly ref: ObjectRef }

/**
 * All that is needed to ask for a volume and to write it down, again and again, whatever happens to claim, class, secrets and nodes
 * meanwhile. Holds secret values: never to be logged as it is.
 */
export type ProvisionPlan = {
  readonly request: CreateVolumeRequest
  readonly claim: PersistentVolumeClaim
  readonly class: StorageClass
  readonly secrets: SecretRefs
  readonly fsType: string
  /** Empty: none. */
  readonly selectedNode: string
  readonly topology: boolean
}

export type PlanStep =
  | { readonly kind: 'planned'; readonly plan: ProvisionPlan }
  | { readonly kind: 'read'; readonly wanted: Wanted }
  /** Update the source, which has our finalizer now, and ask again. A refusal by the server (Forbidden) is fine for snapshots. */
  | { readonly kind: 'protect-source'; readonly object: PersistentVolumeClaim | VolumeSnapshot }
  /** Somebody else fills volumes from this kind of source. */
  | { readonly kind: 'hand-off'; readonly reason: Reason }
  | Obstacle

export type PlanQuestion = {
  readonly driverName: string
  readonly claim: PersistentVolumeClaim
  readonly class: StorageClass
  readonly caches: ProvisionCaches
  readonly read: ReadObjects
  readonly settings: ProvisionSettings
  /** Left out when asked from outside: then the driver counts as able. */
  readonly facts?: DriverFacts | undefined
}

/** Works out how to ask for the volume of a claim that is ours, or what is missing for it. The source is protected last, when all else is right. */
export function planVolume(question: PlanQuestion): PlanStep {
  const { claim, class: storageClass, caches, settings } = question
  const source = dataSourceOf(claim, { crossNamespace: settings.crossNamespaceSources, grants: caches.grants() })
  if (source.kind !== 'ok') return source
  if (source.value?.kind === 'other') return handOff(source.value)
  const incapable = findIncapability(question, source.value)
  if (incapable) return refuse(incapable)
  if (claim.spec.selector)
    return refuse({ code: 'SelectorNotSupported', cure: 'Remove spec.selector, or bind an existing volume.' })

  const parameters = storageClass.parameters ?? {}
  const fsType = fsTypeOf(parameters, settings.defaultFsType)
  if (fsType.kind !== 'ok') return fsType
  const size = requestedBytes(claim)
  if (size.kind !== 'ok') return size
  const contentSource = source.value ? findContentSource(question, source.value, size.value) : ok(undefined)
  if (contentSource.kind !== 'ok') return contentSource

  const hasTopology = settings.useTopology && hasTopologyService(question)
  const topology = hasTopology ? findTopology(question) : ok(undefined)
  if (topology.kind !== 'ok') return topology
  const volumeName = volumeNameOf(claim.metadata.uid ?? '', settings.naming)
  const secrets = resolveSecretRefs(parameters, volumeName, claim)
  if (secrets.kind !== 'ok') return secrets
  const values = secrets.value.provisioner
    ? readSecretValues(question.read.secret, secrets.value.provisioner)
    : ok(undefined)
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
    extraMetadata: settings.extraMetadata,
    secrets: values.value,
    contentSource: contentSource.value,
    topology: topology.value,
    mutableParameters: mutableParameters.value,
  })
  if (request.kind !== 'ok') return request
  const unprotected = source.value && findUnprotected(question, source.value)
  if (unprotected) return { kind: 'protect-source', object: unprotected }
  const selectedNode = selectedNodeOf(claim)
  return {
    kind: 'planned',
    plan: {
      request: request.value,
      claim,
      class: storageClass,
      secrets: secrets.value,
      fsType: fsType.value,
      selectedNode,
      topology: hasTopology,
    },
  }
}

type Own = Exclude<DataSource, { kind: 'other' }>
type Reading<T> = Decision<T> | { readonly kind: 'read'; readonly wanted: Wanted }

const handOff = ({ group, kindName, name }: Extract<DataSource, { kind: 'other' }>): PlanStep => ({
  kind: 'hand-off',
  reason: {
    code: 'PopulatorExpected',
    waitsFor: { kind: 'actor', name: `a populator for ${kindName}${group === '' ? '' : `.${group}`}` },
    detail: { source: name },
  },
})

function findIncapability(
  { facts, claim, settings }: PlanQuestion,
  source: DataSource | undefined,
): Reason | undefined {
  if (!facts) return undefined
  const lacks = (capability: string): Reason => ({
    code: 'DriverLacksCapability',
    detail: { driver: facts.name, capability },
  })
  if (!facts.services.has(PluginService.CONTROLLER_SERVICE)) return lacks('CONTROLLER_SERVICE')
  if (!facts.controller.has(Capability.CREATE_DELETE_VOLUME)) return lacks('CREATE_DELETE_VOLUME')
  if (source?.kind === 'snapshot' && !facts.controller.has(Capability.CREATE_DELETE_SNAPSHOT))
    return lacks('CREATE_DELETE_SNAPSHOT')
  if (source?.kind === 'claim' && !facts.controller.has(Capability.CLONE_VOLUME)) return lacks('CLONE_VOLUME')
  if (usesAttributesClass(claim, settings) && !facts.controller.has(Capability.MODIFY_VOLUME))
    return lacks('MODIFY_VOLUME')
  return undefined
}

function hasTopologyService({ facts, caches }: PlanQuestion): boolean {
  return facts
    ? facts.services.has(PluginService.VOLUME_ACCESSIBILITY_CONSTRAINTS)
    : caches.cluster.pickKeys() !== undefined
}

function findTopology({
  driverName,
  claim,
  class: storageClass,
  caches,
  settings,
}: PlanQuestion): Decision<TopologyRequirement | undefined> {
  return accessibilityRequirements({
    driverName,
    claimName: claim.metadata.name ?? '',
    selectedNode: selectedNodeOf(claim),
    allowedTopologies: storageClass.allowedTopologies,
    cluster: caches.cluster,
    options: settings.topology,
  })
}

function findContentSource(question: PlanQuestion, source: Own, requested: bigint): Reading<VolumeContentSource> {
  const { claim, driverName, read, caches, settings } = question
  const { namespace, name } = source
  const common = { claim, driverName, requestedBytes: requested, source: { namespace, name } }
  if (source.kind === 'claim') {
    const sourceClaim = sourceClaimOf(question, source)
    return cloneContentSource({
      ...common,
      sourceClaim,
      sourceVolume: caches.findVolume(sourceClaim?.spec.volumeName ?? ''),
    })
  }
  if (read.snapshot === undefined) return { kind: 'read', wanted: { kind: 'snapshot', ref: { namespace, name } } }
  const contentName = read.snapshot?.status?.boundVolumeSnapshotContentName
  if (contentName && read.snapshotContent === undefined)
    return { kind: 'read', wanted: { kind: 'snapshotContent', ref: { name: contentName } } }
  const snapshot = read.snapshot ?? undefined
  return snapshotContentSource({
    ...common,
    snapshot,
    content: read.snapshotContent ?? undefined,
    preventModeConversion: settings.preventModeConversion,
  })
}

const sourceClaimOf = ({ read, caches }: PlanQuestion, { namespace, name }: Own): PersistentVolumeClaim | undefined =>
  read.sourceClaim ?? caches.findClaim({ namespace, name })

/** What the secret holds, once it was read. */
export function readSecretValues(
  secret: ReadObjects['secret'],
  ref: SecretRef,
): Reading<Readonly<Record<string, string>>> {
  if (secret === undefined) return { kind: 'read', wanted: { kind: 'secret', ref } }
  if (secret === null) {
    const waitsFor = { kind: 'object', kindName: 'Secret', ...ref } as const
    return refuse({
      code: 'SecretNotFound',
      waitsFor,
      cure: `Create the secret ${keyOfRef(ref)}, or correct the StorageClass.`,
    })
  }
  return secretValues(secret)
}

function findMutableParameters({
  claim,
  settings,
  read,
  driverName,
}: PlanQuestion): Reading<Readonly<Record<string, string>> | undefined> {
  const name = claim.spec.volumeAttributesClassName ?? ''
  if (!usesAttributesClass(claim, settings)) return ok(undefined)
  if (read.attributesClass === undefined) return { kind: 'read', wanted: { kind: 'attributesClass', ref: { name } } }
  if (read.attributesClass === null) {
    return refuse({
      code: 'AttributesClassNotFound',
      waitsFor: { kind: 'object', kindName: 'VolumeAttributesClass', name },
    })
  }
  const { driverName: other, parameters = {} } = read.attributesClass
  return other === driverName
    ? ok(parameters)
    : refuse({ code: 'AttributesClassOfOtherDriver', detail: { class: name, driver: other } })
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

// To be written with the resource version it was read with: claims may be updated but not patched by those whom this replaces.
function withFinalizer<T extends PersistentVolumeClaim | VolumeSnapshot>(object: T, finalizer: string): T | undefined {
  if (hasFinalizer(object, finalizer)) return undefined
  return { ...object, metadata: { ...object.metadata, finalizers: [...(object.metadata.finalizers ?? []), finalizer] } }
}
