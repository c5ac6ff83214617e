import { crc32 } from 'node:zlib'

/**
 * How many objects there are, and the sum of the checksums of all rows. It is kept in the database and updated in each
 * transaction. SQLite notices when its pages no longer fit together, but not when a page has lost a row or holds an older one.
 */
export type Tally = { readonly objects: number; readonly checksum: number }

export const EMPTY_TALLY: Tally = { objects: 0, checksum: 0 }

export type ObjectRow = {
  readonly storage: string
  readonly key: string
  readonly revision: number
  readonly json: string
}

export const checksumOf = ({ storage, key, revision, json }: ObjectRow): number =>
  crc32(json, crc32(`${storage} ${key} ${revision} `))

// A sum that stays exact as a number, for any number of rows.
const MODULUS = 2 ** 48

/** With an object more. */
export const withObject = ({ objects, checksum }: Tally, crc: number): Tally => ({
  objects: objects + 1,
  checksum: (checksum + crc) % MODULUS,
})

/** With an object less. */
export const withoutObject = ({ objects, checksum }: Tally, crc: number): Tally => ({
  objects: objects - 1,
  checksum: (checksum + MODULUS - crc) % MODULUS,
})

/** With the last revision of a storage changed; 0 for one that had none. */
export function withLastRevision({ objects, checksum }: Tally, storage: string, before: number, after: number): Tally {
  const crcAt = (revision: number): number => (revision === 0 ? 0 : crc32(`${storage} ${revision}`))
  return { objects, checksum: (checksum + MODULUS - crcAt(before) + crcAt(after)) % MODULUS }
}

export const sameTally = (one: Tally, other: Tally): boolean =>
  one.objects === other.objects && one.checksum === other.checksum
