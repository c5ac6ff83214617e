import { deepEqual, equal } from 'node:assert/strict'
import { test } from 'node:test'
import type { Api } from '../../api/api.ts'
import { NODES } from '../../api/kinds/node.ts'
import type { Node } from '../../api/kinds/node.ts'
import { PODS } from '../../api/kinds/pod.ts'
import { formatTimestamp } from '../../api/timestamps.ts'
import type { Clock } from '../../base/clock.ts'
import { createOn, createWithStatus, nodeOf, podOf } from '../../testing/objects.ts'
import { startUnderTest } from './testing/health-monitor-under-test.ts'
import type { HealthMonitorUnderTest } from './testing/health-monitor-under-test.ts'

const MINUTE = 60_000
const FAILED =
  'Warning NodeFailed c1 x1: Pods: [ p1 ] consuming PVC: c1 in namespace: default are now on a failed node: n1'
const RECOVERED = 'Warning NodeRecovered c1 x1: Node: n1 recovered'

const statusOf = (ready: boolean, clock: Clock): NonNullable<Node['status']> => ({
  conditions: [
    { type: 'Ready', status: ready ? 'True' : 'Unknown', lastTransitionTime: formatTimestamp(clock.nowMs()) },
  ],
})

/** Node `n1` with pod `p1`, which uses claim `c1`. */
async function createUser(api: Api, clock: Clock): Promise<void> {
  await createWithStatus(api, NODES, nodeOf('n1', { status: statusOf(true, clock) }))
  await createOn(api, PODS, podOf('p1', { claims: ['c1'], nodeName: 'n1' }))
}

const startWatching = (context: Parameters<typeof startUnderTest>[0], enableNodeWatcher = true) =>
  startUnderTest(context, {
    config: { enableNodeWatcher },
    volumes: 2,
    before: ({ api, clock }) => createUser(api, clock),
  })

async function setReady({ api, clock, settled }: HealthMonitorUnderTest, ready: boolean): Promise<void> {
  const value = { status: statusOf(ready, clock) }
  await api.patch(NODES, { name: 'n1' }, { type: 'merge', value }, { subresource: 'status' })
  await settled()
}

test('claims whose pods are on a node that is not ready for five minutes are told once, and once that it is back', async (context) => {
  const under = await startWatching(context)
  await setReady(under, false)
  await under.advance(4 * MINUTE)
  deepEqual(await under.events(), [])
  await under.advance(MINUTE)
  deepEqual(await under.events(), [FAILED])
  await under.advance(20 * MINUTE)
  deepEqual(await under.events(), [FAILED])
  await setReady(under, true)
  deepEqual(await under.events(), [FAILED, RECOVERED])
  await under.advance(5 * MINUTE)
  deepEqual(await under.events(), [FAILED, RECOVERED])
  deepEqual(under.writes, [])
})

test('a node that comes back in time is not mentioned', async (context) => {
  const under = await startWatching(context)
  await setReady(under, false)
  await under.advance(4 * MINUTE)
  await setReady(under, true)
  await under.advance(20 * MINUTE)
  deepEqual(await under.events(), [])
})

test('a node that is deleted has failed', async (context) => {
  const under = await startWatching(context)
  await under.api.delete(NODES, { name: 'n1' })
  await under.settled()
  deepEqual(await under.events(), [FAILED])
})

test('a process that takes over knows how long the node is away, whom it told, and whom to tell of recovery', async (context) => {
  const under = await startWatching(context)
  await setReady(under, false)
  await under.advance(4 * MINUTE)
  await under.stop()
  await under.advance(2 * MINUTE)
  await under.start()
  deepEqual(await under.events(), [FAILED])
  await under.stop()
  await under.advance(1000)
  await under.start()
  deepEqual(await under.events(), [FAILED])
  await under.stop()
  await setReady(under, true)
  await under.start()
  deepEqual(await under.events(), [FAILED, RECOVERED])
  await under.stop()
  await under.advance(1000)
  await under.start()
  deepEqual(await under.events(), [FAILED, RECOVERED])
})

test('nodes are not watched unless asked for', async (context) => {
  const under = await startWatching(context, false)
  await setReady(under, false)
  await under.advance(20 * MINUTE)
  equal((await under.events()).length, 0)
})
