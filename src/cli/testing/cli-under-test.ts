import type { TestContext } from 'node:test'
import { createSystemClock } from '../../base/clock.ts'
import { createSystemHost } from '../../base/host/index.ts'
import { createSystemRandom } from '../../base/random.ts'
import { runCli } from '../run-cli.ts'
import type { World } from '../world.ts'

/** A command that runs in this process. */
export interface RunningCommand {
  readonly ended: Promise<number>
  out(): string
  err(): string
  /** Resolves once standard output, or error, has text like this; rejects when the command ends before. */
  untilOut(pattern: RegExp): Promise<void>
  untilErr(pattern: RegExp): Promise<void>
  /** As a signal would. */
  stop(): Promise<number>
}

/** Runs a command line with a world of its own, on the real machine and clock. Stopped with the test. */
export function startCommand(
  test: TestContext,
  words: readonly string[],
  options: Partial<Pick<World, 'env' | 'hostname' | 'host' | 'ask'>> = {},
): RunningCommand {
  const output = createOutput()
  const errors = createOutput()
  const { promise: stopped, resolve: stop } = Promise.withResolvers<string>()
  const world: World = {
    clock: createSystemClock(),
    random: createSystemRandom(),
    host: createSystemHost(),
    hostname: 'pod-1',
    env: {},
    version: '0.0.0-test',
    out: output,
    err: errors,
    untilStopped: () => stopped,
    ask: () => Promise.resolve(undefined),
    ...options,
  }
  const ended = runCli(words, world)
  const stopNow = (): Promise<number> => {
    stop('SIGTERM')
    return ended
  }
  const until = async (of: typeof output, pattern: RegExp): Promise<void> => {
    const tooEarly = ended.then((code) => {
      if (!pattern.test(of.text()))
        throw new Error(`ended with ${code} before ${pattern} was written: ${output.text()}${errors.text()}`)
    })
    await Promise.race([of.until(pattern), tooEarly])
  }
  test.after(stopNow)
  return {
    ended,
    out: output.text,
    err: errors.text,
    untilOut: (pattern) => until(output, pattern),
    untilErr: (pattern) => until(errors, pattern),
    stop: stopNow,
  }
}

function createOutput() {
  let text = ''
  const waiting = new Set<() => void>()
  const write = (more: string): void => {
    text += more
    for (const check of [...waiting]) check()
  }
  const until = (pattern: RegExp): Promise<void> =>
    new Promise((resolve) => {
      const check = (): void => {
        if (!pattern.test(text)) return
        waiting.delete(check)
        resolve()
      }
      waiting.add(check)
      check()
    })
  return { write, isTerminal: false, columns: 80, text: () => text, until }
}
