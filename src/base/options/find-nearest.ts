/** The candidate that the word most likely meant, or undefined if none is close. On a tie, the first. */
export function findNearest(word: string, candidates: readonly string[]): string | undefined {
  let nearest: string | undefined
  // With more than a third of the letters wrong, it is a different word, not a typo.
  let least = Math.max(1, Math.floor(word.length / 3)) + 1
  for (const candidate of candidates) {
    const distance = editDistance(word.toLowerCase(), candidate.toLowerCase())
    if (distance < least) [nearest, least] = [candidate, distance]
  }
  return nearest
}

/** Letters to add, remove, replace or swap with their neighbour to turn one word into the other. */
export function editDistance(from: string, to: string): number {
  let beforeLast: number[] = []
  let last = Array.from({ length: to.length + 1 }, (_, column) => column)
  for (let row = 1; row <= from.length; row++) {
    const current = [row]
    for (let column = 1; column <= to.length; column++) {
      const isSame = from[row - 1] === to[column - 1]
      const isSwap = from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1]
      current[column] = Math.min(
        at(last, column) + 1,
        at(current, column - 1) + 1,
        at(last, column - 1) + (isSame ? 0 : 1),
        isSwap ? at(beforeLast, column - 2) + 1 : Infinity,
      )
    }
    ;[beforeLast, last] = [last, current]
  }
  return at(last, to.length)
}

const at = (row: readonly number[], column: number): number => row[column] ?? Infinity
