import { startDeadline } from '../../base/abort.ts'
import { backoffDelayMs } from '../../base/backoff.ts'
import { sleep } from '../../base/clock.ts'
import type { Clock } from '../../base/clock.ts'
import type { Logger } from '../../base/logger.ts'
import type { Random } from '../../base/random.ts'
import { CsiError, isCsiError } from '../../csi/csi-error.ts'
import type { NodeGetInfoResponse } from '../../csi/generated/csi/v1/csi.ts'
import type { Driver } from '../../csi/rpc.ts'
import { checkNodeInfo } from './node-facts.ts'
import type { NodeFacts } from './node-facts.ts'
import { messageOf, PluginRefusal } from './plugin-refusal.ts'
import { REASONS } from './reasons.ts'

const TIMEOUT_MS = 120_000
// A driver that has just been started may not answer yet; one that does not exist at all should be reported soon.
const TRIES = 5
const BACKOFF = { initialMs: 500, maximumMs: 4000 }

/** What a driver says about its node; fails with a `PluginRefusal`. */
export async function readNodeFacts(
  name: string,
  driver: Driver,
  { clock, random, log }: { clock: Clock; random: Random; log: Logger },
  signal: AbortSignal,
): Promise<NodeFacts> {
  const answer = await askNodeInfo(driver, { clock, random }, signal).catch((error: unknown): never => {
    signal.throwIfAborted()
    throw new PluginRefusal(REASONS.nodeInfoFailed(name, messageOf(error)))
  })
  if (answer.maxVolumesPerNode < 0n) log.warn('ignoring the negative volume limit of the driver', { driver: name })
  const checked = checkNodeInfo(name, answer)
  if ('problem' in checked) throw new PluginRefusal(checked.problem)
  return checked.facts
}

/** NodeGetInfo, again while the driver is only not ready. Two minutes in all. */
async function askNodeInfo(
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
