import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire'

/** Writes a message field by field, nested ones in place. */
export class ProtobufWriter {
  readonly #wire = new BinaryWriter()

  text(number: number, value: string): this {
    this.#wire.tag(number, WireType.LengthDelimited).string(value)
    return this
  }

  message(number: number, write: (inner: this) => void): this {
    this.#wire.tag(number, WireType.LengthDelimited).fork()
    write(this)
    this.#wire.join()
    return this
  }

  finish(): Uint8Array {
    return this.#wire.finish()
  }
}
