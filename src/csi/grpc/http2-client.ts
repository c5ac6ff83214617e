import { CLIENT_PREFACE, FLAG, FRAME_TYPE, formatFrame, headerFragment } from '../http2/frames.ts'
import type { FrameHeader } from '../http2/frames.ts'
import type { HeaderField } from '../http2/header-block.ts'
import { createHpackDecoder } from '../http2/hpack-decoder.ts'
import { MalformedHttp2Error } from '../http2/malformed-http2-error.ts'
import { createFrameReader } from './frame-reader.ts'
import { readWindowUpdate, withoutPadding } from './frame-payloads.ts'
import { createSettings, DEFAULT_WINDOW_BYTES } from './peer-settings.ts'
import { createSender } from './request-sender.ts'
import type { SendingStream } from './request-sender.ts'

/** What a stream learns of its response, in this order; nothing follows `end`, `reset` or `lost`. */
export interface StreamReceiver {
  headers(fields: readonly HeaderField[]): void
  data(bytes: Buffer): void
  /** The server has sent everything. */
  end(): void
  /** The server has given up the stream, with an error code of HTTP/2. */
  reset(code: number): void
  /** The connection has ended before the response was complete. */
  lost(): void
}

export interface ClientStream {
  /** Lets the server send as many bytes again. */
  consumed(bytes: number): void
  /** Tells the server that nobody is waiting any more. The receiver hears nothing from then on. */
  cancel(): void
}

/** The client's side of one HTTP/2 connection, as far as gRPC needs it. */
export interface Http2Client {
  /** Sends one request: a header block, and the bytes that follow it. */
  open(request: { headers: Buffer; body: Buffer }, receiver: StreamReceiver): ClientStream
  /** Takes what the server has sent. Throws MalformedHttp2Error; the connection is of no use after that. */
  receive(chunk: Buffer): void
  /** The connection has ended: all open streams are lost. */
  end(): void
}

export type Http2ClientEvents = {
  write(bytes: Buffer): void
  /** The server has answered for the first time. */
  ready(): void
  /** The server takes no further streams; those that are open may still end. */
  draining(): void
  /** The number of open streams has become zero, or is no longer zero. */
  busy(isBusy: boolean): void
}

// What the server may send on one stream, and on all together, before this side has read it.
const STREAM_WINDOW_BYTES = 256 * 1024
const CONNECTION_WINDOW_BYTES = 16 * 1024 * 1024
// A megabyte, if all are full.
const MOST_HEADER_FRAMES = 64
const LAST_STREAM_ID = 2 ** 31 - 1
const SETTING_ENABLE_PUSH = 0x2
const SETTING_INITIAL_WINDOW_SIZE = 0x4
const CANCEL = 0x8
// Begins the first header block: RFC 7541 section 6.3. This side never uses its header table, whatever size the server allows.
const EMPTY_HEADER_TABLE = Buffer.of(0b0010_0000)

type Stream = SendingStream & {
  receiver: StreamReceiver
  /** Consumed and not yet returned to the server. */
  consumedBytes: number
}

/** Sends the preface at once. */
export function createHttp2Client({ write, ready, draining, busy }: Http2ClientEvents): Http2Client {
  const streams = new Map<number, Stream>()
  // Streams that wait until the server accepts another one.
  const queued = new Set<{ start(): void; lost(): void }>()
  const hpack = createHpackDecoder()
  const peer = createSettings()
  const sender = createSender(write, peer)
  let nextId = 1
  let receivedBytes = 0
  let isBusy = false
  let isDraining = false
  let block: { header: FrameHeader; fragments: Buffer[] } | undefined

  const drain = (): void => {
    if (isDraining) return
    isDraining = true
    draining()
  }
  const startQueued = (): void => {
    for (const waiting of queued) {
      if (streams.size >= peer.maxStreams) return
      queued.delete(waiting)
      waiting.start()
    }
  }
  const close = (stream: Stream): void => {
    if (!streams.delete(stream.id)) return
    startQueued()
    reportBusy()
  }
  const reportBusy = (): void => {
    if (isBusy === streams.size > 0) return
    isBusy = !isBusy
    busy(isBusy)
  }
  const open: Http2Client['open'] = ({ headers, body }, receiver) => {
    const stream: Stream = { id: 0, receiver, sendWindow: 0, unsent: undefined, consumedBytes: 0 }
    const start = (): void => {
      stream.id = nextId
      nextId += 2
      stream.sendWindow = peer.initialWindowBytes
      streams.set(stream.id, stream)
      reportBusy()
      sender.request(stream, stream.id === 1 ? Buffer.concat([EMPTY_HEADER_TABLE, headers]) : headers, body)
      // The next stream would need an id that does not exist.
      if (nextId > LAST_STREAM_ID) drain()
    }
    const waiting = { start, lost: () => receiver.lost() }
    if (streams.size < peer.maxStreams) start()
    else queued.add(waiting)
    return {
      consumed: (bytes) => {
        stream.consumedBytes += bytes
        if (stream.consumedBytes < STREAM_WINDOW_BYTES / 2 || !streams.has(stream.id)) return
        write(formatWindowUpdate(stream.id, stream.consumedBytes))
        stream.consumedBytes = 0
      },
      cancel: () => {
        if (queued.delete(waiting) || !streams.has(stream.id)) return
        write(formatFrame({ type: FRAME_TYPE.resetStream, flags: 0, streamId: stream.id }, uint32(CANCEL)))
        close(stream)
      },
    }
  }

  const receiveBlock = (header: FrameHeader, fragments: readonly Buffer[]): void => {
    // Also for streams that are closed: the header table belongs to the connection.
    const { fields } = hpack.decode(
      fragments.length === 1 ? (fragments[0] ?? Buffer.alloc(0)) : Buffer.concat(fragments),
    )
    const stream = streams.get(header.streamId)
    if (stream) deliver(header, stream, () => stream.receiver.headers(fields))
  }
  /** A stream that the server has ended is closed first, so that its receiver cannot cancel it: servers count resets and leave after too many. */
  const deliver = ({ flags }: FrameHeader, stream: Stream, tell: () => void): void => {
    const isLast = (flags & FLAG.endStream) !== 0
    if (isLast) close(stream)
    tell()
    if (isLast) stream.receiver.end()
  }
  const receiveHeaders = (header: FrameHeader, payload: Buffer): void => {
    const { fragment } = headerFragment(header, payload)
    if (header.type === FRAME_TYPE.headers) block = { header, fragments: [fragment] }
    else if (block?.header.streamId === header.streamId) block.fragments.push(fragment)
    else throw new MalformedHttp2Error('CONTINUATION without HEADERS')
    if (block.fragments.length > MOST_HEADER_FRAMES) throw new MalformedHttp2Error('a header block has too many frames')
    if (!(header.flags & FLAG.endHeaders)) return
    const { header: first, fragments } = block
    block = undefined
    receiveBlock(first, fragments)
  }
  const receiveData = (header: FrameHeader, payload: Buffer): void => {
    receivedBytes += payload.length
    if (receivedBytes >= CONNECTION_WINDOW_BYTES / 2) {
      write(formatWindowUpdate(0, receivedBytes))
      receivedBytes = 0
    }
    const stream = streams.get(header.streamId)
    if (stream) deliver(header, stream, () => stream.receiver.data(withoutPadding(header, payload)))
  }
  const receiveSettings = (header: FrameHeader, payload: Buffer): void => {
    if (header.flags & FLAG.acknowledge) return
    const windowGrowth = peer.apply(payload)
    for (const stream of streams.values()) stream.sendWindow += windowGrowth
    write(formatFrame({ type: FRAME_TYPE.settings, flags: FLAG.acknowledge, streamId: 0 }, Buffer.alloc(0)))
    if (peer.applied === 1) ready()
    startQueued()
    for (const stream of streams.values()) sender.body(stream)
  }
  const receiveWindowUpdate = ({ streamId }: FrameHeader, payload: Buffer): void => {
    const bytes = readWindowUpdate(payload)
    if (streamId === 0) sender.widen(bytes)
    const stream = streams.get(streamId)
    if (stream) stream.sendWindow += bytes
    for (const each of stream ? [stream] : streams.values()) sender.body(each)
  }
  const receiveGoAway = (payload: Buffer): void => {
    if (payload.length < 8) throw new MalformedHttp2Error('GOAWAY is too short')
    const lastId = payload.readUInt32BE(0) & LAST_STREAM_ID
    drain()
    loseWaiting()
    // The server has not looked at these.
    for (const stream of [...streams.values()]) if (stream.id > lastId) lose(stream)
  }
  const lose = (stream: Stream): void => {
    close(stream)
    stream.receiver.lost()
  }
  const loseWaiting = (): void => {
    for (const waiting of [...queued]) {
      queued.delete(waiting)
      waiting.lost()
    }
  }
  const onFrame = (header: FrameHeader, payload: Buffer): void => {
    if (block && header.type !== FRAME_TYPE.continuation)
      throw new MalformedHttp2Error('a header block is interrupted by another frame')
    switch (header.type) {
      case FRAME_TYPE.data:
        return receiveData(header, payload)
      case FRAME_TYPE.headers:
      case FRAME_TYPE.continuation:
        return receiveHeaders(header, payload)
      case FRAME_TYPE.settings:
        return receiveSettings(header, payload)
      case FRAME_TYPE.windowUpdate:
        return receiveWindowUpdate(header, payload)
      case FRAME_TYPE.ping:
        if (header.flags & FLAG.acknowledge) return
        return write(formatFrame({ type: FRAME_TYPE.ping, flags: FLAG.acknowledge, streamId: 0 }, payload))
      case FRAME_TYPE.goAway:
        return receiveGoAway(payload)
      case FRAME_TYPE.resetStream: {
        const stream = streams.get(header.streamId)
        if (payload.length !== 4) throw new MalformedHttp2Error('RST_STREAM is not four bytes long')
        if (!stream) return
        close(stream)
        return stream.receiver.reset(payload.readUInt32BE(0))
      }
      case FRAME_TYPE.pushPromise:
        throw new MalformedHttp2Error('PUSH_PROMISE is not allowed')
      default:
    }
  }

  write(formatPreface())
  return {
    open,
    receive: createFrameReader(onFrame),
    end: () => {
      isDraining = true
      loseWaiting()
      for (const stream of [...streams.values()]) lose(stream)
    },
  }
}

function formatPreface(): Buffer {
  const settings = Buffer.alloc(12)
  settings.writeUInt16BE(SETTING_ENABLE_PUSH, 0)
  settings.writeUInt32BE(0, 2)
  settings.writeUInt16BE(SETTING_INITIAL_WINDOW_SIZE, 6)
  settings.writeUInt32BE(STREAM_WINDOW_BYTES, 8)
  return Buffer.concat([
    CLIENT_PREFACE,
    formatFrame({ type: FRAME_TYPE.settings, flags: 0, streamId: 0 }, settings),
    formatWindowUpdate(0, CONNECTION_WINDOW_BYTES - DEFAULT_WINDOW_BYTES),
  ])
}

const formatWindowUpdate = (streamId: number, bytes: number): Buffer =>
  formatFrame({ type: FRAME_TYPE.windowUpdate, flags: 0, streamId }, uint32(bytes))

function uint32(value: number): Buffer {
  const bytes = Buffer.allocUnsafe(4)
  bytes.writeUInt32BE(value)
  return bytes
}
