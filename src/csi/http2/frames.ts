import { MalformedHttp2Error } from './malformed-http2-error.ts'

/** The first bytes of every client: RFC 9113 section 3.4. */
export const CLIENT_PREFACE = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 'latin1')
export const FRAME_HEADER_BYTES = 9
/** The largest payload that every receiver accepts. */
export const DEFAULT_MAX_FRAME_BYTES = 16384

/** The frame types with header blocks of a client; all others are ignored here. */
export const FRAME_TYPE = { headers: 0x1, continuation: 0x9 } as const
export const FLAG = { endStream: 0x01, endHeaders: 0x04, padded: 0x08, priority: 0x20 } as const

const PRIORITY_BYTES = 5

export type FrameHeader = { length: number; type: number; flags: number; streamId: number }

/** Parses the nine bytes of a frame header. */
export function parseFrameHeader(head: Buffer): FrameHeader {
  return {
    length: head.readUIntBE(0, 3),
    type: head.readUInt8(3),
    flags: head.readUInt8(4),
    streamId: head.readUInt32BE(5) & 0x7fff_ffff,
  }
}

export function formatFrame({ type, flags, streamId }: Omit<FrameHeader, 'length'>, payload: Uint8Array): Buffer {
  const frame = Buffer.allocUnsafe(FRAME_HEADER_BYTES + payload.length)
  frame.writeUIntBE(payload.length, 0, 3)
  frame.writeUInt8(type, 3)
  frame.writeUInt8(flags, 4)
  frame.writeUInt32BE(streamId, 5)
  frame.set(payload, FRAME_HEADER_BYTES)
  return frame
}

/** The fragment of the header block in a HEADERS or CONTINUATION frame, without padding, and the five bytes of priority, if any. */
export function headerFragment({ type, flags }: FrameHeader, payload: Buffer): { priority: Buffer; fragment: Buffer } {
  if (type === FRAME_TYPE.continuation) return { priority: Buffer.alloc(0), fragment: payload }
  const padded = (flags & FLAG.padded) !== 0
  const priorityStart = padded ? 1 : 0
  const fragmentStart = priorityStart + (flags & FLAG.priority ? PRIORITY_BYTES : 0)
  const fragmentEnd = payload.length - (padded ? (payload[0] ?? 0) : 0)
  if (fragmentStart > fragmentEnd)
    throw new MalformedHttp2Error('HEADERS frame is shorter than its padding and priority')
  return {
    priority: payload.subarray(priorityStart, fragmentStart),
    fragment: payload.subarray(fragmentStart, fragmentEnd),
  }
}

export type HeaderFrames = {
  streamId: number
  endStream: boolean
  /** As `headerFragment` returns it. */
  priority: Buffer
  block: Buffer
}

/** A HEADERS frame and as many CONTINUATION frames as the block needs. */
export function formatHeaderFrames({ streamId, endStream, priority, block }: HeaderFrames): Buffer[] {
  const payload = priority.length > 0 ? Buffer.concat([priority, block]) : block
  const frames: Buffer[] = []
  // Even an empty block needs one frame.
  for (let start = 0; start === 0 || start < payload.length; start += DEFAULT_MAX_FRAME_BYTES) {
    const end = start + DEFAULT_MAX_FRAME_BYTES
    const firstFlags = (endStream ? FLAG.endStream : 0) | (priority.length > 0 ? FLAG.priority : 0)
    const flags = (start === 0 ? firstFlags : 0) | (end >= payload.length ? FLAG.endHeaders : 0)
    const type = start === 0 ? FRAME_TYPE.headers : FRAME_TYPE.continuation
    frames.push(formatFrame({ type, flags, streamId }, payload.subarray(start, end)))
  }
  return frames
}
