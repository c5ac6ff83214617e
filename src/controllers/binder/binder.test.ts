import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { test } from 'node:test'
import { EVENTS } from '../../api/kinds/event.ts'
import { PERSISTENT_VOLUME_CLAIMS } from '../../api/kinds/persistent-volume-claim.ts'
import { PERSISTENT_VOLUMES } from '../../api/kinds/persistent-volume.ts'
import type { ReclaimPolicy } from '../../api/kinds/persistent-volume.ts'
import { PODS } from '../../api/kinds/pod.ts'
import type { Api } from '../../api/api.ts'
import { pod } from '../../apiserver/testing/objects-under-test.ts'
import { reservedFor } from '../../testing/objects.ts'
import {
  createClaim,
  createClass,
  createVolume,
  provision,
  removeClaim,
  removeVolume,
  startUnderTest,
} from './testing/describe-binder.ts'

const FAST = { storageClassName: 'fast' }
const DEFAULT_CLASS = {
  metadata: { name: 'fast', annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' } },
}
const claimRef = { namespace: 'default', name: 'c1' }

test('S3-61: a claim gets the smallest volume that fits, in four writes, and both point at each other', async (context) => {
  const binder = await startUnderTest(context)
  const { api, writes, settled } = binder
  await createVolume(api, { name: 'large', size: '5Gi' })
  await createVolume(api, { name: 'v1', size: '2Gi' })
  await settled()
  deepEqual(writes.splice(0).sort(), ['patch persistentvolumes/status large', 'patch persistentvolumes/status v1'])
  const { metadata } = await createClaim(api)
  await settled()
  deepEqual(writes, [
    'patch persistentvolumes v1',
    'patch persistentvolumes/status v1',
    'patch persistentvolumeclaims c1',
    'patch persistentvolumeclaims/status c1',
  ])
  const [claim, volume] = [await binder.claim(), await binder.volume()]
  equal(claim.spec.volumeName, 'v1')
  deepEqual(claim.metadata.annotations, {
    'pv.kubernetes.io/bind-completed': 'yes',
    'pv.kubernetes.io/bound-by-controller': 'yes',
  })
  deepEqual(claim.status, { phase: 'Bound', accessModes: ['ReadWriteOnce'], capacity: { storage: '2Gi' } })
  const { resourceVersion: _version, ...ref } = volume.spec.claimRef ?? {}
  deepEqual(ref, {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    namespace: 'default',
    name: 'c1',
    uid: metadata.uid,
  })
  equal(volume.metadata.annotations?.['pv.kubernetes.io/bound-by-controller'], 'yes')
  equal(volume.status?.phase, 'Bound')
  equal(await binder.volumeState('large'), 'Available')
  deepEqual(await binder.events(), [])
})

test('S3-61: a provisioned volume is bound in three writes after one that marks the claim', async (context) => {
  const binder = await startUnderTest(context, { before: ({ api }) => createClass(api).then(() => {}) })
  const { api, writes, settled } = binder
  const claim = await createClaim(api, { spec: FAST })
  await settled()
  deepEqual(writes.splice(0), ['patch persistentvolumeclaims c1'])
  const marked = await binder.claim()
  equal(marked.metadata.annotations?.['volume.kubernetes.io/storage-provisioner'], 'test.holdfast.dev')
  equal(marked.metadata.annotations?.['volume.beta.kubernetes.io/storage-provisioner'], 'test.holdfast.dev')
  deepEqual(await binder.events(), ['Normal ExternalProvisioning PersistentVolumeClaim/c1'])

  await provision(api, claim)
  await settled()
  deepEqual(writes, [
    'patch persistentvolumes/status pvc-c1',
    'patch persistentvolumeclaims c1',
    'patch persistentvolumeclaims/status c1',
  ])
  equal(await binder.claimState(), 'Bound pvc-c1')
  const volume = await binder.volume('pvc-c1')
  equal(volume.status?.phase, 'Bound')
  equal(volume.metadata.annotations?.['pv.kubernetes.io/bound-by-controller'], undefined)
})

test('S3-61: what is bound costs nothing, however much time passes and however often it starts', async (context) => {
  const binder = await startUnderTest(context)
  await createVolume(binder.api)
  await createClaim(binder.api)
  await binder.settled()
  binder.writes.length = 0
  await binder.advance(600_000)
  await binder.stop()
  await binder.start()
  deepEqual(binder.writes, [])
})

test('that a claim waits for its provisioner is said once', async (context) => {
  const binder = await startUnderTest(context, { before: ({ api }) => createClass(api).then(() => {}) })
  const { api } = binder
  await createClaim(api, { spec: FAST })
  await binder.settled()
  await api.patch(PERSISTENT_VOLUME_CLAIMS, claimRef, { type: 'merge', value: { metadata: { labels: { a: 'b' } } } })
  await binder.advance(60_000)
  await binder.stop()
  await binder.start()
  const [event, ...more] = (await api.list(EVENTS)).items
  equal(event?.count, 1)
  deepEqual(more, [])
  match(event?.message ?? '', /external provisioner 'test.holdfast.dev'/)
})

test('S3-61: a person reserves a volume for a claim that comes later, whatever else is there', async (context) => {
  const binder = await startUnderTest(context)
  const { api, writes, settled } = binder
  await createVolume(api, { name: 'small' })
  await createVolume(api, { name: 'v1', size: '9Gi', spec: { claimRef: reservedFor('c1') } })
  await settled()
  equal(await binder.volumeState(), 'Available default/c1')
  writes.length = 0
  const claim = await createClaim(api)
  await settled()
  equal(await binder.claimState(), 'Bound v1')
  equal((await binder.volume()).spec.claimRef?.uid, claim.metadata.uid)
  equal((await binder.volume()).metadata.annotations?.['pv.kubernetes.io/bound-by-controller'], undefined)
  equal(writes.length, 4)
})

test('S3-61: a person names a volume in a claim', async (context) => {
  const binder = await startUnderTest(context)
  await createVolume(binder.api, { name: 'small' })
  await createVolume(binder.api, { size: '9Gi' })
  await createClaim(binder.api, { spec: { volumeName: 'v1', storageClassName: '' } })
  await binder.settled()
  equal(await binder.claimState(), 'Bound v1')
  deepEqual((await binder.claim()).metadata.annotations, { 'pv.kubernetes.io/bind-completed': 'yes' })
  equal((await binder.volume()).metadata.annotations?.['pv.kubernetes.io/bound-by-controller'], 'yes')
})

test('a claim that names a volume which is missing, unfit or taken waits, and is bound once that is over', async (context) => {
  const binder = await startUnderTest(context)
  const { api, settled } = binder
  await createClaim(api, { size: '2Gi', spec: { volumeName: 'v1', storageClassName: '' } })
  await settled()
  equal(await binder.claimState(), 'Pending v1')
  deepEqual(await binder.events(), [])
  await createVolume(api)
  await settled()
  equal(await binder.claimState(), 'Pending v1')
  deepEqual(await binder.events(), ['Warning VolumeMismatch PersistentVolumeClaim/c1'])
  await removeVolume(api)
  await createVolume(api, { size: '2Gi', spec: { claimRef: reservedFor('other') } })
  await settled()
  equal(await binder.claimState(), 'Pending v1')
  ok((await binder.events()).includes('Warning FailedBinding PersistentVolumeClaim/c1'))
  await api.patch(PERSISTENT_VOLUMES, { name: 'v1' }, { type: 'merge', value: { spec: { claimRef: null } } })
  await settled()
  equal(await binder.claimState(), 'Bound v1')
})

test('a claim without a class gets one when a default comes, however late', async (context) => {
  const binder = await startUnderTest(context)
  const { api, settled } = binder
  await createClaim(api, { name: 'unasked' })
  await createClaim(api, { className: undefined })
  await settled()
  deepEqual(await binder.events(), [
    'Normal FailedBinding PersistentVolumeClaim/c1',
    'Normal FailedBinding PersistentVolumeClaim/unasked',
  ])
  await createClass(api, DEFAULT_CLASS)
  await settled()
  equal((await binder.claim()).spec.storageClassName, 'fast')
  equal((await binder.claim()).metadata.annotations?.['volume.kubernetes.io/storage-provisioner'], 'test.holdfast.dev')
  // The empty class is a choice.
  equal((await binder.claim('unasked')).spec.storageClassName, '')
})

test('a claim whose class is missing says so, and goes on when the class comes', async (context) => {
  const binder = await startUnderTest(context)
  await createClaim(binder.api, { spec: FAST })
  await binder.settled()
  deepEqual(await binder.events(), ['Warning ProvisioningFailed PersistentVolumeClaim/c1'])
  await createClass(binder.api)
  await binder.settled()
  equal((await binder.claim()).metadata.annotations?.['volume.kubernetes.io/storage-provisioner'], 'test.holdfast.dev')
})

test('a class of volumes made by hand marks no claim, and its volumes are bound', async (context) => {
  const binder = await startUnderTest(context, {
    before: ({ api }) => createClass(api, { provisioner: 'kubernetes.io/no-provisioner' }).then(() => {}),
  })
  await createClaim(binder.api, { spec: FAST })
  await binder.settled()
  deepEqual(await binder.events(), ['Warning ProvisioningFailed PersistentVolumeClaim/c1'])
  equal((await binder.claim()).metadata.annotations, undefined)
  await createVolume(binder.api, { spec: FAST })
  await binder.settled()
  equal(await binder.claimState(), 'Bound v1')
})

test('S3-63: a claim that waits for its pod is left to the scheduler, and marked once a node is selected', async (context) => {
  const binder = await startUnderTest(context, {
    before: ({ api }) => createClass(api, { volumeBindingMode: 'WaitForFirstConsumer' }).then(() => {}),
  })
  const { api, settled, writes } = binder
  await createVolume(api, { spec: FAST })
  await createClaim(api, { spec: FAST })
  await settled()
  equal(await binder.claimState(), 'Pending')
  deepEqual(await binder.events(), ['Normal WaitForFirstConsumer PersistentVolumeClaim/c1'])

  await api.create(PODS, pod('p1', {}, { volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'c1' } }] }))
  await settled()
  deepEqual(await binder.events(), ['Normal WaitForFirstConsumer PersistentVolumeClaim/c1'])
  await binder.advance(16_000)
  deepEqual(await binder.events(), [
    'Normal WaitForFirstConsumer PersistentVolumeClaim/c1',
    'Normal WaitForPodScheduled PersistentVolumeClaim/c1',
  ])

  writes.length = 0
  await api.patch(PERSISTENT_VOLUME_CLAIMS, claimRef, {
    type: 'merge',
    value: { metadata: { annotations: { 'volume.kubernetes.io/selected-node': 'n1' } } },
  })
  await settled()
  deepEqual(writes, ['patch persistentvolumeclaims c1'])
  equal((await binder.claim()).metadata.annotations?.['volume.kubernetes.io/storage-provisioner'], 'test.holdfast.dev')
})

test('S3-64: what the scheduler reserved for a claim that waits is bound in three writes', async (context) => {
  const binder = await startUnderTest(context, {
    before: ({ api }) => createClass(api, { volumeBindingMode: 'WaitForFirstConsumer' }).then(() => {}),
  })
  const { api, settled, writes } = binder
  await createVolume(api, { spec: FAST })
  const { metadata } = await createClaim(api, { spec: FAST })
  await settled()
  writes.length = 0
  await api.patch(
    PERSISTENT_VOLUMES,
    { name: 'v1' },
    {
      type: 'merge',
      value: {
        metadata: { annotations: { 'pv.kubernetes.io/bound-by-controller': 'yes' } },
        spec: { claimRef: reservedFor('c1', metadata.uid) },
      },
    },
  )
  await settled()
  deepEqual(writes, [
    'patch persistentvolumes/status v1',
    'patch persistentvolumeclaims c1',
    'patch persistentvolumeclaims/status c1',
  ])
  equal(await binder.claimState(), 'Bound v1')
})

test('size and attributes class of the volume are in the status of the claim, but an expansion under way is not', async (context) => {
  const binder = await startUnderTest(context)
  await createVolume(binder.api, {
    size: '3Gi',
    metadata: { name: 'v1', annotations: { 'volume.alpha.kubernetes.io/pre-resize-capacity': '2Gi' } },
    spec: { volumeAttributesClassName: 'gold' },
  })
  await createClaim(binder.api, { spec: { volumeAttributesClassName: 'gold', storageClassName: '' } })
  await binder.settled()
  const { status } = await binder.claim()
  deepEqual(status?.capacity, { storage: '2Gi' })
  equal(status?.currentVolumeAttributesClassName, 'gold')
  // From now on it is the resizer's.
  await binder.api.patch(
    PERSISTENT_VOLUMES,
    { name: 'v1' },
    { type: 'merge', value: { spec: { capacity: { storage: '4Gi' } } } },
  )
  await binder.settled()
  deepEqual((await binder.claim()).status?.capacity, { storage: '2Gi' })
})

const policies: [policy: ReclaimPolicy, source: 'csi' | 'nfs', state: string, events: string[]][] = [
  ['Retain', 'csi', 'Released default/c1', []],
  ['Delete', 'csi', 'Released default/c1', []],
  ['Delete', 'nfs', 'Failed default/c1', ['Warning VolumeFailedDelete PersistentVolume/v1']],
  ['Recycle', 'nfs', 'Failed default/c1', ['Warning VolumeFailedRecycle PersistentVolume/v1']],
]
for (const [persistentVolumeReclaimPolicy, source, state, events] of policies) {
  test(`S3-65, H53: a ${source} volume with policy ${persistentVolumeReclaimPolicy} whose claim is gone is ${state.split(' ')[0]}`, async (context) => {
    const binder = await startUnderTest(context)
    const { api, settled } = binder
    await createVolume(api, {
      spec: {
        persistentVolumeReclaimPolicy,
        ...(source === 'nfs' ? { nfs: { server: 's', path: '/' }, csi: undefined as never } : {}),
      },
    })
    await settled()
    await createClaim(api)
    await settled()
    await removeClaim(api)
    await settled()
    equal(await binder.volumeState(), state)
    deepEqual(await binder.events(), events)
    // A new claim of that name gets nothing of it.
    await createClaim(api)
    await settled()
    equal(await binder.claimState(), 'Pending')
    equal(await binder.volumeState(), state)
  })
}

test('a volume that a person frees after its claim went is available again, and goes to a claim that waits', async (context) => {
  const binder = await startUnderTest(context)
  const { api, settled } = binder
  await createVolume(api)
  await createClaim(api)
  await settled()
  await createClaim(api, { name: 'c2' })
  await removeClaim(api)
  await settled()
  equal(await binder.claimState('c2'), 'Pending')
  await api.patch(PERSISTENT_VOLUMES, { name: 'v1' }, { type: 'merge', value: { spec: { claimRef: null } } })
  await settled()
  equal(await binder.claimState('c2'), 'Bound v1')
})

test('a claim whose volume is gone is lost, and says so once', async (context) => {
  const binder = await startUnderTest(context)
  const { api, settled } = binder
  await createVolume(api)
  await settled()
  const { metadata } = await createClaim(api)
  await settled()
  await removeVolume(api)
  await settled()
  deepEqual((await binder.claim()).status, { phase: 'Lost' })
  // Another volume of that name is not the one that was lost.
  await createVolume(api)
  await settled()
  equal(await binder.claimState(), 'Lost v1')
  deepEqual(await binder.events(), ['Warning ClaimLost PersistentVolumeClaim/c1'])
  // Unless it says so.
  await api.patch(
    PERSISTENT_VOLUMES,
    { name: 'v1' },
    { type: 'merge', value: { spec: { claimRef: reservedFor('c1', metadata.uid) } } },
  )
  await settled()
  equal(await binder.claimState(), 'Bound v1')
})

test('a bound claim whose volume belongs to another claim is lost', async (context) => {
  const binder = await startUnderTest(context)
  const { api, settled } = binder
  await createVolume(api)
  await createClaim(api)
  await settled()
  const { metadata } = await createClaim(api, { name: 'c2', spec: { volumeName: 'v1', storageClassName: '' } })
  await settled()
  equal(await binder.claimState('c2'), 'Pending v1')
  await api.patch(
    PERSISTENT_VOLUMES,
    { name: 'v1' },
    { type: 'merge', value: { spec: { claimRef: reservedFor('c2', metadata.uid) } } },
  )
  await settled()
  equal(await binder.claimState(), 'Lost v1')
  equal(await binder.claimState('c2'), 'Bound v1')
  ok((await binder.events()).includes('Warning ClaimMisbound PersistentVolumeClaim/c1'))
})

test('what somebody breaks in a bound pair is repaired', async (context) => {
  const binder = await startUnderTest(context)
  const { api, settled } = binder
  await createVolume(api)
  const { metadata } = await createClaim(api)
  await settled()
  await api.patch(PERSISTENT_VOLUMES, { name: 'v1' }, { type: 'merge', value: { spec: { claimRef: null } } })
  await settled()
  equal((await binder.volume()).spec.claimRef?.uid, metadata.uid)
  equal(await binder.volumeState(), 'Bound default/c1')
  await api.patch(
    PERSISTENT_VOLUMES,
    { name: 'v1' },
    { type: 'merge', value: { status: { phase: 'Available' } } },
    { subresource: 'status' },
  )
  await api.patch(
    PERSISTENT_VOLUME_CLAIMS,
    claimRef,
    { type: 'merge', value: { status: { phase: 'Pending' } } },
    { subresource: 'status' },
  )
  await settled()
  equal(await binder.volumeState(), 'Bound default/c1')
  equal(await binder.claimState(), 'Bound v1')
})

test('a volume that was made for a claim which took another is let go', async (context) => {
  const binder = await startUnderTest(context)
  const { api, settled } = binder
  await createVolume(api)
  const claim = await createClaim(api)
  await settled()
  await provision(api, claim, 'late')
  await createVolume(api, {
    name: 'ours',
    metadata: { annotations: { 'pv.kubernetes.io/bound-by-controller': 'yes' } },
    spec: { claimRef: reservedFor('c1', claim.metadata.uid) },
  })
  await createVolume(api, { name: 'theirs', spec: { claimRef: reservedFor('c1', claim.metadata.uid) } })
  await settled()
  equal(await binder.volumeState('late'), 'Released default/c1')
  equal(await binder.volumeState('ours'), 'Available')
  equal(await binder.volumeState('theirs'), 'Available default/c1')
  equal((await binder.volume('theirs')).spec.claimRef?.uid, undefined)
  equal(await binder.claimState(), 'Bound v1')
})

test('a volume that names a claim which it does not fit tells both', async (context) => {
  const binder = await startUnderTest(context)
  const claim = await createClaim(binder.api)
  await binder.settled()
  await provision(binder.api, claim, 'v1', { spec: { volumeMode: 'Block' } })
  await binder.settled()
  equal(await binder.claimState(), 'Pending')
  deepEqual(
    (await binder.events()).filter((event) => event.includes('Mismatch')),
    ['Warning VolumeMismatch PersistentVolume/v1', 'Warning VolumeMismatch PersistentVolumeClaim/c1'],
  )
})

test('nothing is bound to a claim that is being deleted', async (context) => {
  const binder = await startUnderTest(context)
  await createClaim(binder.api)
  await binder.api.delete(PERSISTENT_VOLUME_CLAIMS, claimRef)
  await createVolume(binder.api)
  await binder.settled()
  equal(await binder.claimState(), 'Pending')
  equal(await binder.volumeState(), 'Available')
})

test('S3-61: many claims and volumes at once: each claim gets a volume of its own, whoever comes first, without a vain write', async (context) => {
  for (const first of ['claims', 'volumes'] as const) {
    const binder = await startUnderTest(context)
    const { api, settled, writes } = binder
    const numbers = Array.from({ length: 30 }, (_, index) => index + 1)
    const make = {
      claims: () => Promise.all(numbers.map((number) => createClaim(api, { name: `c${number}`, size: `${number}Gi` }))),
      volumes: () =>
        Promise.all(numbers.map((number) => createVolume(api, { name: `v${number}`, size: `${number}Gi` }))),
    }
    await make[first]()
    await settled()
    await make[first === 'claims' ? 'volumes' : 'claims']()
    await settled()
    const claims = (await api.list(PERSISTENT_VOLUME_CLAIMS)).items
    deepEqual(
      claims.filter(({ status }) => status?.phase !== 'Bound').map(({ metadata }) => metadata.name),
      [],
      first,
    )
    equal(new Set(claims.map(({ spec }) => spec.volumeName)).size, numbers.length)
    equal(writes.length, numbers.length * 5, first)
  }
})

test('a volume that becomes free goes to the next claim that it fits, not only to the first', async (context) => {
  const binder = await startUnderTest(context)
  const { api, settled } = binder
  await createClaim(api, { name: 'wide', size: '3Gi' })
  await createClaim(api, {
    name: 'picky',
    size: '3Gi',
    spec: { storageClassName: '', selector: { matchLabels: { disk: 'ssd' } } },
  })
  await createClaim(api, { name: 'slim' })
  await settled()
  await createVolume(api, { name: 'a', size: '5Gi' })
  await createVolume(api, { name: 'b', size: '4Gi' })
  await createVolume(api, { name: 'c', size: '9Gi' })
  await settled()
  deepEqual(
    [
      await binder.claimState('picky'),
      (await binder.claimState('wide')).split(' ')[0],
      (await binder.claimState('slim')).split(' ')[0],
    ],
    ['Pending', 'Bound', 'Bound'],
  )
  await api.patch(
    PERSISTENT_VOLUMES,
    { name: 'c' },
    { type: 'merge', value: { metadata: { labels: { disk: 'ssd' } } } },
  )
  await settled()
  equal(await binder.claimState('picky'), 'Bound c')
})

test('a volume is not released because the cache of claims is behind', async (context) => {
  // The watch of claims shows nothing after the start, as one that is far behind.
  const hideClaims = (api: Api): Api => ({
    ...api,
    watch: (type, options) => ({
      async *[Symbol.asyncIterator]() {
        for await (const event of api.watch(type, options))
          if (type.plural !== 'persistentvolumeclaims' || event.type === 'BOOKMARK') yield event
      },
    }),
  })
  const binder = await startUnderTest(context, { apiOf: ({ api }) => hideClaims(api) })
  const claim = await createClaim(binder.api)
  await provision(binder.api, claim, 'v1')
  await binder.settled()
  equal(await binder.volumeState(), 'Pending default/c1')
})
