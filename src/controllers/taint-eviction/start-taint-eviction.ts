import { ignoreNotFound } from '../../api/api-error.ts'
import { setCondition } from '../../api/conditions.ts'
import { isEqualJson } from '../../api/equal-json.ts'
import { NODES } from '../../api/kinds/node.ts'
import type { Node, Taint } from '../../api/kinds/node.ts'
import { PODS } from '../../api/kinds/pod.ts'
import type { Pod, PodCondition } from '../../api/kinds/pod.ts'
import { keyOf, keyOfRef, refOf } from '../../api/object-key.ts'
import { defineController, DONE, mergeAsSeen, on, patchAsSeen, startControllers } from '../../kube/controller/index.ts'
import type { ControllerRole } from '../../kube/controller/index.ts'
import type { StartRole } from '../../kube/process/role-world.ts'
import { nodeNameOfPod } from '../../storage/pod-indexes.ts'
import { nextEvictionStep } from './next-eviction-step.ts'
import type { EvictionStep, EvictionView } from './next-eviction-step.ts'

/** Deletes pods that do not tolerate a `NoExecute` taint of their node, or no longer. */
export const startTaintEviction: StartRole<object> = (_config, world, signal) =>
  startControllers(world, signal, (role) => [defineTaintEviction(role)])

type EvictionMemory = { readonly uid: string; readonly sinceMs: number }

function defineTaintEviction({ api, clock, events, follow, createQueue }: ControllerRole) {
  const nodes = follow(NODES)
  const pods = follow(PODS)
  const podsOn = pods.indexBy(nodeNameOfPod)
  const taintsOf = (nodeName: string | undefined): readonly Taint[] =>
    nodeName ? evictingTaints(nodes.get(nodeName)) : NONE
  return defineController<EvictionView, EvictionStep, EvictionMemory>({
    name: 'taint-eviction',
    queue: createQueue({ name: 'taint_eviction_controller', lanes: { default: 8 } }),
    watch: [
      // Most pods are on nodes without such a taint, and most changes of pods do not matter. A pod that is gone is forgotten.
      on(pods, ({ key, before, after: pod }) =>
        pod && (isSamePlace(before, pod) || taintsOf(pod.spec.nodeName).length === 0) ? undefined : key,
      ),
      on(nodes, ({ key, before, after: node }) =>
        isEqualJson(evictingTaints(before), evictingTaints(node)) ? undefined : podsOn(key).map(keyOf),
      ),
    ],
    view: (key, { memory }) => {
      const pod = pods.get(key)
      const taints = taintsOf(pod?.spec.nodeName)
      if (!pod || (taints.length === 0 && !memory)) return undefined
      const sinceMs = memory?.uid === pod.metadata.uid ? memory?.sinceMs : undefined
      return { seen: { pod, taints }, held: { nowMs: clock.nowMs(), sinceMs } }
    },
    decide: nextEvictionStep,
    perform: {
      schedule: (_step, pass) => {
        pass.memory = { uid: pass.view.seen.pod.metadata.uid ?? '', sinceMs: pass.view.held.nowMs }
      },
      cancel: (_step, pass) => {
        pass.memory = undefined
        const { pod } = pass.view.seen
        events.record(pod, 'Normal', 'TaintManagerEviction', `Cancelling deletion of Pod ${nameOf(pod)}`)
      },
      evict: async (_step, { view: { seen } }) => {
        const { pod } = seen
        const conditions = setCondition(pod.status?.conditions, DISRUPTED, clock.nowMs())
        if (conditions !== pod.status?.conditions)
          await patchAsSeen(api, PODS, pod, mergeAsSeen(pod, { status: { conditions } }), { subresource: 'status' })
        events.record(pod, 'Normal', 'TaintManagerEviction', `Marking for deletion Pod ${nameOf(pod)}`)
        const { uid = '' } = pod.metadata
        await api.delete(PODS, refOf(pod), { preconditions: { uid } }).catch(ignoreNotFound)
        return DONE
      },
    },
  })
}

const NONE: readonly Taint[] = []
const DISRUPTED: Omit<PodCondition, 'lastTransitionTime'> = {
  type: 'DisruptionTarget',
  status: 'True',
  reason: 'DeletionByTaintManager',
  message: 'Taint manager: deleting due to NoExecute taint',
}

const evictingTaints = (node: Node | undefined): readonly Taint[] =>
  node?.spec?.taints?.filter(({ effect }) => effect === 'NoExecute') ?? NONE

const isSamePlace = (before: Pod | undefined, pod: Pod): boolean =>
  before?.metadata.uid === pod.metadata.uid &&
  before?.spec.nodeName === pod.spec.nodeName &&
  isEqualJson(before?.spec.tolerations ?? [], pod.spec.tolerations ?? [])

const nameOf = ({ metadata: { namespace = '', name = '' } }: Pod): string => keyOfRef({ namespace, name })
