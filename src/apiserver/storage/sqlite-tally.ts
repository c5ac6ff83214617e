import { crc32 } from 'node:zlib'

/**
 * The number of objects, and the sum of the checksums of all rows. It is stored in the database and updated in each transaction. SQLite detects
 * inconsistent pages, but not a page that has lost a row or has an older one.
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

/** With one more object. */
export const withObject = ({ objects, checksum }: Tally, crc: number): Tally => ({
  objects: objects + 1,
  checksum: (checksum + crc) % MODULUS,
})

/** With one object less. */
export const withoutObject = ({ objects, checksum }: Tally, crc: number): Tally => ({
  objects: objects - 1,
  checksum: (checksum + MODULUS - crc) % MODULUS,
})

/** With the last revision of a storage changed; 0 if it had none. */
export function withLastRevision({ objects, checksum }: Tally, storage: string, before: number, after: number): Tally {
  const crcAt = (revision: number): number => (revision === 0 ? 0 : crc32(`${storage} ${revision}`))
  return { objects, checksum: (checksum + MODULUS - crcAt(before) + crcAt(after)) % MODULUS }
}

export const sameTally = (one: Tally, other: Tally): boolean =>
  one.objects === other.objects && one.checksum === other.checksum
