import type { PersistentVolumeClaim } from '../../api/kinds/persistent-volume-claim.ts'
import { keyOf } from '../../api/object-key.ts'
import { defineController } from '../../kube/controller/index.ts'
import type { ControllerRole, Watch } from '../../kube/controller/index.ts'
import type { EarlierEvents } from './earlier-events.ts'
import { nodeFailedText, nodeRecoveredText } from './event-texts.ts'
import { nextNodeStep } from './next-node-step.ts'
import type { NodeStep } from './next-node-step.ts'
import type { ClaimUsers, NodeState, NodeView } from './node-view.ts'

export type NodeParts = {
  readonly watch: readonly Watch[]
  readState(node: string): NodeState
  readUsers(node: string): readonly ClaimUsers[]
  findClaim(key: string): PersistentVolumeClaim | undefined
  /** Of an earlier process. */
  readonly failedNodes: EarlierEvents['failedNodes']
}

/** Claims on which the failure was reported, by key, with their UIDs. */
type Memory = ReadonlyMap<string, string>

/** Reports on each claim that its pods are on a failed node, and that the node has recovered. */
export function defineNodeController(
  { clock, events, createQueue }: ControllerRole,
  { watch, readState, readUsers, findClaim, failedNodes }: NodeParts,
) {
  return defineController<NodeView, NodeStep, Memory>({
    name: 'node-watcher',
    queue: createQueue({ name: 'nodes', lanes: { default: 1 } }),
    watch,
    view: (name, { memory }) => {
      const state = readState(name)
      const users = state.kind === 'ready' ? [] : readUsers(name)
      // A node that was deleted together with its pods needs no report.
      if (state.kind === 'gone' && users.length === 0) return undefined
      const told = memory ?? failedNodes.get(name) ?? new Map()
      return { seen: { name, state, users }, held: { nowMs: clock.nowMs(), told } }
    },
    decide: nextNodeStep,
    forget: (name) => void failedNodes.delete(name),
    perform: {
      'tell-failed': ({ users }, pass) => {
        const { name } = pass.view.seen
        const told = new Map(pass.view.held.told)
        for (const { claim, pods } of users) {
          events.record(claim, 'Warning', 'NodeFailed', nodeFailedText(pods, claim.metadata, name))
          told.set(keyOf(claim), claim.metadata.uid ?? '')
        }
        pass.log.warn('the node has failed', { claims: users.length })
        pass.memory = told
      },
      'tell-recovered': (_step, pass) => {
        for (const [key, uid] of pass.view.held.told) {
          const claim = findClaim(key)
          // A warning, as upstream: consumers that select warnings also see the end of the failure.
          if (claim && claim.metadata.uid === uid)
            events.record(claim, 'Warning', 'NodeRecovered', nodeRecoveredText(pass.view.seen.name))
        }
        failedNodes.delete(pass.view.seen.name)
        pass.memory = undefined
      },
    },
  })
}
