import type { OwnNode } from './claim-eligibility.ts'
import { DEFAULT_TOPOLOGY_OPTIONS } from './topology.ts'
import type { TopologyOptions } from './topology.ts'
import { DEFAULT_NAMING } from './volume-name.ts'
import type { VolumeNaming } from './volume-name.ts'

/** What the decisions need of the configuration. */
export type ProvisionSettings = {
  readonly naming: VolumeNaming
  /** For classes that name no file system; may be empty. */
  readonly defaultFsType: string
  readonly extraMetadata: boolean
  readonly publishReadonly: boolean
  readonly preventModeConversion: boolean
  /** Whether drivers that speak of topology are asked for it. */
  readonly useTopology: boolean
  readonly topology: TopologyOptions
  readonly useAttributesClasses: boolean
  readonly crossNamespaceSources: boolean
  /** Whether volumes that need attaching are born with the attacher's finalizer, which spares their first attach a write. */
  readonly heldForAttacher: boolean
  /** Noted on volumes: which run of the provisioner made them. */
  readonly identity: string
  /** Left out: one instance serves the whole cluster. */
  readonly ownNode?: OwnNode | undefined
}

export const DEFAULT_PROVISION_SETTINGS: ProvisionSettings = {
  naming: DEFAULT_NAMING,
  defaultFsType: '',
  extraMetadata: false,
  publishReadonly: false,
  preventModeConversion: true,
  useTopology: true,
  topology: DEFAULT_TOPOLOGY_OPTIONS,
  useAttributesClasses: true,
  crossNamespaceSources: false,
  heldForAttacher: false,
  identity: '',
}
