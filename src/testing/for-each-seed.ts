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

/** The seeds that the environment asks for: one to replay, the first so many (100), or a range (501-1000). */
export function seedsOf(env: Readonly<Record<string, string | undefined>>): number[] {
  const { HOLDFAST_SEED: one, HOLDFAST_SEEDS: many = '100' } = env
  if (one !== undefined) return [Number(one)]
  const [, first = '1', last = ''] = /^(?:(\d+)-)?(\d+)$/.exec(many) ?? []
  const count = Number(last) - Number(first) + 1
  if (last === '' || count < 1)
    throw new Error(`HOLDFAST_SEEDS=${many} is neither a number nor a range such as 501-1000`)
  return Array.from({ length: count }, (_, index) => Number(first) + index)
}
