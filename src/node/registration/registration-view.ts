import type { Clock } from '../../base/clock.ts'
import { topicOf } from '../../kube/controller/index.ts'
import type { WritableDriverStore } from './driver-store.ts'
import type { PluginOffer, Registered } from './plugin-offer.ts'
import type { PluginFailure } from './reasons.ts'
import type { Registry, Sighting } from './watch-registry.ts'
import type { PublicationState } from './wanted-drivers.ts'

/** How far a socket has come. `known`: the driver has answered about the node; `registered`: that is published, and the registrar knows it. */
export type PluginState =
  | { readonly kind: 'offered' | 'known' | 'registered'; readonly offer: PluginOffer }
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

/** Reported when a driver of the name is removed or begins to leave, or its publication has changed. */
export const driverTopic = (name: string): string => topicOf('driver', name)

export type RegistrationView = {
  readonly socket: Sighting | undefined
  readonly record: PluginRecord | undefined
  readonly nowMs: number
  /** Who else has the name of the offer. */
  readonly registered?: Registered | undefined
  /** Of the driver's facts. Undefined: another driver of the name serves. */
  readonly publication?: PublicationState | undefined
}

type ViewSources = {
  readonly clock: Clock
  readonly sockets: Pick<Registry, 'find'>
  readonly records: ReadonlyMap<string, PluginRecord>
  readonly store: WritableDriverStore
  readonly publication: { stateOf(driver: string): PublicationState | undefined }
}

export function readRegistrationView(path: string, sources: ViewSources): RegistrationView {
  const { clock, sockets, records, store, publication } = sources
  const record = records.get(path)
  const view = { socket: sockets.find(path), record, nowMs: clock.monotonicMs() }
  if (!record) return view
  const { socket, state } = record
  const name = state.kind === 'failed' ? state.duplicateOf : state.offer.name
  if (name === undefined) return view
  // The facts of another socket of the same name are not its own.
  const isServing = store.get(socket) === store.find(name)
  return {
    ...view,
    registered: store.findOther(name, socket),
    publication: isServing ? publication.stateOf(name) : undefined,
  }
}
