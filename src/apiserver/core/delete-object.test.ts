import { deepEqual, equal, rejects } from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { ApiError } from '../../api/api-error.ts'
import type { DeleteOptions } from '../../api/api.ts'
import { CONFIG_MAPS } from '../../api/kinds/config-map.ts'
import { LEASES } from '../../api/kinds/lease.ts'
import { NODES } from '../../api/kinds/node.ts'
import { PODS } from '../../api/kinds/pod.ts'
import type { Pod } from '../../api/kinds/pod.ts'
import { STORAGE_CLASSES } from '../../api/kinds/storage-class.ts'
import type { KubeObject, ObjectMeta, Status } from '../../api/object.ts'
import { isRefusal } from '../testing/is-refusal.ts'
import { configMap, pod } from '../testing/objects-under-test.ts'
import { openServerUnderTest, recordWatch } from '../testing/open-server-under-test.ts'
import type { ServerUnderTest } from '../testing/open-server-under-test.ts'

let server: ServerUnderTest
before(async () => void (server = await openServerUnderTest()))
after(() => server.close())

const at = (name: string) => ({ namespace: 'default', name })
const remove = (name: string, options: DeleteOptions = {}) => server.api.delete(CONFIG_MAPS, at(name), options)
const make = (name: string, metadata: ObjectMeta = {}) =>
  server.api.create(CONFIG_MAPS, configMap(name, metadata, { a: '1' }))
const gone = isRefusal('NotFound', /not found/)
const metadataOf = (answer: KubeObject | Status) => (answer as KubeObject).metadata

describe('delete', () => {
  test('removes the object; the event shows its last state with the revision of the deletion', async () => {
    const made = await make('plain')
    using watch = recordWatch((signal) =>
      server.api.watch(CONFIG_MAPS, {
        ...selected('plain'),
        resourceVersion: made.metadata.resourceVersion ?? '',
        signal,
      }),
    )
    await server.settled()
    await remove('plain')
    await server.settled()
    await rejects(server.api.get(CONFIG_MAPS, at('plain')), gone)
    const metadata = { ...made.metadata, resourceVersion: String(server.core.parts.store.revision()) }
    deepEqual(watch.events, [{ type: 'DELETED', object: { ...made, metadata } }])
  })

  test('answers with the object for some kinds, with a Status for others', async () => {
    const made = await make('answered')
    deepEqual(await remove('answered'), {
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Success',
      details: { name: 'answered', kind: 'configmaps', uid: made.metadata.uid },
    })
    const lease = await server.api.create(LEASES, {
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: at('l'),
    })
    deepEqual(((await server.api.delete(LEASES, at('l'))) as Status).details, {
      name: 'l',
      group: 'coordination.k8s.io',
      kind: 'leases',
      uid: lease.metadata.uid,
    })
    await server.api.create(NODES, { apiVersion: 'v1', kind: 'Node', metadata: { name: 'n' } })
    equal((await server.api.delete(NODES, { name: 'n' })).kind, 'Status')
    await server.api.create(STORAGE_CLASSES, {
      apiVersion: 'storage.k8s.io/v1',
      kind: 'StorageClass',
      metadata: { name: 's' },
      provisioner: 'd.example.com',
    })
    equal((await server.api.delete(STORAGE_CLASSES, { name: 's' })).kind, 'StorageClass')
    await server.api.create(PODS, pod('answered'))
    equal((await server.api.delete(PODS, at('answered'))).kind, 'Pod')
  })

  test('of what is not there is refused', async () => {
    await rejects(remove('absent'), gone)
  })

  test('means the object with this uid and revision, or none', async () => {
    const made = await make('precise')
    const changed = await server.api.patch(CONFIG_MAPS, at('precise'), { type: 'merge', value: { data: { b: '2' } } })
    await rejects(remove('precise', { preconditions: { uid: 'other' } }), (error: ApiError) => {
      equal(error.code, 409)
      equal(
        error.message,
        `Operation cannot be fulfilled on ConfigMap "precise": the UID in the precondition (other) does not match the UID in record (${made.metadata.uid}). The object might have been deleted and then recreated`,
      )
      return true
    })
    await rejects(
      remove('precise', { preconditions: { resourceVersion: made.metadata.resourceVersion ?? '' } }),
      isRefusal('Conflict', /the ResourceVersion in the precondition/),
    )
    await remove('precise', {
      preconditions: { uid: made.metadata.uid ?? '', resourceVersion: changed.metadata.resourceVersion ?? '' },
    })
    await rejects(server.api.get(CONFIG_MAPS, at('precise')), gone)
  })

  test('with a dry run shows what would happen, and does nothing', async () => {
    await make('dry')
    await make('dry-held', { finalizers: ['example.com/x'] })
    const revision = server.core.parts.store.revision()
    equal(((await remove('dry', { dryRun: true })) as Status).status, 'Success')
    equal(metadataOf(await remove('dry-held', { dryRun: true })).deletionTimestamp, '2030-01-01T00:00:00Z')
    await rejects(remove('dry-absent', { dryRun: true }), gone)
    equal(server.core.parts.store.revision(), revision)
    equal((await server.api.get(CONFIG_MAPS, at('dry-held'))).metadata.deletionTimestamp, undefined)
  })
})

const selected = (name: string) => ({ namespace: 'default', fieldSelector: `metadata.name=${name}` })

describe('finalizers', () => {
  test('keep a deleted object, marked, until the last one is gone', async () => {
    const made = await make('held', { finalizers: ['example.com/a', 'example.com/b'] })
    using watch = recordWatch((signal) =>
      server.api.watch(CONFIG_MAPS, {
        ...selected('held'),
        resourceVersion: made.metadata.resourceVersion ?? '',
        signal,
      }),
    )
    await server.settled()
    const marked = metadataOf(await remove('held'))
    deepEqual([marked.deletionTimestamp, marked.deletionGracePeriodSeconds], ['2030-01-01T00:00:00Z', 0])
    const still = await server.api.patch(CONFIG_MAPS, at('held'), {
      type: 'merge',
      value: { metadata: { finalizers: ['example.com/b'] } },
    })
    const last = await server.api.patch(CONFIG_MAPS, at('held'), {
      type: 'merge',
      value: { metadata: { finalizers: [] } },
    })
    equal(last.metadata.uid, made.metadata.uid)
    await rejects(server.api.get(CONFIG_MAPS, at('held')), gone)
    await server.settled()
    deepEqual(watch.texts(), ['MODIFIED held', 'MODIFIED held', 'DELETED held'])
    const versions = watch.events.map((event) =>
      event.type === 'BOOKMARK' ? '' : event.object.metadata.resourceVersion,
    )
    deepEqual(versions, [marked.resourceVersion, still.metadata.resourceVersion, last.metadata.resourceVersion])
  })

  test('deleting again changes nothing', async () => {
    await make('again', { finalizers: ['example.com/a'] })
    const first = metadataOf(await remove('again'))
    await server.clock.advance(5000)
    deepEqual(metadataOf(await remove('again')), first)
  })

  test('can not be added once deletion was asked for', async () => {
    await make('late', { finalizers: ['example.com/a'] })
    await remove('late')
    const add = server.api.patch(CONFIG_MAPS, at('late'), {
      type: 'merge',
      value: { metadata: { finalizers: ['example.com/a', 'example.com/new'] } },
    })
    await rejects(
      add,
      isRefusal(
        'Invalid',
        /no new finalizers can be added if the object is being deleted, found new finalizers \[\]string\{"example\.com\/new"\}/,
      ),
    )
  })

  test('deletion can not be taken back', async () => {
    await make('marked', { finalizers: ['example.com/a'] })
    const marked = metadataOf(await remove('marked'))
    const changed = await server.api.patch(CONFIG_MAPS, at('marked'), {
      type: 'merge',
      value: { metadata: { deletionTimestamp: null, labels: { a: 'b' } } },
    })
    equal(changed.metadata.deletionTimestamp, marked.deletionTimestamp)
  })

  test('other changes of a deleted object are taken', async () => {
    await make('changing', { finalizers: ['example.com/a'] })
    await remove('changing')
    deepEqual(
      (await server.api.patch(CONFIG_MAPS, at('changing'), { type: 'merge', value: { data: { b: '2' } } })).data,
      { a: '1', b: '2' },
    )
  })
})

describe('grace of a pod', () => {
  const makePod = async (
    name: string,
    spec: Partial<Pod['spec']>,
    status?: Pod['status'],
    metadata: ObjectMeta = {},
  ): Promise<void> => {
    await server.api.create(PODS, pod(name, metadata, spec))
    if (status) await server.api.patch(PODS, at(name), { type: 'merge', value: { status } }, { subresource: 'status' })
  }
  const removePod = async (name: string, options: DeleteOptions = {}) =>
    metadataOf(await server.api.delete(PODS, at(name), options))
  const secondsFromNow = (seconds: number): string =>
    new Date(server.clock.nowMs() + seconds * 1000).toISOString().replace('.000Z', 'Z')

  test('is 30 seconds on a node, unless the pod or the request says otherwise', async () => {
    await makePod('usual', { nodeName: 'n1' })
    await makePod('own', { nodeName: 'n1', terminationGracePeriodSeconds: 7 })
    await makePod('asked', { nodeName: 'n1' })
    const marks = [
      await removePod('usual'),
      await removePod('own'),
      await removePod('asked', { gracePeriodSeconds: 3 }),
    ]
    deepEqual(
      marks.map((mark) => mark.deletionGracePeriodSeconds),
      [30, 7, 3],
    )
    deepEqual(
      marks.map((mark) => mark.deletionTimestamp),
      [30, 7, 3].map(secondsFromNow),
    )
    // The first mark counts as a change of the desired state.
    equal(marks[0]?.generation, 2)
    equal((await server.api.get(PODS, at('usual'))).metadata.deletionTimestamp, marks[0]?.deletionTimestamp)
  })

  test('is none where nothing runs', async () => {
    await makePod('unscheduled', {})
    await makePod('succeeded', { nodeName: 'n1' }, { phase: 'Succeeded' })
    await makePod('failed', { nodeName: 'n1' }, { phase: 'Failed' })
    for (const name of ['unscheduled', 'succeeded', 'failed']) {
      await removePod(name)
      await rejects(server.api.get(PODS, at(name)), gone)
    }
  })

  test('ends when the node agent deletes with none', async () => {
    await makePod('ending', { nodeName: 'n1' })
    const { uid = '' } = await removePod('ending')
    await rejects(
      removePod('ending', { gracePeriodSeconds: 0, preconditions: { uid: 'of another life' } }),
      isRefusal('Conflict', /UID/),
    )
    await removePod('ending', { gracePeriodSeconds: 0, preconditions: { uid } })
    await rejects(server.api.get(PODS, at('ending')), gone)
  })

  test('gets shorter when asked again, never longer, and counts from the first time', async () => {
    await makePod('sooner', { nodeName: 'n1' })
    const first = await removePod('sooner')
    await server.clock.advance(25_000)
    const kept = await removePod('sooner', { gracePeriodSeconds: 60 })
    deepEqual(kept, first)
    const sooner = await removePod('sooner', { gracePeriodSeconds: 20 })
    equal(sooner.deletionGracePeriodSeconds, 20)
    equal(sooner.deletionTimestamp, secondsFromNow(-5))
    equal(sooner.generation, first.generation)
  })

  test('and finalizers both have to end', async () => {
    await makePod('both', { nodeName: 'n1' }, undefined, { finalizers: ['example.com/a'] })
    await removePod('both')
    await removePod('both', { gracePeriodSeconds: 0 })
    equal((await server.api.get(PODS, at('both'))).metadata.deletionGracePeriodSeconds, 0)
    await server.api.patch(PODS, at('both'), { type: 'merge', value: { metadata: { finalizers: null } } })
    await rejects(server.api.get(PODS, at('both')), gone)
  })

  test('outlives the finalizers of a pod that still runs', async () => {
    await makePod('running', { nodeName: 'n1' }, undefined, { finalizers: ['example.com/a'] })
    await removePod('running')
    await server.api.patch(PODS, at('running'), { type: 'merge', value: { metadata: { finalizers: null } } })
    equal((await server.api.get(PODS, at('running'))).metadata.deletionGracePeriodSeconds, 30)
  })
})

describe('deleting a collection', () => {
  const names = async (labelSelector: string) =>
    (await server.api.list(CONFIG_MAPS, { namespace: 'default', labelSelector })).items.map(
      ({ metadata }) => metadata.name,
    )

  test('takes what is selected, and leaves what is held marked', async () => {
    for (const name of ['one', 'two']) await make(`all-${name}`, { labels: { set: 'all' } })
    await make('all-held', { labels: { set: 'all' }, finalizers: ['example.com/a'] })
    await make('all-other', { labels: { set: 'other' } })
    await server.api.deleteCollection(CONFIG_MAPS, { namespace: 'default', labelSelector: 'set=all' })
    deepEqual(await names('set'), ['all-held', 'all-other'])
    equal((await server.api.get(CONFIG_MAPS, at('all-held'))).metadata.deletionTimestamp === undefined, false)
  })

  test('with a dry run takes nothing', async () => {
    await make('dry-one', { labels: { set: 'dry' } })
    await server.api.deleteCollection(CONFIG_MAPS, { namespace: 'default', labelSelector: 'set=dry', dryRun: true })
    deepEqual(await names('set=dry'), ['dry-one'])
  })

  test('is not done over all namespaces', async () => {
    await rejects(
      server.api.deleteCollection(CONFIG_MAPS, {}),
      isRefusal('MethodNotAllowed', /not supported over all namespaces/),
    )
  })
})
