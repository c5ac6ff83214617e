import { NODES } from '../../api/kinds/node.ts'
import { PERSISTENT_VOLUMES } from '../../api/kinds/persistent-volume.ts'
import { VOLUME_ATTACHMENTS } from '../../api/kinds/volume-attachment.ts'
import { keyOf } from '../../api/object-key.ts'
import type { Clock, Timer } from '../../base/clock.ts'
import { on, startControllers } from '../../kube/controller/index.ts'
import type { ControllerRole, Watch } from '../../kube/controller/index.ts'
import { isAttachmentName } from '../../storage/attachment-name.ts'
import type { StartClusterController } from '../cluster-controller.ts'
import type { AttachDetachConfig } from './attach-detach-options.ts'
import { defineAttachmentController } from './attachment-controller.ts'
import { createAttachmentMemory } from './attachment-memory.ts'
import { followWishes } from './follow-wishes.ts'
import { defineNodeStatusController } from './node-status-controller.ts'
import { createWorldReader } from './read-world.ts'
import { whomNodeConcerns } from './whom-node-concerns.ts'

const BACKOFF = { initialMs: 10, maximumMs: 122_000, jitter: 0.1 }
const NODE_WORKERS = 20

/** Attaches volumes to the nodes of the pods that use them, and detaches them when no pod does. Everything it knows can be read from the API again. */
export const startAttachDetach: StartClusterController<AttachDetachConfig> = (config, world, signal) =>
  startControllers(world, signal, (role) => assemble(config, role))

function assemble(config: AttachDetachConfig, role: ControllerRole) {
  const { clock, follow, createQueue, onStop } = role
  const attachments = follow(VOLUME_ATTACHMENTS)
  const nodes = follow(NODES)
  const volumes = follow(PERSISTENT_VOLUMES)
  const workers = config.concurrentAttachDetachSyncs
  // Detaching has workers of its own: a node full of volumes that cannot be detached must not keep others from being attached.
  const queue = createQueue({ name: 'attach-detach', lanes: { attach: workers, detach: workers }, backoff: BACKOFF })
  const nodeQueue = createQueue({ name: 'attach-detach-nodes', lanes: { default: NODE_WORKERS }, backoff: BACKOFF })
  const memory = createAttachmentMemory(clock)
  const unsure = new Set<string>()
  const lastInUse = new Map<string, readonly string[]>()
  // Attachments that somebody named in another way: no wish leads to them.
  const otherwiseNamed = new Set<string>()

  const isWanted = (name: string): boolean => wishes.byName(name).length > 0
  const enqueueAll = (names: Iterable<string>): void => {
    for (const name of names) queue.add(name, isWanted(name) ? 'attach' : 'detach')
  }
  const { wishes, readAll } = followWishes(config, role, (names) => enqueueAll([...names, ...otherwiseNamed]))
  const reader = createWorldReader({ config, clock, attachments, volumes, nodes, wishes, memory, unsure, lastInUse })

  const watch: readonly Watch[] = [
    on(volumes, ({ key }) => reader.namesOfVolume(key)),
    on(attachments, ({ key, before, after }) => {
      memory.seen(key, after)
      if (!after) otherwiseNamed.delete(key)
      else if (!isAttachmentName(key)) otherwiseNamed.add(key)
      if (before && !after) {
        nodeQueue.add(before.spec.nodeName)
        if (reader.namesOn(before.spec.nodeName).length === 0) lastInUse.delete(before.spec.nodeName)
      }
      return key
    }),
    on(nodes, ({ key, before, after }) => {
      if (after) lastInUse.delete(key)
      else if (reader.namesOn(key).length > 0) lastInUse.set(key, before?.status?.volumesInUse ?? [])
      const concerned = whomNodeConcerns(key, before, after)
      if (concerned.kind === 'nobody') return undefined
      // An attachment that is there tells by itself when the node's list is not as it should be.
      if (concerned.kind === 'all' || concerned.names.some((name) => !attachments.get(name))) nodeQueue.add(key)
      return concerned.kind === 'all' ? reader.namesOn(key) : [...concerned.names, ...otherwiseNamed]
    }),
  ]
  if (!config.disableAttachDetachReconcileSync) {
    const lookAtAll = (): void => {
      readAll()
      enqueueAll([...wishes.names(), ...Array.from(attachments.all(), keyOf)])
      for (const node of nodes.all()) nodeQueue.add(keyOf(node))
    }
    onStop(repeat(clock, config.attachDetachReconcileSyncPeriodMs, lookAtAll))
  }
  return [
    defineAttachmentController(role, { queue, nodeQueue, watch, reader, memory, isWanted }),
    defineNodeStatusController(role, { queue: nodeQueue, reader, gatherMs: config.nodeStatusGatherMs, unsure }),
  ]
}

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
