import { ApiError } from '../api/api-error.ts'
import type { Api } from '../api/api.ts'
import { createSigningKey } from '../apiserver/authentication/token-key.ts'
import { openServer, SYSTEM_USER } from '../apiserver/index.ts'
import type { OpenServer, User } from '../apiserver/index.ts'
import type { Clock } from '../base/clock.ts'
import { createSilentLogger } from '../base/logger.ts'
import type { Logger } from '../base/logger.ts'
import { createSeededRandom } from '../base/random.ts'
import type { Random } from '../base/random.ts'
import { createSimulatedClock } from '../base/simulated-clock.ts'
import type { SimulatedClock } from '../base/simulated-clock.ts'
import type { Driver } from '../csi/rpc.ts'
import { createFaultyApi, NO_API_FAULTS } from './faulty-api.ts'
import type { ApiFaults } from './faulty-api.ts'
import { createFaultyDriver, NO_DRIVER_FAULTS } from './faulty-driver.ts'
import type { DriverFaults, RestartableDriver } from './faulty-driver.ts'
import { createLife } from '../base/life.ts'
import type { Life } from '../base/life.ts'
import { createSimulatedBackend } from './simulated-backend.ts'
import { createTranscript } from './transcript.ts'
import type { Transcript } from './transcript.ts'

/** What a simulated process has of the world. All of it ends with the process. */
export type ProcessWorld = {
  readonly clock: Clock
  readonly random: Random
  readonly log: Logger
  readonly life: Life
  /** The API as this user sees it, with faults on the way. */
  api(user?: User): Api
  /** A driver with faults on the way. */
  driver(driver: RestartableDriver): Driver
}

/** What a process runs: it says when it has nothing to do, and can be asked to stop. */
export type ProcessBody = { isIdle?(): boolean; stop(): Promise<void> }

export interface SimulatedProcess {
  readonly name: string
  isRunning(): boolean
  /** Ends it at once: nothing it does afterwards has an effect. */
  kill(): void
  /** Ends it at its call with this number, counted from now, before the call happens or before its answer is seen. */
  killAtCall(number: number, when: 'before' | 'after'): void
  /** Starts it anew, with only what is durable: the API and whatever the caller keeps. */
  restart(): Promise<void>
  stop(): Promise<void>
}

/** A whole cluster in one process, under a clock that stands still until it is moved. */
export interface Simulation {
  readonly seed: number
  readonly clock: SimulatedClock
  readonly random: Random
  readonly transcript: Transcript
  /** The server that runs now. */
  server(): OpenServer
  /** Ends the API server and starts it anew, with only what it had committed. Watches end. */
  restartServer(): Promise<void>
  /** Without faults: for whoever watches over the simulation. */
  readonly api: Api
  startProcess(name: string, start: (world: ProcessWorld) => Promise<ProcessBody>): Promise<SimulatedProcess>
  /** Lets everything run until nothing is in flight and no process has anything to do. Time moves only as far as calls under way need. */
  settled(): Promise<void>
  /** Moves time, and lets everything run meanwhile. */
  advance(byMs: number): Promise<void>
  stop(): Promise<void>
}

export type SimulationOptions = { seed: number; apiFaults?: ApiFaults; driverFaults?: DriverFaults; log?: Logger }

// More turns than any chain of work takes; a simulation that never settles is a bug to be seen, not to wait for.
const MOST_TURNS = 200_000

export async function startSimulation({
  seed,
  apiFaults = NO_API_FAULTS,
  driverFaults = NO_DRIVER_FAULTS,
  log = createSilentLogger(),
}: SimulationOptions): Promise<Simulation> {
  const clock = createSimulatedClock()
  const random = createSeededRandom(seed)
  const transcript = createTranscript(clock)
  const backend = createSimulatedBackend()
  const signingKey = await createSigningKey()
  const openOnce = (): Promise<OpenServer> =>
    openServer({
      backend,
      clock,
      random: createSeededRandom(random.below(2 ** 32)),
      log,
      authorizationMode: 'Node,RBAC',
      signingKey,
      rootCaPem: 'simulated',
    })
  let server = await openOnce()
  let isServing = true
  const restartServer = async (): Promise<void> => {
    transcript.add('apiserver', 'restarts')
    isServing = false
    await server.close()
    server = await openOnce()
    isServing = true
  }
  // Asked for anew with each call: after a restart the same Api reaches the new server.
  const apiOf = (user: User, userAgent: string): Api =>
    redirectApi(() => {
      if (!isServing) throw new ApiError('ServiceUnavailable', 'simulated: connection refused', { code: 0 })
      return server.core.as(user, { userAgent })
    })
  const processes = new Set<RunningProcess>()

  const startProcess = async (
    name: string,
    start: (world: ProcessWorld) => Promise<ProcessBody>,
  ): Promise<SimulatedProcess> => {
    const process = createProcess(
      name,
      (life) => {
        const own = createSeededRandom(random.below(2 ** 32))
        const inner = life.clock(clock)
        const parts = { life, clock: inner, random: own, transcript }
        return start({
          clock: inner,
          random: own,
          log,
          life,
          api: (user = SYSTEM_USER) => createFaultyApi({ ...parts, api: apiOf(user, name), faults: apiFaults }),
          driver: (driver) => createFaultyDriver({ ...parts, driver, faults: driverFaults }),
        })
      },
      transcript,
    )
    processes.add(process)
    await process.restart()
    return process
  }

  const isBusy = (): boolean => [...processes].some((process) => process.isBusy())
  const settled = async (): Promise<void> => {
    let quiet = 0
    let stuck = 0
    for (let turns = 0; quiet < QUIET_TURNS; turns++) {
      if (turns > MOST_TURNS) throw new Error(`seed ${seed}: the simulation does not settle`)
      await clock.advance(0)
      await server.idle()
      quiet = isBusy() ? 0 : quiet + 1
      stuck = quiet > 0 ? 0 : stuck + 1
      // Something is under way and has not moved for a while: it waits for time to pass.
      if (stuck >= TURNS_BEFORE_TIME_MOVES) {
        await clock.advanceToNextTimer()
        stuck = 0
      }
    }
  }
  const advance = async (byMs: number): Promise<void> => {
    await clock.advance(byMs)
    await settled()
  }
  const stop = async (): Promise<void> => {
    for (const process of processes) process.kill()
    await clock.advance(0)
    await server.close()
  }
  return {
    seed,
    clock,
    random,
    transcript,
    server: () => server,
    restartServer,
    api: apiOf(SYSTEM_USER, 'simulation'),
    startProcess,
    settled,
    advance,
    stop,
  }
}

function redirectApi(current: () => Api): Api {
  // Every member of an Api is a method.
  return new Proxy({} as Api, {
    get:
      (_target, name) =>
      (...args: unknown[]) =>
        (current() as unknown as Record<string | symbol, (...args: unknown[]) => unknown>)[name]?.(...args),
  })
}

// A few turns in which nothing happened: callbacks of one turn may set off work in the next.
const QUIET_TURNS = 5
const TURNS_BEFORE_TIME_MOVES = 10

type RunningProcess = SimulatedProcess & { isBusy(): boolean }

function createProcess(
  name: string,
  start: (life: Life) => Promise<ProcessBody>,
  transcript: Transcript,
): RunningProcess {
  let life = createLife(name)
  let body: ProcessBody | undefined

  const restart = async (): Promise<void> => {
    life.kill()
    transcript.add(name, 'starts')
    life = createLife(name)
    life.onEnd(() => transcript.add(name, 'ends'))
    body = undefined
    const own = life
    const begun = await start(own).catch((error: unknown) => {
      // Killed while it was starting: that is what was asked for.
      if (own.isOver()) return undefined
      throw error
    })
    if (own === life) body = begun
  }
  const stop = async (): Promise<void> => {
    if (life.isOver()) return
    await body?.stop()
    life.kill()
  }
  return {
    name,
    isRunning: () => !life.isOver(),
    isBusy: () => !life.isOver() && (life.inFlight() > 0 || body?.isIdle?.() === false),
    kill: () => life.kill(),
    killAtCall: (number, when) => life.killAtCall(number, when),
    restart,
    stop,
  }
}
