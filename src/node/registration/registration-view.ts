import type { WritableDriverStore } from './driver-store.ts'
import type { NodeFacts } from './node-facts.ts'
import type { PluginOffer, Registered } from './plugin-offer.ts'
import type { PluginFailure } from './plugin-refusal.ts'
import type { RegistrationReason } from './reasons.ts'
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

/** What became of the facts of a driver in the API. `unserved`: the server has no CSINode, and the driver works without. */
export type PublicationState =
  | { readonly kind: 'pending'; readonly reason: RegistrationReason }
  | { readonly kind: 'published' }
  | { readonly kind: 'unserved'; readonly reason: RegistrationReason }
  | { readonly kind: 'refused'; readonly reason: RegistrationReason }

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

export type RegistrationSources = {
  findSocket(path: string): Sighting | undefined
  readonly records: { find(path: string): PluginRecord | undefined; isPublishing(socket: Sighting): boolean }
  readonly store: Pick<WritableDriverStore, 'findOther'>
  readonly publication: { stateOf(driver: string): PublicationState | undefined }
}

export function readRegistrationView(
  path: string,
  { findSocket, records, store, publication }: RegistrationSources,
  nowMs: number,
): RegistrationView {
  const record = records.find(path)
  const name = record && offeredName(record)
  // The facts of another socket of the same name are not its own.
  const isOurs =
    record &&
    (record.state.kind === 'known' || record.state.kind === 'registered') &&
    records.isPublishing(record.socket)
  return {
    seen: { socket: findSocket(path) },
    held: {
      nowMs,
      record,
      registered: record && name !== undefined ? store.findOther(name, record.socket) : undefined,
      publication: isOurs && name !== undefined ? publication.stateOf(name) : undefined,
    },
  }
}

/** The driver that the socket offers, if it was asked. */
export const offeredName = ({ state }: PluginRecord): string | undefined =>
  'offer' in state ? state.offer.name : undefined
