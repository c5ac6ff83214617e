import {
  ignoreNotFound,
  isAlreadyExists,
  isConflict,
  isForbidden,
  isLasting,
  isNotFound,
} from '../../../api/api-error.ts'
import type { Api } from '../../../api/api.ts'
import { LEASES } from '../../../api/kinds/lease.ts'
import type { Lease } from '../../../api/kinds/lease.ts'
import { formatMicroTimestamp } from '../../../api/timestamps.ts'
import { sleep } from '../../../base/clock.ts'
import type { Clock, Timer } from '../../../base/clock.ts'
import type { Logger } from '../../../base/logger.ts'
import { limitRequests } from '../../../kube/controller/index.ts'
import { formatJournal, parseJournal, prepareEntry } from './journal-text.ts'
import type { JournalEntry, PreparedEntry } from './journal-text.ts'

/** Calls in flight, stored where the next process finds them. */
export interface Journal {
  /** The entries of an earlier process. */
  readonly left: readonly JournalEntry[]
  /**
   * True once it is durable; false if it does not fit until other entries are removed. It does not wait for that, because those others may need the
   * same workers. Rejects with `JournalError` if another process has taken over the journal, or the entry fits in no journal.
   */
  record(entry: JournalEntry): Promise<boolean>
  /** Removed with the next write, or a little later: a stale entry only causes one more check. */
  forget(uid: string): void
  isIdle(): boolean
  /** Rejects when another process has taken it over. */
  readonly lost: Promise<never>
  /** Writes the removal of forgotten entries. */
  stop(): Promise<void>
}

/** No call may start: its volume could be lost. */
export class JournalError extends Error {
  override readonly name = 'JournalError'
}

export type JournalParts = {
  readonly api: Api
  readonly clock: Clock
  readonly log: Logger
  readonly namespace: string
  /** Of the Lease. */
  readonly name: string
  /** Unique to this process: two processes that share it would not notice each other. */
  readonly identity: string
  /** Whether a request that does not fit must not be sent. Default: it is sent without an entry, and that is logged. */
  readonly isRequired?: boolean
}

export const JOURNAL_ANNOTATION = 'provisioner.holdfast.dev/volumes-in-flight'
// The server accepts 256 KiB of annotations in total.
const MOST_TEXT = 240 * 1024
const FORGET_AFTER_MS = 5000
const RETRY_MS = 200

/** Takes over the journal: its former owner can no longer write it. Undefined if we may not write leases and need not; other errors are thrown. */
export async function openJournal(parts: JournalParts, signal: AbortSignal): Promise<Journal | undefined> {
  const { clock, log, namespace, name } = parts
  try {
    const { lease, left } = await takeOver(limitRequests(parts.api, { clock, signal }), parts)
    return createJournal(parts, lease, left)
  } catch (error) {
    if (!isForbidden(error)) throw error
    const lease = `${namespace}/${name}`
    const refused = { lease, error }
    if (parts.isRequired)
      throw new Error(
        `the journal is required, and Lease ${lease} may not be written: allow get, create and update of leases there`,
        { cause: error },
      )
    log.warn('leases may not be written, so calls in flight are not recorded: a crash may leak volumes', refused)
    return undefined
  }
}

type Taken = { readonly lease: Lease; readonly left: readonly JournalEntry[] }

async function takeOver(api: Api, parts: JournalParts): Promise<Taken> {
  for (;;) {
    const before = await read(api, parts)
    const text = before?.metadata.annotations?.[JOURNAL_ANNOTATION]
    const left = text === undefined ? [] : parseLeft(text, `${parts.namespace}/${parts.name}`)
    try {
      return { lease: await write(api, parts, before, text ?? formatJournal([])), left }
    } catch (error) {
      if (!isConflict(error) && !isAlreadyExists(error)) throw error
    }
  }
}

const read = (api: Api, { namespace, name }: JournalParts): Promise<Lease | undefined> =>
  api.get(LEASES, { namespace, name }).catch(ignoreNotFound)

function write(api: Api, parts: JournalParts, before: Lease | undefined, text: string): Promise<Lease> {
  const { clock, namespace, name, identity } = parts
  const annotations = { ...before?.metadata.annotations, [JOURNAL_ANNOTATION]: text }
  const lease: Lease = {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { ...before?.metadata, namespace, name, annotations },
    spec: { ...before?.spec, holderIdentity: identity, renewTime: formatMicroTimestamp(clock.nowMs()) },
  }
  // All claims that have arrived since the last write wait for this one.
  const options = { urgency: 'now' } as const
  return before ? api.update(LEASES, lease, options) : api.create(LEASES, lease, options)
}

function createJournal(parts: JournalParts, taken: Lease, left: readonly JournalEntry[]): Journal {
  const { clock, log, namespace, name, identity } = parts
  const entries = new Map(left.map((entry) => [entry.uid, prepareEntry(entry)]))
  // Entries that are not written yet, and the promises that wait for them.
  const waiting = new Map<string, PromiseWithResolvers<boolean>>()
  const stopping = new AbortController()
  const api = limitRequests(parts.api, { clock, signal: stopping.signal })
  let lease: Lease | undefined = taken
  // Something has to be written now; removals can wait for that, until the timer fires.
  let hasNews = false
  let timer: Timer | undefined
  // An entry did not fit, and nothing was removed since.
  let isFull = false
  let lost: JournalError | undefined
  let writing: Promise<void> | undefined

  const writeOnce = async (): Promise<void> => {
    const { text, included, excluded } = fit(entries, waiting)
    isFull = excluded.length > 0
    lease = await write(api, parts, lease, text)
    for (const uid of excluded) entries.delete(uid)
    for (const uid of [...included, ...excluded]) {
      waiting.get(uid)?.resolve(included.includes(uid))
      waiting.delete(uid)
    }
  }
  /** After a write with an unknown result: we may only continue if the lease is still ours. */
  const readAgain = async (): Promise<void> => {
    lease = await read(api, parts)
    // One that was deleted is created again, unless another process created it first.
    if (lease && lease.spec?.holderIdentity !== identity)
      throw new JournalError(`the journal ${namespace}/${name} was taken over by ${lease.spec?.holderIdentity}`)
  }
  const run = async (): Promise<void> => {
    let isSure = true
    while (hasNews && !lost) {
      hasNews = false
      try {
        if (!isSure) await readAgain()
        isSure = true
        await writeOnce()
      } catch (error) {
        isSure = false
        hasNews = true
        if (stopping.signal.aborted) return fail(new JournalError('the journal was closed'))
        if (error instanceof JournalError) return fail(error)
        // A lease that is gone is created again; one that exists already may belong to another process.
        const mayPass = isNotFound(error) || isAlreadyExists(error)
        if (!mayPass && isLasting(error))
          return fail(
            new JournalError(`the journal ${namespace}/${name} can't be written: ${error.message}`, { cause: error }),
          )
        log.debug('writing the journal failed', { error })
        await sleep(clock, RETRY_MS, stopping.signal).catch(() => {})
      }
    }
  }
  const loss = Promise.withResolvers<never>()
  // There may be no listener.
  loss.promise.catch(() => {})
  const fail = (error: JournalError): void => {
    lost = error
    if (!stopping.signal.aborted) {
      loss.reject(error)
      log.error('the journal is lost: no further calls are made', { error })
    }
    for (const { reject } of waiting.values()) reject(error)
    waiting.clear()
  }
  const kick = (): void => {
    hasNews = true
    timer?.cancel()
    timer = undefined
    // Entries of the same turn go into the same write.
    writing ??= Promise.resolve()
      .then(run)
      .finally(() => {
        writing = undefined
        if (hasNews && !lost) kick()
      })
  }

  const record = (entry: JournalEntry): Promise<boolean> => {
    if (lost) return Promise.reject(lost)
    if (isFull) return Promise.resolve(false)
    const prepared = prepareEntry(entry)
    if (isTooLarge(prepared)) {
      const why = 'the request is too large for the journal: it has too many topologies'
      if (parts.isRequired) return Promise.reject(new JournalError(why))
      log.warn(`${why}, so a crash during the call may leak the volume`, { volume: entry.plan.request.name })
      return Promise.resolve(true)
    }
    entries.set(entry.uid, prepared)
    const promised = waiting.get(entry.uid) ?? Promise.withResolvers<boolean>()
    waiting.set(entry.uid, promised)
    kick()
    return promised.promise
  }
  const forget = (uid: string): void => {
    if (!entries.delete(uid) || lost) return
    isFull = false
    timer ??= clock.setTimer(FORGET_AFTER_MS, kick)
  }
  const stop = async (): Promise<void> => {
    if (timer && !lost) kick()
    timer?.cancel()
    await Promise.race([writing, sleep(clock, 2 * RETRY_MS, stopping.signal)])
    stopping.abort(new Error('the journal was closed'))
    await writing
  }
  return { left, record, forget, lost: loss.promise, isIdle: () => writing === undefined && waiting.size === 0, stop }
}

// Compressing an entry only to see its size is too slow for every claim.
const isTooLarge = (entry: PreparedEntry): boolean =>
  entry.text.length + (entry.places?.list.length ?? 0) > MOST_TEXT / 2 && formatJournal([entry]).length > MOST_TEXT

function parseLeft(text: string, lease: string): JournalEntry[] {
  try {
    return parseJournal(text)
  } catch (error) {
    throw new JournalError(
      `the journal in Lease ${lease} can't be read (${error instanceof Error ? error.message : String(error)}): it may name volumes that exist nowhere else. ` +
        `Check its annotation ${JOURNAL_ANNOTATION}, and remove it once these volumes are accounted for`,
      { cause: error },
    )
  }
}

/** All entries, or as many of the waiting ones as fit, and those that are left out. */
function fit(
  entries: ReadonlyMap<string, PreparedEntry>,
  waiting: ReadonlyMap<string, unknown>,
): { text: string; included: string[]; excluded: string[] } {
  const written = [...entries].filter(([uid]) => !waiting.has(uid)).map(([, entry]) => entry)
  const candidates = [...waiting.keys()]
  for (let count = candidates.length; ; count = Math.floor(count / 2)) {
    const included = candidates.slice(0, count)
    const text = formatJournal([...written, ...included.flatMap((uid) => entries.get(uid) ?? [])])
    if (text.length <= MOST_TEXT || count === 0) return { text, included, excluded: candidates.slice(count) }
  }
}
