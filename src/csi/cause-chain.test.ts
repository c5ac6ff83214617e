import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { causeChain, messageOf } from './cause-chain.ts'

describe('causeChain', () => {
  it('lists an error and its causes, outermost first, also what is no error', () => {
    const inner = new Error('inner', { cause: 'a text' })
    const outer = new Error('outer', { cause: inner })
    assert.deepEqual(causeChain(outer), [outer, inner, 'a text'])
  })

  it('ends where the causes go in a circle', () => {
    const first = new Error('first')
    first.cause = new Error('second', { cause: first })
    assert.deepEqual(causeChain(first).map(messageOf), ['first', 'second'])
  })

  it('is empty for nothing', () => assert.deepEqual(causeChain(undefined), []))
})

describe('messageOf', () => {
  it('is the message of an error, and anything else as text', () => {
    assert.deepEqual([new TypeError('odd'), 'text', 7, undefined, null].map(messageOf), [
      'odd',
      'text',
      '7',
      'undefined',
      'null',
    ])
  })
})
