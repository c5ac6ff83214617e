import type { Clock } from '../../base/clock.ts'
import type { WritableDriverStore } from './driver-store.ts'
import type { NodeFacts } from './node-facts.ts'
import type { PluginOffer, Registered } from './plugin-offer.ts'
import type { Publication } from './publication-controller.ts'
import type { PluginFailure } from './reasons.ts'
import type { Sighting } from './watch-registry.ts'
import type { PublicationState } from './wanted-drivers.ts'

/** How far a socket has come. */
export type PluginState =
  | { readonly kind: 'offered'; readonly offer: PluginOffer }
  /** The driver's facts about the node have to be published; `registered`: they are, and the registrar knows it. */
  | { readonly kind: 'known' | 'registered'; readonly offer: PluginOffer; readonly facts: NodeFacts }
  | (PluginFailure & { readonly kind: 'failed'; readonly retryAtMs: number })

/** What is known about the socket with this identity. */
export type PluginRecord = {
  readonly socket: Sighting
  readonly state: PluginState
  /** Failures since it last succeeded. */
  readonly failures: number
  /** The driver was restarted, or its flag is open: ask again, not before this. */
  readonly again?: { readonly what: 'node' | 'flag'; readonly atMs: number }
}

export type PluginRecords = ReturnType<typeof createPluginRecords>

/** What is known of each socket, and the work on it. */
export function createPluginRecords() {
  const records = new Map<string, PluginRecord>()
  const work = new Map<string, AbortController>()
  /** By the name of a driver: the socket whose facts are published. */
  const publishing = new Map<string, Sighting>()
  return {
    publishing,
    find: (path: string) => records.get(path),
    all: () => [...records.values()],
    set: (record: PluginRecord) => void records.set(record.socket.path, record),
    remove: (path: string) => void records.delete(path),
    /** Work on a socket, with a signal that also aborts when the socket is replaced or removed. */
    startWork: (path: string, signal: AbortSignal): Disposable & { signal: AbortSignal } => {
      const controller = new AbortController()
      work.set(path, controller)
      return {
        signal: AbortSignal.any([controller.signal, signal]),
        [Symbol.dispose]: () => void work.delete(path),
      }
    },
    abortWork: (path: string) => work.get(path)?.abort(new Error(`the socket ${path} was replaced`)),
    isPublishing: ({ path, identity }: Sighting) =>
      publishing.values().some((socket) => socket.path === path && socket.identity === identity),
  }
}

/** The driver that the socket offers, if it was asked. */
export const offeredName = ({ state }: PluginRecord): string | undefined =>
  'offer' in state ? state.offer.name : undefined

export type RegistrationView = {
  readonly seen: { readonly socket: Sighting | undefined }
  /** Undefined when asked from outside. */
  readonly held?: {
    readonly nowMs: number
    readonly record: PluginRecord | undefined
    /** Who else has the name of the offer. */
    readonly registered?: Registered | undefined
    /** Of the driver's facts. Undefined: publishing was not asked for yet. */
    readonly publication?: PublicationState | undefined
  }
}

type ViewSources = {
  readonly clock: Clock
  readonly records: PluginRecords
  readonly store: Pick<WritableDriverStore, 'findOther'>
  readonly publication: Pick<Publication, 'stateOf'>
}

export function readRegistrationView(
  path: string,
  socket: Sighting | undefined,
  { clock, records, store, publication }: ViewSources,
): RegistrationView {
  const record = records.find(path)
  const held = { nowMs: clock.monotonicMs(), record }
  const name = record && offeredName(record)
  if (!record || name === undefined) return { seen: { socket }, held }
  // The facts of another socket of the same name are not its own.
  const isOurs = record.state.kind !== 'offered' && records.isPublishing(record.socket)
  return {
    seen: { socket },
    held: {
      ...held,
      registered: store.findOther(name, record.socket),
      publication: isOurs ? publication.stateOf(name) : undefined,
    },
  }
}
