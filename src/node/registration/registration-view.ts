import type { RegistrationContext } from './driver-changes.ts'
import type { Registered } from './plugin-offer.ts'
import { offeredName } from './plugin-records.ts'
import type { PluginRecord } from './plugin-records.ts'
import type { Sighting } from './scan-registry.ts'
import type { PublicationState } from './wanted-drivers.ts'

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

export function readRegistrationView(
  path: string,
  socket: Sighting | undefined,
  { clock, records, store, publication }: Pick<RegistrationContext, 'clock' | 'records' | 'store' | 'publication'>,
): RegistrationView {
  const record = records.find(path)
  const name = record && offeredName(record)
  // The facts of another socket of the same name are not its own.
  const isOurs =
    record &&
    (record.state.kind === 'known' || record.state.kind === 'registered') &&
    records.isPublishing(record.socket)
  return {
    seen: { socket },
    held: {
      nowMs: clock.monotonicMs(),
      record,
      registered: record && name !== undefined ? store.findOther(name, record.socket) : undefined,
      publication: isOurs && name !== undefined ? publication.stateOf(name) : undefined,
    },
  }
}
