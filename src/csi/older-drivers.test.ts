import { deepEqual, equal } from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import type { TestContext } from 'node:test'
import { createSystemClock } from '../base/clock.ts'
import { connectDriver } from './connect-driver.ts'
import { isCsiError } from './csi-error.ts'
import type { Driver } from './rpc.ts'
import { openTestDirectory } from './testing/open-test-directory.ts'
import { startRawDriver } from './testing/start-raw-driver.ts'
import type { RawAnswer } from './testing/start-raw-driver.ts'

const UNIMPLEMENTED: RawAnswer = { kind: 'error', code: 12, text: 'unknown method' }
const field = (number: number, bytes: readonly number[]): number[] => [(number << 3) | 2, bytes.length, ...bytes]
const text = (value: string): number[] => [...new TextEncoder().encode(value)]

// VolumeCondition as 1.12 sends it: abnormal = 1, message = 2.
const CONDITION = [0x08, 1, ...field(2, text('bad disk'))]
const STATUS = field(2, CONDITION)
const ANSWERS: Record<string, number[]> = {
  listVolumes: field(1, [...field(1, field(2, text('v'))), ...field(2, STATUS)]),
  controllerGetVolume: [...field(1, field(2, text('v'))), ...field(2, STATUS)],
  nodeGetVolumeStats: field(2, CONDITION),
  controllerGetCapabilities: field(1, field(1, [0x08, 11])),
  nodeGetCapabilities: field(1, field(1, [0x08, 4])),
}

async function connectOlderDriver(t: TestContext): Promise<Driver> {
  const path = join(await openTestDirectory(t), 'csi.sock')
  await startRawDriver(t, path, (method) => {
    const bytes = ANSWERS[method]
    return bytes ? { kind: 'message', bytes: Uint8Array.from(bytes) } : UNIMPLEMENTED
  })
  const { driver, connection } = connectDriver({ endpoint: path, clock: createSystemClock() })
  t.after(() => connection.close())
  return driver
}

test('the volume condition of a driver up to CSI 1.12 is still read, though 1.13 removed it', async (t) => {
  const driver = await connectOlderDriver(t)
  const condition = { abnormal: true, message: 'bad disk' }
  deepEqual((await driver.listVolumes({})).entries[0]?.status?.volumeCondition, condition)
  deepEqual((await driver.controllerGetVolume({ volumeId: 'v' })).status?.volumeCondition, condition)
  deepEqual((await driver.nodeGetVolumeStats({ volumeId: 'v', volumePath: '/v' })).volumeCondition, condition)
  const announced = (type: number) => [{ type: { $case: 'rpc', value: { type } } }]
  deepEqual<unknown>((await driver.controllerGetCapabilities({})).capabilities, announced(11))
  deepEqual<unknown>((await driver.nodeGetCapabilities({})).capabilities, announced(4))
})

test('a driver up to CSI 1.12 answers the health calls with UNIMPLEMENTED', async (t) => {
  const driver = await connectOlderDriver(t)
  const calls = [
    driver.controllerListVolumeHealth({}),
    driver.controllerGetVolumeHealth({ volumeId: 'v' }),
    driver.nodeGetVolumeHealth({ volumeId: 'v' }),
    driver.nodeGetStorageHealth({}),
  ]
  for (const call of await Promise.allSettled(calls))
    equal(call.status === 'rejected' && isCsiError(call.reason, 'UNIMPLEMENTED'), true)
})
