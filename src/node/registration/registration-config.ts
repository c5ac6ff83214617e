/** How drivers of a node are found and published. */
export type RegistrationConfig = {
  /** Also takes `*-reg.sock` in ROOT/plugins for registration sockets, as the first releases did. */
  readonly watchLegacyDirectory: boolean
  /** Takes ROOT/plugins/NAME/csi.sock for the driver NAME as long as that one has not registered. */
  readonly assumeDriverSockets: boolean
  /** Where, beside the root, sockets of drivers may be. */
  readonly endpointDirectories: readonly string[]
  /** How long a driver keeps its place when its registration socket has gone: it may only be restarted. */
  readonly graceMs: number
  /** How often the directories are listed when nothing was told about them. */
  readonly relistMs: number
  /** How often the published objects are read again, in case somebody else changed them. */
  readonly recheckMs: number
  /** A driver may change the value of a topology label that it wrote itself. */
  readonly overwriteOwnLabels: boolean
  /** Makes a CSIDriver object for a driver that has none. The node needs the right to create them, which it has not by itself. */
  readonly createCsiDrivers: boolean
}

export const DEFAULT_REGISTRATION: RegistrationConfig = {
  watchLegacyDirectory: false,
  assumeDriverSockets: false,
  endpointDirectories: [],
  graceMs: 10_000,
  relistMs: 10_000,
  recheckMs: 600_000,
  overwriteOwnLabels: false,
  createCsiDrivers: false,
}
