/** The distinguished encoding rules (DER) of ASN.1, as far as certificates need them: values are bytes, built from the inside out. */
export type Der = Buffer

/** A tag, the length and the content. */
export function encode(tag: number, ...content: readonly Uint8Array[]): Der {
  const body = Buffer.concat(content)
  return Buffer.concat([Buffer.from([tag, ...encodeLength(body.length)]), body])
}

// One byte below 128; otherwise the number of bytes comes first.
function encodeLength(length: number): number[] {
  if (length < 0x80) return [length]
  const bytes: number[] = []
  for (let rest = length; rest > 0; rest = Math.floor(rest / 256)) bytes.unshift(rest % 256)
  return [0x80 | bytes.length, ...bytes]
}

export const sequence = (...items: readonly Der[]): Der => encode(0x30, ...items)

/** A set of one element: more would have to be sorted. */
export const setOf = (item: Der): Der => encode(0x31, item)

export const boolean = (value: boolean): Der => encode(0x01, Buffer.from([value ? 0xff : 0]))

export const octets = (...content: readonly Uint8Array[]): Der => encode(0x04, ...content)

export const text = (value: string): Der => encode(0x0c, Buffer.from(value, 'utf8'))

/** An element with a number instead of its type; `constructed` if it contains other elements. */
export const tagged = (number: number, content: Uint8Array, { constructed = false } = {}): Der =>
  encode(0x80 | (constructed ? 0x20 : 0) | number, content)

/** A non-negative number from its bytes: as short as possible, with a leading zero if the first bit would be the sign. */
export function unsigned(bytes: Uint8Array): Der {
  const first = bytes.findIndex((byte) => byte !== 0)
  const short = first < 0 ? new Uint8Array([0]) : bytes.subarray(first)
  return encode(0x02, (short[0] ?? 0) >= 0x80 ? new Uint8Array([0]) : new Uint8Array(), short)
}

/** Bits, most significant first; trailing zeros of a list of flags are omitted, as DER requires. */
export const bits = (content: Uint8Array, unusedBits = 0): Der => encode(0x03, Buffer.from([unusedBits]), content)

/** Flags by number: what a key may be used for. */
export function flags(...numbers: readonly number[]): Der {
  const highest = Math.max(...numbers)
  const content = new Uint8Array(Math.floor(highest / 8) + 1)
  for (const number of numbers) content[number >> 3] = (content[number >> 3] ?? 0) | (0x80 >> (number & 7))
  return bits(content, 7 - (highest & 7))
}

/** Encodes an object identifier such as `2.5.4.3`. */
export function objectId(dotted: string): Der {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number)
  return encode(0x06, Buffer.from([first * 40 + second, ...rest.flatMap(base128)]))
}

function base128(value: number): number[] {
  const bytes = [value & 0x7f]
  for (let rest = value >>> 7; rest > 0; rest >>>= 7) bytes.unshift((rest & 0x7f) | 0x80)
  return bytes
}

/** A time in whole seconds: until 2049 in the short form with a two-digit year, as certificates require. */
export function time(ms: number): Der {
  const digits = new Date(ms).toISOString().replaceAll(/\.\d+|[-:T]/g, '')
  return digits < '2050' ? encode(0x17, Buffer.from(digits.slice(2))) : encode(0x18, Buffer.from(digits))
}

/** The PEM text of the bytes. */
export const formatPem = (label: string, der: Uint8Array): string =>
  `-----BEGIN ${label}-----\n${(
    Buffer.from(der)
      .toString('base64')
      .match(/.{1,64}/g) ?? []
  ).join('\n')}\n-----END ${label}-----\n`
