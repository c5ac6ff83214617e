import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { HostError } from '../../base/host/index.ts'
import { CODES } from '../codes.ts'
import type { Code } from '../codes.ts'
import { CsiError } from '../csi-error.ts'
import { statusOf } from './status-of.ts'

describe('statusOf', () => {
  it('leaves an error alone that has a code', () => {
    for (const code of CODES.filter((each) => each !== 'OK' && each !== 'UNKNOWN')) {
      const error = new CsiError(code, 'why')
      assert.equal(statusOf(error), error)
    }
  })

  it('makes INTERNAL of an error that fails with no code, with OK or with UNKNOWN', () => {
    for (const code of [undefined, 'OK', 'UNKNOWN'] as const) {
      const reason = new CsiError(code, 'why')
      const error = statusOf(reason)
      assert.deepEqual([error.code, error.detail, error.cause], ['INTERNAL', 'why', reason])
    }
  })

  const errnos: [errno: string, code: Code][] = [
    ['ENOSPC', 'RESOURCE_EXHAUSTED'],
    ['EDQUOT', 'RESOURCE_EXHAUSTED'],
    ['EMFILE', 'RESOURCE_EXHAUSTED'],
    ['ENFILE', 'RESOURCE_EXHAUSTED'],
    ['EROFS', 'FAILED_PRECONDITION'],
    ['EBUSY', 'FAILED_PRECONDITION'],
    ['EIO', 'INTERNAL'],
    ['ENOENT', 'INTERNAL'],
  ]
  for (const [errno, code] of errnos) {
    it(`takes ${errno} of the machine for ${code}`, () => {
      const reason = new HostError(errno, 'writeFile', '/v')
      const error = statusOf(reason)
      assert.deepEqual([error.code, error.detail, error.cause], [code, reason.message, reason])
    })
  }

  it('makes INTERNAL of anything else', () => {
    for (const [reason, detail] of [
      [new TypeError('odd'), 'odd'],
      ['a text', 'a text'],
      [undefined, 'undefined'],
      [{ code: 5 }, '[object Object]'],
    ] as const) {
      const error = statusOf(reason)
      assert.deepEqual([error.code, error.detail], ['INTERNAL', detail])
    }
  })
})
