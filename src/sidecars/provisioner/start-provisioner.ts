import { isForbidden, isNotFound } from '../../api/api-error.ts'
import type { Api } from '../../api/api.ts'
import { PERSISTENT_VOLUME_CLAIMS } from '../../api/kinds/persistent-volume-claim.ts'
import type { PersistentVolumeClaim } from '../../api/kinds/persistent-volume-claim.ts'
import { PERSISTENT_VOLUMES } from '../../api/kinds/persistent-volume.ts'
import { STORAGE_CLASSES } from '../../api/kinds/storage-class.ts'
import { VOLUME_ATTACHMENTS } from '../../api/kinds/volume-attachment.ts'
import { VOLUME_ATTRIBUTES_CLASSES } from '../../api/kinds/volume-attributes-class.ts'
import { keyOf, keyOfRef } from '../../api/object-key.ts'
import type { ObjectRef } from '../../api/object.ts'
import { createUuid } from '../../base/random.ts'
import { ControllerCapability as Capability, PluginService as Service } from '../../csi/index.ts'
import { on, startControllers } from '../../kube/controller/index.ts'
import type { ControllerRole } from '../../kube/controller/index.ts'
import { leaseName } from '../../api/lease-name.ts'
import { backoffOf } from '../../base/backoff.ts'
import { classNameOf, findAnnotation, MIGRATED_TO, PROVISIONED_BY } from '../../storage/names.ts'
import type { DriverFacts } from '../discover-driver.ts'
import { limitDriver, workersOf } from '../limit-driver.ts'
import type { StartRole } from '../../kube/process/role-world.ts'
import type { RoleParts } from '../role.ts'
import { defineCapacity } from './capacity/capacity-controller.ts'
import { provisionerOf } from './claim-eligibility.ts'
import type { OwnNode } from './claim-eligibility.ts'
import { followRegisteredNodes, followTopology, NO_TOPOLOGY, topologyOfNode } from './cluster-topology.ts'
import type { RegisteredNodes } from './cluster-topology.ts'
import { REFERENCE_GRANTS, VOLUME_POPULATORS } from './content-source.ts'
import { GRANTS_CHANGED, POPULATORS_CHANGED } from './reasons.ts'
import { defineDeleteController } from './delete-controller.ts'
import { openJournal } from './journal/journal.ts'
import type { Journal } from './journal/journal.ts'
import { defineProvisionController } from './provision-controller.ts'
import { createProvisionMetrics } from './provision-metrics.ts'
import type { Attempt } from './provision-view.ts'
import type { ProvisionerConfig, ProvisionSettings } from './provisioner-options.ts'
import { findSourceKey, sourceKeyOf } from './sources/next-source-step.ts'
import { defineSources } from './sources/source-controller.ts'
import type { ClusterTopology } from './topology.ts'

/** The environment of a provisioner. */
export type ProvisionerPlace = {
  /** The namespace of its leases and of the capacity objects. */
  readonly namespace: string
  readonly hostname: string
  /** With `--node-deployment`. */
  readonly nodeName?: string
  readonly pod?: ObjectRef
  /** For capacity objects, with a separate rate limit. */
  readonly capacityApi?: Api
}

export type ProvisionerParts = RoleParts & { readonly place: ProvisionerPlace }
export type ProvisionerRole = ControllerRole<ProvisionerParts>

const BY_UID = 'provisioner/uid'
const BY_CLASS = 'provisioner/class'
const BY_SOURCE = 'provisioner/source'
const BY_VOLUME = 'provisioner/volume'
const BY_HANDLE = 'provisioner/handle'

/** The external provisioner: creates a volume for every claim of the driver, and deletes it once it is released. */
export const startProvisioner: StartRole<ProvisionerConfig, ProvisionerParts> = (config, parts, signal) =>
  startControllers(parts, signal, (role) => assemble(config, parts, role))

async function assemble(config: ProvisionerConfig, { api }: ProvisionerParts, role: ProvisionerRole) {
  const { facts } = role
  const workers = workersOf(config.workerThreads, 100)
  const driver = limitDriver(role.driver, role.clock, workers)
  const ownNode = config.nodeDeployment ? await findOwnNode(config, role) : undefined
  // It is closed after the role has stopped, so it has the API of the process.
  const journal = await openOwnJournal(config, { ...role, api }, ownNode)
  journal?.lost.catch(role.fail)
  if (journal) role.onStop(() => journal.stop())
  if (journal) role.onIdle(() => journal.isIdle())
  const identity = `${role.clock.nowMs()}-${role.random.below(10_000)}-${facts.name}${ownNode ? `-${ownNode.name}` : ''}`
  const useAttributesClasses = config.featureGates.VolumeAttributesClass && (await serves(role))
  const settings: ProvisionSettings = { ...config, identity, ownNode, useAttributesClasses }
  const objects = followObjects(role, facts)
  let followed: Promise<RegisteredNodes> | undefined
  const followNodes = (): Promise<RegisteredNodes> => (followed ??= followRegisteredNodes(role))
  const hasTopology = config.featureGates.Topology && facts.services.has(Service.VOLUME_ACCESSIBILITY_CONSTRAINTS)
  const followCluster = async (): Promise<ClusterTopology> =>
    ownNode
      ? topologyOfNode(facts.name, ownNode)
      : followTopology(role, facts.name, await followNodes(), config.topologyNodes === 'registered')
  const cluster = hasTopology ? await followCluster() : NO_TOPOLOGY
  const grants = config.featureGates.CrossNamespaceVolumeDataSource
    ? await role.followOptional(REFERENCE_GRANTS, () => GRANTS_CHANGED.forEach(role.report))
    : undefined
  const populators = await role.followOptional(VOLUME_POPULATORS, () => POPULATORS_CHANGED.forEach(role.report))

  const queueOptions = { lanes: { default: workers.passes }, backoff: backoffOf(config) }
  const queue = role.createQueue({ name: 'claims', ...queueOptions })
  const attempts = restoreAttempts(journal, role)
  for (const uid of attempts.keys()) queue.add(uid)
  const canCopy =
    facts.controller.has(Capability.CLONE_VOLUME) || facts.controller.has(Capability.CREATE_DELETE_SNAPSHOT)
  const isSourceInUse = (key: string): boolean =>
    attempts.values().some(({ plan }) => findSourceKey(plan.claim) === key)
  const copies = canCopy ? defineSources(role, config, facts, isSourceInUse) : undefined
  role.holds.onRelease((sourceKey) => objects.copiesOf(sourceKey).forEach((uid) => queue.add(uid)))
  const capacityRole = { ...role, ...role.place, ownNode, followNodes }
  const capacity = config.enableCapacity ? await defineCapacity(capacityRole, config) : undefined

  const sources = {
    ...objects,
    naming: settings,
    grants: () => grants?.all() ?? [],
    populators: () => (populators.isServed() ? populators.all() : undefined),
    cluster,
  }
  const metrics = createProvisionMetrics(role.registry)
  const { sourceReleased } = copies ?? {}
  const state = { ...role, driver, settings, metrics, sources, attempts, journal, capacity, sourceReleased }
  role.log.info('provisioner is working', { identity, journal: journal !== undefined, topology: hasTopology })
  return [
    defineProvisionController(role, state, { queue, watch: objects.watchClaims(attempts) }),
    defineDeleteController(role, state, objects, {
      queue: role.createQueue({ name: 'volumes', ...queueOptions }),
      watch: objects.watchVolumes(),
    }),
    ...(copies?.controllers ?? []),
    ...(capacity ? [capacity.controller] : []),
  ]
}

/** The cached objects as views read them, and the mapping from their changes to claims and volumes. */
function followObjects({ follow }: ControllerRole, { name: driverName, controller }: DriverFacts) {
  const isPending = (claim: PersistentVolumeClaim | undefined): boolean =>
    claim !== undefined &&
    !claim.spec.volumeName &&
    (provisionerOf(claim) === driverName || findAnnotation(claim, MIGRATED_TO) === driverName)
  const claims = follow(PERSISTENT_VOLUME_CLAIMS, {
    indexes: {
      [BY_UID]: (claim) => [uidOf(claim)],
      [BY_CLASS]: (claim) => (isPending(claim) ? [classNameOf(claim)] : []),
      [BY_SOURCE]: (claim) => (isPending(claim) ? [findSourceKey(claim) ?? ''] : []),
    },
  })
  const volumes = follow(PERSISTENT_VOLUMES, {
    indexes: { [BY_HANDLE]: ({ spec: { csi } }) => (csi?.driver === driverName ? [csi.volumeHandle] : []) },
  })
  const classes = follow(STORAGE_CLASSES)
  const attachments = controller.has(Capability.PUBLISH_UNPUBLISH_VOLUME)
    ? follow(VOLUME_ATTACHMENTS, { indexes: { [BY_VOLUME]: ({ spec }) => [spec.source.persistentVolumeName ?? ''] } })
    : undefined
  const copiesOf = (sourceKey: string): string[] => claims.byIndex(BY_SOURCE, sourceKey).map(uidOf)
  return {
    driverName,
    findClaimByUid: (uid: string) => claims.byIndex(BY_UID, uid)[0],
    findClass: (name: string) => classes.get(name),
    findClaim: (ref: ObjectRef) => claims.get(keyOfRef(ref)),
    findVolume: (name: string) => volumes.get(name),
    findByHandle: (handle: string) => volumes.byIndex(BY_HANDLE, handle)[0],
    attachmentsOf: (volumeName: string) => attachments?.byIndex(BY_VOLUME, volumeName) ?? [],
    copiesOf,
    watchClaims: (attempts: ReadonlyMap<string, Attempt>) => [
      on(claims, ({ before, after }) => {
        const uid = uidOf(after ?? before)
        return !after || isPending(after) || isPending(before) || attempts.has(uid) ? uid : undefined
      }),
      on(claims, ({ before, after }) => copiesOf(sourceKeyOf((after ?? before) as PersistentVolumeClaim))),
      on(classes, ({ key, after }) => (after ? claims.byIndex(BY_CLASS, key).map(uidOf) : [])),
      on(volumes, ({ before, after }) => {
        const { uid = '' } = (after ?? before)?.spec.claimRef ?? {}
        return attempts.has(uid) ? uid : undefined
      }),
    ],
    watchVolumes: () => [
      on(volumes, ({ key, before, after }) => {
        const volume = after ?? before
        const isOurs = volume && [volume.spec.csi?.driver, findAnnotation(volume, PROVISIONED_BY)].includes(driverName)
        return isOurs ? key : undefined
      }),
      ...(attachments
        ? [on(attachments, ({ before, after }) => (after ? undefined : before?.spec.source.persistentVolumeName))]
        : []),
    ],
  }
}

const uidOf = (claim: PersistentVolumeClaim | undefined): string => claim?.metadata.uid ?? ''

/** Restores the entries of an earlier process from the journal: its volumes may exist, and are searched for. */
function restoreAttempts(journal: Journal | undefined, { log }: ControllerRole): Map<string, Attempt> {
  return new Map(
    (journal?.left ?? []).map(({ uid, plan }) => {
      log.info('looking for a volume that an earlier process may have created', {
        volume: plan.request.name,
        claim: keyOf(plan.claim),
      })
      return [uid, { kind: 'restored', plan }]
    }),
  )
}

async function findOwnNode(config: ProvisionerConfig, role: ProvisionerRole): Promise<OwnNode> {
  const { driver, place, starting: signal } = role
  if (!place.nodeName)
    throw new Error('--node-deployment needs the name of the node in the environment variable NODE_NAME')
  const { accessibleTopology } = await driver.nodeGetInfo({}, { timeoutMs: config.timeoutMs, signal })
  const { nodeDeploymentImmediateBinding: immediateBinding } = config
  return { name: place.nodeName, segments: accessibleTopology?.segments ?? {}, immediateBinding }
}

/** Whether the server has VolumeAttributesClasses. If we may not list them, they may exist. */
async function serves({ api, starting: signal }: ProvisionerRole): Promise<boolean> {
  try {
    await api.list(VOLUME_ATTRIBUTES_CLASSES, { limit: 1, signal })
    return true
  } catch (error) {
    if (isNotFound(error)) return false
    if (isForbidden(error)) return true
    throw error
  }
}

async function openOwnJournal(
  { journal }: ProvisionerConfig,
  role: ProvisionerRole,
  ownNode: OwnNode | undefined,
): Promise<Journal | undefined> {
  if (journal === 'off') return undefined
  const { namespace, hostname } = role.place
  // The node's name is used unchanged: two that differ in a dot must not share a journal.
  const name = `holdfast-journal-${leaseName(role.facts.name).toLowerCase()}${ownNode ? `-${ownNode.name}` : ''}`
  const identity = `${leaseName(hostname)}_${createUuid(role.random)}`
  return openJournal({ ...role, namespace, name, identity, isRequired: journal === 'required' }, role.starting)
}
