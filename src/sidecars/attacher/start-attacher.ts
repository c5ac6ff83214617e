import { CSI_NODES } from '../../api/kinds/csi-node.ts'
import { NODES } from '../../api/kinds/node.ts'
import { PERSISTENT_VOLUMES } from '../../api/kinds/persistent-volume.ts'
import { VOLUME_ATTACHMENTS } from '../../api/kinds/volume-attachment.ts'
import type { VolumeAttachment } from '../../api/kinds/volume-attachment.ts'
import { keyOf } from '../../api/object-key.ts'
import { backoffOf } from '../../base/backoff.ts'
import { CSI_NODE_INFOS } from '../../compat/alpha-csi-node-info.ts'
import { ControllerCapability as Capability, PluginService as Service } from '../../csi/index.ts'
import { on, startControllers } from '../../kube/controller/index.ts'
import type { CacheChange } from '../../kube/cache/object-cache.ts'
import { attacherFinalizer } from '../attacher-finalizer.ts'
import type { DriverFacts } from '../discover-driver.ts'
import { limitDriver, workersOf } from '../limit-driver.ts'
import type { SidecarRole, StartRole } from '../role.ts'
import { defineAttachController, defineTrivialController } from './attach-controller.ts'
import type { AttachmentParts } from './attach-controller.ts'
import { findNodeId, operationOf } from './attach-view.ts'
import type { NodeRecords, Operation } from './attach-view.ts'
import type { AttacherConfig } from './attacher-options.ts'
import { createAttachmentWriter } from './attachment-writer.ts'
import { defineDriftController } from './drift-controller.ts'
import { nodeNamesOf, volumeNamesOf } from '../../storage/attachment-indexes.ts'
import { defineReleaseController } from './release-controller.ts'

/** The external attacher: attaches the volume of every VolumeAttachment of the driver, and detaches it before the object is deleted. */
export const startAttacher: StartRole<AttacherConfig> = (config, parts, signal) =>
  startControllers(parts, signal, (role) => assemble(config, role))

async function assemble(config: AttacherConfig, role: SidecarRole) {
  const { facts, log, follow, createQueue, report, holds } = role
  const workers = workersOf(config.workerThreads, 10)
  const driver = limitDriver(role.driver, role.clock, workers)
  const finalizer = attacherFinalizer(facts.name)
  const { timeoutMs, volumeReleaseDelayMs: delayMs } = config
  const backoff = backoffOf(config)
  const attachments = follow(VOLUME_ATTACHMENTS)
  const [ofVolume, onNode] = [attachments.indexBy(volumeNamesOf), attachments.indexBy(nodeNamesOf)]
  const volumes = follow(PERSISTENT_VOLUMES)
  // Detaching has its own workers: a node full of volumes that cannot be detached must not prevent others from being attached.
  const queue = createQueue({
    name: 'csi-attacher-va',
    lanes: { attach: workers.passes, detach: workers.passes },
    backoff,
  })
  const volumeQueue = createQueue({ name: 'csi-attacher-pv', lanes: { default: workers.passes }, backoff })

  const isOurs = (attachment: VolumeAttachment | undefined): boolean => attachment?.spec.attacher === facts.name
  const oursIn = (found: readonly VolumeAttachment[]): string[] => found.filter(isOurs).map(keyOf)
  const lane = (key: string): Operation => {
    const attachment = attachments.get(key)
    return attachment ? operationOf(attachment) : 'detach'
  }
  const enqueue = (key: string): void => queue.add(key, lane(key))
  const canPublish =
    facts.services.has(Service.CONTROLLER_SERVICE) && facts.controller.has(Capability.PUBLISH_UNPUBLISH_VOLUME)
  const nodeRecords = canPublish
    ? await followNodes(role, (name) => oursIn(onNode(name)).forEach(enqueue))
    : (): NodeRecords => ({})
  const given: AttachmentParts = {
    queue,
    watch: [
      on(attachments, ({ key, before, after }) => (isOurs(after ?? before) ? key : undefined)),
      on(volumes, ({ key }) => oursIn(ofVolume(key))),
    ],
    lane,
    sources: {
      attachment: (name) => {
        const attachment = attachments.get(name)
        return isOurs(attachment) ? attachment : undefined
      },
      volume: volumes.get,
      nodeRecords,
    },
    write: createAttachmentWriter(role.api, finalizer),
  }
  const release = defineReleaseController(role, { queue: volumeQueue, attachments, finalizer, delayMs })
  // A resource that a pass held is free again: a call to the driver, or the finalizer of a volume.
  holds.onRelease(report)

  const comparesWithDriver = canPublish && canList(facts) && config.reconcileSyncMs > 0
  log.info('attacher is working', canPublish ? { mode: 'driver', comparesWithDriver } : { mode: 'trivial' })
  if (!canPublish) return [defineTrivialController(given), release]
  const callEndedMs = new Map<string, number>()
  const drifted = new Set<string>()
  const rules = {
    publishReadonly: facts.controller.has(Capability.PUBLISH_READONLY),
    singleNodeMultiWriter: facts.controller.has(Capability.SINGLE_NODE_MULTI_WRITER),
    defaultFstype: config.defaultFstype,
  }
  const drift = {
    ...given,
    driver,
    callEndedMs,
    attachments: () => Array.from(attachments.all()).filter(isOurs),
    onDrift: (key: string) => {
      drifted.add(key)
      enqueue(key)
    },
  }
  return [
    defineAttachController(role, { ...given, driver, finalizer, timeoutMs, backoff, rules, callEndedMs, drifted }),
    release,
    ...(comparesWithDriver ? [defineDriftController(config, role, drift)] : []),
  ]
}

const canList = ({ controller }: DriverFacts): boolean =>
  controller.has(Capability.LIST_VOLUMES) && controller.has(Capability.LIST_VOLUMES_PUBLISHED_NODES)

/** The objects in which nodes record the driver's ID of them. `onNode` is called when that ID changes. */
async function followNodes(role: SidecarRole, onNode: (name: string) => void): Promise<(name: string) => NodeRecords> {
  const { name: driver } = role.facts
  const { follow, followOptional } = role
  // Nodes report often; only the driver's ID matters.
  const onRecord =
    <T>(record: (object: T | undefined) => NodeRecords) =>
    ({ key, before, after }: CacheChange<T>): void => {
      if (findNodeId(record(before), driver) !== findNodeId(record(after), driver)) onNode(key)
    }
  const csiNodes = follow(CSI_NODES)
  csiNodes.onChange(onRecord((csiNode) => ({ csiNode })))
  const [nodeInfos, nodes] = await Promise.all([
    followOptional(
      CSI_NODE_INFOS,
      onRecord((csiNodeInfo) => ({ csiNodeInfo })),
    ),
    followOptional(
      NODES,
      onRecord((node) => ({ node })),
    ),
  ])
  return (name) => ({ csiNode: csiNodes.get(name), csiNodeInfo: nodeInfos.get(name), node: nodes.get(name) })
}
