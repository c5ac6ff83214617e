import { CSI_NODES } from '../../api/kinds/csi-node.ts'
import { NODES } from '../../api/kinds/node.ts'
import { PERSISTENT_VOLUMES } from '../../api/kinds/persistent-volume.ts'
import { VOLUME_ATTACHMENTS } from '../../api/kinds/volume-attachment.ts'
import type { VolumeAttachment } from '../../api/kinds/volume-attachment.ts'
import { hasFinalizer } from '../../api/finalizers.ts'
import { keyOf } from '../../api/object-key.ts'
import { ControllerServiceCapability_RPC_Type as Capability, PluginCapability_Service_Type as Service } from '../../csi/generated/csi/v1/csi.ts'
import { startWhole } from '../../base/stops.ts'
import type { Stops } from '../../base/stops.ts'
import { startController } from '../../kube/controller.ts'
import type { Reconciler } from '../../kube/controller.ts'
import { createWorkQueue } from '../../kube/work-queue.ts'
import type { RoleParts, RunningRole, StartRole } from '../role.ts'
import { operationOf } from './attach-view.ts'
import type { AttachView, Operation } from './attach-view.ts'
import { createAttachmentWriter } from './attachment-writer.ts'
import { attacherFinalizer } from '../attacher-finalizer.ts'
import type { AttacherConfig } from './attacher-options.ts'
import { CSI_NODE_INFOS } from '../../compat/seed-csi-node-info.ts'
import { createFailures } from './failures.ts'
import { findNodeId } from './find-node-id.ts'
import type { NodeRecords } from './find-node-id.ts'
import { listPublished } from './list-published.ts'
import type { ReleaseView } from './next-release-step.ts'
import { createOwnWrites } from '../../kube/own-writes.ts'
import { createAttachmentReconciler } from './reconcile-attachment.ts'
import { createTrivialReconciler } from './reconcile-trivial.ts'
import { createVolumeReconciler } from './reconcile-volume.ts'
import { createRunningCalls } from './running-calls.ts'
import { startDriftWatch } from './start-drift-watch.ts'
import { startOptionalCache } from '../../kube/optional-cache.ts'

const BY_VOLUME = 'attacher/volume'
const BY_NODE = 'attacher/node'

/** The external attacher: for every VolumeAttachment of the driver the volume is attached, and detached before the object goes. */
export const startAttacher: StartRole<AttacherConfig> = async (config, parts, signal) => {
  const { facts, informers } = parts
  const log = parts.log.with({ driver: facts.name })
  return startWhole(async (stops) => {
    informers.get(VOLUME_ATTACHMENTS)
    informers.get(PERSISTENT_VOLUMES)
    if (canPublish(parts)) informers.get(CSI_NODES)
    return await assemble(config, { ...parts, log }, signal, stops)
  })
}

async function assemble(config: AttacherConfig, parts: RoleParts, signal: AbortSignal, stops: Stops): Promise<RunningRole> {
  const { driver, facts, api, informers, events, clock, random, log } = parts
  const { onStop } = stops
  const finalizer = attacherFinalizer(facts.name)
  const backoff = { initialMs: config.retryIntervalStartMs, maximumMs: config.retryIntervalMaxMs }
  const attachmentCache = informers.get(VOLUME_ATTACHMENTS)
  const volumeCache = informers.get(PERSISTENT_VOLUMES)
  attachmentCache.addIndex(BY_VOLUME, ({ spec }) => (spec.source.persistentVolumeName ? [spec.source.persistentVolumeName] : []))
  attachmentCache.addIndex(BY_NODE, ({ spec }) => [spec.nodeName])
  const attachments = createOwnWrites(attachmentCache)
  const volumes = createOwnWrites(volumeCache)
  onStop(() => attachments.stop())
  onStop(() => volumes.stop())

  // Detaching has workers of its own: a node full of volumes that do not come off must not keep others from being attached.
  const lanes: Record<Operation, number> = { attach: config.workerThreads, detach: config.workerThreads }
  const queue = createWorkQueue({ clock, random, lanes, backoff, observe: parts.queues?.observerOf('csi-attacher-va') })
  const volumeQueue = createWorkQueue({ clock, random, lanes: { default: config.workerThreads }, backoff, observe: parts.queues?.observerOf('csi-attacher-pv') })
  const failures = createFailures({ clock, random, backoff })
  const drifted = new Set<string>()
  const releasing = new Set<string>()
  const waitingForCall = new Set<string>()
  const unattachedSinceMs = new Map<string, number>()
  const isOurs = ({ spec }: VolumeAttachment): boolean => spec.attacher === facts.name
  const write = createAttachmentWriter({ api, clock, finalizer, attachments })

  const findOurs = (key: string): VolumeAttachment | undefined => {
    const attachment = attachments.get(key)
    return attachment && isOurs(attachment) ? attachment : undefined
  }
  const enqueue = (attachment: VolumeAttachment): void => {
    if (isOurs(attachment)) queue.add(keyOf(attachment), operationOf(attachment))
  }
  const enqueueVolume = (name: string): void => {
    for (const attachment of attachmentCache.byIndex(BY_VOLUME, name)) enqueue(attachment)
  }
  const enqueueNode = (name: string): void => {
    for (const attachment of attachmentCache.byIndex(BY_NODE, name)) enqueue(attachment)
  }

  onStop(
    attachmentCache.onChange(({ key, before, after }) => {
      if (after) enqueue(after)
      else {
        failures.forget(key)
        drifted.delete(key)
      }
      const [left, named] = [before?.spec.source.persistentVolumeName, after?.spec.source.persistentVolumeName]
      if (left === undefined || left === named) return
      // A volume that has gone before its attachment would be remembered for ever.
      if (volumeCache.get(left) && attachmentCache.byIndex(BY_VOLUME, left).length === 0) unattachedSinceMs.set(left, clock.monotonicMs())
      volumeQueue.add(left)
    }),
  )
  onStop(
    volumeCache.onChange(({ key, after }) => {
      if (!after) unattachedSinceMs.delete(key)
      else if (hasFinalizer(after, finalizer)) volumeQueue.add(key)
      enqueueVolume(key)
    }),
  )
  const calls = createRunningCalls(() => {
    const keys = [...waitingForCall]
    waitingForCall.clear()
    for (const key of keys) {
      const attachment = findOurs(key)
      if (attachment) enqueue(attachment)
    }
  })

  await Promise.all([attachmentCache.synced(signal), volumeCache.synced(signal)])
  let nodeRecords: (name: string) => NodeRecords = () => ({})
  if (canPublish(parts)) nodeRecords = await followNodes(parts, enqueueNode, signal, stops)

  const readSeen = (key: string): AttachView['seen'] | undefined => {
    const attachment = findOurs(key)
    if (!attachment) return undefined
    const { nodeName, source } = attachment.spec
    const volume = source.persistentVolumeName ? volumes.get(source.persistentVolumeName) : undefined
    const registeredNodeId = findNodeId(nodeRecords(nodeName), facts.name)
    return { attachment, ...(volume ? { volume } : {}), ...(registeredNodeId === undefined ? {} : { registeredNodeId }) }
  }
  const reconcile: Reconciler = canPublish(parts)
    ? createAttachmentReconciler({
        driver,
        api,
        clock,
        events,
        finalizer,
        timeoutMs: config.timeoutMs,
        rules: {
          publishReadonly: facts.controller.has(Capability.PUBLISH_READONLY),
          singleNodeMultiWriter: facts.controller.has(Capability.SINGLE_NODE_MULTI_WRITER),
          defaultFstype: config.defaultFstype,
        },
        readSeen,
        volumes,
        write,
        failures,
        calls,
        drifted,
        releasing,
        enqueue: (key, operation) => queue.add(key, operation),
        waitForCall: (key) => void waitingForCall.add(key),
      })
    : createTrivialReconciler({ readAttachment: findOurs, write })

  const readRelease = (name: string): ReleaseView | undefined => {
    const volume = volumes.get(name)
    if (!volume) return undefined
    const sinceMs = unattachedSinceMs.get(name)
    const keptForMs = sinceMs === undefined ? undefined : sinceMs + config.volumeReleaseDelayMs - clock.monotonicMs()
    return { seen: { volume, attachments: attachmentCache.byIndex(BY_VOLUME, name) }, held: keptForMs === undefined ? {} : { keptForMs } }
  }
  // Whether they were attached before we came is not known: they count as left behind.
  for (const volume of volumeCache.all()) {
    const key = keyOf(volume)
    if (hasFinalizer(volume, finalizer) && attachmentCache.byIndex(BY_VOLUME, key).length === 0) unattachedSinceMs.set(key, clock.monotonicMs())
  }

  const controllers = [
    startController({ name: 'attacher', queue, reconcile, log }),
    startController({ name: 'attacher-volumes', queue: volumeQueue, log, reconcile: createVolumeReconciler({ api, clock, finalizer, volumes, readView: readRelease, releasing, onReleased: enqueueVolume }) }),
  ]
  for (const controller of controllers) onStop(() => controller.stop())

  const drift =
    canList(parts) && config.reconcileSyncMs > 0
      ? startDriftWatch({
          clock,
          log,
          periodMs: config.reconcileSyncMs,
          calls,
          list: (wanted, until) => listPublished(driver, { wanted, maxEntries: config.maxEntries, timeoutMs: config.timeoutMs, signal: until }),
          attachments: () => Array.from(attachmentCache.all()).filter(isOurs),
          readView: readSeen,
          onDrift: (key) => {
            const attachment = findOurs(key)
            if (!attachment) return
            log.info('the driver lists another state than the attachment has', { attachment: key, attached: attachment.status?.attached ?? false })
            drifted.add(key)
            enqueue(attachment)
          },
        })
      : undefined
  if (drift) onStop(() => drift.stop())
  log.info('attacher is working', { mode: canPublish(parts) ? 'driver' : 'trivial', comparesWithDriver: drift !== undefined })
  return { isIdle: () => queue.depth() === 0 && volumeQueue.depth() === 0 && (drift?.isIdle() ?? true), stop: stops.run }
}

const canPublish = ({ facts }: RoleParts): boolean => facts.services.has(Service.CONTROLLER_SERVICE) && facts.controller.has(Capability.PUBLISH_UNPUBLISH_VOLUME)

const canList = (parts: RoleParts): boolean =>
  canPublish(parts) && parts.facts.controller.has(Capability.LIST_VOLUMES) && parts.facts.controller.has(Capability.LIST_VOLUMES_PUBLISHED_NODES)

/** Where nodes tell by which id the driver knows them. An attachment is looked at again when that changes. */
async function followNodes(parts: RoleParts, enqueueNode: (name: string) => void, signal: AbortSignal, { onStop }: Stops): Promise<(name: string) => NodeRecords> {
  const { facts, informers } = parts
  // Nodes report often; only the driver's id is of interest.
  const onRecord = (before: NodeRecords, after: NodeRecords, name: string): void => {
    if (findNodeId(before, facts.name) !== findNodeId(after, facts.name)) enqueueNode(name)
  }
  const csiNodes = informers.get(CSI_NODES)
  onStop(csiNodes.onChange(({ key, before, after }) => onRecord({ csiNode: before }, { csiNode: after }, key)))
  const [nodeInfos, nodes] = await Promise.all([
    startOptionalCache(CSI_NODE_INFOS, parts, ({ key, before, after }) => onRecord({ csiNodeInfo: before }, { csiNodeInfo: after }, key), signal),
    startOptionalCache(NODES, parts, ({ key, before, after }) => onRecord({ node: before }, { node: after }, key), signal),
    csiNodes.synced(signal),
  ])
  onStop(() => nodeInfos.stop())
  onStop(() => nodes.stop())
  return (name) => ({ csiNode: csiNodes.get(name), csiNodeInfo: nodeInfos.get(name), node: nodes.get(name) })
}
