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
  /**
   * When a claim is held by a finalizer of ours until its volume is stored, so that not even a restart can leave a volume behind:
   * before every call (two writes more for each claim), once a call takes long or ends in doubt, or not at all.
   */
  readonly holdClaims: 'always' | 'in-doubt' | 'never'
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
  holdClaims: 'in-doubt',
  identity: '',
}
