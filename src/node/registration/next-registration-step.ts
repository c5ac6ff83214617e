import type { NodeFacts } from './node-facts.ts'
import { mayTakeOver } from './plugin-offer.ts'
import type { PluginOffer, Registered } from './plugin-offer.ts'
import type { PluginRecord } from './plugin-records.ts'
import { REASONS } from './reasons.ts'
import type { RegistrationReason } from './reasons.ts'
import type { RegistrationView } from './registration-view.ts'
import type { Sighting } from './scan-registry.ts'
import type { PublicationState } from './wanted-drivers.ts'

export type RegistrationStep =
  /** Asks the registrar what it offers. */
  | { readonly kind: 'ask'; readonly socket: Sighting }
  /** Makes the driver callable, and asks it about the node. */
  | { readonly kind: 'ask-node'; readonly offer: PluginOffer }
  | { readonly kind: 'publish'; readonly offer: PluginOffer; readonly facts: NodeFacts }
  /** Tells the registrar that the driver is registered. */
  | { readonly kind: 'confirm'; readonly offer: PluginOffer; readonly facts: NodeFacts }
  /** Tells the registrar why the driver is not registered; tries again later. */
  | {
      readonly kind: 'refuse'
      readonly offer: PluginOffer
      readonly reason: RegistrationReason
      /** Another plugin has the name. */
      readonly isDuplicate?: true
    }
  /** A registered driver was restarted: its facts about the node may have changed. */
  | { readonly kind: 'ask-node-again'; readonly offer: PluginOffer }
  | { readonly kind: 'ask-flag-again'; readonly offer: PluginOffer }
  /** The socket is gone, or is another one. */
  | { readonly kind: 'forget'; readonly record: PluginRecord }
  | { readonly kind: 'wait'; readonly reason: RegistrationReason; readonly retryInMs?: number }

/** What to do next about one socket. */
export function nextRegistrationStep({ seen: { socket }, held }: RegistrationView): RegistrationStep {
  const record = held?.record
  // What was found at this path before is no longer there, whatever is there now.
  if (record && record.socket.identity !== socket?.identity) return { kind: 'forget', record }
  if (!socket) return { kind: 'wait', reason: REASONS.noSocket }
  if (!held || !record) return { kind: 'ask', socket }

  const { state } = record
  switch (state.kind) {
    case 'failed':
      if (state.retryAtMs <= held.nowMs) return { kind: 'ask', socket }
      return { kind: 'wait', reason: state.reason, retryInMs: state.retryAtMs - held.nowMs }
    case 'offered':
      return nextOfferStep(state.offer, record, held.registered)
    case 'known':
      return nextKnownStep(state, held.publication)
    case 'registered':
      return nextRegisteredStep(state.offer, record, held.nowMs, held.publication)
  }
}

function nextOfferStep(
  offer: PluginOffer,
  { socket }: PluginRecord,
  registered: Registered | undefined,
): RegistrationStep {
  if (registered && !mayTakeOver({ version: offer.version, via: socket.via }, registered)) {
    return { kind: 'refuse', offer, reason: REASONS.duplicate(offer.name, registered.socket), isDuplicate: true }
  }
  return { kind: 'ask-node', offer }
}

function nextKnownStep(
  { offer, facts }: Extract<PluginRecord['state'], { kind: 'known' }>,
  publication: PublicationState | undefined,
): RegistrationStep {
  switch (publication?.kind) {
    case undefined:
      return { kind: 'publish', offer, facts }
    case 'pending':
      return { kind: 'wait', reason: publication.reason }
    case 'refused':
      return { kind: 'refuse', offer, reason: publication.reason }
    // The node has to work even if the server does not have the type.
    case 'unserved':
    case 'published':
      return { kind: 'confirm', offer, facts }
  }
}

function nextRegisteredStep(
  offer: PluginOffer,
  { again }: PluginRecord,
  nowMs: number,
  publication: PublicationState | undefined,
): RegistrationStep {
  if (publication?.kind === 'refused') return { kind: 'refuse', offer, reason: publication.reason }
  if (again && again.atMs <= nowMs) return { kind: again.what === 'node' ? 'ask-node-again' : 'ask-flag-again', offer }
  return { kind: 'wait', reason: REASONS.registered(offer.name), ...(again ? { retryInMs: again.atMs - nowMs } : {}) }
}
