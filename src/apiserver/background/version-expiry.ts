import type { Store } from '../core/store.ts'
import type { WatchHub } from '../core/watch-hub.ts'
import type { BackgroundTasks } from './background-tasks.ts'

const TASK = 'version expiry'
/** The interval at which Kubernetes compacts etcd. */
export const VERSIONS_KEPT_MS = 300_000

/** Lets earlier versions expire after one to two intervals, as a compaction does: pages of a list must not be able to stay behind for ever. */
export function startVersionExpiry({
  store,
  hub,
  tasks,
  keptMs,
}: {
  store: Store
  hub: WatchHub
  tasks: BackgroundTasks
  keptMs: number
}): void {
  let last = store.revision()
  const step = async (): Promise<void> => {
    hub.expire(last)
    last = store.revision()
    tasks.after(TASK, keptMs, step)
  }
  tasks.after(TASK, keptMs, step)
}
