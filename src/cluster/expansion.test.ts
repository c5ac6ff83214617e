import { deepEqual, equal } from 'node:assert/strict'
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
  const { api, until, advance } = await startClusterUnderTest(context, {})
  const [storageClass] = (await api.list(STORAGE_CLASSES)).items
  equal(storageClass?.allowVolumeExpansion, true)
  await createClaim(api, 'data')
  await createPod(api, 'web', 'data')
  await until('the pod runs', async () => (await getPod(api, 'web')).status?.phase === 'Running')
  const before = await getClaim(api, 'data')
  equal(before.status?.capacity?.['storage'], '1Mi')

  const value = { spec: { resources: { requests: { storage: '3Mi' } } } }
  await api.patch(PERSISTENT_VOLUME_CLAIMS, { namespace: NAMESPACE, name: 'data' }, { type: 'merge', value })
  // The node asks for its claims from time to time: it may not watch them.
  await advance(180_000)
  await until('the claim has it', async () => (await getClaim(api, 'data')).status?.capacity?.['storage'] === '3Mi')
  const { status } = await getClaim(api, 'data')
  deepEqual([status?.conditions ?? [], status?.allocatedResourceStatuses], [[], undefined])
  const volume = await api.get(PERSISTENT_VOLUMES, { name: before.spec.volumeName ?? '' })
  deepEqual(volume.spec.capacity, { storage: '3Mi' })
})
