import { FIELD_OVERHEAD_BYTES } from './header-block.ts'
import type { HeaderBlock, HeaderField } from './header-block.ts'
import { decodeHuffman } from './hpack-huffman.ts'
import { HPACK_STATIC_TABLE } from './hpack-static-table.ts'
import { MalformedHttp2Error } from './malformed-http2-error.ts'

export type HpackDecoderOptions = {
  /** Initial table size in bytes. Default 4096, as in RFC 9113. */
  initialTableBytes?: number
  /** Largest table in bytes that the sender may request. Default 64 KiB, so that the receiver's setting need not be known. */
  maxTableBytes?: number
  /** Largest decoded list in bytes, with 32 bytes per field: one byte of a block can refer to a whole table entry. Default 1 MiB. */
  maxListBytes?: number
}

/** Decodes the header blocks of one direction of a connection. It needs all of them, in order: each block may refer to earlier ones. */
export interface HpackDecoder {
  /** Throws MalformedHttp2Error; after that, no further block can be decoded. */
  decode(block: Buffer): HeaderBlock
}

export function createHpackDecoder(options: HpackDecoderOptions = {}): HpackDecoder {
  const { initialTableBytes = 4096, maxTableBytes = 64 * 1024, maxListBytes = 1024 * 1024 } = options
  const table = createDynamicTable(initialTableBytes)

  const lookUp = (index: number): readonly [name: string, value: string] => {
    const entry =
      index <= HPACK_STATIC_TABLE.length
        ? HPACK_STATIC_TABLE[index - 1]
        : table.at(index - HPACK_STATIC_TABLE.length - 1)
    if (!entry) throw new MalformedHttp2Error(`header block refers to the absent table entry ${index}`)
    return entry
  }

  const readTableSizes = (reader: BlockReader): number[] => {
    const sizes: number[] = []
    while (isTableSizeUpdate(reader.peek())) {
      const size = reader.integer(5)
      if (size > maxTableBytes) throw new MalformedHttp2Error(`header table size ${size} is over the limit`)
      table.resize(size)
      // A sender only has to report the smallest size in between and the final one.
      if (sizes.push(size) > 2)
        throw new MalformedHttp2Error('header block begins with more than two table size updates')
    }
    return sizes
  }

  const readField = (reader: BlockReader): HeaderField => {
    const first = reader.peek()
    if (first >= 0b1000_0000) {
      const [name, value] = lookUp(reader.integer(7))
      return { name, value, neverIndexed: false }
    }
    if (isTableSizeUpdate(first)) throw new MalformedHttp2Error('table size update after the first header field')
    const indexed = first >= 0b0100_0000
    const nameIndex = reader.integer(indexed ? 6 : 4)
    const name = nameIndex === 0 ? reader.string() : lookUp(nameIndex)[0]
    const value = reader.string()
    if (indexed) table.add(name, value)
    return { name, value, neverIndexed: !indexed && first >= 0b0001_0000 }
  }

  const decode = (block: Buffer): HeaderBlock => {
    const reader = createBlockReader(block)
    const tableSizes = readTableSizes(reader)
    const fields: HeaderField[] = []
    let listBytes = 0
    while (!reader.done()) {
      const field = readField(reader)
      listBytes += fieldBytes(field.name, field.value)
      if (listBytes > maxListBytes) throw new MalformedHttp2Error(`header list is larger than ${maxListBytes} bytes`)
      fields.push(field)
    }
    return { tableSizes, fields }
  }

  return { decode }
}

const isTableSizeUpdate = (firstByte: number): boolean => firstByte >> 5 === 0b001

const fieldBytes = (name: string, value: string): number => name.length + value.length + FIELD_OVERHEAD_BYTES

type DynamicTable = {
  /** The index counts from the newest entry, which is 0. */
  at(index: number): readonly [name: string, value: string] | undefined
  add(name: string, value: string): void
  resize(toBytes: number): void
}

function createDynamicTable(initialBytes: number): DynamicTable {
  const oldestFirst: Array<readonly [name: string, value: string]> = []
  let limitBytes = initialBytes
  let usedBytes = 0

  const evictUntil = (roomBytes: number): void => {
    while (limitBytes - usedBytes < roomBytes) {
      const oldest = oldestFirst.shift()
      if (!oldest) return
      usedBytes -= fieldBytes(...oldest)
    }
  }

  return {
    at: (index) => oldestFirst[oldestFirst.length - 1 - index],
    add: (name, value) => {
      const bytes = fieldBytes(name, value)
      evictUntil(bytes)
      // An entry larger than the table empties it, which is not an error.
      if (bytes > limitBytes) return
      oldestFirst.push([name, value])
      usedBytes += bytes
    },
    resize: (toBytes) => {
      limitBytes = toBytes
      evictUntil(0)
    },
  }
}

type BlockReader = {
  done(): boolean
  /** The next byte, or 0 at the end. */
  peek(): number
  /** RFC 7541 section 5.1: an integer that begins in the low bits of the next byte. */
  integer(prefixBits: number): number
  /** RFC 7541 section 5.2. */
  string(): string
}

// Four further bytes of an integer have 28 bits: more than any size or index we accept.
const LAST_INTEGER_SHIFT = 21

function createBlockReader(block: Buffer): BlockReader {
  let offset = 0

  const nextByte = (): number => {
    const byte = block[offset++]
    if (byte === undefined) throw new MalformedHttp2Error('header block ends too early')
    return byte
  }

  const integer = (prefixBits: number): number => {
    const mask = (1 << prefixBits) - 1
    let value = nextByte() & mask
    if (value < mask) return value
    for (let shift = 0; shift <= LAST_INTEGER_SHIFT; shift += 7) {
      const byte = nextByte()
      value += (byte & 0x7f) << shift
      if (byte < 0x80) return value
    }
    throw new MalformedHttp2Error('header block holds an integer that is too large')
  }

  const string = (): string => {
    const huffman = (block[offset] ?? 0) >= 0x80
    const length = integer(7)
    const end = offset + length
    if (end > block.length) throw new MalformedHttp2Error('header block ends within a string')
    const text = huffman ? decodeHuffman(block.subarray(offset, end)) : block.toString('latin1', offset, end)
    offset = end
    return text
  }

  return { done: () => offset >= block.length, peek: () => block[offset] ?? 0, integer, string }
}
