import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { AuthorityFilter, MAX_BLOCK_BYTES, MAX_BLOCK_FRAMES } from './authority-filter.ts'
import {
  CLIENT_PREFACE,
  DEFAULT_MAX_FRAME_BYTES,
  FLAG,
  FRAME_HEADER_BYTES,
  FRAME_TYPE,
  formatFrame,
  parseFrameHeader,
} from './frames.ts'
import { createHpackDecoder } from './hpack-decoder.ts'
import { encodeHeaderBlock } from './hpack-encoder.ts'
import { MalformedHttp2Error } from './malformed-http2-error.ts'

const { endStream, endHeaders, padded, priority } = FLAG

const block = (headers: Record<string, string>, tableSizes: number[] = []): Buffer =>
  encodeHeaderBlock({
    tableSizes,
    fields: Object.entries(headers).map(([name, value]) => ({ name, value, neverIndexed: false })),
  })
const requestBlock = (authority: string, others: Record<string, string> = {}): Buffer =>
  block({ ':method': 'POST', ':scheme': 'http', ':path': '/', ':authority': authority, ...others })

const headers = (streamId: number, payload: Buffer, flags: number = endHeaders): Buffer =>
  formatFrame({ type: FRAME_TYPE.headers, flags, streamId }, payload)
const continuation = (streamId: number, payload: Buffer, flags: number = endHeaders): Buffer =>
  formatFrame({ type: FRAME_TYPE.continuation, flags, streamId }, payload)
const data = (streamId: number, payload: Buffer): Buffer => formatFrame({ type: 0, flags: 0, streamId }, payload)

const START = Buffer.concat([
  CLIENT_PREFACE,
  formatFrame({ type: 4, flags: 0, streamId: 0 }, Buffer.from('000400100000', 'hex')),
  formatFrame({ type: 8, flags: 0, streamId: 0 }, Buffer.from('00010000', 'hex')),
])
const GOOD = Buffer.concat([START, headers(1, requestBlock('localhost'))])
const ODD = Buffer.concat([START, headers(1, requestBlock('/csi/csi.sock'))])
const REPAIRED = Buffer.concat([START, headers(1, requestBlock('localhost'))])

const feed = (filter: AuthorityFilter, ...chunks: Buffer[]): Buffer =>
  Buffer.concat(chunks.flatMap((chunk) => filter.feed(chunk)))

// A filter that has seen one unusual request and now rewrites.
function createRewritingFilter(): AuthorityFilter {
  const filter = new AuthorityFilter()
  feed(filter, ODD)
  return filter
}

describe('a connection with an acceptable authority', () => {
  test('passes as it is, and is not looked at after the first header block', () => {
    const filter = new AuthorityFilter()
    assert.deepEqual(feed(filter, START), START)
    assert.equal(filter.transparent, false)
    assert.deepEqual(feed(filter, GOOD.subarray(START.length)), GOOD.subarray(START.length))
    assert.equal(filter.transparent, true)
    assert.deepEqual(feed(filter, Buffer.from('anything')), Buffer.from('anything'))
  })

  test('keeps a first header block in many frames as it came', () => {
    const whole = requestBlock('localhost', { 'x-long': 'l'.repeat(1000) })
    const bytes = Buffer.concat([
      START,
      headers(1, whole.subarray(0, 10), endStream),
      continuation(1, whole.subarray(10, 500), 0),
      continuation(1, whole.subarray(500)),
      Buffer.from('rest'),
    ])
    const filter = new AuthorityFilter()
    assert.deepEqual(feed(filter, bytes), bytes)
    assert.equal(filter.transparent, true)
  })
})

describe('a connection with an odd authority', () => {
  test('gets it replaced in every request, and nothing else changed', () => {
    const filter = new AuthorityFilter()
    const body = data(1, Buffer.from('/csi/csi.sock'))
    assert.deepEqual(feed(filter, ODD, body), Buffer.concat([REPAIRED, body]))
    const next = headers(3, requestBlock('unix:/x', { 'x-a': 'b' }), endHeaders | endStream)
    assert.deepEqual(feed(filter, next), headers(3, requestBlock('localhost', { 'x-a': 'b' }), endHeaders | endStream))
    assert.equal(filter.transparent, false)
  })

  test('comes out the same however its bytes are cut', () => {
    const long = requestBlock('/b', { 'x-long': 'l'.repeat(300) })
    const bytes = Buffer.concat([
      ODD,
      data(1, Buffer.alloc(200, 7)),
      headers(3, long.subarray(0, 100), endStream),
      continuation(3, Buffer.alloc(0), 0),
      continuation(3, long.subarray(100)),
      data(1, Buffer.alloc(0)),
      headers(5, requestBlock('')),
    ])
    const expected = feed(new AuthorityFilter(), bytes)
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 60 }), { minLength: 1 }), (sizes) => {
        const filter = new AuthorityFilter()
        const out: Buffer[] = []
        for (let offset = 0, index = 0; offset < bytes.length; index++) {
          const end = offset + (sizes[index % sizes.length] ?? 1)
          out.push(...filter.feed(bytes.subarray(offset, end)))
          offset = end
        }
        assert.deepEqual(Buffer.concat(out), expected)
      }),
    )
  })

  test('loses padding, keeps priority and the end of the stream', () => {
    const weight = Buffer.from('8000000310', 'hex')
    const payload = Buffer.concat([Buffer.from([7]), weight, requestBlock('/x'), Buffer.alloc(7)])
    const received = feed(createRewritingFilter(), headers(3, payload, endHeaders | endStream | padded | priority))
    assert.deepEqual(
      received,
      headers(3, Buffer.concat([weight, requestBlock('localhost')]), endHeaders | endStream | priority),
    )
  })

  test('gets trailers through without an authority', () => {
    const trailers = headers(1, block({ 'x-checksum': '1' }), endHeaders | endStream)
    assert.deepEqual(feed(createRewritingFilter(), trailers), trailers)
  })

  test('keeps table size updates', () => {
    const sized = (authority: string): Buffer =>
      headers(3, block({ ':method': 'GET', ':authority': authority }, [0, 2048]))
    assert.deepEqual(feed(createRewritingFilter(), sized('/x')), sized('localhost'))
  })

  test('gets a long block in frames that any server takes', () => {
    const value = 'l'.repeat(40_000)
    const received = feed(
      createRewritingFilter(),
      headers(3, requestBlock('/x', { 'x-long': value }), endHeaders | endStream),
    )
    const frames = splitFrames(received)
    assert.deepEqual(
      frames.map(({ type, flags, payload }) => ({ type, flags, full: payload.length === DEFAULT_MAX_FRAME_BYTES })),
      [
        { type: FRAME_TYPE.headers, flags: endStream, full: true },
        { type: FRAME_TYPE.continuation, flags: 0, full: true },
        { type: FRAME_TYPE.continuation, flags: endHeaders, full: false },
      ],
    )
    const { fields } = createHpackDecoder().decode(Buffer.concat(frames.map(({ payload }) => payload)))
    assert.deepEqual(fields.find(({ name }) => name === ':authority')?.value, 'localhost')
    assert.deepEqual(fields.find(({ name }) => name === 'x-long')?.value, value)
  })
})

describe('malformed bytes', () => {
  const malformed: Record<string, Buffer> = {
    'CONTINUATION without HEADERS': continuation(3, Buffer.alloc(1)),
    'a header block interrupted by DATA': Buffer.concat([headers(3, requestBlock('/x'), 0), data(3, Buffer.alloc(1))]),
    'a header block continued on another stream': Buffer.concat([
      headers(3, requestBlock('/x'), 0),
      continuation(5, Buffer.alloc(0)),
    ]),
    'padding longer than its frame': headers(3, Buffer.from([200, 1, 2]), endHeaders | padded),
    'a frame too short for its priority': headers(3, Buffer.from([1, 2]), endHeaders | priority),
    'an empty frame with padding': headers(3, Buffer.alloc(0), endHeaders | padded),
    "a header block that can't be decoded": headers(3, Buffer.from([0x80])),
    'a header frame over the limit': headers(3, Buffer.alloc(MAX_BLOCK_BYTES + 1)),
    'a header block over the limit': Buffer.concat([
      headers(3, Buffer.alloc(MAX_BLOCK_BYTES), 0),
      continuation(3, Buffer.alloc(1), 0),
    ]),
    'a header block in too many frames': Buffer.concat([
      headers(3, Buffer.alloc(0), 0),
      ...Array.from({ length: MAX_BLOCK_FRAMES }, () => continuation(3, Buffer.alloc(0), 0)),
    ]),
  }
  for (const [name, bytes] of Object.entries(malformed)) {
    test(`${name}: left to the server as long as nothing was rewritten`, () => {
      const filter = new AuthorityFilter()
      const all = Buffer.concat([START, bytes, Buffer.from('more')])
      assert.ok(feed(filter, all).equals(all))
      assert.equal(filter.transparent, true)
    })
    test(`${name}: refused after that`, () => {
      assert.throws(() => feed(createRewritingFilter(), bytes), MalformedHttp2Error)
    })
  }

  test('a wrong preface passes at once', () => {
    const filter = new AuthorityFilter()
    assert.deepEqual(feed(filter, Buffer.from('PRI')), Buffer.from('PRI'))
    assert.deepEqual(feed(filter, Buffer.from('NT')), Buffer.from('NT'))
    assert.equal(filter.transparent, true)
  })

  test('an oversize header frame is not waited for', () => {
    const head = headers(1, Buffer.alloc(MAX_BLOCK_BYTES + 1)).subarray(0, FRAME_HEADER_BYTES)
    assert.deepEqual(feed(new AuthorityFilter(), START, head), Buffer.concat([START, head]))
  })

  test('anything at all passes or is refused, with no other error', () => {
    const frame = fc
      .tuple(
        fc.constantFrom(0, 1, 1, 1, 4, 9, 9, 200),
        fc.nat(255),
        fc.constantFrom(0, 1, 3),
        fc.uint8Array({ maxLength: 40 }),
      )
      .map(([type, flags, streamId, payload]) => formatFrame({ type, flags, streamId }, payload))
    fc.assert(
      fc.property(
        fc.constantFrom(START, ODD),
        fc.array(frame, { maxLength: 10 }),
        fc.uint8Array(),
        (start, frames, garbage) => {
          const filter = new AuthorityFilter()
          try {
            feed(filter, start, ...frames, Buffer.from(garbage))
          } catch (error) {
            assert.ok(error instanceof MalformedHttp2Error)
          }
        },
      ),
      { numRuns: 2000 },
    )
  })
})

type Frame = { type: number; flags: number; payload: Buffer }

function splitFrames(bytes: Buffer): Frame[] {
  const frames: Frame[] = []
  for (let offset = 0; offset < bytes.length;) {
    const { type, flags, length } = parseFrameHeader(bytes.subarray(offset, offset + FRAME_HEADER_BYTES))
    const start = offset + FRAME_HEADER_BYTES
    frames.push({ type, flags, payload: bytes.subarray(start, start + length) })
    offset = start + length
  }
  return frames
}
