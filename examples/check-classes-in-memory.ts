// Tests the controller check-classes in a whole cluster in memory, under a clock that the test moves. Run it with node --test.
import { test } from 'node:test'
import { EVENTS, PERSISTENT_VOLUME_CLAIMS, STORAGE_CLASSES } from 'holdfast/api'
import type { PersistentVolumeClaim } from 'holdfast/api'
import { startSimulatedCluster } from 'holdfast/cluster'
import { checkClasses } from './check-classes.ts'

const DATA = { namespace: 'default', name: 'data' }
const markOf = (claim: PersistentVolumeClaim | undefined) => claim?.metadata.annotations?.['example.com/missing-class']

test('a claim is marked until its class exists, and then bound', async () => {
  await using cluster = await startSimulatedCluster()
  const { api, untilObject, until } = cluster
  await cluster.startControllers(checkClasses)
  await api.create(PERSISTENT_VOLUME_CLAIMS, {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: DATA,
    spec: { storageClassName: 'fast', accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
  })
  await untilObject(PERSISTENT_VOLUME_CLAIMS, DATA, (claim) => markOf(claim) === 'fast')
  await until('the event', async () => (await api.list(EVENTS)).items.some(({ reason }) => reason === 'NoSuchClass'))

  await api.create(STORAGE_CLASSES, {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'StorageClass',
    metadata: { name: 'fast' },
    provisioner: 'hostpath.holdfast.dev',
  })
  await untilObject(PERSISTENT_VOLUME_CLAIMS, DATA, (claim) => markOf(claim) === undefined)
  await untilObject(PERSISTENT_VOLUME_CLAIMS, DATA, (claim) => claim?.status?.phase === 'Bound')
})
