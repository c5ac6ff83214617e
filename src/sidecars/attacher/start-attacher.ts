import { CSI_NODES } from '../../api/kinds/csi-node.ts'
import { NODES } from '../../api/kinds/node.ts'
import { PERSISTENT_VOLUMES } from '../../api/kinds/persistent-volume.ts'
import { VOLUME_ATTACHMENTS } from '../../api/kinds/volume-attachment.ts'
import type { VolumeAttachment } from '../../api/kinds/volume-attachment.ts'
import { keyOf } from '../../api/object-key.ts'
import { CSI_NODE_INFOS } from '../../compat/alpha-csi-node-info.ts'
import {
  ControllerServiceCapability_RPC_Type as Capability,
  PluginCapability_Service_Type as Service,
} from '../../csi/generated/csi/v1/csi.ts'
import { on, startControllers } from '../../kube/controller/index.ts'
import type { ControllerRole } from '../../kube/controller/index.ts'
import { startOptionalCache } from '../../kube/optional-cache.ts'
import { attacherFinalizer } from '../attacher-finalizer.ts'
import type { RoleParts, StartRole } from '../role.ts'
import { defineAttachController } from './attach-controller.ts'
import { operationOf } from './attach-view.ts'
import type { AttachView, Operation } from './attach-view.ts'
import type { AttacherConfig } from './attacher-options.ts'
import type { AttachmentParts } from './attachment-parts.ts'
import { createAttachmentWriter } from './attachment-writer.ts'
import { findNodeId } from './find-node-id.ts'
import type { NodeRecords } from './find-node-id.ts'
import { listPublished } from './list-published.ts'
import { BY_VOLUME, defineReleaseController } from './release-controller.ts'
import { createRunningCalls } from './running-calls.ts'
import { startDriftWatch } from './start-drift-watch.ts'
import type { DriftParts } from './start-drift-watch.ts'
import { callEnded } from './target.ts'
import { defineTrivialController } from './trivial-controller.ts'

const BY_NODE = 'attacher/node'

/** The external attacher: for every VolumeAttachment of the driver the volume is attached, and detached before the object goes. */
export const startAttacher: StartRole<AttacherConfig> = (config, parts, signal) => {
  const world = { ...parts, log: parts.log.with({ driver: parts.facts.name }) }
  return startControllers(world, signal, (role) => assemble(config, world, role, signal))
}

async function assemble(config: AttacherConfig, parts: RoleParts, role: ControllerRole, signal: AbortSignal) {
  const { driver, facts } = parts
  const { log, follow, createQueue, report } = role
  const finalizer = attacherFinalizer(facts.name)
  const backoff = { initialMs: config.retryIntervalStartMs, maximumMs: config.retryIntervalMaxMs }
  const workers = config.workerThreads
  const attachments = follow(VOLUME_ATTACHMENTS, {
    indexes: {
      [BY_VOLUME]: ({ spec }) => (spec.source.persistentVolumeName ? [spec.source.persistentVolumeName] : []),
      [BY_NODE]: ({ spec }) => [spec.nodeName],
    },
  })
  const volumes = follow(PERSISTENT_VOLUMES)
  // Detaching has workers of its own: a node full of volumes that cannot be detached must not keep others from being attached.
  const queue = createQueue({ name: 'csi-attacher-va', lanes: { attach: workers, detach: workers }, backoff })
  const volumeQueue = createQueue({ name: 'csi-attacher-pv', lanes: { default: workers }, backoff })

  const isOurs = (attachment: VolumeAttachment | undefined): boolean => attachment?.spec.attacher === facts.name
  const findOurs = (key: string): VolumeAttachment | undefined => {
    const attachment = attachments.get(key)
    return attachment && isOurs(attachment) ? attachment : undefined
  }
  const oursIn = (index: string, value: string): string[] => attachments.byIndex(index, value).filter(isOurs).map(keyOf)
  const lane = (key: string): Operation => {
    const attachment = attachments.get(key)
    return attachment ? operationOf(attachment) : 'detach'
  }
  const enqueue = (key: string): void => queue.add(key, lane(key))
  const nodeRecords = canPublish(parts)
    ? await followNodes(parts, role, (name) => oursIn(BY_NODE, name).forEach(enqueue), signal)
    : (): NodeRecords => ({})

  const see = (key: string): AttachView['seen'] | undefined => {
    const attachment = findOurs(key)
    if (!attachment) return undefined
    const { nodeName, source } = attachment.spec
    const volume = source.persistentVolumeName ? volumes.get(source.persistentVolumeName) : undefined
    const registeredNodeId = findNodeId(nodeRecords(nodeName), facts.name)
    return {
      attachment,
      ...(volume ? { volume } : {}),
      ...(registeredNodeId === undefined ? {} : { registeredNodeId }),
    }
  }
  const given: AttachmentParts = {
    queue,
    watch: [
      on(attachments, ({ key, before, after }) => (isOurs(after ?? before) ? key : undefined)),
      on(volumes, ({ key }) => oursIn(BY_VOLUME, key)),
    ],
    lane,
    see,
    write: createAttachmentWriter(role.api, finalizer),
  }
  const release = defineReleaseController(role, {
    queue: volumeQueue,
    attachments,
    finalizer,
    delayMs: config.volumeReleaseDelayMs,
  })
  if (!canPublish(parts)) {
    log.info('attacher is working', { mode: 'trivial' })
    return [defineTrivialController(given), release]
  }
  const calls = createRunningCalls((target) => report(callEnded(target)))
  const drifted = new Set<string>()
  const rules = {
    publishReadonly: facts.controller.has(Capability.PUBLISH_READONLY),
    singleNodeMultiWriter: facts.controller.has(Capability.SINGLE_NODE_MULTI_WRITER),
    defaultFstype: config.defaultFstype,
  }
  if (canList(parts) && config.reconcileSyncMs > 0) {
    const list: DriftParts['list'] = (wanted, until) =>
      listPublished(driver, { wanted, maxEntries: config.maxEntries, timeoutMs: config.timeoutMs, signal: until })
    followDrift(
      role,
      {
        periodMs: config.reconcileSyncMs,
        calls,
        list,
        attachments: () => Array.from(attachments.all()).filter(isOurs),
        readView: see,
      },
      (key) => {
        drifted.add(key)
        enqueue(key)
      },
    )
  }
  log.info('attacher is working', { mode: 'driver', comparesWithDriver: canList(parts) && config.reconcileSyncMs > 0 })
  return [
    defineAttachController(role, {
      ...given,
      driver,
      finalizer,
      timeoutMs: config.timeoutMs,
      backoff,
      rules,
      calls,
      drifted,
    }),
    release,
  ]
}

/** Compares attachments with what the driver lists, once everything is known. */
function followDrift(
  { clock, log, onReady, onStop, onIdle }: ControllerRole,
  parts: Omit<DriftParts, 'clock' | 'log' | 'onDrift'>,
  onDrift: (key: string) => void,
): void {
  onReady(() => {
    const drift = startDriftWatch({
      ...parts,
      clock,
      log,
      onDrift: (key) => {
        const view = parts.readView(key)
        if (!view) return
        log.info('the driver lists another state than the attachment has', {
          attachment: key,
          attached: view.attachment.status?.attached ?? false,
        })
        onDrift(key)
      },
    })
    onStop(() => drift.stop())
    onIdle(() => drift.isIdle())
  })
}

const canPublish = ({ facts }: RoleParts): boolean =>
  facts.services.has(Service.CONTROLLER_SERVICE) && facts.controller.has(Capability.PUBLISH_UNPUBLISH_VOLUME)

const canList = (parts: RoleParts): boolean =>
  canPublish(parts) &&
  parts.facts.controller.has(Capability.LIST_VOLUMES) &&
  parts.facts.controller.has(Capability.LIST_VOLUMES_PUBLISHED_NODES)

/** Where nodes tell by which id the driver knows them. An attachment is looked at again when that changes. */
async function followNodes(
  { facts }: RoleParts,
  role: ControllerRole,
  enqueueNode: (name: string) => void,
  signal: AbortSignal,
): Promise<(name: string) => NodeRecords> {
  const { follow, onStop } = role
  // Nodes report often; only the driver's id is of interest.
  const onRecord = (before: NodeRecords, after: NodeRecords, name: string): void => {
    if (findNodeId(before, facts.name) !== findNodeId(after, facts.name)) enqueueNode(name)
  }
  const csiNodes = follow(CSI_NODES)
  onStop(csiNodes.onChange(({ key, before, after }) => onRecord({ csiNode: before }, { csiNode: after }, key)))
  const [nodeInfos, nodes] = await Promise.all([
    startOptionalCache(
      CSI_NODE_INFOS,
      role,
      ({ key, before, after }) => onRecord({ csiNodeInfo: before }, { csiNodeInfo: after }, key),
      signal,
    ),
    startOptionalCache(
      NODES,
      role,
      ({ key, before, after }) => onRecord({ node: before }, { node: after }, key),
      signal,
    ),
  ])
  onStop(() => nodeInfos.stop())
  onStop(() => nodes.stop())
  return (name) => ({ csiNode: csiNodes.get(name), csiNodeInfo: nodeInfos.get(name), node: nodes.get(name) })
}
