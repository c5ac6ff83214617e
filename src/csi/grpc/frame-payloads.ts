import { FLAG } from '../http2/frames.ts'
import type { FrameHeader } from '../http2/frames.ts'
import { MalformedHttp2Error } from '../http2/malformed-http2-error.ts'

/** The bytes of a DATA frame. */
export function withoutPadding({ flags }: FrameHeader, payload: Buffer): Buffer {
  if (!(flags & FLAG.padded)) return payload
  const padding = payload[0]
  if (padding === undefined || padding >= payload.length)
    throw new MalformedHttp2Error('DATA is shorter than its padding')
  return payload.subarray(1, payload.length - padding)
}

/** By how many bytes a WINDOW_UPDATE enlarges the window. */
export function readWindowUpdate(payload: Buffer): number {
  if (payload.length !== 4) throw new MalformedHttp2Error('WINDOW_UPDATE is not four bytes long')
  return payload.readUInt32BE(0) & 0x7fff_ffff
}
