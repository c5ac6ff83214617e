import { equal } from 'node:assert/strict'
import { test } from 'node:test'
import type { TestContext } from 'node:test'
import { CSI_DRIVERS } from '../api/kinds/csi-driver.ts'
import { CSI_NODES } from '../api/kinds/csi-node.ts'
import { createSilentLogger } from '../base/logger.ts'
import { CsiError } from '../csi/index.ts'
import { defineDriver } from '../csi/kit/index.ts'
import type { CsiHandlers } from '../csi/kit/index.ts'
import { createClaim, createPod, getPod, startClusterUnderTest } from './testing/describe-cluster.ts'

const NAME = 'limited.example.com'

/** One node with a driver that says how many volumes the node can have, and attaches only so many. */
async function startLimited(context: TestContext, limits: { said: bigint; real: number }, periodSeconds: number) {
  const attached = new Set<string>()
  const handlers: CsiHandlers = {
    createVolume: ({ name }) =>
      Promise.resolve({
        volume: { volumeId: name, capacityBytes: 1_048_576n, volumeContext: {}, accessibleTopology: [] },
      }),
    deleteVolume: () => Promise.resolve({}),
    controllerPublishVolume: async ({ volumeId }) => {
      if (!attached.has(volumeId) && attached.size >= limits.real)
        throw new CsiError('RESOURCE_EXHAUSTED', 'the node has no room for another volume')
      attached.add(volumeId)
      return { publishContext: {} }
    },
    controllerUnpublishVolume: async ({ volumeId }) => {
      attached.delete(volumeId)
      return {}
    },
    nodeGetInfo: () => Promise.resolve({ nodeId: 'n', maxVolumesPerNode: limits.said }),
    nodePublishVolume: () => Promise.resolve({}),
    nodeUnpublishVolume: () => Promise.resolve({}),
  }
  const cluster = await startClusterUnderTest(context, {
    drivers: () => [{ server: defineDriver({ name: NAME, version: '1' }, { handlers, log: createSilentLogger() }) }],
  })
  const { api, until } = cluster
  await api.create(CSI_DRIVERS, {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'CSIDriver',
    metadata: { name: NAME },
    spec: { nodeAllocatableUpdatePeriodSeconds: periodSeconds },
  })
  return {
    ...cluster,
    /** A pod with a volume of its own. */
    run: async (name: string): Promise<void> => {
      await createClaim(api, name)
      await createPod(api, name, name)
    },
    untilRunning: (name: string) =>
      until(`${name} runs`, async () => (await getPod(api, name)).status?.phase === 'Running'),
    untilTooMany: (name: string) =>
      until(`${name} finds no node`, async () =>
        ((await getPod(api, name)).status?.conditions ?? []).some(({ message = '' }) =>
          message.includes('exceed max volume count'),
        ),
      ),
    limit: async () => (await api.get(CSI_NODES, { name: 'node-1' })).spec.drivers?.[0]?.allocatable?.count,
  }
}

test('a pod that exceeds the volume limit of a node is placed once the driver reports a higher one', async (context) => {
  const limits = { said: 1n, real: 2 }
  const { run, untilRunning, untilTooMany, limit } = await startLimited(context, limits, 10)
  await run('one')
  await untilRunning('one')
  await run('two')
  await untilTooMany('two')
  limits.said = 2n
  await untilRunning('two')
  equal(await limit(), 2)
})

test('a pod is not placed on a node where attaching has just failed because the node is full', async (context) => {
  const limits = { said: 5n, real: 1 }
  const { run, until, untilRunning, untilTooMany, limit } = await startLimited(context, limits, 86_400)
  await run('one')
  await untilRunning('one')
  equal(await limit(), 5)
  // The driver learns of it only now, long before the period ends.
  limits.said = 1n
  await run('two')
  await until('the limit is current', async () => (await limit()) === 1)
  await run('three')
  await untilTooMany('three')
})
