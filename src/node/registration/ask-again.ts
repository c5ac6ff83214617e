import { backoffDelayMs } from '../../base/backoff.ts'
import type { Clock } from '../../base/clock.ts'
import type { Logger } from '../../base/logger.ts'
import type { Random } from '../../base/random.ts'
import { callRegistrar } from './ask-registrar.ts'
import type { WritableDriverStore } from './driver-store.ts'
import type { PluginOffer } from './plugin-offer.ts'
import { messageOf } from './plugin-refusal.ts'
import type { PluginRecords } from './plugin-records.ts'
import type { Publication } from './publication.ts'
import { readNodeFacts } from './read-node-facts.ts'
import type { RegistrationParts } from './registration-parts.ts'
import type { PluginRecord } from './registration-view.ts'
import type { Sighting } from './sighting.ts'

/** Questions to drivers that are registered. One that does not answer now keeps its place: its socket and its registrar are still there. */
export interface AskAgain {
  /** The driver was restarted: what it says about the node may be something else now. */
  noteRestart(socket: Sighting): void
  askNode(record: PluginRecord, offer: PluginOffer, signal: AbortSignal): Promise<void>
  /** Whether the driver wants pods, which its registrar could not say. */
  askFlag(record: PluginRecord, offer: PluginOffer, signal: AbortSignal): Promise<void>
}

export type AskAgainParts = Pick<RegistrationParts, 'connectRegistrar'> & {
  readonly clock: Clock
  readonly random: Random
  readonly log: Logger
  readonly records: PluginRecords
  readonly store: WritableDriverStore
  readonly publication: Publication
  enqueue(path: string): void
  /** Whether this was not said about the plugin before. */
  isNews(path: string, text: string): boolean
  /** The driver was restarted and has told about the node. */
  onRestarted(socket: Sighting): void
}

/** Between tries with anything about a plugin. */
export const PLUGIN_BACKOFF = { initialMs: 500, maximumMs: 122_000 }

export function createAskAgain(parts: AskAgainParts): AskAgain {
  const { clock, random, log, records, store, publication } = parts

  const noteRestart = (socket: Sighting): void => {
    const record = records.find(socket.path)
    if (record?.socket.identity !== socket.identity || record.state.kind !== 'registered') return
    records.set({ ...record, again: { what: 'node', atMs: clock.monotonicMs() } })
    parts.enqueue(socket.path)
  }
  const attempt = async (
    record: PluginRecord,
    what: 'node' | 'flag',
    signal: AbortSignal,
    act: (signal: AbortSignal) => Promise<void>,
  ): Promise<void> => {
    using work = records.startWork(record.socket.path, signal)
    try {
      await act(work.signal)
    } catch (error) {
      signal.throwIfAborted()
      if (!work.signal.aborted) askLater(record, what, error)
    }
  }
  const askNode: AskAgain['askNode'] = (record, offer, signal) =>
    attempt(record, 'node', signal, async (until) => {
      const { again: _asked, ...rest } = record
      const driver = store.get(record.socket)?.driver
      if (!driver) return records.set({ ...rest, failures: 0 })
      const facts = await readNodeFacts(offer.name, driver, parts, until)
      store.change(record.socket, { facts })
      const next = offer.isFlagOpen ? { again: { what: 'flag' as const, atMs: clock.monotonicMs() } } : {}
      records.set({ ...rest, failures: 0, state: { kind: 'registered', offer, facts }, ...next })
      if (records.isPublishing(record.socket)) publication.publish(offer.name, facts)
      parts.onRestarted(record.socket)
    })
  const askFlag: AskAgain['askFlag'] = (record, offer, signal) =>
    attempt(record, 'flag', signal, async (until) => {
      using registrar = callRegistrar(record.socket.path, parts)
      const { isOpen, requiresPublishPod } = await registrar.getWishes(until)
      if (isOpen) return askLater(record, 'flag', undefined)
      const { again: _asked, ...rest } = record
      if (record.state.kind !== 'registered') return
      store.change(record.socket, { requiresPublishPod })
      records.set({
        ...rest,
        failures: 0,
        state: { ...record.state, offer: { ...offer, requiresPublishPod, isFlagOpen: false } },
      })
    })
  const askLater = (record: PluginRecord, what: 'node' | 'flag', error: unknown): void => {
    const failures = record.failures + 1
    if (error !== undefined && parts.isNews(record.socket.path, messageOf(error)))
      log.warn('a registered driver did not answer: it is asked again', { path: record.socket.path, what, error })
    records.set({
      ...record,
      failures,
      again: { what, atMs: clock.monotonicMs() + backoffDelayMs(PLUGIN_BACKOFF, failures, random) },
    })
  }
  return { noteRestart, askNode, askFlag }
}
