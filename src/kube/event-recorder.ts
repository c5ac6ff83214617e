import { isNotFound } from '../api/api-error.ts'
import type { Api } from '../api/api.ts'
import { EVENTS } from '../api/kinds/event.ts'
import type { Event } from '../api/kinds/event.ts'
import { keyOf } from '../api/object-key.ts'
import type { KubeObject } from '../api/object.ts'
import { formatTimestamp } from '../api/timestamps.ts'
import type { Clock } from '../base/clock.ts'
import type { Logger } from '../base/logger.ts'
import { createEventCorrelator } from './correlate-events.ts'
import type { EventNote, EventStep } from './correlate-events.ts'

/** Says something about an object, for people. Never fails: an event that can't be written is logged. */
export interface EventRecorder {
  record(about: KubeObject, type: EventNote['type'], reason: string, message: string): void
  /** Resolves when all that was recorded so far is written or given up. */
  flush(): Promise<void>
}

export type EventRecorderParts = { api: Api; clock: Clock; log: Logger; component: string; host?: string }

// The server's limit.
const LONGEST_MESSAGE = 1024
// What waits beyond this is dropped: events are worth less than memory.
const MOST_WAITING = 1000

export function createEventRecorder({ api, clock, log, component, host }: EventRecorderParts): EventRecorder {
  const correlate = createEventCorrelator(clock)
  const written = new Map<string, { namespace: string; name: string }>()
  let tail = Promise.resolve()
  let waiting = 0

  const record = (about: KubeObject, type: EventNote['type'], reason: string, message: string): void => {
    log.debug('event', { object: `${about.kind} ${keyOf(about)}`, type, reason, message })
    const step = correlate({ objectKey: `${about.kind} ${keyOf(about)} ${about.metadata.uid}`, type, reason, message: shorten(message) })
    if (!step || waiting >= MOST_WAITING) return
    waiting++
    // One after the other: a count must not overtake the event that it belongs to.
    tail = tail
      .then(() => write(about, type, reason, step))
      .catch((error: unknown) => log.warn('an event was not written', { error, reason }))
      .finally(() => void waiting--)
  }
  const write = async (about: KubeObject, type: EventNote['type'], reason: string, step: EventStep): Promise<void> => {
    const present = step.kind === 'count' ? written.get(step.id) : undefined
    if (present && step.kind === 'count') {
      const value = { count: step.count, lastTimestamp: formatTimestamp(clock.nowMs()), message: step.message }
      try {
        await api.patch(EVENTS, present, { type: 'merge', value })
        return
      } catch (error) {
        // It has expired: begin a new one.
        if (!isNotFound(error)) throw error
      }
    }
    const event = eventOf(about, type, reason, step)
    const created = await api.create(EVENTS, event)
    written.set(step.id, { namespace: created.metadata.namespace ?? '', name: created.metadata.name ?? '' })
  }
  const eventOf = ({ apiVersion, kind, metadata }: KubeObject, type: string, reason: string, step: EventStep): Event => {
    const { name = '', namespace = '', uid, resourceVersion } = metadata
    const now = formatTimestamp(clock.nowMs())
    const involvedObject = { apiVersion, kind, name, ...(namespace ? { namespace } : {}), ...(uid ? { uid } : {}), ...(resourceVersion ? { resourceVersion } : {}) }
    return {
      apiVersion: 'v1',
      kind: 'Event',
      metadata: { name: `${name}.${nameSuffix(clock.nowMs())}`, namespace: namespace || 'default' },
      involvedObject,
      type,
      reason,
      message: step.message,
      source: { component, ...(host ? { host } : {}) },
      firstTimestamp: now,
      lastTimestamp: now,
      count: step.kind === 'count' ? step.count : 1,
      reportingComponent: component,
      reportingInstance: host ?? '',
    }
  }
  // As client-go: nanoseconds since 1970 in hexadecimal; a counter keeps two of one millisecond apart.
  let last = 0n
  const nameSuffix = (nowMs: number): string => {
    const nanos = BigInt(Math.floor(nowMs)) * 1_000_000n
    last = nanos > last ? nanos : last + 1n
    return last.toString(16)
  }
  return { record, flush: () => tail }
}

const shorten = (message: string): string => {
  if (Buffer.byteLength(message) <= LONGEST_MESSAGE) return message
  const cut = Buffer.from(message).subarray(0, LONGEST_MESSAGE - 4).toString()
  // A character that was cut in two became a replacement character.
  return `${cut.replace(/\uFFFD$/, '')}…`
}
