import { formatReason } from '../../api/reason.ts'
import type { Reason } from '../../api/reason.ts'
import type { KubeObject } from '../../api/object.ts'
import type { EventRecorder } from '../../kube/event-recorder.ts'
import type { Notice } from './binder-view.ts'

/** Says why something stands still, once and not each time that it is looked at. */
export interface Notices {
  tell(about: KubeObject, notice: Notice, reason: Reason): void
  forget(uid: string): void
}

export function createNotices(events: EventRecorder): Notices {
  // By uid of the object, what was said about it last.
  const said = new Map<string, string>()
  const tell = (about: KubeObject, { type, event }: Notice, reason: Reason): void => {
    const text = formatReason(reason)
    const { uid = '' } = about.metadata
    const what = `${event} ${text}`
    if (said.get(uid) === what) return
    said.set(uid, what)
    events.record(about, type, event, text)
  }
  return { tell, forget: (uid) => void said.delete(uid) }
}
