import { CsiError } from '../csi-error.ts'

/** One page of a list. `nextToken` is empty on the last page. */
export type Page<T> = { entries: T[]; nextToken: string }

// A token contains the last returned entry, so that pages stay correct while entries are added and removed.
const PREFIX = 'after:'

/**
 * The page that a List call requests. Entries are sorted by their unique key; the key of a deleted entry still marks its position. An unknown token
 * fails with ABORTED, as the specification requires.
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
