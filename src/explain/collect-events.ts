import type { ClusterReader } from './cluster-reader.ts'
import type { Link, RelevantEvent } from './explanation.ts'
import { byAge, lastTimeOf } from './last-error.ts'
import { flattenLinks } from './links.ts'

const MOST_EVENTS = 20

/** The events about the objects of the chain, newest first; equal ones about the same object are merged. */
export async function collectEvents(chain: Link, reader: ClusterReader): Promise<RelevantEvent[]> {
  const objects = new Map(
    flattenLinks(chain)
      .filter(({ link }) => link.state !== 'absent')
      .map(({ link: { object } }) => [`${object.kind} ${object.namespace ?? ''}/${object.name}`, object]),
  )
  const found = await Promise.all(
    [...objects.values()].map(async (object) => (await reader.eventsOf(object)).map((event) => ({ object, event }))),
  )
  const events = new Map<string, RelevantEvent>()
  for (const { object, event } of found.flat().sort((one, other) => byAge(one.event, other.event))) {
    const { type = 'Normal', reason = '', message = '', count, series } = event
    const key = JSON.stringify([object.kind, object.namespace, object.name, type, reason, message])
    const present = events.get(key)
    const times = (present?.count ?? 0) + (series?.count ?? count ?? 1)
    events.set(
      key,
      present
        ? { ...present, count: times }
        : { object, type, reason, message, lastTime: lastTimeOf(event), count: times },
    )
  }
  return [...events.values()].slice(0, MOST_EVENTS)
}
