import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { status } from '@grpc/grpc-js'
import { CODES, codeNumber, codeOf, goCodeName } from './codes.ts'

describe('status codes', () => {
  it('have the numbers of gRPC', () => {
    for (const code of CODES) assert.equal(codeNumber(code), status[code], code)
    assert.equal(CODES.length, 17)
  })

  it('are found by their number; one that gRPC does not have is UNKNOWN', () => {
    for (const code of CODES) assert.equal(codeOf(codeNumber(code)), code)
    for (const number of [-1, 17, 1.5, Number.NaN]) assert.equal(codeOf(number), 'UNKNOWN')
  })

  it('have the names that Go programs print', () => {
    assert.deepEqual(CODES.map(goCodeName), [
      'OK',
      'Canceled',
      'Unknown',
      'InvalidArgument',
      'DeadlineExceeded',
      'NotFound',
      'AlreadyExists',
      'PermissionDenied',
      'ResourceExhausted',
      'FailedPrecondition',
      'Aborted',
      'OutOfRange',
      'Unimplemented',
      'Internal',
      'Unavailable',
      'DataLoss',
      'Unauthenticated',
    ])
  })
})
