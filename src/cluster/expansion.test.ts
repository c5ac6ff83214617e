import { deepEqual, equal, ok } from 'node:assert/strict'
import { test } from 'node:test'
import { PERSISTENT_VOLUME_CLAIMS } from '../api/kinds/persistent-volume-claim.ts'
import { PERSISTENT_VOLUMES } from '../api/kinds/persistent-volume.ts'
import { STORAGE_CLASSES } from '../api/kinds/storage-class.ts'
import {
  createClaim,
  createPod,
  getClaim,
  getPod,
  NAMESPACE,
  startClusterUnderTest,
} from './testing/describe-cluster.ts'

test('a claim that requests more gets it while its pod is running', async (context) => {
  const { api, until } = await startClusterUnderTest(context, {})
  const [storageClass] = (await api.list(STORAGE_CLASSES)).items
  equal(storageClass?.allowVolumeExpansion, true)
  await createClaim(api, 'data')
  await createPod(api, 'web', 'data')
  await until('the pod runs', async () => (await getPod(api, 'web')).status?.phase === 'Running')
  const before = await getClaim(api, 'data')
  equal(before.status?.capacity?.['storage'], '1Mi')

  const value = { spec: { resources: { requests: { storage: '3Mi' } } } }
  await api.patch(PERSISTENT_VOLUME_CLAIMS, { namespace: NAMESPACE, name: 'data' }, { type: 'merge', value })
  await until('the claim has it', async () => (await getClaim(api, 'data')).status?.capacity?.['storage'] === '3Mi')
  const { status } = await getClaim(api, 'data')
  deepEqual([status?.conditions ?? [], status?.allocatedResourceStatuses], [[], undefined])
  const volume = await api.get(PERSISTENT_VOLUMES, { name: before.spec.volumeName ?? '' })
  deepEqual(volume.spec.capacity, { storage: '3Mi' })
  // Only block volumes of this driver need their node.
  deepEqual((await getPod(api, 'web')).metadata.annotations, undefined)
})

test('a node that has to expand the volume does so at once, because of a hint on the pod', async (context) => {
  const { api, until, clock } = await startClusterUnderTest(context, {})
  await createClaim(api, 'data', { volumeMode: 'Block' })
  const volumeDevices = [{ name: 'data', devicePath: '/dev/data' }]
  await createPod(api, 'web', 'data', { containers: [{ name: 'main', image: 'none', volumeDevices }] })
  await until('the pod runs', async () => (await getPod(api, 'web')).status?.phase === 'Running')
  const value = { spec: { resources: { requests: { storage: '3Mi' } } } }
  const startedMs = clock.monotonicMs()
  await api.patch(PERSISTENT_VOLUME_CLAIMS, { namespace: NAMESPACE, name: 'data' }, { type: 'merge', value })
  await until('the claim has it', async () => (await getClaim(api, 'data')).status?.capacity?.['storage'] === '3Mi')
  ok(clock.monotonicMs() - startedMs < 5000, `${clock.monotonicMs() - startedMs} ms`)
  deepEqual((await getPod(api, 'web')).metadata.annotations, { 'expansion.holdfast.dev/data': '3Mi' })
})
