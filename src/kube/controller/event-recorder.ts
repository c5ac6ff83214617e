import { createHash } from 'node:crypto'
import { isNotFound } from '../../api/api-error.ts'
import type { Api } from '../../api/api.ts'
import { EVENTS } from '../../api/kinds/event.ts'
import type { Event } from '../../api/kinds/event.ts'
import { formatObject, keyOf, refOf } from '../../api/object-key.ts'
import type { KubeObject, ObjectRef } from '../../api/object.ts'
import { formatTimestamp } from '../../api/timestamps.ts'
import { abandonOnAbort, startDeadline } from '../../base/abort.ts'
import type { Clock } from '../../base/clock.ts'
import { cutText } from '../../base/cut-text.ts'
import type { Logger } from '../../base/logger.ts'
import { createEventCorrelator, MOST_REMEMBERED } from './correlate-events.ts'
import type { EventNote, EventStep } from './correlate-events.ts'
import { createRecentMap } from '../cache/recent-map.ts'

/** Records events about objects. Never fails: an event that cannot be written is logged. */
export interface EventRecorder {
  record(about: KubeObject, type: EventNote['type'], reason: string, message: string): void
  /** Resolves when all events recorded so far are written or given up; rejects with the signal's reason. */
  flush(signal?: AbortSignal): Promise<void>
}

export type EventRecorderParts = { api: Api; clock: Clock; log: Logger; component: string; host?: string }

// The server's limit.
const LONGEST_MESSAGE_BYTES = 1024
const LONGEST_NAME = 253
// Further events are dropped to limit the memory.
const MOST_WAITING = 1000
const WRITE_TIMEOUT_MS = 30_000

type Note = {
  readonly about: KubeObject
  readonly type: EventNote['type']
  readonly reason: string
  readonly step: EventStep
}

export function createEventRecorder({ api, clock, log, component, host = '' }: EventRecorderParts): EventRecorder {
  const correlate = createEventCorrelator(clock)
  const written = createRecentMap<ObjectRef>(MOST_REMEMBERED)
  const eventName = createEventNames(`${component} ${host}`, clock)
  let tail = Promise.resolve()
  let waiting = 0

  const record = (about: KubeObject, type: EventNote['type'], reason: string, message: string): void => {
    const object = formatObject(about)
    log.debug('event', { object, type, reason, message })
    const step = correlate({
      objectKey: `${about.kind} ${keyOf(about)} ${about.metadata.uid}`,
      type,
      reason,
      message: shorten(message),
    })
    if (!step) return
    if (waiting >= MOST_WAITING) return log.debug('an event was dropped: too many wait', { object, reason })
    waiting++
    // Sequentially: the update of a count must not overtake the creation of its event.
    tail = tail
      .then(() => write({ about, type, reason, step }))
      .catch((error: unknown) => log.warn('an event was not written', { error, object, reason }))
      .finally(() => void waiting--)
  }
  const write = async (note: Note): Promise<void> => {
    using deadline = startDeadline(
      clock,
      WRITE_TIMEOUT_MS,
      () => new Error(`no answer within ${WRITE_TIMEOUT_MS / 1000} s`),
    )
    const { signal } = deadline
    const { id } = note.step
    const present = written.get(id)
    if (present && (await abandonOnAbort(count(present, note, signal), signal))) return
    written.set(id, refOf(await abandonOnAbort(api.create(EVENTS, eventOf(note), { signal, urgency: 'last' }), signal)))
  }
  /** False if the event has expired and must be created again. */
  const count = async (ref: ObjectRef, { step }: Note, signal: AbortSignal): Promise<boolean> => {
    const value = { count: step.count, lastTimestamp: formatTimestamp(clock.nowMs()), message: shorten(step.message) }
    try {
      await api.patch(EVENTS, ref, { type: 'merge', value }, { signal, urgency: 'last' })
      return true
    } catch (error) {
      if (isNotFound(error)) return false
      throw error
    }
  }
  const eventOf = ({ about: { apiVersion, kind, metadata }, type, reason, step }: Note): Event => {
    const { name = '', namespace = '', uid, resourceVersion } = metadata
    return {
      apiVersion: 'v1',
      kind: 'Event',
      metadata: { name: eventName(name), namespace: namespace || 'default' },
      involvedObject: {
        apiVersion,
        kind,
        name,
        ...(namespace ? { namespace } : {}),
        ...(uid ? { uid } : {}),
        ...(resourceVersion ? { resourceVersion } : {}),
      },
      type,
      reason,
      message: shorten(step.message),
      source: { component, ...(host ? { host } : {}) },
      firstTimestamp: formatTimestamp(step.firstMs),
      lastTimestamp: formatTimestamp(clock.nowMs()),
      count: step.count,
      reportingComponent: component,
      reportingInstance: host,
    }
  }
  return { record, flush: (signal) => abandonOnAbort(tail, signal) }
}

/**
 * As in client-go: nanoseconds since 1970 in hexadecimal. A counter distinguishes events of the same millisecond; an offset within the millisecond
 * distinguishes parts that record events about the same object.
 */
function createEventNames(part: string, clock: Clock): (objectName: string) => string {
  const within = BigInt(createHash('sha256').update(part).digest().readUInt32BE() % 900_000)
  let lastNanos = 0n
  return (objectName) => {
    const nanos = BigInt(Math.floor(clock.nowMs())) * 1_000_000n + within
    lastNanos = nanos > lastNanos ? nanos : lastNanos + 1n
    const suffix = `.${lastNanos.toString(16)}`
    return `${objectName.slice(0, LONGEST_NAME - suffix.length).replace(/[.-]+$/, '')}${suffix}`
  }
}

const shorten = (message: string): string => cutText(message, LONGEST_MESSAGE_BYTES)
