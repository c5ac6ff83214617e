import { gunzipSync } from 'node:zlib'

// Precedes each message: whether it is compressed, and its length.
const PREFIX_BYTES = 5
const LARGEST_MESSAGE_BYTES = 64 * 1024 * 1024

/** The messages of a gRPC body. Undefined if the body is malformed, or compressed in a way other than gzip. */
export function splitMessages(body: Buffer): Uint8Array[] | undefined {
  const messages: Uint8Array[] = []
  for (let offset = 0; offset < body.length;) {
    if (body.length < offset + PREFIX_BYTES) return undefined
    const isCompressed = body[offset] === 1
    const end = offset + PREFIX_BYTES + body.readUInt32BE(offset + 1)
    if (end > body.length) return undefined
    const bytes = body.subarray(offset + PREFIX_BYTES, end)
    const message = isCompressed ? unzip(bytes) : bytes
    if (!message) return undefined
    messages.push(message)
    offset = end
  }
  return messages
}

function unzip(bytes: Uint8Array): Uint8Array | undefined {
  try {
    return gunzipSync(bytes, { maxOutputLength: LARGEST_MESSAGE_BYTES })
  } catch {
    return undefined
  }
}

/** A gRPC body of these messages, not compressed. */
export function joinMessages(messages: readonly Uint8Array[]): Buffer {
  return Buffer.concat(
    messages.flatMap((message) => {
      const prefix = Buffer.alloc(PREFIX_BYTES)
      prefix.writeUInt32BE(message.length, 1)
      return [prefix, message]
    }),
  )
}

/** The text as a `grpc-message` header: every byte outside of printable ASCII, and the percent sign, is escaped. */
export const encodeStatusMessage = (text: string): string =>
  Array.from(Buffer.from(text), (byte) =>
    byte >= 0x20 && byte <= 0x7e && byte !== 0x25
      ? String.fromCharCode(byte)
      : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`,
  ).join('')

/** The text of a `grpc-message` header. Invalid escapes are kept as they are. */
export function decodeStatusMessage(header: string): string {
  const bytes = header.replaceAll(/%([0-9a-fA-F]{2})/g, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)))
  return Buffer.from(bytes, 'latin1').toString('utf8')
}
