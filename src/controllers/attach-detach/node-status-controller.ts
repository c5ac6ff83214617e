import type { Patch } from '../../api/api.ts'
import { NODES } from '../../api/kinds/node.ts'
import type { AttachedVolume, Node } from '../../api/kinds/node.ts'
import { defineController, mergeAsSeen, patchAsSeen, topicOf } from '../../kube/controller/index.ts'
import type { ControllerRole, WorkQueue } from '../../kube/controller/index.ts'
import { isUnanswered } from './attachment-controller.ts'
import { grantWishes } from './grant-wishes.ts'
import { nextNodeStatusStep } from './next-node-status-step.ts'
import type { NodeStatusStep, NodeStatusView } from './next-node-status-step.ts'
import type { World } from './read-world.ts'
import { attachedText } from './reasons.ts'

/** Since when there is something to add. */
type Memory = { readonly addingSinceMs: number }

/** One node: its list of attached volumes is written once for all recent changes. */
export function defineNodeStatusController(
  { api, clock, events, report }: ControllerRole,
  { nodes, viewsOf, unsure }: World,
  { queue, gatherMs }: { queue: WorkQueue; gatherMs: number },
) {
  /** The list is known again: attachments may be waiting for it. */
  const settle = (name: string): void => {
    unsure.delete(name)
    report(topicOf(NODES.kind, name))
  }
  const write = async (node: Node, volumes: readonly AttachedVolume[]): Promise<void> => {
    const { name = '' } = node.metadata
    unsure.add(name)
    try {
      await patchAsSeen(api, NODES, node, patchOf(node, volumes), { subresource: 'status' })
      settle(name)
    } catch (error) {
      if (!isUnanswered(error)) settle(name)
      throw error
    }
  }

  return defineController<NodeStatusView, NodeStatusStep, Memory>({
    name: 'attach-detach-nodes',
    queue,
    watch: [],
    view: (name, { memory }) => {
      const node = nodes.get(name)
      return (
        node && {
          seen: { node, attachments: viewsOf(name) },
          held: { nowMs: clock.monotonicMs(), gatherMs, isInDoubt: unsure.has(name), ...memory },
        }
      )
    },
    forget: settle,
    decide: nextNodeStatusStep,
    perform: {
      wait: ({ retryInMs }, pass) => {
        pass.memory = retryInMs === undefined ? undefined : (pass.memory ?? { addingSinceMs: clock.monotonicMs() })
      },
      look: async (_step, { key }) => {
        nodes.remember(await api.get(NODES, { name: key }))
        settle(key)
      },
      write: async ({ volumes, added, removed }, pass) => {
        await write(pass.view.seen.node, volumes)
        pass.memory = undefined
        for (const { seen } of added)
          for (const { pod, volume } of grantWishes(seen).granted)
            events.record(pod, 'Normal', 'SuccessfulAttachVolume', attachedText(volume.volumeName))
        pass.log.info('node status written', { node: pass.key, attached: added.length, withdrawn: removed.length })
      },
    },
  })
}

/**
 * Rejected if the list differs from the one that we saw: a delayed write must not restore a volume that was removed since. If there is no list yet,
 * the node must be unchanged.
 */
function patchOf(node: Node, volumes: readonly AttachedVolume[]): Patch {
  const path = '/status/volumesAttached'
  const present = node.status?.volumesAttached
  if (!present) return mergeAsSeen(node, { status: { volumesAttached: volumes } })
  const change =
    volumes.length === 0 ? ({ op: 'remove', path } as const) : ({ op: 'replace', path, value: volumes } as const)
  return {
    type: 'json',
    operations: [
      { op: 'test', path: '/metadata/uid', value: node.metadata.uid },
      { op: 'test', path, value: present },
      change,
    ],
  }
}
