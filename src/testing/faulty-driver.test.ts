import { deepEqual, equal } from 'node:assert/strict'
import { test } from 'node:test'
import { createSilentLogger } from '../base/logger.ts'
import { createSimulatedHost } from '../base/host/index.ts'
import { createSeededRandom } from '../base/random.ts'
import { createSimulatedClock } from '../base/simulated-clock.ts'
import { AccessMode, CsiError, joinDriver } from '../csi/index.ts'
import type { Driver } from '../csi/index.ts'
import { createLockTable } from '../csi/kit/index.ts'
import { createHostpathDriver, openHostpath } from '../drivers/hostpath/index.ts'
import { createFaultyDriver, SOME_DRIVER_FAULTS } from './faulty-driver.ts'
import { createLife } from '../base/life.ts'
import { createTranscript } from './transcript.ts'

const CAPABILITY = {
  accessMode: { mode: AccessMode.SINGLE_NODE_WRITER },
  accessType: { $case: 'mount', value: {} },
} as const

test('whoever repeats in-doubt calls ends up with one volume a name, through refusals, lost answers and restarts', async () => {
  const clock = createSimulatedClock()
  const random = createSeededRandom(3)
  const host = createSimulatedHost({ random: createSeededRandom(4) })
  const log = createSilentLogger()
  const open = async (): Promise<Driver> => {
    const hostpath = await openHostpath({ root: '/data', host, clock, random, log })
    const node = { id: 'n', topology: {}, attachLimit: 0 }
    const { server } = await createHostpathDriver({
      hostpath,
      node,
      name: 'd',
      version: '1',
      attach: false,
      publish: 'auto',
      locks: createLockTable(),
    })
    return joinDriver(server, { clock })
  }
  let current = await open()
  let restarts = 0
  const restartable = { current: () => current, restart: async () => void (restarts++, (current = await open())) }
  const transcript = createTranscript(clock)
  const driver = createFaultyDriver({
    driver: restartable,
    life: createLife('caller'),
    clock,
    random,
    faults: { ...SOME_DRIVER_FAULTS, restart: 0.2 },
    transcript,
  })

  const create = async (name: string): Promise<void> => {
    for (;;) {
      try {
        await driver.createVolume({ name, volumeCapabilities: [CAPABILITY] })
        return
      } catch (error) {
        if (!(error instanceof CsiError)) throw error
      }
    }
  }
  const done = Promise.all(['a', 'b', 'c', 'd', 'e', 'f'].map(create))
  let finished = false
  void done.then(() => (finished = true))
  while (!finished) await clock.advance(1000)
  await done
  equal(restarts > 0, true, transcript.text())
  const { entries } = await current.listVolumes({})
  equal(entries.length, 6)
  deepEqual(
    new Set(host.snapshotTree().flatMap(({ path }) => /^\/data\/volumes\/([^/]+)$/.exec(path)?.[1] ?? [])).size,
    6,
  )
})
