import type { TestContext } from 'node:test'
import type { Api } from '../../api/api.ts'
import type { TestCore } from '../../apiserver/testing/open-test-core.ts'
import type { Clock } from '../../base/clock.ts'
import { createSilentLogger } from '../../base/logger.ts'
import { createSeededRandom } from '../../base/random.ts'
import type { Driver } from '../../csi/index.ts'
import { createEventRecorder } from '../../kube/controller/event-recorder.ts'
import { createInformers } from '../../kube/cache/informers.ts'
import { recordWrites } from '../../kube/testing/record-writes.ts'
import { discoverDriver } from '../discover-driver.ts'
import type { RoleParts, RunningRole } from '../role.ts'

/** The parts of a role over an API and a driver. */
export async function createParts(
  api: Api,
  driver: Driver,
  clock: Clock,
  component: string,
  seed = 1,
): Promise<RoleParts & { stop(): Promise<void> }> {
  const log = createSilentLogger()
  const random = createSeededRandom(seed)
  const facts = await discoverDriver(driver, { clock, log, path: '/csi.sock', timeoutMs: 15_000 })
  const informers = createInformers({ api, clock, random, log })
  const events = createEventRecorder({ api, clock, log, component })
  return { api, driver, clock, random, log, facts, informers, events, stop: () => informers.stop() }
}

export type RoleUnderTest = {
  /** `patch volumeattachments/status a1`: every write of the role except events. */
  readonly writes: string[]
  /** Runs everything until there is nothing left to do immediately. */
  settled(): Promise<void>
  advance(byMs: number): Promise<void>
  stop(): Promise<void>
  start(): Promise<void>
}

export type RoleTestOptions = {
  driver: Driver
  component: string
  /** The role's API. Default: it may do everything. */
  api?: Api
  /** A number that grows while the role makes progress, such as the number of calls. */
  progress(): number
  startRole(parts: RoleParts): Promise<RunningRole>
}

/** Starts the role; it is stopped with the test. */
export async function startRoleUnderTest(
  context: TestContext,
  core: TestCore,
  { driver, component, api = core.api, progress, startRole }: RoleTestOptions,
): Promise<RoleUnderTest> {
  const { clock, server } = core
  const writes: string[] = []
  let running: { role: RunningRole; parts: Awaited<ReturnType<typeof createParts>> } | undefined
  const start = async (): Promise<void> => {
    const parts = await createParts(recordWrites(api, writes), driver, clock, component)
    let role: RunningRole | undefined
    let failure: unknown
    startRole(parts).then(
      (started) => (role = started),
      (error: unknown) => (failure = error ?? new Error('failed')),
    )
    // Time advances only for a test that makes the API slow.
    for (let turns = 0; !role; turns++) {
      if (failure) throw failure
      if (turns > 10_000) throw new Error('the role does not start')
      await clock.advance(turns < 200 ? 0 : 100)
    }
    running = { role, parts }
    await settled()
  }
  const stop = async (): Promise<void> => {
    const stopping = running?.role.stop()
    let stopped = stopping === undefined
    void stopping?.then(() => (stopped = true))
    for (let turns = 0; !stopped && turns < 1000; turns++) await clock.advance(turns < 200 ? 0 : 100)
    await running?.parts.stop()
    running = undefined
  }
  const settled = async (): Promise<void> => {
    for (let quiet = 0, turns = 0; quiet < 5; turns++) {
      if (turns > 1000) throw new Error('the role does not settle')
      await clock.advance(0)
      await server.idle()
      quiet = (running?.role.isIdle() ?? true) || isStuck() ? quiet + 1 : 0
    }
  }
  // A hanging call keeps the role busy until time advances.
  let last = -1
  let stuckTurns = 0
  const isStuck = (): boolean => {
    const now = progress() + writes.length
    stuckTurns = last === now ? stuckTurns + 1 : 0
    last = now
    return stuckTurns > 20
  }
  const advance = async (byMs: number): Promise<void> => {
    await clock.advance(byMs)
    await settled()
  }
  await start()
  context.after(stop)
  return { writes, settled, advance, start, stop }
}
