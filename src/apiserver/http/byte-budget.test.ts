import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createByteBudget } from './byte-budget.ts'

const open = () => createByteBudget({ heldPerUserBytes: 10, heldBytes: 15 })
const one = { isExempt: false }

test('a user may hold just so much, over all requests', () => {
  const budget = open()
  const [first, second] = [budget.open('a', one), budget.open('a', one)]
  assert.ok(first.take(6) && second.take(4))
  assert.deepEqual([first.hasRoom, second.take(1)], [false, false])
  assert.ok(budget.open('b', one).take(5), 'others are not concerned')
})

test('all together may hold just so much', () => {
  const budget = open()
  assert.ok(budget.open('a', one).take(10) && budget.open('b', one).take(5))
  const third = budget.open('c', one)
  assert.deepEqual([third.hasRoom, third.take(1)], [false, false])
})

test('what is released makes room, once', () => {
  const budget = open()
  const [first, second] = [budget.open('a', one), budget.open('a', one)]
  first.take(6)
  second.take(4)
  first.release()
  first.release()
  assert.equal(budget.heldBytes, 4)
  assert.deepEqual([second.take(7), second.take(6)], [false, true])
  second.release()
  assert.equal(budget.heldBytes, 0)
})

test('what is there already counts even where there is no room', () => {
  const budget = open()
  const holding = budget.open('a', one)
  holding.add(100)
  assert.deepEqual([holding.hasRoom, budget.heldBytes], [false, 100])
})

test('who is exempt is never refused, and counts for the others', () => {
  const budget = open()
  const admin = budget.open('admin', { isExempt: true })
  assert.ok(admin.take(100) && admin.hasRoom)
  assert.equal(budget.open('a', one).hasRoom, false)
})
