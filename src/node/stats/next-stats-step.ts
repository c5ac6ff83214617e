import { reason } from '../../api/reason.ts'
import { NodeServiceCapability_RPC_Type as Capability } from '../../csi/generated/csi/v1/csi.ts'
import type { StatsStep, StatsView } from './stats-view.ts'

const REASONS = {
  notMounted: reason('NotMounted', 'the volume is not mounted'),
  notRegistered: reason('DriverNotRegistered', 'the driver is not registered on this node'),
  notReported: reason('StatsNotReported', 'the driver reports neither usage nor health'),
  measured: reason('StatsMeasured', 'the driver was asked recently'),
}

/** When to ask the driver about a volume, and for what. */
export function nextStatsStep({ isMounted, isRegistered, capabilities, nowMs, dueAtMs }: StatsView): StatsStep {
  if (!isMounted) return { kind: 'wait', reason: REASONS.notMounted }
  if (!isRegistered) return { kind: 'wait', reason: REASONS.notRegistered }
  const withUsage = capabilities?.has(Capability.GET_VOLUME_STATS) ?? false
  const withHealth = capabilities?.has(Capability.GET_VOLUME_HEALTH) ?? false
  if (capabilities && !withUsage && !withHealth) return { kind: 'wait', reason: REASONS.notReported }
  if (dueAtMs === undefined) return { kind: 'plan' }
  if (dueAtMs > nowMs) return { kind: 'wait', reason: REASONS.measured, retryInMs: dueAtMs - nowMs }
  return capabilities ? { kind: 'measure', withUsage, withHealth } : { kind: 'probe' }
}
