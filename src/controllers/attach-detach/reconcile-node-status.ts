import { ApiError, isInvalid, isNotFound } from '../../api/api-error.ts'
import type { Api, Patch } from '../../api/api.ts'
import { NODES } from '../../api/kinds/node.ts'
import type { AttachedVolume, Node } from '../../api/kinds/node.ts'
import { refOf } from '../../api/object-key.ts'
import { unreachable } from '../../base/abort.ts'
import type { Clock } from '../../base/clock.ts'
import { after, DONE } from '../../kube/controller.ts'
import type { Reconciler } from '../../kube/controller.ts'
import type { EventRecorder } from '../../kube/event-recorder.ts'
import type { OwnWrites } from '../../kube/own-writes.ts'
import { within } from '../../kube/within.ts'
import type { AttachmentView } from './attachment-view.ts'
import { attachedText } from './event-texts.ts'
import { grantWishes } from './grant-wishes.ts'
import { nextNodeStatusStep } from './next-node-status-step.ts'
import type { NodeStatusStep } from './next-node-status-step.ts'
import { isUnanswered } from './reconcile-attachment.ts'

export type NodeStatusParts = {
  readonly api: Api
  readonly clock: Clock
  readonly events: EventRecorder
  readonly nodes: OwnWrites<Node>
  readonly gatherMs: number
  /** Nodes whose list is being written, or may have been. */
  readonly unsure: Set<string>
  readAttachments(nodeName: string): readonly AttachmentView[]
  /** Has everything about the node looked at that waits for its list. */
  wakeWaiters(nodeName: string): void
}

/** One pass over one node: its list of attached volumes is written once for all that changed meanwhile. */
export function createNodeStatusReconciler({ api, clock, events, nodes, gatherMs, unsure, readAttachments, wakeWaiters }: NodeStatusParts): Reconciler {
  const addingSinceMs = new Map<string, number>()

  return async (nodeName, { log, signal }) => {
    const node = nodes.get(nodeName)
    if (!node) {
      addingSinceMs.delete(nodeName)
      unsure.delete(nodeName)
      wakeWaiters(nodeName)
      return DONE
    }
    const sinceMs = addingSinceMs.get(nodeName)
    const held = { nowMs: clock.monotonicMs(), gatherMs, isInDoubt: unsure.has(nodeName), ...(sinceMs === undefined ? {} : { addingSinceMs: sinceMs }) }
    const step = nextNodeStatusStep({ seen: { node, attachments: readAttachments(nodeName) }, held })
    log.debug('node status step', { step: step.kind, ...('reason' in step ? { reason: step.reason } : {}) })
    switch (step.kind) {
      case 'wait':
        if (step.retryInMs === undefined) addingSinceMs.delete(nodeName)
        else addingSinceMs.set(nodeName, sinceMs ?? held.nowMs)
        return step.retryInMs === undefined ? DONE : after(step.retryInMs)
      case 'look':
        nodes.remember(await within(clock, signal, (until) => api.get(NODES, { name: nodeName }, { signal: until })))
        unsure.delete(nodeName)
        wakeWaiters(nodeName)
        return after(0)
      case 'write':
        await write(node, step, signal)
        addingSinceMs.delete(nodeName)
        tellAttached(step)
        wakeWaiters(nodeName)
        log.info('node status written', { node: nodeName, attached: step.added.length, withdrawn: step.removed.length })
        return DONE
      default:
        return unreachable(step)
    }
  }

  async function write(node: Node, { volumes }: Extract<NodeStatusStep, { kind: 'write' }>, signal: AbortSignal): Promise<void> {
    const { name = '' } = node.metadata
    unsure.add(name)
    try {
      const patch = patchOf(node, volumes)
      nodes.remember(await within(clock, signal, (until) => api.patch(NODES, refOf(node), patch, { subresource: 'status', signal: until })))
      unsure.delete(name)
    } catch (error) {
      if (!isUnanswered(error)) unsure.delete(name)
      // Gone, or no longer as it was seen: the cache is going to show it.
      if (isNotFound(error) || isInvalid(error)) throw new ApiError('Conflict', `Node ${name} is no longer as it was seen`, { cause: error })
      throw error
    }
  }
  function tellAttached({ added }: Extract<NodeStatusStep, { kind: 'write' }>): void {
    for (const { seen } of added) {
      for (const { pod, volume } of grantWishes(seen).granted) events.record(pod, 'Normal', 'SuccessfulAttachVolume', attachedText(volume.name))
    }
  }
}

/**
 * Refused when the list is another one than we saw, whoever wrote it: a write that was held up must not bring back what was taken out
 * meanwhile. Where there is no list yet, nothing about the node may have changed.
 */
function patchOf({ metadata: { uid, resourceVersion }, status }: Node, volumes: readonly AttachedVolume[]): Patch {
  const path = '/status/volumesAttached'
  const present = status?.volumesAttached
  if (!present) return { type: 'merge', value: { metadata: { uid, resourceVersion }, status: { volumesAttached: volumes } } }
  const change = volumes.length === 0 ? ({ op: 'remove', path } as const) : ({ op: 'replace', path, value: volumes } as const)
  return { type: 'json', operations: [{ op: 'test', path: '/metadata/uid', value: uid }, { op: 'test', path, value: present }, change] }
}
