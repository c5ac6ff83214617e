import { deepEqual, equal } from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { StreamReceiver } from './http2-client.ts'
import { receiveResponse } from './grpc-response.ts'

const fields = (headers: Record<string, string>): { name: string; value: string; neverIndexed: boolean }[] =>
  Object.entries(headers).map(([name, value]) => ({ name, value, neverIndexed: false }))
const framed = (text: string, compressed = 0): Buffer => {
  const prefix = Buffer.of(compressed, 0, 0, 0, 0)
  prefix.writeUInt32BE(Buffer.byteLength(text), 1)
  return Buffer.concat([prefix, Buffer.from(text)])
}

/** What is heard of a response that is played to the receiver. */
function heard(play: (receiver: StreamReceiver) => void): string[] {
  const events: string[] = []
  const receiver = receiveResponse(
    {
      message: (bytes) => void events.push(bytes.toString()),
      done: ({ code, detail }) => void events.push(detail === '' ? code : `${code}: ${detail}`),
    },
    { maxMessageBytes: 20, lost: () => ({ code: 'UNAVAILABLE', detail: 'lost' }) },
  )
  play(receiver)
  return events
}
const OK = { ':status': '200' }

describe('a gRPC response', () => {
  it('has messages, however they are cut, and a status', () => {
    const bytes = Buffer.concat([framed('one'), framed(''), framed('three')])
    for (const size of [1, 4, 6, 100])
      deepEqual(
        heard(({ headers, data, end }) => {
          headers(fields(OK))
          for (let at = 0; at < bytes.length; at += size) data(bytes.subarray(at, at + size))
          headers(fields({ 'grpc-status': '0' }))
          end()
        }),
        ['one', '', 'three', 'OK'],
      )
  })

  const cases: [behaviour: string, play: (receiver: StreamReceiver) => void, events: string[]][] = [
    [
      'may be an error alone',
      ({ headers }) => headers(fields({ ...OK, 'grpc-status': '5', 'grpc-message': 'gr%C3%BC%c3%9fe 100%25' })),
      ['NOT_FOUND: grüße 100%'],
    ],
    [
      'may have a message that is not encoded as it should be',
      ({ headers }) =>
        headers(fields({ ...OK, 'grpc-status': '5', 'grpc-message': Buffer.from('50% grün').toString('latin1') })),
      ['NOT_FOUND: 50% grün'],
    ],
    [
      'may have a code of a later version',
      ({ headers }) => headers(fields({ ...OK, 'grpc-status': '99' })),
      ['UNKNOWN'],
    ],
    [
      'may be announced',
      ({ headers }) => {
        headers(fields({ ':status': '103' }))
        headers(fields({ ...OK, 'grpc-status': '0' }))
      },
      ['OK'],
    ],
    [
      'without a status is in doubt',
      ({ headers, data, end }) => {
        headers(fields(OK))
        data(framed('one'))
        end()
      },
      ['one', 'UNKNOWN: the response ended without a gRPC status'],
    ],
    [
      'of something else than gRPC has the code of its HTTP status, and its body is no message',
      ({ headers, data, end }) => {
        headers(fields({ ':status': '503' }))
        data(Buffer.from('<html>'))
        end()
      },
      ['UNAVAILABLE: the server responded with HTTP status 503 and no gRPC status'],
    ],
    [
      'that ends within a message is not OK',
      ({ headers, data }) => {
        headers(fields(OK))
        data(framed('one').subarray(0, 6))
        headers(fields({ 'grpc-status': '0' }))
      },
      ['INTERNAL: the response is incomplete'],
    ],
    [
      'may not be compressed, which nobody asked for',
      ({ headers, data }) => {
        headers(fields(OK))
        data(framed('one', 1))
      },
      ['INTERNAL: the response is compressed'],
    ],
    [
      'may not have a message over the limit',
      ({ headers, data }) => {
        headers(fields(OK))
        data(framed('one two three four five').subarray(0, 5))
        data(framed('six'))
      },
      ['RESOURCE_EXHAUSTED: Received message larger than max (23 vs 20)'],
    ],
    ['that is lost says so', ({ lost }) => lost(), ['UNAVAILABLE: lost']],
  ]
  for (const [behaviour, play, events] of cases) it(behaviour, () => deepEqual(heard(play), events))

  const resets: [code: number, status: string][] = [
    [0, 'INTERNAL'],
    [2, 'INTERNAL'],
    [7, 'UNAVAILABLE'],
    [8, 'CANCELLED'],
    [11, 'RESOURCE_EXHAUSTED'],
    [12, 'PERMISSION_DENIED'],
  ]
  for (const [code, status] of resets)
    it(`that is reset with ${code} is ${status}`, () =>
      equal(
        heard(({ reset }) => reset(code))[0],
        `${status}: the server reset the call with the HTTP/2 error code ${code}`,
      ))
})
