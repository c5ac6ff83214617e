import { deepEqual, equal, rejects } from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { ApiError } from '../../api/api-error.ts'
import { isNotFound } from '../../api/api-error.ts'
import { POD_DISRUPTION_BUDGETS } from '../../api/kinds/pod-disruption-budget.ts'
import { PODS } from '../../api/kinds/pod.ts'
import type { Pod } from '../../api/kinds/pod.ts'
import { isRefusal } from '../testing/is-refusal.ts'
import { pod } from '../testing/objects-under-test.ts'
import { openServerUnderTest } from '../testing/open-server-under-test.ts'
import type { ServerUnderTest } from '../testing/open-server-under-test.ts'

const at = (name: string) => ({ namespace: 'default', name })
const labels = { app: 'web' }

async function openWorld() {
  const server = await openServerUnderTest()
  const { api } = server
  return {
    [Symbol.asyncDispose]: () => server.close(),
    server,
    run: async (name: string, phase: NonNullable<Pod['status']>['phase'] = 'Running'): Promise<void> => {
      await api.create(PODS, pod(name, { labels }, { nodeName: 'n1' }))
      await api.patch(PODS, at(name), { type: 'merge', value: { status: { phase } } }, { subresource: 'status' })
    },
    evict: (name: string, body: object = {}) =>
      api.createSubresource(PODS, at(name), 'eviction', {
        apiVersion: 'policy/v1',
        kind: 'Eviction',
        metadata: at(name),
        ...body,
      }),
    allow: async (disruptionsAllowed: number, name = 'budget'): Promise<void> => {
      await api.create(POD_DISRUPTION_BUDGETS, {
        apiVersion: 'policy/v1',
        kind: 'PodDisruptionBudget',
        metadata: at(name),
        spec: { minAvailable: 1, selector: { matchLabels: labels } },
      })
      const status = { disruptionsAllowed, currentHealthy: 1, desiredHealthy: 1, expectedPods: 1 }
      await api.patch(POD_DISRUPTION_BUDGETS, at(name), { type: 'merge', value: { status } }, { subresource: 'status' })
    },
    budget: async () => (await api.get(POD_DISRUPTION_BUDGETS, at('budget'))).status,
  }
}
const graceOf = async (server: ServerUnderTest, name: string) =>
  (await server.api.get(PODS, at(name))).metadata.deletionGracePeriodSeconds

describe('evicting a pod', () => {
  test('deletes it as its options say', async () => {
    await using world = await openWorld()
    for (const name of ['plain', 'quick', 'at-once']) await world.run(name)
    deepEqual(await world.evict('plain'), {
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Success',
      code: 201,
    })
    await world.evict('quick', { deleteOptions: { gracePeriodSeconds: 3 } })
    await world.evict('at-once', { deleteOptions: { gracePeriodSeconds: 0 } })
    deepEqual([await graceOf(world.server, 'plain'), await graceOf(world.server, 'quick')], [30, 3])
    await rejects(graceOf(world.server, 'at-once'), isNotFound)
  })

  test('is refused when its budget is spent, with a reason that clients know', async () => {
    await using world = await openWorld()
    await world.run('p')
    await world.allow(0)
    await rejects(world.evict('p'), (error: ApiError) => {
      equal(error.message, "Cannot evict pod as it would violate the pod's disruption budget.")
      deepEqual([error.code, error.reason, error.causes[0]?.reason], [429, 'TooManyRequests', 'DisruptionBudget'])
      return true
    })
    equal(await graceOf(world.server, 'p'), undefined)
  })

  test('spends its budget, and two at once do not share the last disruption', async () => {
    await using world = await openWorld()
    for (const name of ['a', 'b', 'c']) await world.run(name)
    await world.allow(2)
    const results = await Promise.allSettled(['a', 'b', 'c'].map((name) => world.evict(name)))
    deepEqual(
      results.map(({ status }) => status),
      ['fulfilled', 'fulfilled', 'rejected'],
    )
    deepEqual((await world.budget())?.disruptionsAllowed, 0)
    deepEqual(Object.keys((await world.budget())?.disruptedPods ?? {}), ['a', 'b'])
  })

  test('costs nothing for a pod that does not run, or goes already', async () => {
    await using world = await openWorld()
    for (const phase of ['Succeeded', 'Failed', 'Pending'] as const) await world.run(phase.toLowerCase(), phase)
    await world.run('going')
    await world.server.api.delete(PODS, at('going'))
    await world.allow(0)
    for (const name of ['succeeded', 'failed', 'pending', 'going']) await world.evict(name)
  })

  test('costs nothing when it can not be done', async () => {
    await using world = await openWorld()
    await world.run('p')
    await world.allow(1)
    await rejects(
      world.evict('p', { deleteOptions: { preconditions: { uid: 'other' } } }),
      isRefusal('Conflict', /the UID in the precondition/),
    )
    await rejects(world.evict('absent'), isRefusal('NotFound', /"absent" not found/))
    equal((await world.budget())?.disruptionsAllowed, 1)
  })

  test('with a dry run, asked for either way, changes nothing', async () => {
    await using world = await openWorld()
    await world.run('p')
    await world.allow(1)
    await world.evict('p', { deleteOptions: { dryRun: ['All'] } })
    await world.server.api.createSubresource(PODS, at('p'), 'eviction', {}, { dryRun: true })
    equal(await graceOf(world.server, 'p'), undefined)
    equal((await world.budget())?.disruptionsAllowed, 1)
  })

  test('minds only budgets that select the pod', async () => {
    await using world = await openWorld()
    await world.run('p')
    await world.allow(0)
    await world.server.api.patch(PODS, at('p'), { type: 'merge', value: { metadata: { labels: { app: 'other' } } } })
    await world.evict('p')
    equal(await graceOf(world.server, 'p'), 30)
  })

  test('is refused when several budgets select the pod', async () => {
    await using world = await openWorld()
    await world.run('p')
    await world.allow(1)
    await world.allow(1, 'second')
    await rejects(world.evict('p'), isRefusal('InternalError', /more than one PodDisruptionBudget/))
  })

  test('can be asked for in the version that older clients know', async () => {
    await using world = await openWorld()
    await world.run('p')
    await world.evict('p', { apiVersion: 'policy/v1beta1' })
    equal(await graceOf(world.server, 'p'), 30)
  })

  test('needs a body that means this pod', async () => {
    await using world = await openWorld()
    await world.run('p')
    await rejects(
      world.evict('p', { metadata: { name: 'another' } }),
      isRefusal('BadRequest', /does not match name in Eviction object/),
    )
    await rejects(world.evict('p', { kind: 'Pod' }), isRefusal('BadRequest', /must be of type Eviction/))
  })
})
