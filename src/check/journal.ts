import { join } from 'node:path'
import { isTemporaryName, makeDirectories, replaceFileDurably, removeFileIfPresent } from '../base/host/index.ts'
import type { HostFiles } from '../base/host/index.ts'
import type { Random } from '../base/random.ts'

export type ObjectKind = 'volume' | 'snapshot' | 'group'

/** Something that was done with a volume and has to be undone before it can be deleted. */
export type Use =
  | { kind: 'attach'; nodeId: string }
  | { kind: 'stage'; endpoint: string; path: string }
  | { kind: 'publish'; endpoint: string; path: string }

/** One object that this run may have created. It is written before the call that creates it. */
export type JournalEntry = {
  readonly number: number
  readonly kind: ObjectKind
  readonly name: string
  /** The encoded request without secrets: repeating it returns the ID if the reply was lost. */
  readonly request: string
  /** Unknown until the driver has replied. */
  readonly id?: string
  /** Snapshots of a group. */
  readonly members?: readonly string[]
  readonly uses: readonly Use[]
}

/** How to reach the driver again, for `--clean`. */
export type RunRecord = {
  readonly run: string
  readonly endpoint: string
  readonly nodes: readonly string[]
  /** Directory below which volumes are staged and published. */
  readonly work: string
  /** IDs of volumes and snapshots that the driver listed before the run. */
  readonly foreign: { readonly [Kind in ObjectKind]?: readonly string[] }
}

/** The objects of one run on disk: what is left in it may still exist in the backend. */
export interface Journal {
  readonly record: RunRecord
  /** Durable when it returns. */
  add(entry: Omit<JournalEntry, 'number' | 'uses'>): Promise<JournalEntry>
  update(number: number, change: (entry: JournalEntry) => JournalEntry): Promise<void>
  /** The object is known not to exist. */
  remove(number: number): Promise<void>
  /** Whether this run has created and deleted the object, since the journal was opened. */
  wasRemoved(kind: ObjectKind, id: string): boolean
  find(kind: ObjectKind, id: string): JournalEntry | undefined
  /** Whether the object existed before the run. It belongs to somebody else. */
  isForeign(kind: ObjectKind, id: string): boolean
  /** In the order of creation. */
  all(): JournalEntry[]
  /** Forgets the run, if nothing of it is left. */
  close(): Promise<void>
}

type JournalParts = { files: HostFiles; random: Random; directory: string }

const RECORD = 'run.json'
const OBJECTS = 'objects'

export async function createJournal(parts: JournalParts, record: RunRecord): Promise<Journal> {
  await makeDirectories(parts.files, join(parts.directory, OBJECTS), { mode: 0o700 })
  await writeJson(parts, join(parts.directory, RECORD), record)
  return openEntries(parts, record, [])
}

/** The journal that an earlier run left. */
export async function openJournal(parts: JournalParts): Promise<Journal> {
  const record = await readJson<RunRecord>(parts, join(parts.directory, RECORD))
  const entries: JournalEntry[] = []
  for (const { name } of await parts.files.list(join(parts.directory, OBJECTS)))
    if (!isTemporaryName(name)) entries.push(await readJson<JournalEntry>(parts, join(parts.directory, OBJECTS, name)))
  return openEntries(parts, record, entries)
}

function openEntries(parts: JournalParts, record: RunRecord, present: readonly JournalEntry[]): Journal {
  const entries = new Map(present.map((entry) => [entry.number, entry]))
  const keyOf = (kind: string, id: string): string => JSON.stringify([kind, id])
  const foreign = new Set(Object.entries(record.foreign).flatMap(([kind, ids]) => ids.map((id) => keyOf(kind, id))))
  const removed = new Set<string>()
  let last = Math.max(0, ...entries.keys())
  const pathOf = (number: number): string => join(parts.directory, OBJECTS, `${number}.json`)
  const write = async (entry: JournalEntry): Promise<void> => {
    entries.set(entry.number, entry)
    await writeJson(parts, pathOf(entry.number), entry)
  }
  return {
    record,
    add: async (fields) => {
      const entry = { ...fields, number: (last += 1), uses: [] }
      await write(entry)
      return entry
    },
    update: async (number, change) => {
      const entry = entries.get(number)
      if (entry) await write(change(entry))
    },
    remove: async (number) => {
      const { kind, id } = entries.get(number) ?? {}
      if (kind && id) removed.add(keyOf(kind, id))
      entries.delete(number)
      await removeFileIfPresent(parts.files, pathOf(number))
    },
    find: (kind, id) => [...entries.values()].find((entry) => entry.kind === kind && entry.id === id),
    wasRemoved: (kind, id) => removed.has(keyOf(kind, id)),
    isForeign: (kind, id) => foreign.has(keyOf(kind, id)),
    all: () => [...entries.values()].sort((a, b) => a.number - b.number),
    close: async () => {
      if (entries.size > 0) return
      for (const { name } of await parts.files.list(join(parts.directory, OBJECTS)))
        await removeFileIfPresent(parts.files, join(parts.directory, OBJECTS, name))
      await parts.files.removeDirectory(join(parts.directory, OBJECTS))
      await removeFileIfPresent(parts.files, join(parts.directory, RECORD))
    },
  }
}

async function writeJson({ files, random }: JournalParts, path: string, value: unknown): Promise<void> {
  await replaceFileDurably(files, path, new TextEncoder().encode(`${JSON.stringify(value)}\n`), { random })
}

// Only this program writes these files, into a directory that only its user can write to.
async function readJson<T>({ files }: JournalParts, path: string): Promise<T> {
  return JSON.parse(new TextDecoder().decode(await files.readFile(path))) as T
}
