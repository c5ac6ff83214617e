import assert from 'node:assert/strict'
import http2 from 'node:http2'
import { duplexPair } from 'node:stream'
import { describe, test } from 'node:test'
import { needsAuthorityRepair, repairAuthorityField } from './authority-repair.ts'
import { CLIENT_PREFACE, FLAG, FRAME_HEADER_BYTES, FRAME_TYPE, formatFrame, parseFrameHeader } from './frames.ts'
import type { HeaderField } from './header-block.ts'
import { encodeHeaderBlock } from './hpack-encoder.ts'

const field = (name: string, value: string): HeaderField => ({ name, value, neverIndexed: false })
const START = [field(':method', 'POST'), field(':scheme', 'http'), field(':path', '/')]
const request = (...others: HeaderField[]): HeaderField[] => [...START, ...others]

const authorities = [
  ...Array.from({ length: 256 }, (_, code) => `a${String.fromCharCode(code)}b`),
  ...[
    '',
    '%',
    '%2Fcsi',
    '[::1]:80',
    '::',
    'localhost:0',
    '/csi/csi.sock',
    'unix:/csi/csi.sock',
    'passthrough:///unix:///csi/csi.sock',
  ],
].map((value) => request(field(':authority', value)))

const samples = [
  ...authorities,
  request(),
  request(field('host', 'here')),
  request(field('host', '/csi/csi.sock')),
  request(field(':authority', 'here'), field('host', '/csi/csi.sock')),
  request(field(':authority', '/csi/csi.sock'), field('host', 'here')),
]

test("finds odd exactly what Node's server refuses", async () => {
  const accepted = await askServer(samples)
  samples.forEach((fields, index) =>
    assert.equal(needsAuthorityRepair(fields), !accepted[index], JSON.stringify(fields)),
  )
})

test("makes of every request one that Node's server accepts", async () => {
  assert.deepEqual(
    await askServer(samples.map((fields) => repairAuthorityField(fields))),
    samples.map(() => true),
  )
})

describe('a repair', () => {
  test('changes nothing but the odd name', () => {
    const odd = request(field(':authority', '/csi/csi.sock'), field('host', 'here'), field('x-path', '/csi/csi.sock'))
    const repaired = request(field(':authority', 'localhost'), field('host', 'here'), field('x-path', '/csi/csi.sock'))
    assert.deepEqual(repairAuthorityField(odd), repaired)
  })

  test('keeps a name that is fine', () => {
    const fine = request(field(':authority', 'driver.example:80'))
    assert.deepEqual(repairAuthorityField(fine), fine)
  })

  test('puts a missing name in front, where pseudo header fields belong', () => {
    assert.deepEqual(repairAuthorityField(request(field('x-a', 'b'))), [
      field(':authority', 'localhost'),
      ...request(field('x-a', 'b')),
    ])
  })

  test('adds nothing to trailers', () => {
    const trailers = [field('x-checksum', '1')]
    assert.equal(needsAuthorityRepair(trailers), false)
    assert.deepEqual(repairAuthorityField(trailers), trailers)
  })
})

// Sends each list as a separate request on one connection, and returns which of them got a response instead of a reset.
async function askServer(requests: HeaderField[][]): Promise<boolean[]> {
  const server = http2.createServer()
  server.on('stream', (stream) => {
    stream.respond({ ':status': 200 })
    stream.end()
  })
  const [client, serverEnd] = duplexPair()
  server.emit('connection', serverEnd)
  const frames = requests.map((fields, index) =>
    formatFrame(
      { type: FRAME_TYPE.headers, flags: FLAG.endHeaders | FLAG.endStream, streamId: 2 * index + 1 },
      encodeHeaderBlock({ tableSizes: [], fields }),
    ),
  )
  client.write(
    Buffer.concat([CLIENT_PREFACE, formatFrame({ type: 4, flags: 0, streamId: 0 }, Buffer.alloc(0)), ...frames]),
  )
  const answers = new Map<number, boolean>()
  let received = Buffer.alloc(0)
  const RST_STREAM = 0x3
  for await (const chunk of client as AsyncIterable<Buffer>) {
    received = Buffer.concat([received, chunk])
    while (received.length >= FRAME_HEADER_BYTES) {
      const { length, type, streamId } = parseFrameHeader(received)
      if (received.length < FRAME_HEADER_BYTES + length) break
      if (type === FRAME_TYPE.headers || type === RST_STREAM) answers.set(streamId, type === FRAME_TYPE.headers)
      received = received.subarray(FRAME_HEADER_BYTES + length)
    }
    if (answers.size === requests.length) break
  }
  return requests.map((_, index) => answers.get(2 * index + 1) === true)
}
