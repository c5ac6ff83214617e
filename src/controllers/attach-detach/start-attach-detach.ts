import { keyOf } from '../../api/object-key.ts'
import { repeat } from '../../base/clock.ts'
import { on, startControllers } from '../../kube/controller/index.ts'
import type { ControllerRole, Watch } from '../../kube/controller/index.ts'
import type { StartRole } from '../../kube/process/role-world.ts'
import type { AttachDetachConfig } from './attach-detach-options.ts'
import { defineAttachmentController } from './attachment-controller.ts'
import { followWishes } from './follow-wishes.ts'
import { whomNodeConcerns } from './node-facts.ts'
import { defineNodeStatusController } from './node-status-controller.ts'
import { createWorld } from './read-world.ts'

const BACKOFF = { initialMs: 10, maximumMs: 122_000, jitter: 0.1 }
const NODE_WORKERS = 20

/** Attaches volumes to the nodes of the pods that use them, and detaches them when no pod does. All its state can be read from the API again. */
export const startAttachDetach: StartRole<AttachDetachConfig> = (config, world, signal) =>
  startControllers(world, signal, (role) => assemble(config, role))

function assemble(config: AttachDetachConfig, role: ControllerRole) {
  const { clock, createQueue, onStop } = role
  const workers = config.concurrentAttachDetachSyncs
  // Detaching has its own workers: a node full of volumes that cannot be detached must not prevent others from being attached.
  const queue = createQueue({ name: 'attach-detach', lanes: { attach: workers, detach: workers }, backoff: BACKOFF })
  const nodeQueue = createQueue({ name: 'attach-detach-nodes', lanes: { default: NODE_WORKERS }, backoff: BACKOFF })
  const enqueueAll = (names: Iterable<string>): void => {
    for (const name of names) queue.add(name, world.laneOf(name))
  }
  const wishes = followWishes(config, role, (names) => enqueueAll([...names, ...world.otherNames()]))
  const world = createWorld(config, role, wishes)
  const { attachments, volumes, nodes, memory, lastInUse } = world

  const watch: readonly Watch[] = [
    on(volumes, ({ key }) => world.namesOfVolume(key)),
    on(attachments, ({ key, before, after }) => {
      memory.seen(key, after)
      if (before && !after) {
        nodeQueue.add(before.spec.nodeName)
        if (world.namesOn(before.spec.nodeName).length === 0) lastInUse.delete(before.spec.nodeName)
      }
      return key
    }),
    on(nodes, ({ key, before, after }) => {
      if (after) lastInUse.delete(key)
      else if (world.namesOn(key).length > 0) lastInUse.set(key, before?.status?.volumesInUse ?? [])
      const concerned = whomNodeConcerns(key, before, after)
      // An existing attachment detects by itself that the node's list is out of date.
      if (concerned === 'all' || concerned?.some((name) => !attachments.get(name))) nodeQueue.add(key)
      return concerned === 'all' ? world.namesOn(key) : concerned && [...concerned, ...world.otherNames()]
    }),
  ]
  if (!config.disableAttachDetachReconcileSync) {
    const checking = repeat(clock, config.attachDetachReconcileSyncPeriodMs, () => {
      wishes.readAll()
      enqueueAll([...wishes.names(), ...Array.from(attachments.all(), keyOf)])
      for (const node of nodes.all()) nodeQueue.add(keyOf(node))
    })
    onStop(() => checking[Symbol.dispose]())
  }
  return [
    defineAttachmentController(role, world, { queue, nodeQueue, watch }),
    defineNodeStatusController(role, world, { queue: nodeQueue, gatherMs: config.nodeStatusGatherMs }),
  ]
}
