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
import { within } from '../../../kube/within.ts'
import { formatJournal, parseJournal, prepareEntry } from './journal-text.ts'
import type { JournalEntry, PreparedEntry } from './journal-text.ts'

/** What is in flight, kept where the next life finds it. */
export interface Journal {
  /** What an earlier life left. */
  readonly left: readonly JournalEntry[]
  /**
   * True once it is durable; false when there is no room for it before others have left: nobody is kept waiting for that, since those
   * others may need the same workers. Rejects with `JournalError` when the journal is another's by now, or the entry fits in no journal.
   */
  record(entry: JournalEntry): Promise<boolean>
  /** Leaves with the next write, at the latest a little later: an entry too many only means to look once more. */
  forget(uid: string): void
  isIdle(): boolean
  /** Rejects when it is another's by now. */
  readonly lost: Promise<never>
  /** Writes down what was forgotten. */
  stop(): Promise<void>
}

/** Nothing may be begun: what follows could be forgotten. */
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
  /** Of this life alone: two that share it would not notice each other. */
  readonly identity: string
  /** Whether a request that does not fit may not be sent. Default: it is sent without, and that is logged. */
  readonly isRequired?: boolean
}

export const JOURNAL_ANNOTATION = 'provisioner.holdfast.dev/volumes-in-flight'
// The server takes 256 KiB of annotations together.
const MOST_TEXT = 240 * 1024
const FORGET_AFTER_MS = 5000
const RETRY_MS = 200

/**
 * Takes the journal over. From then on whoever had it before can't write into it. Undefined when we may not write leases; other
 * failures are thrown.
 */
export async function openJournal(parts: JournalParts, signal: AbortSignal): Promise<Journal | undefined> {
  const { api, clock, log, namespace, name, identity } = parts
  const entries = new Map<string, PreparedEntry>()
  const ask = <T>(request: (until: AbortSignal) => Promise<T>, until: AbortSignal): Promise<T> =>
    within(clock, until, request)
  const read = (until: AbortSignal): Promise<Lease | undefined> =>
    ask((inner) => api.get(LEASES, { namespace, name }, { signal: inner }), until).catch(ignoreNotFound)
  const write = (before: Lease | undefined, text: string, until: AbortSignal): Promise<Lease> => {
    const metadata = {
      ...before?.metadata,
      namespace,
      name,
      annotations: { ...before?.metadata.annotations, [JOURNAL_ANNOTATION]: text },
    }
    const renewTime = formatMicroTimestamp(clock.nowMs())
    const lease: Lease = {
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata,
      spec: { ...before?.spec, holderIdentity: identity, renewTime },
    }
    return ask(
      (inner) => (before ? api.update(LEASES, lease, { signal: inner }) : api.create(LEASES, lease, { signal: inner })),
      until,
    )
  }
  const takeOver = async (): Promise<Lease> => {
    for (;;) {
      const before = await read(signal)
      const text = before?.metadata.annotations?.[JOURNAL_ANNOTATION]
      const found = text === undefined ? [] : parseLeft(text, `${namespace}/${name}`)
      try {
        const taken = await write(before, text ?? formatJournal([]), signal)
        for (const entry of found) entries.set(entry.uid, prepareEntry(entry))
        left = found
        return taken
      } catch (error) {
        if (!isConflict(error) && !isAlreadyExists(error)) throw error
      }
    }
  }
  let left: readonly JournalEntry[] = []
  let lease: Lease | undefined
  try {
    lease = await takeOver()
  } catch (error) {
    if (!isForbidden(error)) throw error
    log.warn('leases may not be written, so calls in flight are not recorded: a crash may leave volumes behind', {
      lease: `${namespace}/${name}`,
      error,
    })
    return undefined
  }

  // Entries that the journal is to have but has not yet, and what waits for them.
  const waiting = new Map<string, PromiseWithResolvers<boolean>>()
  const stopping = new AbortController()
  // Something has to be written now; entries that are to leave can wait for that.
  let hasNews = false
  let isStale = false
  // Something had no room, and nothing has left since.
  let isFull = false
  let lost: JournalError | undefined
  let timer: Timer | undefined
  let writing: Promise<void> | undefined

  const writeOnce = async (until: AbortSignal): Promise<void> => {
    const { text, included, left } = fit(entries, waiting)
    isFull = left.length > 0
    lease = await write(lease, text, until)
    for (const uid of left) entries.delete(uid)
    for (const uid of [...included, ...left]) {
      waiting.get(uid)?.resolve(included.includes(uid))
      waiting.delete(uid)
    }
  }
  /** After a write of which we don't know what became: only when the lease is still ours may we go on. */
  const readAgain = async (until: AbortSignal): Promise<void> => {
    lease = await read(until)
    // One that somebody deleted is made anew, unless another made it first.
    if (lease && lease.spec?.holderIdentity !== identity)
      throw new JournalError(`the journal ${namespace}/${name} was taken over by ${lease.spec?.holderIdentity}`)
  }
  const run = async (): Promise<void> => {
    let isSure = true
    while (hasNews && !lost) {
      hasNews = false
      isStale = false
      try {
        if (!isSure) await readAgain(stopping.signal)
        isSure = true
        await writeOnce(stopping.signal)
      } catch (error) {
        isSure = false
        hasNews = true
        if (stopping.signal.aborted) return fail(new JournalError('the journal was closed'))
        if (error instanceof JournalError) return fail(error)
        // One that is gone is made anew; one that is there already may be another's.
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
  // Nobody may be waiting for it.
  loss.promise.catch(() => {})
  const fail = (error: JournalError): void => {
    lost = error
    if (!stopping.signal.aborted) loss.reject(error)
    if (!stopping.signal.aborted) log.error('the journal is lost: no call is begun any more', { error })
    for (const { reject } of waiting.values()) reject(error)
    waiting.clear()
  }
  const kick = (): void => {
    hasNews = true
    timer?.cancel()
    timer = undefined
    // What is asked for in the same turn goes into the same write.
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
      const why = 'the request is too large for the journal: it names too many places'
      if (parts.isRequired) return Promise.reject(new JournalError(why))
      log.warn(`${why}, so a crash during its call may leave the volume behind`, { volume: entry.plan.request.name })
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
    isStale = true
    isFull = false
    timer ??= clock.setTimer(FORGET_AFTER_MS, kick)
  }
  const stop = async (): Promise<void> => {
    timer?.cancel()
    if (isStale && !lost) kick()
    await Promise.race([writing, sleep(clock, 2 * RETRY_MS, stopping.signal)])
    stopping.abort(new Error('the journal was closed'))
    await writing
  }
  return { left, record, forget, lost: loss.promise, isIdle: () => writing === undefined && waiting.size === 0, stop }
}

// Compressing it alone only to see its size is not for every claim.
const isTooLarge = (entry: PreparedEntry): boolean =>
  entry.text.length + (entry.places?.list.length ?? 0) > MOST_TEXT / 2 && formatJournal([entry]).length > MOST_TEXT

function parseLeft(text: string, lease: string): JournalEntry[] {
  try {
    return parseJournal(text)
  } catch (error) {
    throw new JournalError(
      `the journal in Lease ${lease} can't be read (${error instanceof Error ? error.message : String(error)}): it may name volumes that nobody else knows of. ` +
        `Look at its annotation ${JOURNAL_ANNOTATION}, and remove it once these volumes are accounted for`,
      { cause: error },
    )
  }
}

/** All entries, or of those that wait as many as there is room for, and those that are left out. */
function fit(
  entries: ReadonlyMap<string, PreparedEntry>,
  waiting: ReadonlyMap<string, unknown>,
): { text: string; included: string[]; left: string[] } {
  const written = [...entries].filter(([uid]) => !waiting.has(uid)).map(([, entry]) => entry)
  const candidates = [...waiting.keys()]
  for (let count = candidates.length; ; count = Math.floor(count / 2)) {
    const included = candidates.slice(0, count)
    const text = formatJournal([...written, ...included.flatMap((uid) => entries.get(uid) ?? [])])
    if (text.length <= MOST_TEXT || count === 0) return { text, included, left: candidates.slice(count) }
  }
}
