import { deepEqual, rejects } from 'node:assert/strict'
import { test } from 'node:test'
import { createSimulatedHost } from '../base/host/index.ts'
import { createSeededRandom } from '../base/random.ts'
import type { Driver } from '../csi/index.ts'
import { createJournal } from './journal.ts'
import { createJournaledDriver } from './journaled-driver.ts'

async function open({ mayRepeatDeletes }: { mayRepeatDeletes: boolean }) {
  const random = createSeededRandom(1)
  const { files } = createSimulatedHost({ random })
  const record = { run: 'run-1', endpoint: '/csi.sock', nodes: [], work: '/work', foreign: {} }
  const journal = await createJournal({ files, random, directory: '/journal' }, record)
  const deleted: string[] = []
  const driver = {
    createVolume: () => Promise.resolve({ volume: { volumeId: 'v1', capacityBytes: 1n } }),
    deleteVolume: ({ volumeId = '' }) => Promise.resolve({}).finally(() => void deleted.push(volumeId)),
  } as unknown as Driver
  const parts = { driver, journal, endpoint: '/csi.sock', secrets: new Map(), mayRepeatDeletes, onEntry: () => {} }
  // The second one belongs to the process that is started after the first was killed.
  return { deleted, first: createJournaledDriver(parts), second: createJournaledDriver(parts) }
}

test('a process that starts after a kill may repeat a delete whose reply was lost', async () => {
  const { first, second, deleted } = await open({ mayRepeatDeletes: true })
  await first.createVolume({ name: 'a' })
  await first.deleteVolume({ volumeId: 'v1' })
  await second.deleteVolume({ volumeId: 'v1' })
  deepEqual(deleted, ['v1', 'v1'])
  await rejects(second.deleteVolume({ volumeId: 'v2' }), /refusing to delete volume v2: this run did not create it/)
})

test('a case may not delete again what this run has deleted: the ID may be that of another volume now', async () => {
  const { first, deleted } = await open({ mayRepeatDeletes: false })
  await first.createVolume({ name: 'a' })
  await first.deleteVolume({ volumeId: 'v1' })
  await rejects(first.deleteVolume({ volumeId: 'v1' }), /refusing to delete volume v1/)
  deepEqual(deleted, ['v1'])
})
