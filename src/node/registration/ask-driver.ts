import { startDeadline } from '../../base/abort.ts'
import { backoffDelayMs } from '../../base/backoff.ts'
import { sleep } from '../../base/clock.ts'
import type { Clock } from '../../base/clock.ts'
import type { Random } from '../../base/random.ts'
import { CsiError, isCsiError } from '../../csi/csi-error.ts'
import type { Driver } from '../../csi/rpc.ts'
import type { NodeGetInfoResponse } from '../../csi/generated/csi/v1/csi.ts'

const TIMEOUT_MS = 120_000
// A driver that has just been started may not answer yet; one that is not there at all is to be told of soon.
const TRIES = 5
const BACKOFF = { initialMs: 500, maximumMs: 4000 }

/** NodeGetInfo, again while the driver is only not ready. Two minutes in all. */
export async function askNodeInfo(
  driver: Driver,
  { clock, random }: { clock: Clock; random: Random },
  signal: AbortSignal,
): Promise<NodeGetInfoResponse> {
  const tooLate = (): Error =>
    new CsiError('DEADLINE_EXCEEDED', `no answer within ${TIMEOUT_MS / 1000} s`, { rpc: 'NodeGetInfo' })
  using deadline = startDeadline(clock, TIMEOUT_MS, tooLate, signal)
  for (let tries = 1; ; tries++) {
    try {
      return await driver.nodeGetInfo({}, { timeoutMs: TIMEOUT_MS, signal: deadline.signal })
    } catch (error) {
      deadline.signal.throwIfAborted()
      if (tries === TRIES || !isCsiError(error, 'UNAVAILABLE', 'ABORTED')) throw error
      await sleep(clock, backoffDelayMs(BACKOFF, tries, random), deadline.signal)
    }
  }
}
