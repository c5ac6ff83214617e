import type { HeaderBlock } from './header-block.ts'

// A length needs its first byte and at most five more.
const LONGEST_INTEGER_BYTES = 6

/**
 * Writes every field as a literal without indexing and without Huffman coding, so that the receiver's table stays empty and blocks are independent of
 * each other. Table size updates are kept, because a receiver that announced a smaller table requires them.
 */
export function encodeHeaderBlock({ tableSizes, fields }: HeaderBlock): Buffer {
  const characters = fields.reduce((sum, { name, value }) => sum + name.length + value.length, 0)
  const block = Buffer.allocUnsafe(
    characters + LONGEST_INTEGER_BYTES * tableSizes.length + (1 + 2 * LONGEST_INTEGER_BYTES) * fields.length,
  )
  let offset = 0
  const writeString = (text: string): void => {
    offset = writeInteger(block, offset, 0, 7, text.length)
    offset += block.write(text, offset, 'latin1')
  }
  for (const size of tableSizes) offset = writeInteger(block, offset, 0b0010_0000, 5, size)
  for (const { name, value, neverIndexed } of fields) {
    block[offset++] = neverIndexed ? 0b0001_0000 : 0
    writeString(name)
    writeString(value)
  }
  return block.subarray(0, offset)
}

// RFC 7541 section 5.1; returns the offset after the integer.
function writeInteger(into: Buffer, offset: number, pattern: number, prefixBits: number, value: number): number {
  const mask = (1 << prefixBits) - 1
  if (value < mask) {
    into[offset] = pattern | value
    return offset + 1
  }
  into[offset++] = pattern | mask
  let rest = value - mask
  while (rest >= 0x80) {
    into[offset++] = 0x80 | (rest & 0x7f)
    rest >>>= 7
  }
  into[offset++] = rest
  return offset
}
