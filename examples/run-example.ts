import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { TestContext } from 'node:test'

/** How a program ended, and everything it wrote. */
export type Ended = { code: number | null; signal: NodeJS.Signals | null; out: string; err: string }

export type RunningExample = {
  /** The first line that it wrote to standard output; rejects when it ends without one. */
  readonly firstLine: Promise<string>
  readonly ended: Promise<Ended>
  stop(): Promise<Ended>
}

/** Starts a program of this folder as a reader of the docs would. It is killed when the test ends before it. */
export function startExample(
  t: TestContext,
  path: string,
  args: readonly string[] = [],
  nodeFlags: readonly string[] = [],
): RunningExample {
  const words = ['--conditions=holdfast-source', ...nodeFlags, join(import.meta.dirname, path), ...args]
  const child = spawn(process.execPath, words, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: withoutTestRunner(process.env),
  })
  t.after(() => void child.kill('SIGKILL'))
  const written = { out: '', err: '' }
  child.stdout.on('data', (chunk: Buffer) => void (written.out += chunk.toString()))
  child.stderr.on('data', (chunk: Buffer) => void (written.err += chunk.toString()))
  const ended = once(child, 'close').then(([code, signal]) => ({ code, signal, ...written }) as Ended)
  const firstLine = new Promise<string>((resolve, reject) => {
    createInterface(child.stdout).once('line', resolve)
    void ended.then(({ err }) => reject(new Error(`${path} ended without a line: ${err}`)))
  })
  // Whoever never asks for the line does not care that there was none.
  firstLine.catch(() => {})
  const stop = (): Promise<Ended> => {
    child.kill('SIGTERM')
    return ended
  }
  return { firstLine, ended, stop }
}

// A test runner that finds itself inside another one reports to it instead of by its exit code.
const withoutTestRunner = ({ NODE_TEST_CONTEXT: _context, ...env }: NodeJS.ProcessEnv): NodeJS.ProcessEnv => env
