import type { VolumeAttachment } from '../../api/kinds/volume-attachment.ts'
import type { Clock } from '../../base/clock.ts'
import type { AttachmentHeld, CreateState } from './attachment-view.ts'

/** What we know of an attachment beside what the server told: writes under way, and since when we wait. A restart can do without it. */
export interface AttachmentMemory {
  find(name: string): Remembered
  findCreate(name: string): Create | undefined
  /** Of a volume: attachments that were asked for and not seen yet. */
  createsOf(volumeName: string): readonly Create[]
  /** Since when it is waited for or unwanted, as far as it is. */
  note(name: string, state: { attachment: VolumeAttachment | undefined; isWanted: boolean }): void
  creating(name: string, volumeName: string, nodeName: string): void
  created(name: string, kind: 'sent' | 'in-doubt'): void
  /** It is not there, or seen by now. */
  forgetCreate(name: string): void
  deleting(name: string, uid: string): void
  deleted(name: string): void
  /** The server refused. */
  forgetDeletion(name: string): void
  /** The server has told what is there now. */
  seen(name: string, attachment: VolumeAttachment | undefined): void
}

export type Create = {
  readonly name: string
  readonly volumeName: string
  readonly nodeName: string
  readonly state: CreateState
}

export type Remembered = Pick<AttachmentHeld, 'deletion' | 'waitingSinceMs' | 'unwantedSinceMs'> & {
  readonly create?: CreateState
}

type Entry = {
  create?: Create
  deletion?: { readonly uid: string; readonly isAnswered: boolean }
  waiting?: { readonly uid: string; readonly isLeaving: boolean; readonly sinceMs: number }
  unwanted?: { readonly uid: string; readonly sinceMs: number }
}

// A cache that has not shown it by then may have missed it.
const CHECK_AFTER_MS = 10_000

export function createAttachmentMemory(clock: Clock): AttachmentMemory {
  const entries = new Map<string, Entry>()
  const creates = new Map<string, Map<string, Create>>()

  const change = (name: string, update: (entry: Entry) => Entry): void => {
    const entry = update(entries.get(name) ?? {})
    if (Object.keys(entry).length === 0) entries.delete(name)
    else entries.set(name, entry)
  }
  const setCreate = (name: string, create: Create): void => {
    change(name, (entry) => ({ ...entry, create }))
    const ofVolume = creates.get(create.volumeName) ?? new Map<string, Create>()
    creates.set(create.volumeName, ofVolume.set(name, create))
  }
  const forgetCreate = (name: string): void => {
    const { create } = entries.get(name) ?? {}
    if (!create) return
    change(name, ({ create: _forgotten, ...entry }) => entry)
    const ofVolume = creates.get(create.volumeName)
    if (ofVolume?.delete(name) && ofVolume.size === 0) creates.delete(create.volumeName)
  }

  const find = (name: string): Remembered => {
    const { create, deletion, waiting, unwanted } = entries.get(name) ?? {}
    return {
      ...(create ? { create: create.state } : {}),
      ...(deletion ? { deletion: deletion.isAnswered ? 'answered' : 'sent' } : {}),
      ...(waiting ? { waitingSinceMs: waiting.sinceMs } : {}),
      ...(unwanted ? { unwantedSinceMs: unwanted.sinceMs } : {}),
    }
  }
  const note = (
    name: string,
    { attachment, isWanted }: { attachment: VolumeAttachment | undefined; isWanted: boolean },
  ): void => {
    const uid = attachment?.metadata.uid ?? ''
    const isLeaving = attachment?.metadata.deletionTimestamp !== undefined
    const isWaited = attachment !== undefined && (isLeaving || (isWanted && !attachment.status?.attached))
    const sinceMs = clock.monotonicMs()
    change(name, ({ waiting, unwanted, ...entry }) => ({
      ...entry,
      ...(isWaited
        ? { waiting: waiting?.uid === uid && waiting.isLeaving === isLeaving ? waiting : { uid, isLeaving, sinceMs } }
        : {}),
      ...(attachment && !isWanted ? { unwanted: unwanted?.uid === uid ? unwanted : { uid, sinceMs } } : {}),
    }))
  }
  const forgetDeletion = (name: string): void => change(name, ({ deletion: _forgotten, ...entry }) => entry)

  return {
    find,
    findCreate: (name) => entries.get(name)?.create,
    createsOf: (volumeName) => [...(creates.get(volumeName)?.values() ?? [])],
    note,
    creating: (name, volumeName, nodeName) =>
      setCreate(name, { name, volumeName, nodeName, state: { kind: 'sending' } }),
    created: (name, kind) => {
      const { create } = entries.get(name) ?? {}
      if (create) setCreate(name, { ...create, state: { kind, checkAtMs: clock.monotonicMs() + CHECK_AFTER_MS } })
    },
    forgetCreate,
    deleting: (name, uid) => change(name, (entry) => ({ ...entry, deletion: { uid, isAnswered: false } })),
    deleted: (name) =>
      change(name, (entry) =>
        entry.deletion ? { ...entry, deletion: { ...entry.deletion, isAnswered: true } } : entry,
      ),
    forgetDeletion,
    seen: (name, attachment) => {
      const { deletion, create } = entries.get(name) ?? {}
      if (deletion && (attachment?.metadata.uid !== deletion.uid || attachment.metadata.deletionTimestamp))
        forgetDeletion(name)
      // One that is still being sent comes to an end by itself.
      if (create && create.state.kind !== 'sending') forgetCreate(name)
    },
  }
}
