import { DONE, FAILED } from '../kube/controller/work-queue.ts'
import type { WorkQueue, WorkResult } from '../kube/controller/work-queue.ts'

/** Plays a part of the cluster that is not under test: each key is handled by one function, and tried again when that fails. */
export function playPart(queue: WorkQueue, handle: (key: string) => Promise<WorkResult>): { stop(): Promise<void> } {
  let isStopping = false
  queue.start(async (key) => {
    try {
      return await handle(key)
    } catch {
      return isStopping ? DONE : FAILED
    }
  })
  const stop = async (): Promise<void> => {
    isStopping = true
    await queue.stop()
  }
  return { stop }
}
