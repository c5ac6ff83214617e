import { mayTakeOver } from './plugin-offer.ts'
import type { PluginOffer, Registered } from './plugin-offer.ts'
import { REASONS } from './reasons.ts'
import type { PluginRecord, PublicationState, RegistrationStep, RegistrationView } from './registration-view.ts'

/** What to do next about one socket. */
export function nextRegistrationStep({ seen: { socket }, held }: RegistrationView): RegistrationStep {
  const record = held?.record
  // What was found under this name before is no longer there, whatever is there now.
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
    return { kind: 'refuse', offer, reason: REASONS.duplicate(offer.name, registered.socket) }
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
    // A server without the type must not keep the node from its work.
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
