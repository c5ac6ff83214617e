import { spawn, type ChildProcess } from 'node:child_process'
import { constants } from 'node:os'
import type { Readable } from 'node:stream'
import { describeErrno } from './describe-errno.ts'
import { HostError } from './host.ts'
import type { HostProcesses, ProcessResult, RunOptions } from './host.ts'
import { errnoOf } from './system-step.ts'

const OUTPUT_LIMIT_BYTES = 1024 * 1024

/** Runs programs of this machine: without a shell, with a fixed locale, and with only PATH from our environment. */
export function createSystemProcesses(): HostProcesses {
  return { run: (command, args, options = {}) => run(command, args, options) }
}

/** The complete environment of a program. */
export const programEnvironment = (): Record<string, string> => ({
  PATH: process.env['PATH'] ?? '/usr/sbin:/usr/bin:/sbin:/bin',
  LC_ALL: 'C',
})

function run(command: string, args: readonly string[], { signal, env, input }: RunOptions): Promise<ProcessResult> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason)
    const refuse = (error: unknown): void => {
      const code = errnoOf(error)
      reject(new HostError(code, 'run', command, { detail: describeErrno(code), cause: error }))
    }
    let child: ChildProcess
    try {
      child = spawn(command, args, { env: { ...programEnvironment(), ...env }, stdio: ['pipe', 'pipe', 'pipe'] })
    } catch (error) {
      return refuse(error)
    }
    const onAbort = (): void => {
      abandon(child)
      reject(signal?.reason)
    }
    signal?.addEventListener('abort', onAbort, { once: true })
    const stdout = collect(child.stdout)
    const stderr = collect(child.stderr)
    child.on('error', (error) => {
      signal?.removeEventListener('abort', onAbort)
      refuse(error)
    })
    child.on('close', (code, signalName) => {
      signal?.removeEventListener('abort', onAbort)
      const exitCode = code ?? 128 + (signalName === null ? 0 : constants.signals[signalName])
      resolve({ exitCode, stdout: stdout(), stderr: stderr() })
    })
    // A program may exit without having read its input.
    child.stdin?.on('error', () => {})
    child.stdin?.end(input ?? '')
  })
}

// A program stuck in the kernel survives even SIGKILL, so nothing may wait for it.
function abandon(child: ChildProcess): void {
  child.kill('SIGKILL')
  for (const stream of child.stdio) stream?.destroy()
  child.unref()
}

// Keeps reading past the limit: a program that cannot write would never exit.
function collect(stream: Readable | null): () => string {
  const chunks: Buffer[] = []
  let size = 0
  stream?.on('data', (chunk: Buffer) => {
    const kept = chunk.subarray(0, OUTPUT_LIMIT_BYTES - size)
    size += kept.length
    if (kept.length > 0) chunks.push(kept)
  })
  return () => Buffer.concat(chunks).toString()
}
