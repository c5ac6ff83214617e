import { CsiError } from '../csi-error.ts'

/** One page of a list. `nextToken` is empty on the last one. */
export type Page<T> = { entries: T[]; nextToken: string }

// A token names the last entry that was given out, so that pages stay right while entries come and go.
const PREFIX = 'after:'

/**
 * The page that a List call asks for. Entries come in order of their key, which no two share; a key that was deleted meanwhile
 * still marks its place. A token that was not made here is answered with ABORTED, as the specification says.
 */
export function pageOf<T>(
  items: Iterable<T>,
  keyOf: (item: T) => string,
  request: { maxEntries: number; startingToken: string },
): Page<T> {
  const after = parseToken(request.startingToken)
  const rest = Array.from(items)
    .filter((item) => after === undefined || keyOf(item) > after)
    .sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))
  const entries = request.maxEntries > 0 ? rest.slice(0, request.maxEntries) : rest
  const last = entries.at(-1)
  const more = last !== undefined && entries.length < rest.length
  return { entries, nextToken: more ? PREFIX + Buffer.from(keyOf(last)).toString('base64url') : '' }
}

function parseToken(token: string): string | undefined {
  if (token === '') return undefined
  const encoded = token.startsWith(PREFIX) ? token.slice(PREFIX.length) : ''
  const key = Buffer.from(encoded, 'base64url').toString()
  if (encoded === '' || Buffer.from(key).toString('base64url') !== encoded) {
    throw new CsiError('ABORTED', 'starting_token is invalid: start the list again with an empty token')
  }
  return key
}
