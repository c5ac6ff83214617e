import { defaultsOf } from '../../../base/options/index.ts'
import type { TestContext } from 'node:test'
import type { Api } from '../../../api/api.ts'
import { openTestCore } from '../../../apiserver/testing/open-test-core.ts'
import type { TestCore } from '../../../apiserver/testing/open-test-core.ts'
import { sleep } from '../../../base/clock.ts'
import type { Clock } from '../../../base/clock.ts'
import { createLogger, createSilentLogger } from '../../../base/logger.ts'
import { createSeededRandom } from '../../../base/random.ts'
import { joinDriver } from '../../../csi/index.ts'
import type { Driver } from '../../../csi/index.ts'
import { defineDriver } from '../../../csi/kit/index.ts'
import type { CsiHandlers, DriverFeatures } from '../../../csi/kit/index.ts'
import { createEventRecorder } from '../../../kube/controller/event-recorder.ts'
import { createInformers } from '../../../kube/cache/informers.ts'
import { recordWrites } from '../../../kube/testing/record-writes.ts'
import type { SimulatedProcess, Simulation } from '../../../testing/index.ts'
import { discoverDriver } from '../../discover-driver.ts'
import type { RoleParts, RunningRole } from '../../role.ts'
import { provisionerOptions } from '../provisioner-options.ts'
import { DRIVER } from './objects.ts'

// Shared by tests of one part of the provisioner: a server in memory, a stopped clock, and a driver in process.

export const DEFAULT_CONFIG = defaultsOf(provisionerOptions)

export type PartsOptions = {
  handlers?: CsiHandlers
  features?: DriverFeatures
  /** The API of the part. Default: it may do everything. */
  apiOf?: (core: TestCore) => Api
}

export type PartsUnderTest = TestCore & {
  readonly parts: RoleParts
  /** `update persistentvolumeclaims c`: every write of the part except events. */
  readonly writes: string[]
  /** Its log lines, from level `info`. */
  readonly lines: string[]
  /** Runs everything until there is nothing left to do immediately. */
  settled(): Promise<void>
  advance(byMs: number): Promise<void>
  /** Waits for a part to start, while everything runs. */
  started<T extends Running>(starting: Promise<T>): Promise<T>
}

type Running = { isIdle(): boolean; stop(): Promise<void> }

export const joinTestDriver = (clock: Clock, handlers: CsiHandlers, features: DriverFeatures = {}): Driver =>
  joinDriver(defineDriver({ name: DRIVER, version: '1', features }, { handlers, log: createSilentLogger() }), { clock })

export async function openParts(
  context: TestContext,
  { handlers = {}, features, apiOf }: PartsOptions = {},
): Promise<PartsUnderTest> {
  const core = await openTestCore(context)
  const { clock, server } = core
  const writes: string[] = []
  const lines: string[] = []
  const api = recordWrites(apiOf?.(core) ?? core.api, writes)
  const driver = joinTestDriver(clock, handlers, features)
  const log = createLogger({ clock, write: (line) => void lines.push(line), format: 'text' })
  const random = createSeededRandom(1)
  const facts = await discoverDriver(driver, { clock, log, path: '/csi.sock', timeoutMs: 15_000 })
  const informers = createInformers({ api, clock, random, log: createSilentLogger() })
  const events = createEventRecorder({ api, clock, log, component: facts.name })
  context.after(() => informers.stop())

  const running: Running[] = []
  const settled = async (): Promise<void> => {
    for (let quiet = 0, turns = 0; quiet < 5; turns++) {
      if (turns > 1000) throw new Error('it does not settle')
      await clock.advance(0)
      await server.idle()
      quiet = running.every((role) => role.isIdle()) ? quiet + 1 : 0
    }
  }
  const started = async <T extends Running>(starting: Promise<T>): Promise<T> => {
    let ended = false
    const end = (): void => void (ended = true)
    starting.then(end, end)
    for (let turns = 0; !ended; turns++) {
      if (turns > 1000) throw new Error('it does not start')
      await clock.advance(0)
    }
    const role = await starting
    running.push(role)
    context.after(() => role.stop())
    await settled()
    return role
  }
  const advance = async (byMs: number): Promise<void> => {
    await clock.advance(byMs)
    await settled()
  }
  return {
    ...core,
    parts: { driver, facts, api, informers, events, clock, random, log },
    writes,
    lines,
    settled,
    advance,
    started,
  }
}

/** One part as a process of a simulation, which can be killed at any call. Starting needs the clock to advance. */
export function startPartProcess(
  simulation: Simulation,
  name: string,
  driver: Driver,
  start: (parts: RoleParts) => Promise<RunningRole>,
): Promise<SimulatedProcess> {
  return simulation.startProcess(name, (world) => {
    const { clock, random, life } = world
    const log = createSilentLogger()
    const common = {
      api: world.api(),
      driver: world.driver({ current: () => driver, restart: () => Promise.resolve() }),
      clock,
      random,
      log,
    }
    const informers = createInformers(common)
    const events = createEventRecorder({ ...common, component: name })
    let role: RunningRole | undefined
    const begin = async (): Promise<void> => {
      while (!role && !life.isOver()) {
        try {
          const facts = await discoverDriver(common.driver, { clock, log, path: '/csi.sock', timeoutMs: 15_000 })
          role = await start({ ...common, informers, events, facts })
        } catch {
          if (!life.isOver()) await sleep(clock, 1000)
        }
      }
    }
    void begin()
    return Promise.resolve({ isIdle: () => role?.isIdle() ?? false, stop: async () => await role?.stop() })
  })
}
