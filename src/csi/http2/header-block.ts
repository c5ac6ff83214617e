/** One header line. Name and value have one character per byte, so that arbitrary bytes are preserved. */
export type HeaderField = {
  name: string
  value: string
  /** The sender requires that no hop stores this value in a compression table. */
  neverIndexed: boolean
}

/** A decoded HPACK header block. */
export type HeaderBlock = {
  /** Dynamic table size updates at the start of the block, at most two. */
  tableSizes: number[]
  fields: HeaderField[]
}

/** Size of a field in a table or list in addition to its characters: RFC 7541 section 4.1. */
export const FIELD_OVERHEAD_BYTES = 32
