import { hostname } from 'node:os'
import { createInterface } from 'node:readline/promises'
import { createSystemClock } from '../base/clock.ts'
import type { Clock } from '../base/clock.ts'
import { createSystemHost } from '../base/host/index.ts'
import type { Host } from '../base/host/index.ts'
import { createSystemRandom } from '../base/random.ts'
import type { Random } from '../base/random.ts'

/** Everything outside the program. Commands get it whole; what they start gets only the parts it needs. */
export type World = {
  clock: Clock
  random: Random
  host: Host
  hostname: string
  env: Readonly<Record<string, string | undefined>>
  version: string
  out: Output
  err: Output
  /** Resolves with the name of the first signal that asks the program to stop. A second one ends the process at once. */
  untilStopped(): Promise<string>
  /** One line typed at the terminal; undefined if there is no terminal. */
  ask(question: string): Promise<string | undefined>
}

export type Output = {
  write(text: string): void
  readonly isTerminal: boolean
  readonly columns: number
}

/** The machine that the program runs on. */
export function createWorld(version: string): World {
  return {
    clock: createSystemClock(),
    random: createSystemRandom(),
    host: createSystemHost(),
    hostname: hostname(),
    env: process.env,
    version,
    out: outputOf(process.stdout),
    err: outputOf(process.stderr),
    untilStopped,
    ask,
  }
}

function outputOf(stream: NodeJS.WriteStream): Output {
  // The reader may have closed the pipe, as `head` does. The command must still finish and clean up.
  stream.on('error', () => {})
  return { write: (text) => void stream.write(text), isTerminal: stream.isTTY === true, columns: stream.columns ?? 80 }
}

async function ask(question: string): Promise<string | undefined> {
  if (!process.stdin.isTTY) return undefined
  const lines = createInterface({ input: process.stdin, output: process.stdout })
  try {
    return await lines.question(question)
  } catch (error) {
    // Ctrl-C or Ctrl-D is no answer.
    if (error instanceof Error && error.name === 'AbortError') return ''
    throw error
  } finally {
    lines.close()
  }
}

const SAME_SIGNAL_MS = 500

function untilStopped(): Promise<string> {
  return new Promise((resolve) => {
    let askedMs: number | undefined
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      process.on(signal, () => {
        // Under npm one Ctrl-C arrives twice: from the terminal and from npm.
        if (askedMs !== undefined && performance.now() - askedMs > SAME_SIGNAL_MS) process.exit(130)
        askedMs ??= performance.now()
        resolve(signal)
      })
    }
  })
}
