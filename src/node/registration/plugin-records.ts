import type { NodeFacts } from './node-facts.ts'
import type { PluginOffer } from './plugin-offer.ts'
import type { PluginFailure } from './plugin-refusal.ts'
import type { Sighting } from './scan-registry.ts'

/** How far a socket has come. */
export type PluginState =
  | { readonly kind: 'offered'; readonly offer: PluginOffer }
  /** The driver's facts about the node are known and have to be published. */
  | { readonly kind: 'known'; readonly offer: PluginOffer; readonly facts: NodeFacts }
  /** Published, and the registrar knows it. */
  | { readonly kind: 'registered'; readonly offer: PluginOffer; readonly facts: NodeFacts }
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
  const publishing = new Map<string, Pick<Sighting, 'path' | 'identity'>>()
  return {
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
        [Symbol.dispose]: () => {
          if (work.get(path) === controller) work.delete(path)
        },
      }
    },
    abortWork: (path: string) => work.get(path)?.abort(new Error(`the socket ${path} was replaced`)),
    /** Whose facts are published under the name of the driver. */
    setPublishing: (name: string, socket: Pick<Sighting, 'path' | 'identity'>) => void publishing.set(name, socket),
    isPublishing: ({ path, identity }: Sighting) =>
      publishing.values().some((socket) => socket.path === path && socket.identity === identity),
  }
}

/** The driver that the socket offers, if it was asked. */
export const offeredName = ({ state }: PluginRecord): string | undefined =>
  'offer' in state ? state.offer.name : undefined
