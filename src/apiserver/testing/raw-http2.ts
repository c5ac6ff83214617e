import { once } from 'node:events'
import { connect as connectTls } from 'node:tls'
import type { TLSSocket } from 'node:tls'

/** Frame types of HTTP/2. */
export const FRAME = {
  data: 0,
  headers: 1,
  resetStream: 3,
  settings: 4,
  ping: 6,
  goAway: 7,
  windowUpdate: 8,
  continuation: 9,
} as const
export const FLAG = { endStream: 1, ack: 1, endHeaders: 4 } as const

export type Frame = {
  readonly type: number
  readonly flags: number
  readonly streamId: number
  readonly payload: Buffer
}

/** A connection on which a test writes the frames itself: a client library never sends what an attacker does. */
export type RawHttp2 = {
  readonly socket: TLSSocket
  readonly frames: readonly Frame[]
  readonly isClosed: boolean
  send(...frames: Uint8Array[]): void
  /** The last GOAWAY's error code. */
  goAwayCode(): number | undefined
}

const PREFACE = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n')

export async function openRawHttp2(where: {
  port: number
  ca: string
  key?: string
  cert?: string
}): Promise<RawHttp2> {
  const socket = connectTls({ ...where, host: '127.0.0.1', ALPNProtocols: ['h2'] })
  socket.on('error', () => {})
  const frames: Frame[] = []
  let rest = Buffer.alloc(0)
  let isClosed = false
  socket.on('close', () => void (isClosed = true))
  socket.on('data', (chunk: Buffer) => {
    rest = Buffer.concat([rest, chunk])
    while (rest.length >= 9 && rest.length >= 9 + rest.readUIntBE(0, 3)) {
      const end = 9 + rest.readUIntBE(0, 3)
      frames.push({
        type: rest[3] ?? 0,
        flags: rest[4] ?? 0,
        streamId: rest.readUInt32BE(5),
        payload: rest.subarray(9, end),
      })
      rest = rest.subarray(end)
    }
  })
  await once(socket, 'secureConnect')
  socket.write(Buffer.concat([PREFACE, frameOf(FRAME.settings, 0, 0)]))
  return {
    socket,
    frames,
    get isClosed() {
      return isClosed
    },
    send: (...sent) => void socket.write(Buffer.concat(sent)),
    goAwayCode: () => frames.findLast(({ type }) => type === FRAME.goAway)?.payload.readUInt32BE(4),
  }
}

export function frameOf(type: number, flags: number, streamId: number, payload: Uint8Array = Buffer.alloc(0)): Buffer {
  const head = Buffer.alloc(9)
  head.writeUIntBE(payload.length, 0, 3)
  head[3] = type
  head[4] = flags
  head.writeUInt32BE(streamId, 5)
  return Buffer.concat([head, payload])
}

/** The head of a request, whose body follows unless it is ended. */
export const requestFrame = (
  streamId: number,
  headers: Readonly<Record<string, string>>,
  { endStream = false } = {},
): Buffer => frameOf(FRAME.headers, FLAG.endHeaders | (endStream ? FLAG.endStream : 0), streamId, headerBlock(headers))

export const resetFrame = (streamId: number, code: number): Buffer =>
  frameOf(FRAME.resetStream, 0, streamId, numberOf(code))

function numberOf(value: number): Buffer {
  const payload = Buffer.alloc(4)
  payload.writeUInt32BE(value)
  return payload
}

export const SETTING = { initialWindowSize: 4 } as const
export const LARGEST_WINDOW = 2 ** 31 - 1

export const settingsFrame = (setting: number, value: number): Buffer => {
  const payload = Buffer.alloc(6)
  payload.writeUInt16BE(setting)
  payload.writeUInt32BE(value, 2)
  return frameOf(FRAME.settings, 0, 0, payload)
}

export const windowFrame = (streamId: number, increment: number): Buffer =>
  frameOf(FRAME.windowUpdate, 0, streamId, numberOf(increment))

/** Each header as a literal that no table remembers. */
export function headerBlock(headers: Readonly<Record<string, string>>): Buffer {
  const all = { ':scheme': 'https', ':authority': 'localhost', ':method': 'GET', ':path': '/version', ...headers }
  return Buffer.concat(
    Object.entries(all).flatMap(([name, value]) => [Buffer.from([0]), literal(name), literal(value)]),
  )
}

function literal(text: string): Buffer {
  const bytes = Buffer.from(text)
  if (bytes.length < 127) return Buffer.concat([Buffer.from([bytes.length]), bytes])
  const length = [127]
  let left = bytes.length - 127
  for (; left >= 128; left = Math.floor(left / 128)) length.push((left % 128) + 128)
  return Buffer.concat([Buffer.from([...length, left]), bytes])
}
