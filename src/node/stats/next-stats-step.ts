import { NodeServiceCapability_RPC_Type as Capability } from '../../csi/generated/csi/v1/csi.ts'
import { REASONS } from './reasons.ts'
import type { StatsStep, StatsView } from './stats-view.ts'

/** When to ask the driver about a volume, and for what. */
export function nextStatsStep({ isMounted, isRegistered, capabilities, nowMs, dueAtMs }: StatsView): StatsStep {
  if (!isMounted) return { kind: 'wait', reason: REASONS.NotMounted }
  if (!isRegistered) return { kind: 'wait', reason: REASONS.DriverNotRegistered }
  const withUsage = capabilities?.has(Capability.GET_VOLUME_STATS) === true
  const withHealth = capabilities?.has(Capability.GET_VOLUME_HEALTH) === true
  if (capabilities && !withUsage && !withHealth) return { kind: 'wait', reason: REASONS.StatsNotReported }
  if (dueAtMs === undefined) return { kind: 'plan' }
  if (dueAtMs > nowMs) return { kind: 'wait', reason: REASONS.StatsMeasured, retryInMs: dueAtMs - nowMs }
  return capabilities ? { kind: 'measure', withUsage, withHealth } : { kind: 'probe' }
}
