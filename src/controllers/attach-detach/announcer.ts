import type { KubeObject } from '../../api/object.ts'
import type { EventRecorder } from '../../kube/event-recorder.ts'

/** Tells people about an attachment, each of them the same thing only once in a round. */
export interface Announcer {
  warn(name: string, about: KubeObject, note: { reason: string; text: string; round: number; topic?: string }): void
  /** All is well again: the next warning is news. */
  forget(name: string): void
}

export function createAnnouncer(events: EventRecorder): Announcer {
  const said = new Map<string, Map<string, string>>()
  const warn: Announcer['warn'] = (name, about, { reason, text, round, topic = '' }) => {
    const who = `${about.metadata.uid} ${topic}`
    const what = `${round} ${text}`
    const ofName = said.get(name) ?? new Map<string, string>()
    if (ofName.get(who) === what) return
    said.set(name, ofName.set(who, what))
    events.record(about, 'Warning', reason, text)
  }
  return { warn, forget: (name) => void said.delete(name) }
}
