import assert from 'node:assert/strict'
import http2 from 'node:http2'
import { duplexPair } from 'node:stream'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { CLIENT_PREFACE, FLAG, FRAME_HEADER_BYTES, FRAME_TYPE, headerFragment, parseFrameHeader } from './frames.ts'
import { createHpackDecoder } from './hpack-decoder.ts'
import type { HpackDecoder } from './hpack-decoder.ts'
import { encodeHeaderBlock } from './hpack-encoder.ts'
import { MalformedHttp2Error } from './malformed-http2-error.ts'

const hex = (text: string): Buffer => Buffer.from(text.replaceAll(/\s/g, ''), 'hex')
const lines = (decoder: HpackDecoder, block: string): string[] =>
  decoder.decode(hex(block)).fields.map(({ name, value }) => `${name}: ${value}`)

// The entries of the dynamic table, newest first: an index past the last one is rejected.
function dynamicTable(decoder: HpackDecoder, size: number): string[] {
  assert.throws(() => decoder.decode(Buffer.from([0x80 | (62 + size)])), MalformedHttp2Error)
  return Array.from({ length: size }, (_, index) => decoder.decode(Buffer.from([0x80 | (62 + index)])).fields[0]).map(
    (field) => `${field?.name}: ${field?.value}`,
  )
}

describe('RFC 7541 appendix C', () => {
  test('C.2.1: a literal with indexing', () => {
    const decoder = createHpackDecoder()
    assert.deepEqual(lines(decoder, '400a 6375 7374 6f6d 2d6b 6579 0d63 7573 746f 6d2d 6865 6164 6572'), [
      'custom-key: custom-header',
    ])
    assert.deepEqual(dynamicTable(decoder, 1), ['custom-key: custom-header'])
  })

  test('C.2.2: a literal without indexing', () => {
    const decoder = createHpackDecoder()
    const { fields } = decoder.decode(hex('040c 2f73 616d 706c 652f 7061 7468'))
    assert.deepEqual(fields, [{ name: ':path', value: '/sample/path', neverIndexed: false }])
    assert.deepEqual(dynamicTable(decoder, 0), [])
  })

  test('C.2.3: a literal that is never indexed', () => {
    const decoder = createHpackDecoder()
    const { fields } = decoder.decode(hex('1008 7061 7373 776f 7264 0673 6563 7265 74'))
    assert.deepEqual(fields, [{ name: 'password', value: 'secret', neverIndexed: true }])
    assert.deepEqual(dynamicTable(decoder, 0), [])
  })

  test('C.2.4: an indexed field', () => {
    assert.deepEqual(lines(createHpackDecoder(), '82'), [':method: GET'])
  })

  const requests = {
    'C.3: requests without Huffman coding': [
      '8286 8441 0f77 7777 2e65 7861 6d70 6c65 2e63 6f6d',
      '8286 84be 5808 6e6f 2d63 6163 6865',
      '8287 85bf 400a 6375 7374 6f6d 2d6b 6579 0c63 7573 746f 6d2d 7661 6c75 65',
    ],
    'C.4: requests with Huffman coding': [
      '8286 8441 8cf1 e3c2 e5f2 3a6b a0ab 90f4 ff',
      '8286 84be 5886 a8eb 1064 9cbf',
      '8287 85bf 4088 25a8 49e9 5ba9 7d7f 8925 a849 e95b b8e8 b4bf',
    ],
  }
  for (const [name, [first = '', second = '', third = '']] of Object.entries(requests)) {
    test(name, () => {
      const decoder = createHpackDecoder()
      const common = [':method: GET', ':scheme: http', ':path: /', ':authority: www.example.com']
      assert.deepEqual(lines(decoder, first), common)
      assert.deepEqual(lines(decoder, second), [...common, 'cache-control: no-cache'])
      assert.deepEqual(lines(decoder, third), [
        ':method: GET',
        ':scheme: https',
        ':path: /index.html',
        ':authority: www.example.com',
        'custom-key: custom-value',
      ])
      assert.deepEqual(dynamicTable(decoder, 3), [
        'custom-key: custom-value',
        'cache-control: no-cache',
        ':authority: www.example.com',
      ])
    })
  }

  const responses = {
    'C.5: responses without Huffman coding, in a table of 256 bytes': [
      `4803 3330 3258 0770 7269 7661 7465 611d 4d6f 6e2c 2032 3120 4f63 7420 3230 3133 2032 303a 3133 3a32 3120 474d 546e 1768
       7474 7073 3a2f 2f77 7777 2e65 7861 6d70 6c65 2e63 6f6d`,
      '4803 3330 37c1 c0bf',
      `88c1 611d 4d6f 6e2c 2032 3120 4f63 7420 3230 3133 2032 303a 3133 3a32 3220 474d 54c0 5a04 677a 6970 7738 666f 6f3d 4153 444a
       4b48 514b 425a 584f 5157 454f 5049 5541 5851 5745 4f49 553b 206d 6178 2d61 6765 3d33 3630 303b 2076 6572 7369 6f6e 3d31`,
    ],
    'C.6: responses with Huffman coding, in a table of 256 bytes': [
      `4882 6402 5885 aec3 771a 4b61 96d0 7abe 9410 54d4 44a8 2005 9504 0b81 66e0 82a6 2d1b ff6e 919d 29ad 1718 63c7 8f0b 97c8 e9ae
       82ae 43d3`,
      '4883 640e ffc1 c0bf',
      `88c1 6196 d07a be94 1054 d444 a820 0595 040b 8166 e084 a62d 1bff c05a 839b d9ab 77ad 94e7 821d d7f2 e6c7 b335 dfdf cd5b 3960
       d5af 2708 7f36 72c1 ab27 0fb5 291f 9587 3160 65c0 03ed 4ee5 b106 3d50 07`,
    ],
  }
  for (const [name, [first = '', second = '', third = '']] of Object.entries(responses)) {
    test(name, () => {
      const decoder = createHpackDecoder({ initialTableBytes: 256 })
      const cacheControl = 'cache-control: private'
      const location = 'location: https://www.example.com'
      const date = (seconds: number): string => `date: Mon, 21 Oct 2013 20:13:${seconds} GMT`
      const cookie = 'set-cookie: foo=ASDJKHQKBZXOQWEOPIUAXQWEOIU; max-age=3600; version=1'
      assert.deepEqual(lines(decoder, first), [':status: 302', cacheControl, date(21), location])
      assert.deepEqual(lines(decoder, second), [':status: 307', cacheControl, date(21), location])
      assert.deepEqual(dynamicTable(decoder, 4), [':status: 307', location, date(21), cacheControl])
      assert.deepEqual(lines(decoder, third), [
        ':status: 200',
        cacheControl,
        date(22),
        location,
        'content-encoding: gzip',
        cookie,
      ])
      assert.deepEqual(dynamicTable(decoder, 3), [cookie, 'content-encoding: gzip', date(22)])
    })
  }
})

describe('the dynamic table', () => {
  // Literals with indexing: `a: b` takes 34 bytes of the table.
  const AB = '4001 6101 62'
  const CD = '4001 6301 64'

  test('shrinks and is emptied by size updates, which are reported', () => {
    const decoder = createHpackDecoder()
    decoder.decode(hex(AB + CD))
    assert.deepEqual(decoder.decode(hex('3f04')), { tableSizes: [35], fields: [] })
    assert.deepEqual(dynamicTable(decoder, 1), ['c: d'])
    assert.deepEqual(decoder.decode(hex('20 3fe11f')), { tableSizes: [0, 4096], fields: [] })
    assert.deepEqual(dynamicTable(decoder, 0), [])
    decoder.decode(hex(AB))
    assert.deepEqual(dynamicTable(decoder, 1), ['a: b'])
  })

  test('is emptied by an entry that does not fit', () => {
    const decoder = createHpackDecoder({ initialTableBytes: 34 })
    decoder.decode(hex(AB))
    assert.deepEqual(lines(decoder, '4001 6102 6263'), ['a: bc'])
    assert.deepEqual(dynamicTable(decoder, 0), [])
  })

  test('lets a new entry take its name from one that it evicts', () => {
    const decoder = createHpackDecoder({ initialTableBytes: 34 })
    decoder.decode(hex(AB))
    assert.deepEqual(lines(decoder, '7e01 63'), ['a: c'])
    assert.deepEqual(dynamicTable(decoder, 1), ['a: c'])
  })
})

describe('a malformed block is refused', () => {
  const malformed = {
    'index 0': '80',
    'an index past both tables': 'be',
    'a name index past both tables': '7e01 61',
    'a string that ends too early': '4001 6105 62',
    'an end within an integer': 'ff80',
    'an integer without end': `ff${'80'.repeat(20)}01`,
    'a huge string length': '007f ffff ff7f 61',
    'a size update behind a field': '8220',
    'three size updates': '202020',
    'a size update over the limit': '3fe2ff03',
  }
  for (const [name, block] of Object.entries(malformed)) {
    test(name, () => assert.throws(() => createHpackDecoder().decode(hex(block)), MalformedHttp2Error))
  }

  test('one that unfolds to a list over the limit', () => {
    const decoder = createHpackDecoder({ maxListBytes: 100_000 })
    decoder.decode(encodeWithIndexing('x', 'y'.repeat(4000)))
    assert.equal(decoder.decode(Buffer.alloc(24, 0xbe)).fields.length, 24)
    assert.throws(() => decoder.decode(Buffer.alloc(25, 0xbe)), /larger than 100000/)
  })

  test('whatever else it holds, with no other error', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 64 }), (bytes) => {
        try {
          createHpackDecoder().decode(Buffer.from(bytes))
        } catch (error) {
          assert.ok(error instanceof MalformedHttp2Error)
        }
      }),
      { numRuns: 2000 },
    )
  })
})

// A literal from the encoder, marked for indexing.
function encodeWithIndexing(name: string, value: string): Buffer {
  const block = Buffer.from(encodeHeaderBlock({ tableSizes: [], fields: [{ name, value, neverIndexed: false }] }))
  block[0] = 0b0100_0000
  return block
}

describe("header blocks of Node's own client", () => {
  const name = fc.stringMatching(/^x-[a-z0-9-]{1,8}$/)
  // Long runs of letters make the client choose Huffman coding even if rare bytes are mixed in.
  const value = fc
    .array(fc.oneof(fc.constant('eeeeeeeeeeeeeeeeeeee'), fc.stringMatching(/^[\t\x20-\x7e\x80-\xff]{0,12}$/)), {
      maxLength: 6,
    })
    .map((parts) => parts.join('').trim())
  const headers = fc.dictionary(name, value, { maxKeys: 12 })

  test('decode to what was sent, and again after being written anew', async (t) => {
    const client = startRecordingClient()
    t.after(() => client.close())
    const decoder = createHpackDecoder()
    await fc.assert(
      fc.asyncProperty(headers, async (sent) => {
        const decoded = decoder.decode(await client.request(sent))
        const received = decoded.fields.filter((field) => field.name.startsWith('x-'))
        assert.deepEqual(Object.fromEntries(received.map((field) => [field.name, field.value])), { ...sent })
        assert.deepEqual(createHpackDecoder().decode(encodeHeaderBlock(decoded)), decoded)
      }),
      { numRuns: 300 },
    )
  })

  test('decode for every byte that a header may hold', async (t) => {
    const client = startRecordingClient()
    t.after(() => client.close())
    const decoder = createHpackDecoder()
    const allowed = Array.from({ length: 256 }, (_, code) => code).filter(
      (code) => code === 9 || (code >= 0x20 && code !== 0x7f),
    )
    for (const code of allowed) {
      const sent = `${'e'.repeat(30)}${String.fromCharCode(code)}e`
      const { fields } = decoder.decode(await client.request({ 'x-byte': sent }))
      assert.equal(fields.find((field) => field.name === 'x-byte')?.value, sent)
    }
  })
})

// An HTTP/2 client without a server: records everything it sends, and returns the header block of each request.
function startRecordingClient(): { request(headers: Record<string, string>): Promise<Buffer>; close(): void } {
  const [clientEnd, serverEnd] = duplexPair()
  const session = http2.connect('http://localhost', { createConnection: () => clientEnd, maxSessionMemory: 1000 })
  session.on('error', () => {})
  let received = Buffer.alloc(0)
  let offset = CLIENT_PREFACE.length
  let onBlock: (block: Buffer) => void = () => {}
  let fragments: Buffer[] = []
  serverEnd.on('data', (chunk: Buffer) => {
    received = Buffer.concat([received, chunk])
    while (received.length >= offset + FRAME_HEADER_BYTES) {
      const frame = parseFrameHeader(received.subarray(offset, offset + FRAME_HEADER_BYTES))
      const end = offset + FRAME_HEADER_BYTES + frame.length
      if (received.length < end) return
      if (frame.type === FRAME_TYPE.headers || frame.type === FRAME_TYPE.continuation) {
        fragments.push(headerFragment(frame, received.subarray(offset + FRAME_HEADER_BYTES, end)).fragment)
        if (frame.flags & FLAG.endHeaders) {
          onBlock(Buffer.concat(fragments))
          fragments = []
        }
      }
      offset = end
    }
  })
  const request = async (headers: Record<string, string>): Promise<Buffer> => {
    const { promise, resolve } = Promise.withResolvers<Buffer>()
    onBlock = resolve
    const stream = session.request({ ':path': '/', ...headers })
    stream.on('error', () => {})
    const block = await promise
    // Without a server no stream ever ends, and the number of open streams is limited.
    stream.close(http2.constants.NGHTTP2_CANCEL)
    return block
  }
  return { request, close: () => session.destroy() }
}
