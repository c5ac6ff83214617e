import type { TestContext } from 'node:test'
import type { Api } from '../../api/api.ts'
import { EVENTS } from '../../api/kinds/event.ts'
import { openTestCore } from '../../apiserver/testing/open-test-core.ts'
import type { TestCore } from '../../apiserver/testing/open-test-core.ts'
import { createSilentLogger } from '../../base/logger.ts'
import type { Logger } from '../../base/logger.ts'
import { createSeededRandom } from '../../base/random.ts'
import { createEventRecorder } from '../../kube/controller/event-recorder.ts'
import { createInformers } from '../../kube/cache/informers.ts'
import { recordWrites } from '../../kube/testing/record-writes.ts'
import type { RoleWorld } from '../../kube/process/role-world.ts'
import type { RunningRole } from '../../kube/process/running-role.ts'

// Shared by tests of whole controllers: a server in memory, a stopped clock, and running controllers.

export type ControllerUnderTest = TestCore & {
  /** `patch persistentvolumes/status v1`: every write of the controllers except events. */
  readonly writes: string[]
  /** Runs everything until there is nothing left to do immediately. */
  settled(): Promise<void>
  advance(byMs: number): Promise<void>
  /** `Warning FailedBinding PersistentVolumeClaim/c1`, without the count. */
  events(): Promise<string[]>
  start(): Promise<void>
  stop(): Promise<void>
}

export type ControllerTestOptions = {
  /** The API of the controllers. Default: they may do everything. */
  apiOf?: (core: TestCore) => Api
  /** Before the controllers start. */
  before?: (core: TestCore) => Promise<void>
  log?: Logger
}

export async function startControllersUnderTest(
  context: TestContext,
  starts: readonly ((world: RoleWorld, signal: AbortSignal) => Promise<RunningRole>)[],
  options: ControllerTestOptions = {},
): Promise<ControllerUnderTest> {
  const core = await openTestCore(context)
  const { api, clock, server } = core
  const writes: string[] = []
  await options.before?.(core)
  let running: { controllers: readonly RunningRole[]; world: RoleWorld } | undefined

  const start = async (): Promise<void> => {
    const log = options.log ?? createSilentLogger()
    const random = createSeededRandom(1)
    const own = recordWrites(options.apiOf?.(core) ?? api, writes)
    const informers = createInformers({ api: own, clock, random, log })
    const world = {
      api: own,
      informers,
      events: createEventRecorder({ api: own, clock, log, component: 'test' }),
      clock,
      random,
      log,
    }
    let controllers: readonly RunningRole[] | undefined
    void Promise.all(starts.map((each) => each(world, new AbortController().signal))).then(
      (started) => (controllers = started),
    )
    for (let turns = 0; !controllers; turns++) {
      if (turns > 1000) throw new Error('the controllers do not start')
      await clock.advance(turns < 200 ? 0 : 100)
    }
    running = { controllers, world }
    await settled()
  }
  const stop = async (): Promise<void> => {
    for (const controller of running?.controllers ?? []) await controller.stop()
    await running?.world.informers.stop()
    running = undefined
  }
  const settled = async (): Promise<void> => {
    for (let quiet = 0, turns = 0; quiet < 8; turns++) {
      if (turns > 5000) throw new Error('the controllers do not settle')
      await clock.advance(0)
      await server.idle()
      quiet = (running?.controllers ?? []).every((controller) => controller.isIdle()) ? quiet + 1 : 0
    }
  }
  const advance = async (byMs: number): Promise<void> => {
    await clock.advance(byMs)
    await settled()
  }
  const events = async (): Promise<string[]> => {
    const { items } = await api.list(EVENTS)
    return items
      .map(({ type, reason, involvedObject }) => `${type} ${reason} ${involvedObject?.kind}/${involvedObject?.name}`)
      .sort()
  }
  await start()
  context.after(stop)
  return { ...core, writes, settled, advance, events, start, stop }
}
