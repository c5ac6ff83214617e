import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { CsiError, isCsiError } from './csi-error.ts'

describe('CsiError', () => {
  it('says what was called, with which code, and why', () => {
    assert.equal(
      new CsiError('NOT_FOUND', 'no such volume', { rpc: 'DeleteVolume' }).message,
      'DeleteVolume: NotFound: no such volume',
    )
    assert.equal(new CsiError('NOT_FOUND', 'no such volume').message, 'NotFound: no such volume')
    assert.equal(new CsiError(undefined, 'garbage', { rpc: 'Probe' }).message, 'Probe: no gRPC status: garbage')
  })

  it('makes of anything thrown the failure of one call, and keeps it as the cause', () => {
    const reason = new TypeError('odd')
    const error = CsiError.from(reason, 'Probe')
    assert.deepEqual([error.code, error.rpc, error.detail, error.cause], [undefined, 'Probe', 'odd', reason])
    assert.equal(CsiError.from('a text', 'Probe').detail, 'a text')
  })

  it('stays itself for its own call, and keeps its code under the name of another', () => {
    const own = new CsiError('ABORTED', 'pending', { rpc: 'Probe' })
    assert.equal(CsiError.from(own, 'Probe'), own)
    const other = CsiError.from(own, 'DeleteVolume')
    assert.deepEqual([other.message, other.code, other.cause], ['DeleteVolume: Aborted: pending', 'ABORTED', own])
  })

  it('says so when the driver gave no reason', () => {
    assert.equal(CsiError.answered('INTERNAL', '', 'Probe').message, 'Probe: Internal: the driver gave no reason')
  })

  it('is CANCELLED for a signal of the caller, and whatever a deadline aborts with', () => {
    const reason = new Error('stopping')
    const cancelled = CsiError.aborted(AbortSignal.abort(reason), 'Probe')
    assert.deepEqual([cancelled.code, cancelled.rpc, cancelled.cause], ['CANCELLED', 'Probe', reason])
    const late = new CsiError('DEADLINE_EXCEEDED', 'late')
    assert.equal(CsiError.aborted(AbortSignal.abort(late), 'Probe'), late)
  })
})

describe('isCsiError', () => {
  it('asks for one of several codes', () => {
    const error = new CsiError('NOT_FOUND', '')
    assert.equal(isCsiError(error, 'ABORTED', 'NOT_FOUND'), true)
    assert.equal(isCsiError(error, 'ABORTED'), false)
    assert.equal(isCsiError(new CsiError(undefined, ''), 'UNKNOWN'), false)
    assert.equal(isCsiError(new Error('NOT_FOUND'), 'NOT_FOUND'), false)
  })
})
