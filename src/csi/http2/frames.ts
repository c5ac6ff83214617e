import { MalformedHttp2Error } from './malformed-http2-error.ts'

/** The first bytes of every client: RFC 9113 section 3.4. */
export const CLIENT_PREFACE = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 'latin1')
export const FRAME_HEADER_BYTES = 9
/** The largest payload that every receiver accepts. */
export const DEFAULT_MAX_FRAME_BYTES = 16384

/** The frame types that this program reads or writes; a receiver ignores all others. */
export const FRAME_TYPE = {
  data: 0x0,
  headers: 0x1,
  resetStream: 0x3,
  settings: 0x4,
  pushPromise: 0x5,
  ping: 0x6,
  goAway: 0x7,
  windowUpdate: 0x8,
  continuation: 0x9,
} as const
export const FLAG = { acknowledge: 0x01, endStream: 0x01, endHeaders: 0x04, padded: 0x08, priority: 0x20 } as const

const PRIORITY_BYTES = 5

export type FrameHeader = { length: number; type: number; flags: number; streamId: number }

/** Parses the nine bytes of a frame header. */
export function parseFrameHeader(bytes: Buffer, offset = 0): FrameHeader {
  return {
    length: bytes.readUIntBE(offset, 3),
    type: bytes.readUInt8(offset + 3),
    flags: bytes.readUInt8(offset + 4),
    streamId: bytes.readUInt32BE(offset + 5) & 0x7fff_ffff,
  }
}

export function formatFrame({ type, flags, streamId }: Omit<FrameHeader, 'length'>, payload: Uint8Array): Buffer {
  const frame = Buffer.allocUnsafe(FRAME_HEADER_BYTES + payload.length)
  writeFrameHeader(frame, 0, { length: payload.length, type, flags, streamId })
  frame.set(payload, FRAME_HEADER_BYTES)
  return frame
}

/** Returns the offset after the header. */
export function writeFrameHeader(into: Buffer, offset: number, { length, type, flags, streamId }: FrameHeader): number {
  into.writeUIntBE(length, offset, 3)
  into[offset + 3] = type
  into[offset + 4] = flags
  return into.writeUInt32BE(streamId, offset + 5)
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
