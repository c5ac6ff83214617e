import { BinaryReader, WireType as WireNumber } from '@bufbuild/protobuf/wire'
import { MOST_LEVELS } from './json-syntax-error.ts'
import { MOST_BODY_VALUES, tooManyValues } from './value-limits.ts'

/** A body that is not in the format of Kubernetes' protobuf clients. */
export class ProtobufError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'ProtobufError'
  }
}

/** The encoding of a field's value. Groups, which Kubernetes never uses, are rejected. */
export type WireType = 'varint' | 'fixed64' | 'bytes' | 'fixed32'

const WIRE_TYPES: Readonly<Record<number, WireType>> = {
  [WireNumber.Varint]: 'varint',
  [WireNumber.Bit64]: 'fixed64',
  [WireNumber.LengthDelimited]: 'bytes',
  [WireNumber.Bit32]: 'fixed32',
}
const WIRE_NUMBERS: Readonly<Record<WireType, WireNumber>> = {
  varint: WireNumber.Varint,
  fixed64: WireNumber.Bit64,
  bytes: WireNumber.LengthDelimited,
  fixed32: WireNumber.Bit32,
}

// Nested messages. A list of messages corresponds to two levels of JSON.
const MOST_MESSAGES = MOST_LEVELS / 2

type Place = {
  readonly wire: BinaryReader
  readonly end: number
  readonly level: number
  /** Fields read so far, including those of all nested messages. */
  readonly fields: { count: number }
}

/**
 * Reads one message field by field, within limits for depth and number of values. Nested messages share the bytes and the position, so a nested
 * message is read to its end before its parent continues. Damaged bytes throw an error that `isDamage` recognizes.
 */
export class ProtobufReader {
  readonly #wire: BinaryReader
  readonly #end: number
  readonly #level: number
  readonly #fields: { count: number }

  private constructor({ wire, end, level, fields }: Place) {
    this.#wire = wire
    this.#end = end
    this.#level = level
    this.#fields = fields
  }

  static of(bytes: Uint8Array): ProtobufReader {
    const wire = new BinaryReader(bytes, decodeUtf8)
    return new ProtobufReader({ wire, end: bytes.length, level: 0, fields: { count: 0 } })
  }

  get isAtEnd(): boolean {
    return this.#wire.pos >= this.#end
  }

  /** The next field's number and wire type. */
  tag(): { number: number; wireType: WireType } {
    this.#fields.count += 1
    if (this.#fields.count > MOST_BODY_VALUES) throw tooManyValues(MOST_BODY_VALUES)
    const [number, type] = this.#wire.tag()
    const wireType = WIRE_TYPES[type]
    if (wireType === undefined) throw new ProtobufError(`illegal wire type ${type}`)
    return { number, wireType }
  }

  /** A varint as a signed 64-bit number; throws if a double cannot represent it. */
  integer(): number {
    const exact = this.#within(this.#wire.int64())
    const value = Number(exact)
    if (!Number.isSafeInteger(value)) throw new ProtobufError(`number ${exact} cannot be kept exactly`)
    return value
  }

  double(): number {
    return this.#within(this.#wire.double())
  }

  text(): string {
    return this.#within(this.#wire.string())
  }

  bytes(): Buffer {
    return asBuffer(this.#within(this.#wire.bytes()))
  }

  message(): ProtobufReader {
    const length = this.#wire.uint32()
    const end = this.#wire.pos + length
    if (end > this.#end) throw new ProtobufError(ENDS_EARLY)
    if (this.#level >= MOST_MESSAGES) throw new ProtobufError('exceeded max depth')
    return new ProtobufReader({ wire: this.#wire, end, level: this.#level + 1, fields: this.#fields })
  }

  skip(wireType: WireType): void {
    this.#within(this.#wire.skip(WIRE_NUMBERS[wireType]))
  }

  // The wire library only checks for the end of all bytes.
  #within<T>(value: T): T {
    if (this.#wire.pos > this.#end) throw new ProtobufError(ENDS_EARLY)
    return value
  }
}

const ENDS_EARLY = 'unexpected end of the message'

const asBuffer = ({ buffer, byteOffset, byteLength }: Uint8Array): Buffer => Buffer.from(buffer, byteOffset, byteLength)

const decodeUtf8 = (bytes: Uint8Array): string => asBuffer(bytes).toString('utf8')

/** True for the errors of the wire library about bytes that are not protobuf: a bare Error, or a RangeError at their end. */
export const isDamage = (error: unknown): error is Error =>
  error instanceof RangeError || (error instanceof Error && error.constructor === Error)
