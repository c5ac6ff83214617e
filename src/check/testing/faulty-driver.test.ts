import { deepEqual, equal, ok, rejects } from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import type { TestContext } from 'node:test'
import { createSystemClock } from '../../base/clock.ts'
import { AccessMode, connectDriver } from '../../csi/index.ts'
import type { Driver } from '../../csi/index.ts'
import { ALL_FAULTS } from './all-faults.ts'
import { startFaultyDriver } from './start-faulty-driver.ts'

const VOLUME = {
  name: 'a',
  volumeCapabilities: [
    { accessType: { $case: 'mount' as const, value: {} }, accessMode: { mode: AccessMode.SINGLE_NODE_WRITER } },
  ],
}

async function startWith(t: TestContext, faultId?: string): Promise<{ driver: Driver; restart(): Promise<void> }> {
  const directory = mkdtempSync(join(tmpdir(), 'hf-fault-'))
  const fault = ALL_FAULTS.find(({ id }) => id === faultId)
  const running = await startFaultyDriver({ directory, ...(fault ? { fault } : {}) })
  const { driver, connection } = connectDriver({ endpoint: running.endpoints[0] ?? '', clock: createSystemClock() })
  t.after(async () => {
    connection.close()
    await running.stop()
    rmSync(directory, { recursive: true })
  })
  const restart = async (): Promise<void> => {
    await running.restart()
    await connection.ready()
  }
  return { driver, restart }
}

test('there are at least 60 faults, each with an id of its own', () => {
  ok(ALL_FAULTS.length >= 60, `${ALL_FAULTS.length}`)
  equal(new Set(ALL_FAULTS.map(({ id }) => id)).size, ALL_FAULTS.length)
  for (const { id, issue, does } of ALL_FAULTS) {
    ok(/^[a-z]+(-[a-z]+)*$/.test(id), id)
    ok(issue === undefined || /^https:\/\/github\.com\/[^/]+\/[^/]+\/(issues|pull)\/\d+$/.test(issue), issue)
    ok(/^[a-z]/.test(does), does)
  }
})

test('a driver without a fault creates one volume for one name', async (t) => {
  const { driver } = await startWith(t)
  const first = await driver.createVolume(VOLUME)
  deepEqual(await driver.createVolume(VOLUME), first)
})

test('a planted fault changes one answer, and only that', async (t) => {
  const { driver } = await startWith(t, 'create-makes-another-volume')
  const first = await driver.createVolume(VOLUME)
  const second = await driver.createVolume(VOLUME)
  ok(first.volume?.volumeId !== second.volume?.volumeId)
  equal((await driver.getPluginInfo({})).name, 'hostpath.holdfast.dev')
})

test('a fault on the wire keeps the code of an error', async (t) => {
  const { driver } = await startWith(t, 'errors-without-message')
  await rejects(driver.controllerGetVolume({ volumeId: 'x' }), {
    code: 'NOT_FOUND',
    detail: 'the driver gave no reason',
  })
})

test('the driver finds its volumes again after a restart', async (t) => {
  const { driver, restart } = await startWith(t)
  const first = await driver.createVolume(VOLUME)
  await restart()
  equal((await driver.createVolume(VOLUME)).volume?.volumeId, first.volume?.volumeId)
})
