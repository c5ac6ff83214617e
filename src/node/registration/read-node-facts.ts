import type { Clock } from '../../base/clock.ts'
import type { Logger } from '../../base/logger.ts'
import type { Random } from '../../base/random.ts'
import type { Driver } from '../../csi/rpc.ts'
import { askNodeInfo } from './ask-driver.ts'
import { checkNodeInfo } from './node-facts.ts'
import type { NodeFacts } from './node-facts.ts'
import { messageOf, PluginRefusal } from './plugin-refusal.ts'
import { REASONS } from './reasons.ts'

/** What a driver says about its node, once it makes sense; fails with a `PluginRefusal`. */
export async function readNodeFacts(
  name: string,
  driver: Driver,
  parts: { clock: Clock; random: Random; log: Logger },
  signal: AbortSignal,
): Promise<NodeFacts> {
  const answer = await askNodeInfo(driver, parts, signal).catch((error: unknown): never => {
    signal.throwIfAborted()
    throw new PluginRefusal(REASONS.nodeInfoFailed(name, messageOf(error)))
  })
  if (answer.maxVolumesPerNode < 0n)
    parts.log.warn('the driver gives a negative limit of volumes: it is left out', { driver: name })
  const checked = checkNodeInfo(name, answer)
  if ('problem' in checked) throw new PluginRefusal(checked.problem)
  return checked.facts
}
