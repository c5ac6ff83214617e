import { deepEqual, equal } from 'node:assert/strict'
import { test } from 'node:test'
import type { Api } from '../../api/api.ts'
import type { Pod } from '../../api/kinds/pod.ts'
import { keyOf } from '../../api/object-key.ts'
import { createSilentLogger } from '../../base/logger.ts'
import { createSeededRandom } from '../../base/random.ts'
import { createSimulatedClock } from '../../base/simulated-clock.ts'
import { createHoldTable } from '../../kube/controller/hold-table.ts'
import { createPasses } from '../../kube/controller/run-passes.ts'
import { createWorkQueue } from '../../kube/controller/work-queue.ts'
import { podOf } from '../../testing/objects.ts'
import { DEFAULT_SCHEDULER } from './next-placement-step.ts'
import { createPlacementWriter, definePodPlacement } from './pod-placement.ts'
import type { PlacementWriter } from './pod-placement.ts'
import { createRefusals } from './refusals.ts'
import { clusterOf, nodeOf } from './testing/describe-scheduler.ts'
import { createWaitingPods } from './waiting-pods.ts'

/** One pod and one node; `place` is what the server does when it is told. */
function openReconciler(pod: Pod, place: (pod: Pod, node: string) => void) {
  const clock = createSimulatedClock()
  const state = clusterOf(nodeOf(), pod)
  const none = (): Promise<void> => Promise.resolve()
  const write: PlacementWriter = {
    match: none,
    select: none,
    reread: none,
    unschedulable: none,
    place: async (told, node) => place(told, node),
  }
  const definition = definePodPlacement({
    config: { schedulerName: DEFAULT_SCHEDULER, bindTimeoutMs: 60_000 },
    clock,
    queue: createWorkQueue({ clock, random: createSeededRandom(1) }),
    events: { record: () => {}, flush: none },
    world: state,
    write,
    refusals: createRefusals({ clock, random: createSeededRandom(1) }, { initialMs: 1000, maximumMs: 10_000 }),
    waiting: createWaitingPods(clock, state, () => {}),
  })
  const passes = createPasses(definition, {
    events: { record: () => {}, flush: none },
    log: createSilentLogger(),
    signal: new AbortController().signal,
    holds: createHoldTable(),
    enqueue: () => {},
  })
  const look = async (): Promise<number> => {
    await passes.run(keyOf(pod))
    return state.reservations.on('n1').length
  }
  return { state, look }
}

const pod = podOf('p1', { metadata: { resourceVersion: '1' } })
const placed = podOf('p1', { metadata: { resourceVersion: '2' }, spec: { nodeName: 'n1' } })

test('keeps the node for a pod until the server tells that it is there', async () => {
  const { look } = openReconciler(pod, () => {})
  equal(await look(), 1)
  equal(await look(), 1)
})

test('keeps nothing for a pod that the server told about before it answered', async () => {
  const { state, look } = openReconciler(pod, () => state.pods.put(placed))
  equal(await look(), 1, 'known to be placed only now')
  equal(await look(), 0, 'looked at again because of what the server told')
})

test('a binding goes before other requests of the process', async () => {
  const urgencies: unknown[] = []
  // Only what `place` uses.
  const api = {
    createSubresource: (...given: Parameters<Api['createSubresource']>) => {
      urgencies.push(given[4]?.urgency)
      return Promise.resolve({})
    },
  } as unknown as Api
  await createPlacementWriter(api, createSimulatedClock(), { remember: () => {} }).place(pod, 'n1')
  deepEqual(urgencies, ['now'])
})
