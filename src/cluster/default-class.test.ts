import { deepEqual } from 'node:assert/strict'
import { test } from 'node:test'
import { STORAGE_CLASSES } from '../api/kinds/storage-class.ts'
import { createSilentLogger } from '../base/logger.ts'
import { defineDriver } from '../csi/kit/index.ts'
import type { CsiHandlers, Dispatcher } from '../csi/kit/index.ts'
import { startClusterUnderTest } from './testing/describe-cluster.ts'

const onNode: CsiHandlers = {
  nodeGetInfo: () => Promise.resolve({ nodeId: 'n' }),
  nodePublishVolume: () => Promise.resolve({}),
  nodeUnpublishVolume: () => Promise.resolve({}),
}
const making: CsiHandlers = {
  createVolume: () => Promise.reject(new Error('not asked for')),
  deleteVolume: () => Promise.resolve({}),
}
const driverOf = (name: string, handlers: CsiHandlers): { server: Dispatcher } => ({
  server: defineDriver({ name, version: '1' }, { handlers, log: createSilentLogger() }),
})

test('the default class is that of the first driver that can make volumes', async (context) => {
  const { api } = await startClusterUnderTest(context, {
    drivers: () => [driverOf('node-only.example.com', onNode), driverOf('maker.example.com', { ...onNode, ...making })],
  })
  deepEqual(
    (await api.list(STORAGE_CLASSES)).items.map(({ provisioner }) => provisioner),
    ['maker.example.com'],
  )
})

test('where no driver can make volumes there is no default class', async (context) => {
  const { api } = await startClusterUnderTest(context, { drivers: () => [driverOf('node-only.example.com', onNode)] })
  deepEqual((await api.list(STORAGE_CLASSES)).items, [])
})
