/** One header line. Name and value hold one character per byte, so that any bytes survive. */
export type HeaderField = {
  name: string
  value: string
  /** The sender asked that no hop ever puts this value into a compression table. */
  neverIndexed: boolean
}

/** What one HPACK header block says. */
export type HeaderBlock = {
  /** Dynamic table size updates at the start of the block, at most two. */
  tableSizes: number[]
  fields: HeaderField[]
}

/** What a field counts for in a table or a list beyond its characters: RFC 7541 section 4.1. */
export const FIELD_OVERHEAD_BYTES = 32
