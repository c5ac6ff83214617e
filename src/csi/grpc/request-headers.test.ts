import { deepEqual, equal } from 'node:assert/strict'
import { test } from 'node:test'
import { createHpackDecoder } from '../http2/hpack-decoder.ts'
import { createRequestHeaders } from './request-headers.ts'

const decode = (block: Buffer): Record<string, string> =>
  Object.fromEntries(
    createHpackDecoder()
      .decode(block)
      .fields.map(({ name, value }) => [name, value]),
  )

test('a request has the headers of gRPC, pseudo-headers first', () => {
  const headers = decode(createRequestHeaders()('/csi.v1.Identity/Probe', { timeoutMs: 1500.2, trace: undefined }))
  deepEqual(Object.entries(headers), [
    [':method', 'POST'],
    [':scheme', 'http'],
    [':path', '/csi.v1.Identity/Probe'],
    [':authority', 'localhost'],
    ['te', 'trailers'],
    ['content-type', 'application/grpc'],
    ['user-agent', 'holdfast'],
    ['grpc-timeout', '1501m'],
  ])
})

test('a timeout has at most eight digits and is never zero', () => {
  const format = createRequestHeaders()
  const timeoutOf = (timeoutMs: number): string | undefined =>
    decode(format('/x', { timeoutMs, trace: undefined }))['grpc-timeout']
  equal(timeoutOf(-5), '1m')
  equal(timeoutOf(99_999_999), '99999999m')
  equal(timeoutOf(100_000_000), '100000S')
  equal(timeoutOf(Number.MAX_SAFE_INTEGER), '99999999S')
})
