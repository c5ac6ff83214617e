// Offsets in the header of a 64-bit ELF file, and in one of its program headers.
const PROGRAM_HEADERS_AT = 32
const SECTION_HEADERS_AT = 40
const PROGRAM_HEADER_SIZE_AT = 54
const PROGRAM_HEADER_COUNT_AT = 56
const SECTION_COUNT_AT = 60
const SECTION_NAMES_AT = 62
const SEGMENT_OFFSET_AT = 8
const SEGMENT_SIZE_AT = 32

/**
 * The program without its symbol table and section headers, which lie behind everything that is loaded and are for debuggers alone. Dynamic symbols
 * are loaded, and stay.
 */
export function withoutSymbols(program: Buffer): Buffer {
  if (program.readUInt32BE(0) !== 0x7f454c46 || program[4] !== 2 || program[5] !== 1)
    throw new Error('not a 64-bit little-endian ELF file')
  const first = Number(program.readBigUInt64LE(PROGRAM_HEADERS_AT))
  const size = program.readUInt16LE(PROGRAM_HEADER_SIZE_AT)
  const ends = Array.from({ length: program.readUInt16LE(PROGRAM_HEADER_COUNT_AT) }, (_, index) => {
    const header = first + index * size
    return Number(
      program.readBigUInt64LE(header + SEGMENT_OFFSET_AT) + program.readBigUInt64LE(header + SEGMENT_SIZE_AT),
    )
  })
  const loaded = Buffer.from(program.subarray(0, Math.max(...ends)))
  loaded.writeBigUInt64LE(0n, SECTION_HEADERS_AT)
  loaded.writeUInt16LE(0, SECTION_COUNT_AT)
  loaded.writeUInt16LE(0, SECTION_NAMES_AT)
  return loaded
}
