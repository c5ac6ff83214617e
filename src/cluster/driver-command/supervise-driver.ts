import { sleep } from '../../base/clock.ts'
import type { Clock } from '../../base/clock.ts'
import { removeFileIfPresent } from '../../base/host/index.ts'
import type { HostFiles } from '../../base/host/index.ts'
import { parseEndpoint } from '../../csi/index.ts'
import type { Driver, Sockets } from '../../csi/index.ts'
import { askDriver } from './ask-driver.ts'
import type { CallMemory } from './call-memory.ts'
import { diagnoseDriver } from './diagnose-driver.ts'
import type { DriverAnswer } from './diagnose-driver.ts'
import { delayAfter, nextDriverStep } from './next-driver-step.ts'
import type { DriverProcessView } from './next-driver-step.ts'
import { readStamps } from './read-stamps.ts'

/** A program that was started. */
export type Launched = {
  /** Resolves with how it ended: `exit code 1`. */
  readonly ended: Promise<string>
  /** Ends it and what it started. */
  stop(): Promise<void>
}

export type DriverCommand = {
  readonly endpoint: string
  /** Files and directories whose changes restart the driver. */
  readonly watched: readonly string[]
  launch(): Launched
  readonly calls: CallMemory
  /** The newest report of a publish that mounted nothing. */
  mountedNothing(): string | undefined
  /** The process was started or has ended, and why. */
  onMove(what: string): void
  /** What is wrong has changed; undefined if nothing is wrong any more. */
  onProblem(sentence: string | undefined): void
}

export interface SupervisedDriver {
  /** Resolves with the driver's name, once it is ready. */
  readonly ready: Promise<string>
  stop(): Promise<void>
}

const LOOK_EVERY_MS = 500
// A driver that ran for this long has not failed at its start.
const STABLE_MS = 10_000

type World = { readonly clock: Clock; readonly files: HostFiles; readonly sockets: Sockets }

/** Keeps a driver running while someone works on it. */
export function superviseDriver(command: DriverCommand, { clock, files, sockets }: World): SupervisedDriver {
  const stopping = new AbortController()
  const ready = Promise.withResolvers<string>()
  ready.promise.catch(() => {})
  const { driver, connection } = sockets.connectDriver(command.endpoint)
  let knownName: string | undefined
  let problem: string | undefined
  let process: DriverProcessView['process'] = { kind: 'none' }
  let how = ''
  let running: Launched | undefined
  let startedMs = 0
  let [atStart, lastLook] = ['', '']

  const start = async (because: string): Promise<void> => {
    // A dead driver leaves its socket, and many drivers cannot listen on one that exists.
    if ((await files.findStat(parseEndpoint(command.endpoint)))?.kind === 'socket')
      await removeFileIfPresent(files, parseEndpoint(command.endpoint))
    atStart = lastLook
    startedMs = clock.monotonicMs()
    command.calls.forget()
    command.onMove(because)
    const own = command.launch()
    const failures = process.kind === 'ended' ? process.failures : 0
    running = own
    process = { kind: 'running' }
    void own.ended.then((end) => {
      if (running !== own) return
      running = undefined
      how = end
      const atMs = clock.monotonicMs()
      process = { kind: 'ended', atMs, failures: atMs - startedMs > STABLE_MS ? 1 : failures + 1 }
      if (!stopping.signal.aborted) command.onMove(`ended: ${end}`)
    })
  }
  const stop = async (): Promise<void> => {
    const before = running
    running = undefined
    await before?.stop()
  }
  const step = async (): Promise<void> => {
    const look = await readStamps(files, command.watched)
    const changes = look !== lastLook && lastLook !== '' ? 'settling' : look === atStart ? 'same' : 'changed'
    lastLook = look
    const isFirst = process.kind === 'none'
    const next = nextDriverStep({ nowMs: clock.monotonicMs(), process, files: isFirst ? 'same' : changes })
    if (next.kind === 'start') await start(isFirst ? 'started' : 'started again')
    if (next.kind === 'restart') {
      await stop()
      await start('restarted: its files have changed')
    }
  }
  const judge = async (): Promise<void> => {
    const answer = await answerOf(driver, process)
    if (answer.kind === 'ready') {
      knownName ??= answer.name
      ready.resolve(answer.name)
    }
    const ended = process.kind === 'ended' ? process : undefined
    const restartInMs = ended ? Math.max(0, ended.atMs + delayAfter(ended.failures) - clock.monotonicMs()) : 0
    const mounted = command.mountedNothing()
    const now = diagnoseDriver({
      endpoint: command.endpoint,
      process: ended ? { kind: 'ended', how, restartInMs } : { kind: 'running' },
      answer,
      calls: command.calls.trouble(),
      ...(knownName === undefined ? {} : { knownName }),
      ...(mounted === undefined ? {} : { mountedNothing: mounted }),
    })
    if (kindOf(now) !== kindOf(problem) && !isStarting(now)) command.onProblem((problem = now))
  }
  // A driver that was just started may take a moment to listen.
  const isStarting = (sentence: string | undefined): boolean =>
    sentence !== undefined && process.kind === 'running' && clock.monotonicMs() - startedMs < PATIENCE_MS
  const run = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      await step()
      await judge()
      await sleep(clock, LOOK_EVERY_MS, stopping.signal).catch(() => {})
    }
  }
  const ended = run().catch((error: unknown) => ready.reject(error))
  return {
    ready: ready.promise,
    stop: async () => {
      stopping.abort(new Error('stopped'))
      ready.reject(new Error('stopped'))
      await stop()
      await ended
      connection.close()
    },
  }
}

const PATIENCE_MS = 2000

const answerOf = (driver: Driver, process: DriverProcessView['process']): Promise<DriverAnswer> =>
  process.kind === 'running' ? askDriver(driver) : Promise.resolve({ kind: 'silent', detail: 'it is not running' })

/** The same problem counts once, although the seconds in its sentence change. */
const kindOf = (sentence: string | undefined): string | undefined => sentence?.replaceAll(/\d+ s\b/g, '')
