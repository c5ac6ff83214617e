import type { WaitStep } from '../../kube/controller/index.ts'
import { mayTakeOver } from './plugin-offer.ts'
import type { PluginOffer } from './plugin-offer.ts'
import { driverTopic } from './registration-view.ts'
import type { PluginRecord, RegistrationView } from './registration-view.ts'
import { REASONS } from './reasons.ts'
import type { RegistrationReason } from './reasons.ts'
import type { Sighting } from './watch-registry.ts'

export type RegistrationStep = Readonly<
  /** Asks the registrar what it offers. */
  | { kind: 'ask'; socket: Sighting }
  /** Makes the driver callable, and asks it about the node. */
  | { kind: 'ask-node'; offer: PluginOffer }
  /** Tells the registrar that the driver is registered. */
  | { kind: 'confirm'; offer: PluginOffer }
  /** Tells the registrar why the driver is not registered; tries again later. `isDuplicate`: another plugin has the name. */
  | { kind: 'refuse'; offer: PluginOffer; reason: RegistrationReason; isDuplicate?: true }
  /** A registered driver was restarted: its facts about the node may have changed. */
  | { kind: 'ask-node-again'; offer: PluginOffer }
  | { kind: 'ask-flag-again'; offer: PluginOffer }
  /** The socket is gone, or is another one. */
  | { kind: 'forget'; record: PluginRecord }
  | (WaitStep & { reason: RegistrationReason })
>

export function nextRegistrationStep(view: RegistrationView): RegistrationStep {
  const { socket, record, nowMs, registered, publication } = view
  // What was found at this path before is no longer there, whatever is there now.
  if (record && record.socket.identity !== socket?.identity) return { kind: 'forget', record }
  if (!socket) return { kind: 'wait', reason: REASONS.NoRegistrationSocket }
  if (!record) return { kind: 'ask', socket }

  const { state, again } = record
  if (state.kind === 'failed') {
    const { reason, duplicateOf } = state
    const retryInMs = state.retryAtMs - nowMs
    const isFree = duplicateOf !== undefined && (!registered || registered.isLeaving)
    if (isFree || retryInMs <= 0) return { kind: 'ask', socket }
    return { kind: 'wait', reason, retryInMs, ...(duplicateOf === undefined ? {} : wakeOn(duplicateOf)) }
  }
  const { offer } = state
  if (state.kind === 'offered') {
    if (!registered || mayTakeOver({ version: offer.version, via: socket.via }, registered))
      return { kind: 'ask-node', offer }
    return {
      kind: 'refuse',
      offer,
      reason: REASONS.DriverRegisteredTwice(offer.name, registered.socket),
      isDuplicate: true,
    }
  }
  if (publication?.kind === 'refused') return { kind: 'refuse', offer, reason: publication.reason }
  if (state.kind === 'known') {
    // The node has to work even if the server does not have the type.
    if (publication && publication.kind !== 'pending') return { kind: 'confirm', offer }
    return { kind: 'wait', reason: publication?.reason ?? REASONS.AskingTheDriver(offer.name), ...wakeOn(offer.name) }
  }
  const retryInMs = again && again.atMs - nowMs
  if (retryInMs === undefined || retryInMs > 0)
    return { kind: 'wait', reason: REASONS.Registered(offer.name), retryInMs, ...wakeOn(offer.name) }
  return { kind: again?.what === 'node' ? 'ask-node-again' : 'ask-flag-again', offer }
}

const wakeOn = (driver: string) => ({ wakeOn: [driverTopic(driver)] })
