import { CSI_DRIVERS } from '../../api/kinds/csi-driver.ts'
import type { CSIDriver } from '../../api/kinds/csi-driver.ts'
import { NODES } from '../../api/kinds/node.ts'
import { PERSISTENT_VOLUME_CLAIMS } from '../../api/kinds/persistent-volume-claim.ts'
import { PERSISTENT_VOLUMES } from '../../api/kinds/persistent-volume.ts'
import { PODS } from '../../api/kinds/pod.ts'
import { VOLUME_ATTACHMENTS } from '../../api/kinds/volume-attachment.ts'
import { isEqualJson } from '../../api/equal-json.ts'
import { keyOf, keyOfRef } from '../../api/object-key.ts'
import { formatReason } from '../../api/reason.ts'
import type { Clock, Timer } from '../../base/clock.ts'
import { startWhole } from '../../base/stops.ts'
import type { Stops } from '../../base/stops.ts'
import { startController } from '../../kube/controller.ts'
import { createOwnWrites } from '../../kube/own-writes.ts'
import { createWorkQueue } from '../../kube/work-queue.ts'
import { isAttachmentName } from '../../volumes/attachment-name.ts'
import { claimKeyOf } from '../../volumes/claim-reference.ts'
import { podClaimKeysOf } from '../../volumes/pod-claims.ts'
import type { VolumeLookup } from '../../volumes/resolve-pod-volume.ts'
import type { ControllerWorld, StartClusterController, WorkingController } from '../cluster-controller.ts'
import { createAnnouncer } from './announcer.ts'
import type { AttachDetachConfig } from './attach-detach-options.ts'
import { createAttachmentMemory } from './attachment-memory.ts'
import { createWorldReader } from './read-world.ts'
import { createAttachmentReconciler } from './reconcile-attachment.ts'
import { createNodeStatusReconciler } from './reconcile-node-status.ts'
import { createWaiters } from './waiters.ts'
import { whomNodeConcerns } from './whom-node-concerns.ts'
import { createWishTable } from './wish-table.ts'
import { wishesOfPod } from './wishes-of-pod.ts'

const BY_CLAIM = 'attach-detach/claim'
const BACKOFF = { initialMs: 10, maximumMs: 122_000, jitter: 0.1 }
const NODE_WORKERS = 20

/** Attaches volumes to the nodes of the pods that use them, and detaches them when no pod does. All it knows can be read from the API again. */
export const startAttachDetach: StartClusterController<AttachDetachConfig> = async (config, world, signal) => {
  return startWhole((stops) => assemble(config, world, signal, stops))
}

async function assemble(config: AttachDetachConfig, world: ControllerWorld, signal: AbortSignal, stops: Stops): Promise<WorkingController> {
  const { api, informers, events, clock, random } = world
  const log = world.log.with({ component: 'attach-detach' })
  const { onStop } = stops
  const caches = {
    pods: informers.get(PODS),
    claims: informers.get(PERSISTENT_VOLUME_CLAIMS),
    volumes: informers.get(PERSISTENT_VOLUMES),
    drivers: informers.get(CSI_DRIVERS),
    nodes: informers.get(NODES),
    attachments: informers.get(VOLUME_ATTACHMENTS),
  }
  caches.pods.addIndex(BY_CLAIM, podClaimKeysOf)
  const attachments = createOwnWrites(caches.attachments)
  const nodes = createOwnWrites(caches.nodes)
  onStop(() => attachments.stop())
  onStop(() => nodes.stop())

  const workers = config.concurrentAttachDetachSyncs
  // Detaching has workers of its own: a node full of volumes that do not come off must not keep others from being attached.
  const queue = createWorkQueue({ clock, random, lanes: { attach: workers, detach: workers }, backoff: BACKOFF, observe: world.queues?.observerOf('attach-detach') })
  const nodeQueue = createWorkQueue({ clock, random, lanes: { default: NODE_WORKERS }, backoff: BACKOFF, observe: world.queues?.observerOf('attach-detach-nodes') })

  const wishes = createWishTable()
  const memory = createAttachmentMemory(clock)
  const announcer = createAnnouncer(events)
  const [ofAttachments, ofNodes] = [createWaiters(), createWaiters()]
  const unsure = new Set<string>()
  const lastInUse = new Map<string, readonly string[]>()
  // Attachments that somebody named in another way: no wish leads to them.
  const otherwiseNamed = new Set<string>()
  const reader = createWorldReader({ config, clock, attachmentCache: caches.attachments, volumeCache: caches.volumes, attachments, nodes, wishes, memory, unsure, lastInUse })

  const enqueue = (name: string): void => queue.add(name, wishes.byName(name).length > 0 ? 'attach' : 'detach')
  const enqueueAll = (names: Iterable<string>): void => {
    for (const name of names) enqueue(name)
  }
  const enqueueNode = (name: string): void => nodeQueue.add(name)

  const lookup: VolumeLookup = {
    claim: (namespace, name) => caches.claims.get(keyOfRef({ namespace, name })),
    volume: (name) => caches.volumes.get(name),
    driver: (name) => caches.drivers.get(name),
  }
  const readPod = (key: string): void => {
    const pod = caches.pods.get(key)
    const { wishes: wished, refused } = pod ? wishesOfPod(pod, lookup, config) : { wishes: [], refused: [] }
    const changed = wishes.set(key, wished)
    if (changed.length > 0) enqueueAll([...changed, ...otherwiseNamed])
    if (!pod || refused.length === 0) announcer.forget(`pod ${key}`)
    else for (const { volume, reason } of refused) announcer.warn(`pod ${key}`, pod, { reason: 'FailedAttachVolume', text: formatReason(reason), round: 0, topic: volume })
  }
  const readPodsOfClaim = (key: string | undefined): void => {
    if (key !== undefined) for (const pod of caches.pods.byIndex(BY_CLAIM, key)) readPod(keyOf(pod))
  }
  const readAllPods = (): void => {
    for (const pod of caches.pods.all()) readPod(keyOf(pod))
  }

  onStop(caches.pods.onChange(({ key }) => readPod(key)))
  onStop(caches.claims.onChange(({ key }) => readPodsOfClaim(key)))
  onStop(
    caches.volumes.onChange(({ key, before, after }) => {
      for (const claim of new Set([before && claimKeyOf(before), after && claimKeyOf(after)])) readPodsOfClaim(claim)
      enqueueAll(reader.namesOfVolume(key))
    }),
  )
  onStop(
    caches.drivers.onChange(({ before, after }) => {
      if (!isEqualJson(driverFacts(before), driverFacts(after))) readAllPods()
    }),
  )
  onStop(
    caches.attachments.onChange(({ key, before, after }) => {
      memory.seen(key, after)
      if (!after) otherwiseNamed.delete(key)
      else if (!isAttachmentName(key)) otherwiseNamed.add(key)
      enqueue(key)
      enqueueAll(ofAttachments.take(key))
      if (after || !before) return
      enqueueNode(before.spec.nodeName)
      if (reader.namesOn(before.spec.nodeName).length === 0) lastInUse.delete(before.spec.nodeName)
    }),
  )
  onStop(
    caches.nodes.onChange(({ key, before, after }) => {
      if (after) lastInUse.delete(key)
      else if (reader.namesOn(key).length > 0) lastInUse.set(key, before?.status?.volumesInUse ?? [])
      const concerned = whomNodeConcerns(key, before, after)
      if (concerned.kind === 'nobody') return
      enqueueAll(concerned.kind === 'all' ? reader.namesOn(key) : [...concerned.names, ...otherwiseNamed])
      // An attachment that is there tells by itself when the node's list is not as it should be.
      if (concerned.kind === 'all' || concerned.names.some((name) => !attachments.get(name))) enqueueNode(key)
    }),
  )

  const reconcile = createAttachmentReconciler({
    api,
    clock,
    memory,
    announcer,
    attachments,
    readView: reader.view,
    enqueueNode,
    waitForAttachment: ofAttachments.add,
    waitForStatus: ofNodes.add,
    wakeWaiters: (name) => enqueueAll(ofAttachments.take(name)),
  })
  const reconcileNode = createNodeStatusReconciler({
    api,
    clock,
    events,
    nodes,
    gatherMs: config.nodeStatusGatherMs,
    unsure,
    readAttachments: reader.viewsOf,
    wakeWaiters: (name) => enqueueAll(ofNodes.take(name)),
  })

  // What is not known yet must not look unwanted: nothing is done before everything was read.
  await Promise.all(Object.values(caches).map((cache) => cache.synced(signal)))
  for (const controller of [startController({ name: 'attach-detach', queue, reconcile, log }), startController({ name: 'attach-detach-nodes', queue: nodeQueue, reconcile: reconcileNode, log })]) {
    onStop(() => controller.stop())
  }
  if (!config.disableAttachDetachReconcileSync) {
    onStop(
      repeat(clock, config.attachDetachReconcileSyncPeriodMs, () => {
        readAllPods()
        enqueueAll(wishes.names())
        for (const attachment of caches.attachments.all()) enqueue(keyOf(attachment))
        for (const node of caches.nodes.all()) enqueueNode(keyOf(node))
      }),
    )
  }
  log.info('attach/detach controller is working', { attachments: caches.attachments.size(), pods: caches.pods.size() })
  return { isIdle: () => queue.depth() === 0 && nodeQueue.depth() === 0, stop: stops.run }
}

const driverFacts = (driver: CSIDriver | undefined): unknown => [driver?.spec.attachRequired, driver?.spec.volumeLifecycleModes, driver?.metadata.annotations]

/** Until the result is called. */
function repeat(clock: Clock, periodMs: number, act: () => void): () => void {
  let timer: Timer
  const arm = (): void => {
    timer = clock.setTimer(periodMs, () => {
      act()
      arm()
    })
  }
  arm()
  return () => timer.cancel()
}
