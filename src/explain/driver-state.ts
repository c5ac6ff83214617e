import { findTimestamp } from '../api/timestamps.ts'
import { DRIVER_WELL, isDriverEventReason, REPEAT_PROBLEM_MS, roleIn } from '../storage/driver-problem.ts'
import type { DriverEventReason } from '../storage/driver-problem.ts'
import type { ClusterReader } from './cluster-reader.ts'
import { byAge, lastTimeOf } from './last-error.ts'

export type ReportedProblem = { readonly reason: DriverEventReason; readonly message: string }

// An event may be written a little late.
const OVER_AFTER_MS = 1.5 * REPEAT_PROBLEM_MS

/**
 * What the sidecars of a driver say is wrong with it now, in events about its CSIDriver. A capability is wrong only for the sidecar that needs it.
 * `holder` is the replica that leads: the others may have a driver in another state.
 */
export async function findDriverProblem(
  driver: string,
  reader: ClusterReader,
  { sidecar, holder }: { readonly sidecar?: string; readonly holder?: string | undefined } = {},
): Promise<ReportedProblem | undefined> {
  const events = (await reader.eventsOf({ kind: 'CSIDriver', name: driver }))
    .filter(({ source }) => holder === undefined || source?.host === holder)
    .sort(byAge)
  const timeOf = (event: (typeof events)[number]): number => findTimestamp(lastTimeOf(event)) ?? 0
  const wellMs = Math.max(0, ...events.filter(({ reason }) => reason === DRIVER_WELL).map(timeOf))
  for (const event of events) {
    const { reason = '', message = '' } = event
    if (!isDriverEventReason(reason)) continue
    if (reader.nowMs !== undefined && timeOf(event) < reader.nowMs - OVER_AFTER_MS) continue
    const isMissing = reason === 'CapabilityMissing'
    // Times have whole seconds, and a driver that is back tells at once what it lacks.
    if (isMissing ? timeOf(event) < wellMs : timeOf(event) <= wellMs) continue
    if (isMissing && (sidecar === undefined || roleIn(message) !== sidecar)) continue
    return { reason, message }
  }
  return undefined
}
