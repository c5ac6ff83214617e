// Tests a driver in a whole cluster: server, controllers, sidecars and node in memory, under a clock that the test moves. Run it with node --test.
import { equal, match } from 'node:assert/strict'
import { test } from 'node:test'
import { EVENTS, PERSISTENT_VOLUME_CLAIMS, PODS } from 'holdfast/api'
import { startSimulatedCluster } from 'holdfast/cluster'
import { CsiError } from 'holdfast/csi'
import { defineDriver } from 'holdfast/driver-kit'

const claim = {
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: { namespace: 'default', name: 'data' },
  spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
} as const
const pod = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { namespace: 'default', name: 'web' },
  spec: {
    containers: [{ name: 'main', image: 'none', volumeMounts: [{ name: 'data', mountPath: '/data' }] }],
    volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }],
  },
} as const

test('a pod gets its volume once the driver has room again, an hour later', async (context) => {
  let hasRoom = false
  let calls = 0
  await using cluster = await startSimulatedCluster({
    drivers: ({ machine, log }) => {
      const handlers = {
        createVolume: async ({ name }: { name: string }) => {
          calls++
          if (!hasRoom) throw new CsiError('RESOURCE_EXHAUSTED', 'all disks are full')
          await machine.files.makeDirectory(`/${name}`)
          return { volume: { volumeId: name, capacityBytes: 1024n ** 3n } }
        },
        deleteVolume: async () => ({}),
        nodeGetInfo: async () => ({ nodeId: 'n1' }),
        nodePublishVolume: async ({ volumeId, targetPath }: { volumeId: string; targetPath: string }) => {
          await machine.files.makeDirectory(targetPath)
          await machine.mounts.bind(`/${volumeId}`, targetPath, { readOnly: false })
          return {}
        },
        nodeUnpublishVolume: async ({ targetPath }: { targetPath: string }) => {
          await machine.mounts.unmount(targetPath)
          await machine.files.removeDirectory(targetPath)
          return {}
        },
      }
      return [{ node: 'node-1', server: defineDriver({ name: 'test.example.com', version: '1' }, { handlers, log }) }]
    },
  })
  const { api, until, advance, machine } = cluster
  await api.create(PERSISTENT_VOLUME_CLAIMS, claim)
  await api.create(PODS, pod)
  await advance(3_600_000)
  const [event] = (await api.list(EVENTS)).items.filter(({ reason }) => reason === 'ProvisioningFailed')
  match(event?.message ?? '', /all disks are full/)
  context.diagnostic(`asked ${calls} times within an hour`)

  hasRoom = true
  const phase = async () => (await api.get(PODS, pod.metadata)).status?.phase
  await until('the pod runs', async () => (await phase()) === 'Running', { limitMs: 600_000 })
  equal((await machine.mounts.list()).filter(({ target }) => target.endsWith('/mount')).length, 1)
})
