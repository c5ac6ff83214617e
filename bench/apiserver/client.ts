import { fork } from 'node:child_process'
import { once } from 'node:events'
import type { ClientOptions, ClientReply, ClientRequest, Task, TaskResult } from './task.ts'

/** A client in a process of its own, so that its CPU time is not the server's. */
export interface Client {
  perform(task: Task): Promise<TaskResult>
  stop(): Promise<void>
}

export function startClient(options: ClientOptions): Client {
  const child = fork(new URL('client-process.ts', import.meta.url), [JSON.stringify(options)])
  const exited = once(child, 'exit')
  const gone = exited.then(() => {
    throw new Error('the client ended')
  })
  gone.catch(() => {})
  const perform = async (task: Task): Promise<TaskResult> => {
    const answered = once(child, 'message')
    const request: ClientRequest = { task }
    child.send(request)
    const [reply] = (await Promise.race([answered, gone])) as [ClientReply]
    if ('error' in reply) throw new Error(`${task.kind}: ${reply.error}`)
    return reply.result
  }
  const stop = async (): Promise<void> => {
    if (child.connected) child.disconnect()
    await exited
  }
  return { perform, stop }
}
