import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { isCsiError } from '../csi-error.ts'
import { pageOf } from './page-of.ts'

const page = (keys: Iterable<string>, maxEntries = 0, startingToken = '') =>
  pageOf(keys, (key) => key, { maxEntries, startingToken })

describe('pageOf', () => {
  it('gives everything in order, without a token, when no number is asked for', () => {
    assert.deepEqual(page(['b', 'c', 'a']), { entries: ['a', 'b', 'c'], nextToken: '' })
    assert.deepEqual(page([]), { entries: [], nextToken: '' })
  })

  it('gives as many as asked for, and a token only while there are more', () => {
    const first = page(['a', 'b', 'c', 'd'], 2)
    assert.deepEqual(first.entries, ['a', 'b'])
    assert.notEqual(first.nextToken, '')
    assert.deepEqual(page(['a', 'b', 'c', 'd'], 2, first.nextToken), { entries: ['c', 'd'], nextToken: '' })
    assert.deepEqual(page(['a', 'b'], 5), { entries: ['a', 'b'], nextToken: '' })
  })

  it('ends quietly when the rest is gone meanwhile', () => {
    const { nextToken } = page(['a', 'b'], 1)
    assert.deepEqual(page([], 1, nextToken), { entries: [], nextToken: '' })
  })

  for (const token of ['1', 'after:', 'after:!!!', 'after:YQ==', 'after:YR', 'before:YQ', 'after:_w']) {
    it(`answers ABORTED to the token ${token}, which it never made`, () => {
      assert.throws(
        () => page(['a'], 1, token),
        (error) => isCsiError(error, 'ABORTED'),
      )
    })
  }

  it('does not change what it is given', () => {
    const keys = Object.freeze(['b', 'a'])
    assert.deepEqual(page(keys, 1).entries, ['a'])
  })

  it('never repeats and never misses what was there all the time, while others come and go', () => {
    const key = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 4 })
    const keys = fc.uniqueArray(key, { maxLength: 20 })
    const changes = fc.record({ add: fc.array(key, { maxLength: 3 }), remove: fc.array(key, { maxLength: 3 }) })
    fc.assert(
      fc.property(
        keys,
        fc.array(key, { maxLength: 10 }),
        fc.array(changes),
        fc.integer({ min: 1, max: 4 }),
        (stay, some, rounds, size) => {
          const present = new Set([...stay, ...some])
          const seen: string[] = []
          let token = ''
          for (let round = 0; ; round++) {
            const { entries, nextToken } = page(present, size, token)
            assert.ok(entries.length <= size)
            seen.push(...entries)
            if (nextToken === '') break
            token = nextToken
            for (const added of rounds[round]?.add ?? []) present.add(added)
            for (const removed of rounds[round]?.remove ?? []) if (!stay.includes(removed)) present.delete(removed)
          }
          assert.equal(new Set(seen).size, seen.length)
          assert.deepEqual(
            stay.filter((each) => !seen.includes(each)),
            [],
          )
        },
      ),
    )
  })
})
