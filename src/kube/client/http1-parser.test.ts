import { deepEqual, equal, throws } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createResponseParser } from './http1-parser.ts'

type Parsed = { status: number; header: string | undefined; body: string; end: 'reuse' | 'close' | 'cut' | 'open' }

/** Parses the text, given in pieces of this size, and then closes the connection if asked. */
function parse(text: string, { size = text.length, closes = false, isHead = false } = {}): Parsed {
  const parsed: Parsed = { status: 0, header: undefined, body: '', end: 'open' }
  const chunks: Buffer[] = []
  const parser = createResponseParser({
    head: (status, headers) => Object.assign(parsed, { status, header: headers['x-one'] }),
    data: (chunk) => void chunks.push(Buffer.from(chunk)),
    end: (canReuse) => void (parsed.end = canReuse ? 'reuse' : 'close'),
  })
  parser.expect(isHead)
  const bytes = Buffer.from(text)
  for (let at = 0; at < bytes.length; at += size) parser.push(bytes.subarray(at, at + size))
  if (closes && !parser.close() && parsed.end === 'open') parsed.end = 'cut'
  return { ...parsed, body: Buffer.concat(chunks).toString() }
}

const answer = (headers: string, body = ''): string => `HTTP/1.1 200 OK\r\n${headers}\r\n${body}`

describe('an answer over HTTP/1.1', () => {
  const cases: [behaviour: string, text: string, parsed: Partial<Parsed>, options?: object][] = [
    ['has a length', answer('Content-Length: 7\r\n', '{"ä":1'), { body: '{"ä":1', end: 'reuse' }],
    ['has no body', answer('Content-Length: 0\r\n'), { body: '', end: 'reuse' }],
    [
      'comes in chunks',
      answer('transfer-encoding: chunked\r\n', '3\r\nabc\r\nA;x=y\r\n0123456789\r\n0\r\n\r\n'),
      { body: 'abc0123456789', end: 'reuse' },
    ],
    [
      'has trailers',
      answer('Transfer-Encoding: Chunked\r\n', '1\r\na\r\n0\r\nx: y\r\n\r\n'),
      { body: 'a', end: 'reuse' },
    ],
    [
      'ends with the connection',
      answer('x-one: 1\r\n', 'all'),
      { body: 'all', header: '1', end: 'close' },
      { closes: true },
    ],
    ['is cut off in its body', answer('content-length: 9\r\n', 'half'), { body: 'half', end: 'cut' }, { closes: true }],
    ['is cut off in a chunk', answer('transfer-encoding: chunked\r\n', '9\r\nhalf'), { end: 'cut' }, { closes: true }],
    [
      'is cut off before the last chunk',
      answer('transfer-encoding: chunked\r\n', '1\r\na\r\n'),
      { end: 'cut' },
      { closes: true },
    ],
    ['is cut off in its headers', 'HTTP/1.1 200 OK\r\ncontent-le', { status: 0, end: 'cut' }, { closes: true }],
    ['is the last one', answer('Connection: close\r\ncontent-length: 1\r\n', 'a'), { end: 'close' }],
    ['is of an old server', 'HTTP/1.0 200 OK\r\ncontent-length: 1\r\n\r\na', { end: 'close' }],
    [
      'is of an old server that stays',
      'HTTP/1.0 200 OK\r\nconnection: keep-alive\r\ncontent-length: 1\r\n\r\na',
      { end: 'reuse' },
    ],
    [
      'has two lengths',
      answer('content-length: 5\r\ntransfer-encoding: chunked\r\n', '1\r\na\r\n0\r\n\r\n'),
      { body: 'a', end: 'close' },
    ],
    ['has no content', 'HTTP/1.1 204 No Content\r\n\r\n', { status: 204, end: 'reuse' }],
    [
      'follows an interim one',
      `HTTP/1.1 100 Continue\r\n\r\n${answer('content-length: 1\r\n', 'a')}`,
      { status: 200, body: 'a' },
    ],
    ['is only a head', answer('content-length: 10\r\n'), { body: '', end: 'reuse' }, { isHead: true }],
    ['repeats a header', answer('x-one: 1\r\nX-One:  2 \r\ncontent-length: 0\r\n'), { header: '1, 2' }],
    ['has a status without words', 'HTTP/1.1 429\r\ncontent-length: 0\r\n\r\n', { status: 429 }],
  ]
  for (const [behaviour, text, expected, options = {}] of cases) {
    test(`${behaviour}, in pieces of any size`, () => {
      for (const size of [text.length, 1, 2, 3, 7, 16]) {
        const parsed = parse(text, { ...options, size })
        for (const [key, value] of Object.entries(expected))
          equal(parsed[key as keyof Parsed], value, `${key}, ${size} bytes at a time`)
      }
    })
  }

  const wrong: [behaviour: string, text: string][] = [
    ['is something else', 'SSH-2.0-OpenSSH\r\n\r\n'],
    ['has an invalid length', answer('content-length: -1\r\n', 'a')],
    ['has two different lengths', answer('content-length: 1\r\ncontent-length: 2\r\n', 'ab')],
    ['has an unknown encoding', answer('transfer-encoding: gzip\r\n', 'a')],
    ['has a chunk without a length', answer('transfer-encoding: chunked\r\n', 'x\r\n')],
    ['has a chunk that is too long', answer('transfer-encoding: chunked\r\n', '1\r\nab\r\n')],
    ['has a header with a space in its name', answer('content-length : 1\r\n', 'a')],
    ['has a header over two lines', answer('x: 1\r\n y: 2\r\n', 'a')],
    [
      'is followed by another that nobody asked for',
      `${answer('content-length: 1\r\n', 'a')}${answer('content-length: 0\r\n')}`,
    ],
    ['has endless headers', `HTTP/1.1 200 OK\r\n${'x: 1\r\n'.repeat(60_000)}`],
  ]
  for (const [behaviour, text] of wrong) test(`is refused if it ${behaviour}`, () => throws(() => parse(text)))

  test('may be followed by the answer to the next request', () => {
    const bodies: string[] = []
    const parser = createResponseParser({
      head: () => {},
      data: (chunk) => void bodies.push(chunk.toString()),
      end: () => {},
    })
    for (const body of ['a', 'b']) {
      parser.expect(false)
      parser.push(Buffer.from(answer('content-length: 1\r\n', body)))
    }
    deepEqual(bodies, ['a', 'b'])
  })
})
