import type { Event } from '../api/kinds/event.ts'
import { findTimestamp } from '../api/timestamps.ts'
import type { ClusterReader } from './cluster-reader.ts'
import type { LastError, ObjectId } from './explanation.ts'

/** When an event was last seen, whichever way its author writes that. */
export const lastTimeOf = ({ series, lastTimestamp, eventTime, firstTimestamp, metadata }: Event): string =>
  series?.lastObservedTime || lastTimestamp || eventTime || firstTimestamp || metadata.creationTimestamp || ''

export const byAge = (one: Event, other: Event): number =>
  (findTimestamp(lastTimeOf(other)) ?? 0) - (findTimestamp(lastTimeOf(one)) ?? 0)

/** The newest warning about the object that has one of these reasons. */
export async function findLastError(
  reader: ClusterReader,
  object: ObjectId,
  reasons: readonly string[],
): Promise<LastError | undefined> {
  const [newest] = (await reader.eventsOf(object))
    .filter(({ type, reason = '' }) => type === 'Warning' && reasons.includes(reason))
    .sort(byAge)
  return newest
    ? { message: newest.message ?? newest.reason ?? '', ...(lastTimeOf(newest) ? { time: lastTimeOf(newest) } : {}) }
    : undefined
}
