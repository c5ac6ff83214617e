import { MOST_LEVELS } from './json-syntax-error.ts'
import { MOST_BODY_VALUES, tooManyValues } from './value-limits.ts'

/** A body that is not what Kubernetes' protobuf clients send. */
export class ProtobufError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'ProtobufError'
  }
}

/** How a field's value is written: the low three bits of its tag. */
export type WireType = 'varint' | 'fixed64' | 'bytes' | 'fixed32'
const WIRE_TYPES: Readonly<Record<number, WireType>> = { 0: 'varint', 1: 'fixed64', 2: 'bytes', 5: 'fixed32' }

// One in another: a list of messages is two levels of the JSON that they become.
const MOST_MESSAGES = MOST_LEVELS / 2

/** Reads one message field by field. Nested messages share the bytes. */
export class ProtobufReader {
  readonly #bytes: Buffer
  #at: number
  readonly #end: number
  readonly #level: number
  // Fields read so far, counted with those of all nested messages.
  readonly #fields: { count: number }

  constructor(bytes: Uint8Array, start = 0, end: number = bytes.length, level = 0, fields = { count: 0 }) {
    this.#bytes = Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    this.#at = start
    this.#end = end
    this.#level = level
    this.#fields = fields
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#end
  }

  /** The next field's number and wire type. */
  tag(): { number: number; wireType: WireType } {
    this.#fields.count += 1
    if (this.#fields.count > MOST_BODY_VALUES) throw tooManyValues(MOST_BODY_VALUES)
    const tag = this.integer()
    const wireType = WIRE_TYPES[tag & 7]
    const number = tag >>> 3
    if (wireType === undefined || number === 0 || tag < 0) throw new ProtobufError(`illegal tag ${tag}`)
    return { number, wireType }
  }

  /** A varint as a signed 64-bit number; throws where a double cannot hold it. */
  integer(): number {
    let low = 0
    let high = 0
    for (let shift = 0; shift < 70; shift += 7) {
      const byte = this.#byte()
      const bits = byte & 0x7f
      if (shift < 28) low |= bits << shift
      else if (shift === 28) {
        low |= bits << 28
        high = bits >>> 4
      } else if (shift < 64) high |= bits << (shift - 32)
      if (byte < 0x80) return toNumber(low >>> 0, high | 0)
    }
    throw new ProtobufError('a number has more than ten bytes')
  }

  double(): number {
    return this.#bytes.readDoubleLE(this.#take(8))
  }

  text(): string {
    const start = this.#takeBlock()
    return this.#bytes.toString('utf8', start, this.#at)
  }

  bytes(): Buffer {
    const start = this.#takeBlock()
    return this.#bytes.subarray(start, this.#at)
  }

  message(): ProtobufReader {
    const start = this.#takeBlock()
    if (this.#level >= MOST_MESSAGES) throw new ProtobufError('exceeded max depth')
    return new ProtobufReader(this.#bytes, start, this.#at, this.#level + 1, this.#fields)
  }

  skip(wireType: WireType): void {
    if (wireType === 'varint') while (this.#byte() >= 0x80);
    else if (wireType === 'fixed64') this.#take(8)
    else if (wireType === 'fixed32') this.#take(4)
    else this.#takeBlock()
  }

  #byte(): number {
    return this.#bytes[this.#take(1)] ?? 0
  }

  #takeBlock(): number {
    const length = this.integer()
    if (length < 0) throw new ProtobufError('a length is negative')
    return this.#take(length)
  }

  #take(length: number): number {
    const start = this.#at
    if (start + length > this.#end) throw new ProtobufError('unexpected end of the message')
    this.#at = start + length
    return start
  }
}

function toNumber(low: number, high: number): number {
  const value = high * 2 ** 32 + low
  if (!Number.isSafeInteger(value))
    throw new ProtobufError(`number ${(BigInt(high) << 32n) + BigInt(low)} cannot be kept exactly`)
  return value
}
