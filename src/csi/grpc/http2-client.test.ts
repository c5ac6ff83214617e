import { deepEqual, equal, ok, throws } from 'node:assert/strict'
import { describe, it } from 'node:test'
import { CLIENT_PREFACE, FLAG, FRAME_TYPE, formatFrame, formatHeaderFrames } from '../http2/frames.ts'
import type { FrameHeader } from '../http2/frames.ts'
import { createHpackDecoder } from '../http2/hpack-decoder.ts'
import { encodeHeaderBlock } from '../http2/hpack-encoder.ts'
import { createFrameReader } from './frame-reader.ts'
import { createHttp2Client } from './http2-client.ts'
import type { ClientStream, Http2Client } from './http2-client.ts'

const NONE = Buffer.alloc(0)
const HEADERS = encodeHeaderBlock({ tableSizes: [], fields: [{ name: ':path', value: '/x', neverIndexed: false }] })
const uint32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}
const setting = (id: number, value: number): Buffer => Buffer.concat([Buffer.of(0, id), uint32(value)])
const settings = (...entries: Buffer[]): Buffer =>
  formatFrame({ type: FRAME_TYPE.settings, flags: 0, streamId: 0 }, Buffer.concat(entries))
const responseBlock = (fields: Record<string, string>): Buffer =>
  encodeHeaderBlock({
    tableSizes: [],
    fields: Object.entries(fields).map(([name, value]) => ({ name, value, neverIndexed: false })),
  })
const trailers = (streamId: number): Buffer =>
  Buffer.concat(
    formatHeaderFrames({ streamId, endStream: true, priority: NONE, block: responseBlock({ 'grpc-status': '0' }) }),
  )
const data = (streamId: number, payload: Buffer, flags = 0): Buffer =>
  formatFrame({ type: FRAME_TYPE.data, flags, streamId }, payload)

/** A client whose server is the test: the frames that it has sent, the streams that it has opened, and what they heard. */
function openClient(): {
  client: Http2Client
  sent: { header: FrameHeader; payload: Buffer }[]
  events: string[]
  open(name: string, body?: Buffer): ClientStream
  sentOf(type: number): { streamId: number; bytes: number; ends: boolean }[]
} {
  const sent: { header: FrameHeader; payload: Buffer }[] = []
  const events: string[] = []
  const read = createFrameReader((header, payload) => void sent.push({ header, payload: Buffer.from(payload) }))
  let begun = false
  const client = createHttp2Client({
    write: (bytes) => {
      if (!begun) deepEqual(bytes.subarray(0, CLIENT_PREFACE.length), CLIENT_PREFACE)
      read(begun ? bytes : bytes.subarray(CLIENT_PREFACE.length))
      begun = true
    },
    ready: () => events.push('ready'),
    draining: () => events.push('draining'),
    busy: (isBusy) => events.push(isBusy ? 'busy' : 'idle'),
  })
  const open = (name: string, body = NONE): ClientStream =>
    client.open(
      { headers: HEADERS, body },
      {
        headers: (fields) => events.push(`${name} headers ${fields.map((field) => field.name).join(' ')}`),
        data: (bytes) => events.push(`${name} data ${bytes.toString()}`),
        end: () => events.push(`${name} end`),
        reset: (code) => events.push(`${name} reset ${code}`),
        lost: () => events.push(`${name} lost`),
      },
    )
  const sentOf = (type: number): { streamId: number; bytes: number; ends: boolean }[] =>
    sent
      .filter(({ header }) => header.type === type)
      .map(({ header }) => ({
        streamId: header.streamId,
        bytes: header.length,
        ends: (header.flags & FLAG.endStream) !== 0,
      }))
  return { client, sent, events, open, sentOf }
}

describe('an HTTP/2 client', () => {
  it('is ready when the server has sent its settings, and acknowledges them', () => {
    const { client, events, sent } = openClient()
    deepEqual(events, [])
    client.receive(settings())
    client.receive(settings())
    deepEqual(events, ['ready'])
    equal(
      sent.filter(({ header }) => header.type === FRAME_TYPE.settings && header.flags === FLAG.acknowledge).length,
      2,
    )
  })

  it('gives up its header table in the first block, so that every server can decode all of them', () => {
    const { client, open, sent } = openClient()
    client.receive(settings())
    open('a')
    open('b')
    const blocks = sent.filter(({ header }) => header.type === FRAME_TYPE.headers).map(({ payload }) => payload)
    const hpack = createHpackDecoder()
    deepEqual(
      blocks.map((block) => hpack.decode(block).tableSizes),
      [[0], []],
    )
  })

  it('reads a response in pieces of one byte', () => {
    const { client, events, open } = openClient()
    client.receive(settings())
    open('a')
    const head = formatHeaderFrames({
      streamId: 1,
      endStream: false,
      priority: NONE,
      block: responseBlock({ ':status': '200' }),
    })
    for (const byte of Buffer.concat([...head, data(1, Buffer.from('xyz')), trailers(1)]))
      client.receive(Buffer.of(byte))
    deepEqual(events, ['ready', 'busy', 'a headers :status', 'a data xyz', 'idle', 'a headers grpc-status', 'a end'])
  })

  it('reads headers that are continued, and data with padding', () => {
    const { client, events, open } = openClient()
    client.receive(settings())
    open('a')
    const block = responseBlock({ ':status': '200', long: 'x' })
    client.receive(formatFrame({ type: FRAME_TYPE.headers, flags: 0, streamId: 1 }, block.subarray(0, 5)))
    client.receive(
      formatFrame({ type: FRAME_TYPE.continuation, flags: FLAG.endHeaders, streamId: 1 }, block.subarray(5)),
    )
    client.receive(
      data(1, Buffer.concat([Buffer.of(2), Buffer.from('xyz'), Buffer.alloc(2)]), FLAG.padded | FLAG.endStream),
    )
    deepEqual(events.slice(2), ['a headers :status long', 'idle', 'a data xyz', 'a end'])
  })

  it('sends no more than the windows of stream and connection allow, in frames that the server accepts', () => {
    const { client, open, sentOf } = openClient()
    client.receive(settings(setting(4, 20_000)))
    open('a', Buffer.alloc(50_000))
    const bytes = (): number => sentOf(FRAME_TYPE.data).reduce((sum, frame) => sum + frame.bytes, 0)
    equal(bytes(), 20_000)
    ok(sentOf(FRAME_TYPE.data).every((frame) => frame.bytes <= 16_384 && !frame.ends))
    client.receive(formatFrame({ type: FRAME_TYPE.windowUpdate, flags: 0, streamId: 1 }, uint32(25_000)))
    equal(bytes(), 45_000)
    // A larger initial window holds for open streams too.
    client.receive(settings(setting(4, 100_000)))
    equal(bytes(), 50_000)
    equal(sentOf(FRAME_TYPE.data).at(-1)?.ends, true)
    open('b', Buffer.alloc(50_000))
    equal(bytes(), 65_535)
    client.receive(formatFrame({ type: FRAME_TYPE.windowUpdate, flags: 0, streamId: 0 }, uint32(100_000)))
    equal(bytes(), 100_000)
  })

  it('opens no more streams than the server accepts, and the next one when one has ended', () => {
    const { client, events, open, sentOf } = openClient()
    client.receive(settings(setting(3, 1)))
    open('a')
    const second = open('b')
    open('c')
    equal(sentOf(FRAME_TYPE.headers).length, 1)
    second.cancel()
    client.receive(trailers(1))
    deepEqual(
      sentOf(FRAME_TYPE.headers).map(({ streamId }) => streamId),
      [1, 3],
    )
    client.receive(trailers(3))
    deepEqual(events.slice(2), ['a headers grpc-status', 'a end', 'idle', 'c headers grpc-status', 'c end'])
  })

  it('returns window to the server as data is consumed', () => {
    const { client, open, sent } = openClient()
    client.receive(settings())
    const stream = open('a')
    const updates = (): number[] =>
      sent
        .filter(({ header }) => header.type === FRAME_TYPE.windowUpdate && header.streamId === 1)
        .map(({ payload }) => payload.readUInt32BE(0))
    stream.consumed(100_000)
    deepEqual(updates(), [])
    stream.consumed(100_000)
    deepEqual(updates(), [200_000])
  })

  it('cancels a stream and ignores what the server still sends for it', () => {
    const { client, events, open, sentOf } = openClient()
    client.receive(settings())
    const stream = open('a')
    stream.cancel()
    stream.cancel()
    deepEqual(sentOf(FRAME_TYPE.resetStream), [{ streamId: 1, bytes: 4, ends: false }])
    client.receive(data(1, Buffer.from('late')))
    client.receive(trailers(1))
    client.receive(formatFrame({ type: FRAME_TYPE.resetStream, flags: 0, streamId: 1 }, uint32(8)))
    deepEqual(events, ['ready', 'busy', 'idle'])
  })

  it('does not reset a stream that the server has ended, even if its receiver cancels it at the last frame', () => {
    const { client, sentOf } = openClient()
    client.receive(settings())
    const stream = client.open(
      { headers: HEADERS, body: NONE },
      { headers: () => stream.cancel(), data: () => stream.cancel(), end: () => {}, reset: () => {}, lost: () => {} },
    )
    client.receive(trailers(1))
    deepEqual(sentOf(FRAME_TYPE.resetStream), [])
  })

  it('reports a reset, and answers a ping with the same bytes', () => {
    const { client, events, open, sent } = openClient()
    client.receive(settings())
    open('a')
    client.receive(formatFrame({ type: FRAME_TYPE.resetStream, flags: 0, streamId: 1 }, uint32(7)))
    client.receive(formatFrame({ type: FRAME_TYPE.ping, flags: 0, streamId: 0 }, Buffer.from('12345678')))
    client.receive(
      formatFrame({ type: FRAME_TYPE.ping, flags: FLAG.acknowledge, streamId: 0 }, Buffer.from('12345678')),
    )
    deepEqual(events.slice(2), ['idle', 'a reset 7'])
    const pongs = sent.filter(({ header }) => header.type === FRAME_TYPE.ping)
    deepEqual(
      pongs.map(({ header, payload }) => [header.flags, payload.toString()]),
      [[FLAG.acknowledge, '12345678']],
    )
  })

  it('keeps the streams that a server which is going away still answers', () => {
    const { client, events, open } = openClient()
    client.receive(settings(setting(3, 2)))
    open('a')
    open('b')
    open('c')
    client.receive(
      formatFrame({ type: FRAME_TYPE.goAway, flags: 0, streamId: 0 }, Buffer.concat([uint32(1), uint32(0)])),
    )
    deepEqual(events.slice(2), ['draining', 'c lost', 'b lost'])
    client.receive(trailers(1))
    deepEqual(events.slice(5), ['idle', 'a headers grpc-status', 'a end'])
  })

  it('loses all streams with the connection', () => {
    const { client, events, open } = openClient()
    client.receive(settings(setting(3, 1)))
    open('a')
    open('b')
    client.end()
    deepEqual(events.slice(2), ['b lost', 'idle', 'a lost'])
  })

  const malformed: [what: string, bytes: Buffer][] = [
    ['a frame that is too large', Buffer.concat([Buffer.of(0, 0x40, 1, 0, 0, 0, 0, 0, 1)])],
    ['a push', formatFrame({ type: FRAME_TYPE.pushPromise, flags: FLAG.endHeaders, streamId: 1 }, uint32(2))],
    ['a continuation of nothing', formatFrame({ type: FRAME_TYPE.continuation, flags: 0, streamId: 1 }, NONE)],
    [
      'a header block that refers to nothing',
      formatFrame({ type: FRAME_TYPE.headers, flags: FLAG.endHeaders, streamId: 1 }, Buffer.of(0xff, 0x7f)),
    ],
    [
      'a header block that is interrupted',
      Buffer.concat([formatFrame({ type: FRAME_TYPE.headers, flags: 0, streamId: 1 }, NONE), data(1, NONE)]),
    ],
    [
      'a header block without end',
      Buffer.concat([
        formatFrame({ type: FRAME_TYPE.headers, flags: 0, streamId: 1 }, NONE),
        ...Array.from({ length: 64 }, () =>
          formatFrame({ type: FRAME_TYPE.continuation, flags: 0, streamId: 1 }, NONE),
        ),
      ]),
    ],
    ['half a setting', settings(Buffer.of(0, 4, 0))],
    ['a short GOAWAY', formatFrame({ type: FRAME_TYPE.goAway, flags: 0, streamId: 0 }, NONE)],
    ['a short RST_STREAM', formatFrame({ type: FRAME_TYPE.resetStream, flags: 0, streamId: 1 }, NONE)],
    ['a short WINDOW_UPDATE', formatFrame({ type: FRAME_TYPE.windowUpdate, flags: 0, streamId: 1 }, NONE)],
    ['more padding than data', data(1, Buffer.of(9, 1), FLAG.padded)],
  ]
  for (const [what, bytes] of malformed) {
    it(`refuses ${what}`, () => {
      const { client, open } = openClient()
      client.receive(settings())
      open('a')
      throws(() => client.receive(bytes), { name: 'MalformedHttp2Error' })
    })
  }

  it('ignores frames of types that it does not know', () => {
    const { client, events } = openClient()
    client.receive(settings())
    client.receive(formatFrame({ type: 0xbe, flags: 0xff, streamId: 0 }, Buffer.from('x')))
    deepEqual(events, ['ready'])
  })
})
