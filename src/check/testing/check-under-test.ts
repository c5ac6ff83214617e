import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { createSystemClock } from '../../base/clock.ts'
import { createSystemHost } from '../../base/host/index.ts'
import { createSystemRandom } from '../../base/random.ts'
import { connectDriver } from '../../csi/index.ts'
import { allVolumes } from '../list-all.ts'
import type { CheckOptions, CheckWorld } from '../run-check.ts'
import type { Fault } from './fault.ts'
import { startFaultyDriver } from './start-faulty-driver.ts'
import type { FaultyDriver } from './start-faulty-driver.ts'

export const MIB = 1024n ** 2n

export const SETTINGS: CheckOptions['settings'] = {
  sizeBytes: 16n * MIB,
  expandBytes: 32n * MIB,
  parameters: {},
  mutableParameters: { iops: '1000' },
  snapshotParameters: {},
  secrets: new Map(),
  topology: {},
  callTimeoutMs: 10_000,
}

export type DriverUnderCheck = { driver: FaultyDriver; world: CheckWorld; options: CheckOptions; directory: string }

/** The bundled driver, with a fault or without, and options to check it. */
export async function startDriverUnderCheck(directory: string, fault?: Fault): Promise<DriverUnderCheck> {
  const driver = await startFaultyDriver({ directory, ...(fault ? { fault } : {}) })
  const [endpoint = ''] = driver.endpoints
  return {
    driver,
    directory,
    world: { clock: createSystemClock(), random: createSystemRandom(), host: createSystemHost() },
    options: {
      endpoint,
      nodes: driver.endpoints,
      settings: SETTINGS,
      work: join(directory, 'work'),
      parallel: 2,
      caseTimeoutMs: 60_000,
      restart: () => driver.restart(),
    },
  }
}

/** The same, in a directory of the test, until the test ends. */
export async function driverUnderCheck(t: TestContext, fault?: Fault): Promise<DriverUnderCheck> {
  const directory = mkdtempSync(join(tmpdir(), 'hf-check-'))
  const started = await startDriverUnderCheck(directory, fault)
  t.after(async () => {
    await started.driver.stop()
    rmSync(directory, { recursive: true, force: true })
  })
  return started
}

/** IDs of the volumes that the driver lists. */
export async function volumesOf({ options, world }: DriverUnderCheck): Promise<string[]> {
  const { driver, connection } = connectDriver({ endpoint: options.endpoint, clock: world.clock })
  try {
    return (await allVolumes(driver)).map(({ volume }) => volume?.volumeId ?? '')
  } finally {
    connection.close()
  }
}
