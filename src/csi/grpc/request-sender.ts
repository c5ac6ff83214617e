import {
  DEFAULT_MAX_FRAME_BYTES,
  FLAG,
  FRAME_HEADER_BYTES,
  FRAME_TYPE,
  formatFrame,
  formatHeaderFrames,
  writeFrameHeader,
} from '../http2/frames.ts'
import { DEFAULT_WINDOW_BYTES } from './peer-settings.ts'
import type { PeerSettings } from './peer-settings.ts'

export type SendingStream = {
  id: number
  /** What the server still accepts on this stream. */
  sendWindow: number
  unsent: Buffer | undefined
}

/** Sends requests, as far as the windows of the server allow. */
export interface RequestSender {
  request(stream: SendingStream, headers: Buffer, message: Buffer): void
  /** Continues with what is unsent. */
  body(stream: SendingStream): void
  /** The server accepts as many bytes more on the connection. */
  widen(bytes: number): void
}

export function createSender(write: (bytes: Buffer) => void, peer: PeerSettings): RequestSender {
  let sendWindow = DEFAULT_WINDOW_BYTES

  const body = (stream: SendingStream): void => {
    while (stream.unsent) {
      const bytes = Math.min(stream.unsent.length, stream.sendWindow, sendWindow, peer.maxFrameBytes)
      if (bytes <= 0) return
      const isLast = bytes === stream.unsent.length
      const flags = isLast ? FLAG.endStream : 0
      write(formatFrame({ type: FRAME_TYPE.data, flags, streamId: stream.id }, stream.unsent.subarray(0, bytes)))
      stream.sendWindow -= bytes
      sendWindow -= bytes
      stream.unsent = isLast ? undefined : stream.unsent.subarray(bytes)
    }
  }
  const request = (stream: SendingStream, headers: Buffer, message: Buffer): void => {
    const { id: streamId } = stream
    const fits = message.length <= Math.min(stream.sendWindow, sendWindow, peer.maxFrameBytes)
    if (!fits || headers.length > DEFAULT_MAX_FRAME_BYTES) {
      const priority = Buffer.alloc(0)
      for (const frame of formatHeaderFrames({ streamId, endStream: false, priority, block: headers })) write(frame)
      stream.unsent = message
      return body(stream)
    }
    // The usual case: both frames in one write.
    const both = Buffer.allocUnsafe(2 * FRAME_HEADER_BYTES + headers.length + message.length)
    let offset = writeFrameHeader(both, 0, {
      length: headers.length,
      type: FRAME_TYPE.headers,
      flags: FLAG.endHeaders,
      streamId,
    })
    both.set(headers, offset)
    offset = writeFrameHeader(both, offset + headers.length, {
      length: message.length,
      type: FRAME_TYPE.data,
      flags: FLAG.endStream,
      streamId,
    })
    both.set(message, offset)
    stream.sendWindow -= message.length
    sendWindow -= message.length
    write(both)
  }
  return { request, body, widen: (bytes) => void (sendWindow += bytes) }
}
