import { sleep } from '../../base/clock.ts'
import type { ClusterContext } from './cluster-case.ts'
import type { ClusterProcess } from './start-process.ts'

const ON_ITS_WAY_MS = 1

/**
 * Runs `work` while the process is killed in the middle of the first calls of an RPC, and started again each time. Returns how often it was killed.
 */
export async function killDuring(
  { cluster, check: { clock } }: ClusterContext,
  process: ClusterProcess,
  { rpc, times }: { rpc: string; times: number },
  work: () => Promise<void>,
): Promise<number> {
  let kills = 0
  let reviving = Promise.resolve()
  using _watch = cluster.onCall(rpc, () => {
    if (kills === times) return
    kills += 1
    reviving = reviving.then(async () => {
      // The call is about to be sent; it has to reach the driver first.
      await sleep(clock, ON_ITS_WAY_MS)
      process.kill()
      await process.start()
    })
  })
  try {
    await work()
  } finally {
    await reviving
  }
  return kills
}
