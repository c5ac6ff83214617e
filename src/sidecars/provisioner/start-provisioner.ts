import type { Api } from '../../api/api.ts'
import { NODES } from '../../api/kinds/node.ts'
import { PERSISTENT_VOLUME_CLAIMS } from '../../api/kinds/persistent-volume-claim.ts'
import type { PersistentVolumeClaim } from '../../api/kinds/persistent-volume-claim.ts'
import { PERSISTENT_VOLUMES } from '../../api/kinds/persistent-volume.ts'
import { STORAGE_CLASSES } from '../../api/kinds/storage-class.ts'
import { VOLUME_ATTACHMENTS } from '../../api/kinds/volume-attachment.ts'
import { VOLUME_ATTRIBUTES_CLASSES } from '../../api/kinds/volume-attributes-class.ts'
import { isForbidden, isNotFound } from '../../api/api-error.ts'
import { keyOf, keyOfRef } from '../../api/object-key.ts'
import { startWhole } from '../../base/stops.ts'
import type { Stops } from '../../base/stops.ts'
import { createUuid } from '../../base/random.ts'
import {
  ControllerServiceCapability_RPC_Type as Capability,
  PluginCapability_Service_Type as Service,
} from '../../csi/generated/csi/v1/csi.ts'
import { startController } from '../../kube/controller.ts'
import { leaseName } from '../../kube/leader-election.ts'
import { startOptionalCache } from '../../kube/optional-cache.ts'
import { createOwnWrites } from '../../kube/own-writes.ts'
import type { OwnWrites } from '../../kube/own-writes.ts'
import { createWorkQueue } from '../../kube/work-queue.ts'
import { within } from '../../kube/within.ts'
import type { RoleParts, RunningRole } from '../role.ts'
import { createBusyVolumes } from './busy-volumes.ts'
import type { OwnNode } from './claim-eligibility.ts'
import { startCapacity } from './capacity/start-capacity.ts'
import type { CapacityTracker } from './capacity/start-capacity.ts'
import { createClaimMemories } from './claim-memory.ts'
import type { ClaimMemories } from './claim-memory.ts'
import { createContention } from './contend/create-contention.ts'
import { followTopology, NO_TOPOLOGY, topologyOfNode } from './cluster-topology.ts'
import { openJournal } from './journal/journal.ts'
import type { Journal } from './journal/journal.ts'
import {
  classNameOf,
  findAnnotation,
  BETA_STORAGE_PROVISIONER,
  MIGRATED_TO,
  PROVISIONED_BY,
  STORAGE_PROVISIONER,
} from '../../storage/names.ts'
import type { ProvisionView } from './next-provision-step.ts'
import type { ProvisionCaches, ProvisionPlan } from './plan-volume.ts'
import { createProvisionMetrics, NO_METRICS } from './provision-metrics.ts'
import { provisionSettingsOf } from './provisioner-options.ts'
import type { ProvisionerConfig } from './provisioner-options.ts'
import { createClaimReconciler } from './reconcile-claim.ts'
import { createVolumeReconciler } from './reconcile-volume.ts'
import { followRegisteredNodes } from './registered-nodes.ts'
import { REFERENCE_GRANTS } from './reference-grant.ts'
import { findSourceKey, sourceKeyOf } from './sources/next-source-step.ts'
import { startSourceRelease } from './sources/start-source-release.ts'
import type { SourceRelease } from './sources/start-source-release.ts'
import type { ClusterTopology } from './topology.ts'
import { volumeNameOf } from './volume-name.ts'
import { createWaitingClaims } from './waiting-claims.ts'

/** Where a provisioner runs. */
export type ProvisionerPlace = {
  /** Of its leases and of what it publishes about capacity. */
  readonly namespace: string
  readonly hostname: string
  /** With `--node-deployment`. */
  readonly nodeName?: string
  readonly pod?: { readonly namespace: string; readonly name: string }
  /** For capacity, with a limit of its own. */
  readonly capacityApi?: Api
}

export type ProvisionerParts = RoleParts & { readonly place: ProvisionerPlace }

const BY_UID = 'provisioner/uid'
const BY_CLASS = 'provisioner/class'
const BY_SOURCE = 'provisioner/source'
const BY_VOLUME = 'provisioner/volume'
const BY_HANDLE = 'provisioner/handle'

// Refusals that another node, or another label of one, may end.
const NODE_CODES: ReadonlySet<string> = new Set([
  'NoTopologyKeys',
  'TopologyLabelMissing',
  'NoNodeWithTopology',
  'SelectedNodeGone',
  'NodeNotInAllowedTopologies',
])

/** The external provisioner: makes a volume for every claim of the driver, and deletes it once it was released. */
export async function startProvisioner(
  config: ProvisionerConfig,
  parts: ProvisionerParts,
  signal: AbortSignal,
): Promise<RunningRole> {
  const log = parts.log.with({ driver: parts.facts.name })
  return startWhole((stops) => assemble(config, { ...parts, log }, signal, stops))
}

async function assemble(
  config: ProvisionerConfig,
  parts: ProvisionerParts,
  signal: AbortSignal,
  stops: Stops,
): Promise<RunningRole> {
  const { driver, facts, api, informers, events, clock, random, log } = parts
  const { onStop } = stops
  const backoff = { initialMs: config.retryIntervalStartMs, maximumMs: config.retryIntervalMaxMs }
  const metrics = parts.registry ? createProvisionMetrics(parts.registry) : NO_METRICS
  const ownNode = config.nodeDeployment ? await findOwnNode(parts, config, signal) : undefined
  const identity = `${clock.nowMs()}-${random.below(10_000)}-${facts.name}${ownNode ? `-${ownNode.name}` : ''}`
  const servesAttributesClasses = config.featureGates.VolumeAttributesClass && (await serves(parts, signal))
  const settings = provisionSettingsOf(config, { identity, ownNode, servesAttributesClasses })

  const claimCache = informers.get(PERSISTENT_VOLUME_CLAIMS)
  const volumeCache = informers.get(PERSISTENT_VOLUMES)
  const classCache = informers.get(STORAGE_CLASSES)
  const attachmentCache = canPublish(parts) ? informers.get(VOLUME_ATTACHMENTS) : undefined
  const isMarked = (claim: PersistentVolumeClaim): boolean =>
    (findAnnotation(claim, STORAGE_PROVISIONER) ?? findAnnotation(claim, BETA_STORAGE_PROVISIONER)) === facts.name ||
    findAnnotation(claim, MIGRATED_TO) === facts.name
  const isPending = (claim: PersistentVolumeClaim): boolean => !claim.spec.volumeName && isMarked(claim)
  claimCache.addIndex(BY_UID, ({ metadata }) => [metadata.uid ?? ''])
  claimCache.addIndex(BY_CLASS, (claim) => (isPending(claim) ? [classNameOf(claim)] : []))
  claimCache.addIndex(BY_SOURCE, (claim) => (isPending(claim) ? [findSourceKey(claim) ?? ''] : []))
  volumeCache.addIndex(BY_HANDLE, ({ spec: { csi } }) => (csi?.driver === facts.name ? [csi.volumeHandle] : []))
  attachmentCache?.addIndex(BY_VOLUME, ({ spec }) =>
    spec.source.persistentVolumeName ? [spec.source.persistentVolumeName] : [],
  )
  const claims = createOwnWrites(claimCache)
  const contention =
    ownNode && createContention(config, { ...parts, ownNode, remember: (claim) => claims.remember(claim) })
  const volumes = createOwnWrites(volumeCache)
  onStop(() => claims.stop())
  onStop(() => volumes.stop())

  const queue = createWorkQueue({
    clock,
    random,
    lanes: { default: config.workerThreads },
    backoff,
    observe: parts.queues?.observerOf('claims'),
  })
  const volumeQueue = createWorkQueue({
    clock,
    random,
    lanes: { default: config.workerThreads },
    backoff,
    observe: parts.queues?.observerOf('volumes'),
  })
  const memories = createClaimMemories()
  const busy = createBusyVolumes()
  const enqueue = (uid: string): void => queue.add(uid)

  const waiting = createWaitingClaims({ api, clock, random, log, wake: enqueue })
  onStop(() => waiting.stop())
  const enqueueCopies = (sourceKey: string): void => {
    for (const { metadata } of claimCache.byIndex(BY_SOURCE, sourceKey)) enqueue(metadata.uid ?? '')
  }

  onStop(
    claimCache.onChange(({ before, after }) => {
      const claim = after ?? before
      const uid = claim?.metadata.uid ?? ''
      const memory = memories.find(uid)
      if (!after || after.spec.volumeName) {
        waiting.end(uid)
        contention?.forget(uid)
        // The cache shows it now, so nothing needs to be remembered that it could contradict.
        if (memory && !memory.attempt) memories.forget(uid)
      }
      if (after ? isPending(after) || memory?.attempt : memory?.attempt) enqueue(uid)
      if (claim) enqueueCopies(sourceKeyOf(claim))
    }),
  )
  onStop(
    classCache.onChange(({ key, after }) => {
      if (after) for (const { metadata } of claimCache.byIndex(BY_CLASS, key)) enqueue(metadata.uid ?? '')
    }),
  )
  onStop(
    volumeCache.onChange(({ key, before, after }) => {
      const volume = after ?? before
      if (volume && (volume.spec.csi?.driver === facts.name || findAnnotation(volume, PROVISIONED_BY) === facts.name))
        volumeQueue.add(key)
      const uid = volume?.spec.claimRef?.uid ?? ''
      if (memories.find(uid)?.attempt) enqueue(uid)
      waiting.wake(
        ({ waitsFor }) =>
          waitsFor?.kind === 'object' && waitsFor.kindName === 'PersistentVolume' && waitsFor.name === key,
      )
    }),
  )
  const stopAttachments = attachmentCache?.onChange(({ before, after }) => {
    const name = before?.spec.source.persistentVolumeName
    if (!after && name) volumeQueue.add(name)
  })
  if (stopAttachments) onStop(stopAttachments)

  const wakeForNodes = (): void => waiting.wake(({ code }) => NODE_CODES.has(code))
  const cluster = await followCluster(config, parts, ownNode, wakeForNodes, signal, stops)
  const grants = config.featureGates.CrossNamespaceVolumeDataSource
    ? await startOptionalCache(
        REFERENCE_GRANTS,
        parts,
        () => waiting.wake(({ code }) => code === 'SourceNotGranted'),
        signal,
      )
    : undefined
  if (grants) onStop(() => grants.stop())
  await Promise.all([
    claimCache.synced(signal),
    volumeCache.synced(signal),
    classCache.synced(signal),
    attachmentCache?.synced(signal),
  ])

  const journal = await openOwnJournal(config, parts, ownNode, signal)
  if (journal) onStop(() => journal.stop())
  for (const { uid, plan } of journal?.left ?? []) {
    log.info('an earlier run may have made a volume: it is looked for', {
      volume: plan.request.name,
      claim: keyOf(plan.claim),
    })
    memories.of(uid).attempt = { kind: 'restored', plan }
    enqueue(uid)
  }

  const { sources, capacity } = await startCompanions(
    config,
    parts,
    { claims, ownNode, memories, enqueueCopies },
    signal,
    stops,
  )
  const findClaim = (uid: string): PersistentVolumeClaim | undefined => {
    const cached = claimCache.byIndex(BY_UID, uid)[0]
    return cached && claims.get(keyOf(cached))
  }
  const caches: ProvisionCaches = {
    findClaim: (ref) => claims.get(keyOfRef(ref)),
    findVolume: (name) => volumes.get(name),
    findByHandle: (handle) => volumeCache.byIndex(BY_HANDLE, handle)[0],
    grants: () => grants?.all() ?? [],
    cluster,
  }
  const readSeen = (uid: string, attempted: ProvisionPlan | undefined): Omit<ProvisionView['seen'], 'read'> => {
    const claim = findClaim(uid)
    const volumeName = attempted?.request.name ?? volumeNameOf(uid, settings.naming)
    return { claim, class: claim && classCache.get(classNameOf(claim)), volume: volumes.get(volumeName), caches }
  }
  const reconcileClaim = createClaimReconciler({
    driver,
    driverName: facts.name,
    api,
    clock,
    random,
    events,
    metrics,
    timeoutMs: config.timeoutMs,
    backoff,
    held: { facts, settings },
    memories,
    busy,
    journal,
    readSeen,
    remember: (claim) => claims.remember(claim),
    contend: (claim, plan, until) => {
      if (!contention) throw new Error(`${keyOf(claim)} is contended for, but this is no instance for one node`)
      return contention.contend(claim, plan, until)
    },
    enqueue,
    waitFor: (uid, reason) => waiting.wait(uid, reason),
    isSourceReleasing: (plan) => sources?.isReleasing(findSourceKey(plan.claim) ?? '') ?? false,
    onSettled: (plan) => sources?.sourceReleased(findSourceKey(plan.claim) ?? ''),
    onProvisioned: (volume) => capacity?.onProvisioned(volume),
    onFailed: (plan) => capacity?.onProvisionFailed(classNameOf(plan.claim)),
  })
  const reconcileVolume = createVolumeReconciler({
    driver,
    driverName: facts.name,
    api,
    clock,
    events,
    metrics,
    timeoutMs: config.timeoutMs,
    held: { facts, ownNode: settings.ownNode },
    busy,
    readSeen: (name) => {
      const volume = volumes.get(name)
      return {
        volume,
        attachments: attachmentCache?.byIndex(BY_VOLUME, name) ?? [],
        class: classCache.get(volume?.spec.storageClassName ?? ''),
      }
    },
    remember: (volume) => volumes.remember(volume),
    enqueue: (name) => volumeQueue.add(name),
    onDeleted: (volume) => capacity?.onDeleted(volume),
  })
  const controllers = [
    startController({
      name: 'provisioner',
      queue,
      log,
      reconcile: (uid, context) => {
        waiting.end(uid)
        return reconcileClaim(uid, context)
      },
    }),
    startController({ name: 'provisioner-volumes', queue: volumeQueue, log, reconcile: reconcileVolume }),
  ]
  for (const controller of controllers) onStop(() => controller.stop())
  log.info('provisioner is working', { identity, journal: journal !== undefined, topology: cluster !== NO_TOPOLOGY })
  return {
    isIdle: () =>
      queue.depth() === 0 &&
      volumeQueue.depth() === 0 &&
      (journal?.isIdle() ?? true) &&
      (sources?.isIdle() ?? true) &&
      (capacity?.isIdle() ?? true),
    stop: stops.run,
    ...(journal ? { failed: journal.lost } : {}),
  }
}

type CompanionParts = {
  claims: OwnWrites<PersistentVolumeClaim>
  ownNode: Omit<OwnNode, 'immediateBinding'> | undefined
  memories: ClaimMemories
  enqueueCopies(sourceKey: string): void
}

/** What looks after the sources of copies and tells how much room there is, where the driver and the flags ask for it. */
async function startCompanions(
  config: ProvisionerConfig,
  parts: ProvisionerParts,
  companions: CompanionParts,
  signal: AbortSignal,
  { onStop }: Stops,
): Promise<{ sources?: SourceRelease; capacity?: CapacityTracker }> {
  const { claims, ownNode, memories, enqueueCopies } = companions
  const { namespace, pod, capacityApi } = parts.place
  const isInUse = (sourceKey: string): boolean =>
    memories.attempted().some(([, { plan }]) => findSourceKey(plan.claim) === sourceKey)
  const canCopy =
    parts.facts.controller.has(Capability.CLONE_VOLUME) || parts.facts.controller.has(Capability.CREATE_DELETE_SNAPSHOT)
  const sources = canCopy
    ? await startSourceRelease(config, { ...parts, claims, isInUse, onReleased: enqueueCopies }, signal)
    : undefined
  if (sources) onStop(() => sources.stop())
  const owner = pod ? { owner: { podNamespace: pod.namespace, podName: pod.name } } : {}
  const where = {
    namespace,
    ...owner,
    ...(ownNode ? { ownNode } : {}),
    ...(capacityApi ? { objectsApi: capacityApi } : {}),
  }
  const capacity = config.enableCapacity ? await startCapacity(config, { ...parts, ...where }, signal) : undefined
  if (capacity) onStop(() => capacity.stop())
  return { ...(sources ? { sources } : {}), ...(capacity ? { capacity } : {}) }
}

const canPublish = ({ facts }: RoleParts): boolean => facts.controller.has(Capability.PUBLISH_UNPUBLISH_VOLUME)

async function findOwnNode(
  { driver, place }: ProvisionerParts,
  config: ProvisionerConfig,
  signal: AbortSignal,
): Promise<Omit<OwnNode, 'immediateBinding'>> {
  if (!place.nodeName)
    throw new Error('--node-deployment needs the name of the node in the environment variable NODE_NAME')
  const { accessibleTopology } = await driver.nodeGetInfo({}, { timeoutMs: config.timeoutMs, signal })
  return { name: place.nodeName, segments: accessibleTopology?.segments ?? {} }
}

/** Whether claims can name a VolumeAttributesClass here. That we may not list them does not say that there are none. */
async function serves({ api, clock }: RoleParts, signal: AbortSignal): Promise<boolean> {
  try {
    await within(clock, signal, (until) => api.list(VOLUME_ATTRIBUTES_CLASSES, { limit: 1, signal: until }))
    return true
  } catch (error) {
    if (isNotFound(error)) return false
    if (isForbidden(error)) return true
    throw error
  }
}

async function followCluster(
  config: ProvisionerConfig,
  parts: ProvisionerParts,
  ownNode: Omit<OwnNode, 'immediateBinding'> | undefined,
  onChange: () => void,
  signal: AbortSignal,
  stops: Stops,
): Promise<ClusterTopology> {
  const { facts, informers, random } = parts
  if (!config.featureGates.Topology || !facts.services.has(Service.VOLUME_ACCESSIBILITY_CONSTRAINTS)) return NO_TOPOLOGY
  if (ownNode) return topologyOfNode(facts.name, ownNode)
  const [nodes, csiNodes] = [informers.get(NODES), followRegisteredNodes(parts, signal, stops)]
  await Promise.all([nodes.synced(signal), csiNodes.synced()])
  const topology = followTopology({
    driverName: facts.name,
    nodes,
    csiNodes,
    onlyRegistered: config.topologyNodes === 'registered',
    random,
    onChange,
  })
  stops.onStop(() => topology.stop())
  return topology
}

async function openOwnJournal(
  config: ProvisionerConfig,
  parts: ProvisionerParts,
  ownNode: { readonly name: string } | undefined,
  signal: AbortSignal,
): Promise<Journal | undefined> {
  if (config.journal === 'off') return undefined
  const { api, clock, log, random, facts, place } = parts
  // The name of a node as it is: two that differ in a dot must not share a journal.
  const name = `holdfast-journal-${leaseName(facts.name).toLowerCase()}${ownNode ? `-${ownNode.name}` : ''}`
  const journal = await openJournal(
    {
      api,
      clock,
      log,
      namespace: place.namespace,
      name,
      identity: `${leaseName(place.hostname)}_${createUuid(random)}`,
      isRequired: config.journal === 'required',
    },
    signal,
  )
  if (!journal && config.journal === 'required')
    throw new Error(
      `the journal is required, and Lease ${place.namespace}/${name} may not be written: allow get, create and update of leases there`,
    )
  return journal
}
