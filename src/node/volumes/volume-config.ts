import type { DriverGates } from '../../api/driver-gates.ts'

export type VolumeConfig = {
  /** Longest wait for one call of a driver. */
  readonly callTimeoutMs: number
  /** Between two calls of NodePublishVolume for a driver with `requiresRemount`. */
  readonly remountMs: number
  /** The same for one with `requiresRepublish`, with up to half of it added at random. */
  readonly republishMs: number
  /** How often the claim of a mounted volume is read, in case it has grown; with up to half added. */
  readonly claimLookMs: number
  /** How long a secret may be used again for calls that come ten times a second. */
  readonly secretKeepMs: number
  readonly gates: DriverGates
}

export const DEFAULT_VOLUMES: VolumeConfig = {
  callTimeoutMs: 120_000,
  remountMs: 100,
  republishMs: 60_000,
  claimLookMs: 60_000,
  secretKeepMs: 10_000,
  gates: {},
}
