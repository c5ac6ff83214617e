// Tests the driver without a socket: same encoding, checks and locks. Run it with node --test.
import { deepEqual, rejects } from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { createSilentLogger, createSystemClock } from 'holdfast/base'
import { joinDriver } from 'holdfast/csi'
import { createMemoryDriver } from './driver.ts'

const SINGLE_NODE_WRITER = 1
const capability = { accessMode: { mode: SINGLE_NODE_WRITER }, accessType: { $case: 'mount', value: {} } } as const
const request = { name: 'pvc-1', capacityRange: { requiredBytes: 1024n }, volumeCapabilities: [capability] }

test('a repeated CreateVolume finds the volume, a different one of that name is refused', async (t) => {
  const data = await mkdtemp(join(tmpdir(), 'memory-driver-'))
  t.after(() => rm(data, { recursive: true }))
  const driver = joinDriver(createMemoryDriver({ data, nodeId: 'node-1', log: createSilentLogger() }), {
    clock: createSystemClock(),
  })

  const first = await driver.createVolume(request)
  deepEqual(await driver.createVolume(request), first)
  await rejects(driver.createVolume({ ...request, capacityRange: { requiredBytes: 4096n } }), {
    code: 'ALREADY_EXISTS',
  })
  await rejects(driver.createVolume({ ...request, name: '' }), { code: 'INVALID_ARGUMENT', detail: 'name is required' })
})
