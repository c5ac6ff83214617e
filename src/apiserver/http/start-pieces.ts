import { nextTurn } from '../../base/next-turn.ts'

/** A text of one piece, or pieces of which each is created only when the one before it was used. Other requests are served in between. */
export async function startPieces(body: Iterable<string>): Promise<string | Iterable<string>> {
  const pieces = body[Symbol.iterator]()
  const first = pieces.next()
  if (first.done) return ''
  await nextTurn()
  const second = pieces.next()
  return second.done ? first.value : continuePieces(first.value, second.value, pieces)
}

function* continuePieces(first: string, second: string, others: Iterator<string>): Generator<string, void> {
  yield first
  yield second
  for (let next = others.next(); !next.done; next = others.next()) yield next.value
}
