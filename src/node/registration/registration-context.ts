import type { WritableDriverStore } from './driver-store.ts'
import type { PluginNotices } from './plugin-notices.ts'
import type { Publication } from './publication-controller.ts'
import type { RegistrationRole } from './registration-options.ts'
import type { PluginRecord } from './registration-view.ts'
import type { Registry } from './watch-registry.ts'

/** What all of registration shares: sockets, the drivers that can be called, and what is published about them. */
export type RegistrationContext = RegistrationRole & {
  readonly sockets: Registry
  /** By path. */
  readonly records: Map<string, PluginRecord>
  readonly store: WritableDriverStore
  readonly publication: Publication
  readonly notices: PluginNotices
}
