import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { ROOT } from '../../scripts/run.ts'

export type StartedProgram = {
  /** The line that begins with `ready`. */
  ready: string
  /** Sends SIGTERM and resolves with the exit code; null when a signal ended it. */
  stop(): Promise<number | null>
}

/** Starts one of our long-running commands and waits for its ready line. Its log goes to our standard error. */
export async function startProgram(command: string, args: readonly string[]): Promise<StartedProgram> {
  const child = spawn(command, args, { cwd: ROOT, stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = once(child, 'exit').then(([code]) => code as number | null)
  const lines = createInterface({ input: child.stdout })
  const ready = new Promise<string>((resolve) => lines.on('line', (line) => line.startsWith('ready') && resolve(line)))
  const failed = ended.then((code) => {
    throw new Error(`${args[1] ?? command} ended with ${code} before it was ready`)
  })
  const stop = (): Promise<number | null> => {
    child.kill('SIGTERM')
    return ended
  }
  return { ready: await Promise.race([ready, failed]), stop }
}
