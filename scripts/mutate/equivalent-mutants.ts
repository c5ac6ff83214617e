/** A mutant that behaves as the original does, so that no test can notice it. */
export type EquivalentMutant = {
  readonly file: string
  /** The changed line or lines, as `npm run mutate` prints them after `+`, trimmed. */
  readonly mutated: string
  readonly reason: string
}

export const EQUIVALENT_MUTANTS: readonly EquivalentMutant[] = []
