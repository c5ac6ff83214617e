import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'

/** Kills the process without letting it clean up, and waits until it has exited. Does nothing if it has already exited. */
export async function killChild(child: ChildProcess | undefined): Promise<void> {
  if (!child || child.exitCode !== null || child.signalCode !== null) return
  const exited = once(child, 'exit')
  child.kill('SIGKILL')
  await exited
}
