import type { Reason } from '../../api/reason.ts'
import type { NodeFacts } from './node-facts.ts'
import type { PluginOffer, Registered } from './plugin-offer.ts'
import type { Sighting } from './sighting.ts'

/** How far a socket has come. */
export type PluginState =
  | { readonly kind: 'offered'; readonly offer: PluginOffer }
  /** The driver has told about the node; that is to be published. */
  | { readonly kind: 'known'; readonly offer: PluginOffer; readonly facts: NodeFacts }
  /** Published, and the registrar knows it. */
  | { readonly kind: 'registered'; readonly offer: PluginOffer; readonly facts: NodeFacts }
  | { readonly kind: 'failed'; readonly reason: Reason; readonly retryAtMs: number }

/** What is known about the socket with this identity. */
export type PluginRecord = {
  readonly socket: Sighting
  readonly state: PluginState
  /** Failures since it last succeeded. */
  readonly failures: number
  /** The driver was restarted, or its flag is open: ask again, not before this. */
  readonly again?: { readonly what: 'node' | 'flag'; readonly atMs: number }
}

/** What became of the facts of a driver in the API. `unserved`: the server has no place for them, which is no reason not to work. */
export type PublicationState =
  | { readonly kind: 'pending'; readonly reason: Reason }
  | { readonly kind: 'published' }
  | { readonly kind: 'unserved'; readonly reason: Reason }
  | { readonly kind: 'refused'; readonly reason: Reason }

export type RegistrationView = {
  readonly seen: { readonly socket: Sighting | undefined }
  /** Undefined when asked from outside. */
  readonly held?: {
    readonly nowMs: number
    readonly record: PluginRecord | undefined
    /** Who else has the name of the offer. */
    readonly registered?: Registered
    /** Of the driver's facts. Undefined: nothing was asked for yet. */
    readonly publication?: PublicationState
  }
}

export type RegistrationStep =
  /** Asks the registrar what it offers. */
  | { readonly kind: 'ask'; readonly socket: Sighting }
  /** Lets the driver serve, and asks it about the node. */
  | { readonly kind: 'ask-node'; readonly offer: PluginOffer }
  | { readonly kind: 'publish'; readonly offer: PluginOffer; readonly facts: NodeFacts }
  /** Tells the registrar that the driver is registered. */
  | { readonly kind: 'confirm'; readonly offer: PluginOffer; readonly facts: NodeFacts }
  /** Tells the registrar that it is not, and why; tries again later. */
  | { readonly kind: 'refuse'; readonly offer: PluginOffer; readonly reason: Reason }
  /** A registered driver was restarted: what it says about the node may be something else now. */
  | { readonly kind: 'ask-node-again'; readonly offer: PluginOffer }
  | { readonly kind: 'ask-flag-again'; readonly offer: PluginOffer }
  /** The socket has gone, or is another one. */
  | { readonly kind: 'forget'; readonly record: PluginRecord }
  | { readonly kind: 'wait'; readonly reason: Reason; readonly retryInMs?: number }
