import type { Clock } from '../base/clock.ts'
import type { Logger } from '../base/logger.ts'
import type { Cluster } from '../cluster/index.ts'
import type { FoundLeak } from '../console/index.ts'
import { connectDriver } from '../csi/index.ts'
import { discoverDriver } from '../sidecars/discover-driver.ts'
import { sweep } from '../sidecars/sweep/index.ts'

const CALL_TIMEOUT_MS = 15_000
const SETTLE_MS = 3000

/** Compares every driver of the cluster with the cluster's objects. Nothing is changed. */
export async function findClusterLeaks(
  { api, drivers }: Pick<Cluster, 'api' | 'drivers'>,
  { clock, log }: { readonly clock: Clock; readonly log: Logger },
  signal: AbortSignal,
): Promise<FoundLeak[]> {
  const found: FoundLeak[] = []
  for (const { endpoint } of drivers) {
    const { driver, connection } = connectDriver({ endpoint, clock })
    try {
      const timeoutMs = CALL_TIMEOUT_MS
      const facts = await discoverDriver(driver, { clock, log, path: connection.path, timeoutMs, signal })
      const { leaks } = await sweep({ api, driver, facts, clock, settleMs: SETTLE_MS, timeoutMs, signal })
      found.push(...leaks.map((leak) => ({ driver: facts.name, ...leak })))
    } finally {
      connection.close()
    }
  }
  return found
}
