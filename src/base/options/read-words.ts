import type { Reading } from './option.ts'
import { ValueError } from './value-error.ts'

/** All values in order, or a line for each word that `parse` rejects with a `ValueError`. */
export function readEach<T>(words: readonly string[], parse: (word: string) => T): Reading<readonly T[]> {
  const values: T[] = []
  const problems: string[] = []
  for (const word of words) {
    try {
      values.push(parse(word))
    } catch (error) {
      if (!(error instanceof ValueError)) throw error
      problems.push(error.message)
    }
  }
  return problems.length > 0 ? { problems } : { value: values }
}

/** The last value wins, but every word must be valid. There is at least one word. */
export function readLast<T>(words: readonly string[], parse: (word: string) => T): Reading<T> {
  const all = readEach(words, parse)
  return 'problems' in all ? all : { value: all.value[all.value.length - 1] as T }
}
