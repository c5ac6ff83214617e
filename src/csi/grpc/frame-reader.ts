import { DEFAULT_MAX_FRAME_BYTES, FRAME_HEADER_BYTES, parseFrameHeader } from '../http2/frames.ts'
import type { FrameHeader } from '../http2/frames.ts'
import { MalformedHttp2Error } from '../http2/malformed-http2-error.ts'

/** Takes the bytes of a connection as they arrive and calls back for each complete frame. Throws MalformedHttp2Error for a frame over the limit. */
export function createFrameReader(onFrame: (header: FrameHeader, payload: Buffer) => void): (chunk: Buffer) => void {
  let rest: Buffer | undefined
  return (chunk) => {
    const bytes = rest ? Buffer.concat([rest, chunk]) : chunk
    rest = undefined
    let offset = 0
    while (bytes.length - offset >= FRAME_HEADER_BYTES) {
      const header = parseFrameHeader(bytes, offset)
      if (header.length > DEFAULT_MAX_FRAME_BYTES)
        throw new MalformedHttp2Error(`a frame has ${header.length} bytes, and the limit is ${DEFAULT_MAX_FRAME_BYTES}`)
      const start = offset + FRAME_HEADER_BYTES
      const end = start + header.length
      if (end > bytes.length) break
      onFrame(header, bytes.subarray(start, end))
      offset = end
    }
    if (offset < bytes.length) rest = offset === 0 ? bytes : bytes.subarray(offset)
  }
}
