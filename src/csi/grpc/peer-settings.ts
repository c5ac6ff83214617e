import { DEFAULT_MAX_FRAME_BYTES } from '../http2/frames.ts'
import { MalformedHttp2Error } from '../http2/malformed-http2-error.ts'

/** What the server allows: RFC 9113 section 6.5.2. */
export interface PeerSettings {
  readonly maxStreams: number
  readonly initialWindowBytes: number
  readonly maxFrameBytes: number
  /** How many SETTINGS frames have been applied. */
  readonly applied: number
  /** Takes the payload of a SETTINGS frame. Returns by how much the windows of open streams grow, which may be negative. */
  apply(payload: Buffer): number
}

export const DEFAULT_WINDOW_BYTES = 65_535
const SETTING = { maxConcurrentStreams: 0x3, initialWindowSize: 0x4, maxFrameSize: 0x5 } as const
const SETTING_BYTES = 6

export function createSettings(): PeerSettings {
  let maxStreams = Number.POSITIVE_INFINITY
  let initialWindowBytes = DEFAULT_WINDOW_BYTES
  let maxFrameBytes = DEFAULT_MAX_FRAME_BYTES
  let applied = 0
  return {
    get maxStreams() {
      return maxStreams
    },
    get initialWindowBytes() {
      return initialWindowBytes
    },
    get maxFrameBytes() {
      return maxFrameBytes
    },
    get applied() {
      return applied
    },
    apply: (payload) => {
      if (payload.length % SETTING_BYTES !== 0) throw new MalformedHttp2Error('SETTINGS has an incomplete entry')
      const before = initialWindowBytes
      for (let offset = 0; offset < payload.length; offset += SETTING_BYTES) {
        const value = payload.readUInt32BE(offset + 2)
        const id = payload.readUInt16BE(offset)
        if (id === SETTING.maxConcurrentStreams) maxStreams = value
        else if (id === SETTING.initialWindowSize) initialWindowBytes = value
        else if (id === SETTING.maxFrameSize) maxFrameBytes = value
      }
      applied++
      return initialWindowBytes - before
    },
  }
}
