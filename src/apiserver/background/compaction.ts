import type { Backend } from '../storage/backend.ts'
import type { BackgroundTasks } from './background-tasks.ts'

const TASK = 'compaction'
const LOOK_INTERVAL_MS = 30_000
// Delay between two steps, so that commits get their turn.
const STEP_INTERVAL_MS = 50

/** Returns the space of deleted objects to the disk, in small steps. */
export function startCompaction({ backend, tasks }: { backend: Backend; tasks: BackgroundTasks }): void {
  if (!backend.compact) return
  const step = async (): Promise<void> => {
    const again = await backend.compact?.()
    tasks.after(TASK, again ? STEP_INTERVAL_MS : LOOK_INTERVAL_MS, step)
  }
  tasks.after(TASK, LOOK_INTERVAL_MS, step)
}
