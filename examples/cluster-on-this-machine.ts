// Tests a driver behind its real socket in a real cluster in this process: HTTPS, gRPC, and kubectl for a look inside. Run it with node --test.
import { equal } from 'node:assert/strict'
import { mkdir, mkdtemp, readlink, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { PERSISTENT_VOLUME_CLAIMS, PERSISTENT_VOLUMES, PODS } from 'holdfast/api'
import { createSilentLogger, createSystemClock, createSystemHost, createSystemRandom } from 'holdfast/base'
import { startCluster } from 'holdfast/cluster'
import { serve } from 'holdfast/driver-kit'
import { createMemoryDriver } from './memory-driver/driver.ts'

const DATA = { namespace: 'default', name: 'data' }
const WEB = { namespace: 'default', name: 'web' }

test('the memory driver serves a pod, and keeps nothing of it', { timeout: 60_000 }, async (context) => {
  // Sockets have names of at most 107 bytes: a short directory is a good one.
  const dataDirectory = await mkdtemp('/tmp/cluster-')
  context.after(() => rm(dataDirectory, { recursive: true }))
  const host = createSystemHost()
  const world = { clock: createSystemClock(), random: createSystemRandom(), log: createSilentLogger() }

  const data = join(dataDirectory, 'memory')
  await mkdir(data)
  const server = createMemoryDriver({ data, nodeId: 'node-1', log: world.log })
  const endpoint = `unix://${join(dataDirectory, 'memory.sock')}`
  const served = await serve({ endpoint, servers: [server], files: host.files, ...world })
  context.after(() => served.stop())
  const drivers = [{ node: 'node-1', endpoint }]
  await using cluster = await startCluster(
    { host, ...world, version: 'test' },
    { dataDirectory, inMemory: true, drivers, bundledDriver: false },
  )

  await cluster.api.create(PERSISTENT_VOLUME_CLAIMS, {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: DATA,
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
  })
  await cluster.api.create(PODS, {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: WEB,
    spec: {
      containers: [{ name: 'main', image: 'none', volumeMounts: [{ name: 'data', mountPath: '/data' }] }],
      volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }],
    },
  })
  const pod = await cluster.untilObject(PODS, WEB, (now) => now?.status?.phase === 'Running')
  const { spec } = await cluster.api.get(PERSISTENT_VOLUME_CLAIMS, DATA)
  const volumeName = spec.volumeName ?? ''
  const volume = await cluster.api.get(PERSISTENT_VOLUMES, { name: volumeName })
  const target = join(
    dataDirectory,
    'node-1/pods',
    pod?.metadata.uid ?? '',
    'volumes/kubernetes.io~csi',
    volumeName,
    'mount',
  )
  equal(await readlink(target), join(data, volume.spec.csi?.volumeHandle ?? ''))

  await cluster.api.delete(PODS, WEB)
  await cluster.api.delete(PERSISTENT_VOLUME_CLAIMS, DATA)
  await cluster.untilObject(PERSISTENT_VOLUMES, { name: volumeName }, (now) => now === undefined)
  equal((await host.files.list(data)).length, 0)
  equal((await host.files.list(join(dataDirectory, 'node-1/pods'))).length, 0)
})
