import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'

/** Ends it with no chance to put anything in order, and waits for that; nothing to do when it has ended already. */
export async function killChild(child: ChildProcess | undefined): Promise<void> {
  if (!child || child.exitCode !== null || child.signalCode !== null) return
  const exited = once(child, 'exit')
  child.kill('SIGKILL')
  await exited
}
