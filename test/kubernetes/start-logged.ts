import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { ROOT } from '../../scripts/run.ts'

/** A program that runs, with its log in a file. */
export interface LoggedProgram {
  readonly pid: number
  /** Resolves with its line that begins with `ready`; rejects when it ends before. Programs in Go say nothing. */
  readonly ready: Promise<string>
  /** Undefined while it runs; null when a signal ended it. */
  exitCode(): number | null | undefined
  log(): string
  signal(signal: NodeJS.Signals): void
  /** Sends the signal, SIGTERM unless told, and resolves with the exit code. */
  stop(signal?: NodeJS.Signals): Promise<number | null>
}

const PATIENCE_MS = 20_000

/** Starts it; whatever ends this process ends it too. */
export function startLogged(
  command: string,
  args: readonly string[],
  logPath: string,
  env: Readonly<Record<string, string>> = {},
): LoggedProgram {
  const log = openSync(logPath, 'a')
  const child = spawn(command, args, { cwd: ROOT, stdio: ['ignore', 'pipe', log], env: { ...process.env, ...env } })
  closeSync(log)
  const { promise: ready, resolve, reject } = Promise.withResolvers<string>()
  ready.catch(() => {})
  if (child.stdout)
    createInterface({ input: child.stdout }).on('line', (line) => line.startsWith('ready') && resolve(line))
  let exitCode: number | null | undefined
  const ended = once(child, 'exit').then(([code]) => (exitCode = code as number | null))
  const kill = (): void => void child.kill('SIGKILL')
  process.on('exit', kill)
  const readLog = (): string => readFileSync(logPath, 'utf8')
  void ended.then((code) => {
    process.off('exit', kill)
    reject(new Error(`${args[1] ?? command} ended with ${code} before it was ready: ${readLog().slice(-4000)}`))
  })
  const stop = async (signal: NodeJS.Signals = 'SIGTERM'): Promise<number | null> => {
    child.kill(signal)
    const timer = setTimeout(kill, PATIENCE_MS)
    const code = await ended
    clearTimeout(timer)
    return code
  }
  return {
    pid: child.pid ?? 0,
    ready,
    exitCode: () => exitCode,
    log: readLog,
    signal: (signal) => void child.kill(signal),
    stop,
  }
}
