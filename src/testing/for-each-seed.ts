/** Runs a scenario for one seed after the other. The first failure ends it and says how to replay it. */
export async function forEachSeed(seeds: readonly number[], scenario: (seed: number) => Promise<void>): Promise<void> {
  for (const seed of seeds) {
    try {
      await scenario(seed)
    } catch (cause) {
      const why = cause instanceof Error ? cause.message : String(cause)
      throw new Error(`seed ${seed}: ${why}\nreplay with: HOLDFAST_SEED=${seed} npm run test:simulation`, { cause })
    }
  }
}

/** The seeds that the environment asks for: one to replay, or the first so many. */
export function seedsOf(env: Readonly<Record<string, string | undefined>>): number[] {
  const { HOLDFAST_SEED: one, HOLDFAST_SEEDS: many = '100' } = env
  return one === undefined ? Array.from({ length: Number(many) }, (_, index) => index + 1) : [Number(one)]
}
