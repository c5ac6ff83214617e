import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { createLockTable } from './lock-table.ts'
import type { Lock } from './lock-table.ts'

const only = (key: string): Lock => ({ key, exclusive: true })
const shared = (key: string): Lock => ({ key, exclusive: false })

function acquire(table: ReturnType<typeof createLockTable>, ...locks: Lock[]): { release(): void } {
  const acquired = table.tryAcquire(locks)
  assert.ok('release' in acquired, JSON.stringify(acquired))
  return acquired
}

describe('the lock table', () => {
  it('gives an exclusive lock to one at a time and names what is taken', () => {
    const table = createLockTable()
    const first = acquire(table, only('a'))
    assert.deepEqual(table.tryAcquire([only('a')]), { taken: 'a' })
    assert.deepEqual(table.tryAcquire([shared('a')]), { taken: 'a' })
    first.release()
    acquire(table, only('a'))
  })

  it('gives a shared lock to many, and an exclusive one only after the last of them', () => {
    const table = createLockTable()
    const holders = [acquire(table, shared('a')), acquire(table, shared('a'))]
    for (const holder of holders) {
      assert.deepEqual(table.tryAcquire([only('a')]), { taken: 'a' })
      holder.release()
    }
    acquire(table, only('a'))
  })

  it('takes all locks or none', () => {
    const table = createLockTable()
    acquire(table, only('b'))
    assert.deepEqual(table.tryAcquire([only('a'), shared('c'), only('b')]), { taken: 'b' })
    acquire(table, only('a'), only('c'))
  })

  it('gives back once, however often it is told', () => {
    const table = createLockTable()
    const first = acquire(table, shared('a'))
    acquire(table, shared('a'))
    first.release()
    first.release()
    assert.deepEqual(table.tryAcquire([only('a')]), { taken: 'a' })
  })

  it('has nothing to refuse a call that needs no lock', () => {
    const table = createLockTable()
    acquire(table, only('a'))
    acquire(table).release()
  })

  it('agrees with a list of what everybody holds', () => {
    const lock = fc.record({ key: fc.constantFrom('a', 'b', 'c'), exclusive: fc.boolean() })
    const locks = fc.uniqueArray(lock, { selector: ({ key }) => key, maxLength: 3 })
    const step = fc.oneof(fc.record({ take: locks }), fc.record({ giveBack: fc.nat() }))
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const table = createLockTable()
        const held: { locks: readonly Lock[]; release(): void }[] = []
        for (const each of steps) {
          if ('giveBack' in each) {
            if (held.length > 0) held.splice(each.giveBack % held.length, 1)[0]?.release()
            continue
          }
          const others = held.flatMap((holder) => holder.locks)
          const clash = each.take.find(({ key, exclusive }) =>
            others.some((other) => other.key === key && (exclusive || other.exclusive)),
          )
          const acquired = table.tryAcquire(each.take)
          if (clash) assert.deepEqual(acquired, { taken: clash.key })
          else if ('release' in acquired) held.push({ locks: each.take, release: acquired.release })
          else assert.fail(`${acquired.taken} is free`)
        }
      }),
    )
  })
})
