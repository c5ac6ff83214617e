/** Writes a message field by field, nested ones in place: their length is put in front once it is known. */
export class ProtobufWriter {
  #buffer: Buffer = Buffer.allocUnsafe(4096)
  #length = 0

  text(number: number, value: string): this {
    const size = Buffer.byteLength(value)
    this.#varint((number << 3) | 2)
    this.#varint(size)
    this.#reserve(size)
    this.#length += this.#buffer.write(value, this.#length, 'utf8')
    return this
  }

  message(number: number, write: (inner: this) => void): this {
    this.#varint((number << 3) | 2)
    const start = this.#length
    write(this)
    const size = this.#length - start
    const shift = varintSize(size)
    this.#reserve(shift)
    this.#buffer.copyWithin(start + shift, start, this.#length)
    this.#length = start
    this.#varint(size)
    this.#length += size
    return this
  }

  finish(): Uint8Array {
    return this.#buffer.subarray(0, this.#length)
  }

  #varint(value: number): void {
    this.#reserve(5)
    let rest = value
    for (; rest >= 0x80; rest >>>= 7) this.#buffer[this.#length++] = (rest & 0x7f) | 0x80
    this.#buffer[this.#length++] = rest
  }

  #reserve(size: number): void {
    if (this.#length + size <= this.#buffer.length) return
    const larger = Buffer.allocUnsafe(Math.max(this.#buffer.length * 2, this.#length + size))
    this.#buffer.copy(larger, 0, 0, this.#length)
    this.#buffer = larger
  }
}

const varintSize = (value: number): number =>
  value < 0x80 ? 1 : value < 0x4000 ? 2 : value < 0x20_0000 ? 3 : value < 0x1000_0000 ? 4 : 5
