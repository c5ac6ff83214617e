/** Secrets by the name of the call that gets them. */
export type Secrets = ReadonlyMap<string, Readonly<Record<string, string>>>

/** What the user says about volumes of this driver. */
export type CheckSettings = {
  readonly sizeBytes: bigint
  readonly expandBytes: bigint
  readonly parameters: Readonly<Record<string, string>>
  readonly mutableParameters: Readonly<Record<string, string>>
  readonly snapshotParameters: Readonly<Record<string, string>>
  readonly secrets: Secrets
  /** Where volumes must be accessible from. Empty: from the first node. */
  readonly topology: Readonly<Record<string, string>>
  readonly callTimeoutMs: number
}
