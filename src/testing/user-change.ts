import { isAlreadyExists, isConflict, isInvalid, isNotFound } from '../api/api-error.ts'
import type { Random } from '../base/random.ts'
import type { Transcript } from './transcript.ts'

/** Something that a person does to the world, and how often compared with the others that there are. */
export type UserChange<World> = readonly [
  share: number,
  change: { readonly what: string; make(world: World): Promise<unknown> },
]

/** Makes one of the changes. That the server refuses it as things are is part of life. */
export async function makeChange<World>(
  world: World,
  changes: readonly UserChange<World>[],
  { random, transcript }: { random: Random; transcript: Transcript },
): Promise<void> {
  const { what, make } = chooseWeighted(random, changes)
  transcript.add('user', what)
  await make(world).catch(ignoreRefusal)
}

/** One of several values, each as often as its share says. */
export function chooseWeighted<T>(random: Random, choices: readonly (readonly [share: number, value: T])[]): T {
  let at = random.below(choices.reduce((sum, [share]) => sum + share, 0))
  for (const [share, value] of choices) {
    if (at < share) return value
    at -= share
  }
  throw new Error('nothing to choose from')
}

/** One of several values, each as often as the others. */
export const pick = <T>(random: Random, values: readonly T[]): T =>
  chooseWeighted(
    random,
    values.map((value) => [1, value]),
  )

/** For what a person does without looking first: it is not there, is there already, or has changed meanwhile. */
export function ignoreRefusal(error: unknown): undefined {
  if (!isNotFound(error) && !isAlreadyExists(error) && !isConflict(error) && !isInvalid(error)) throw error
  return undefined
}
