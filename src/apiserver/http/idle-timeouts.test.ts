import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createSimulatedClock } from '../../base/simulated-clock.ts'
import { createIdleTimeouts } from './idle-timeouts.ts'

function open() {
  const clock = createSimulatedClock()
  const idle: string[] = []
  return { clock, idle, timeouts: createIdleTimeouts<string>(clock, 10, (item) => void idle.push(item)) }
}

test('tells who makes no progress, and only once', async () => {
  const { clock, idle, timeouts } = open()
  timeouts.touch('a')
  await clock.advance(9)
  assert.deepEqual(idle, [])
  await clock.advance(1)
  assert.deepEqual(idle, ['a'])
  await clock.advance(100)
  assert.deepEqual(idle, ['a'])
})

test('counts from the last progress of each', async () => {
  const { clock, idle, timeouts } = open()
  timeouts.touch('a')
  timeouts.touch('b')
  await clock.advance(9)
  timeouts.touch('a')
  await clock.advance(9)
  assert.deepEqual(idle, ['b'])
  await clock.advance(1)
  assert.deepEqual(idle, ['b', 'a'])
})

test('forgets who is removed, and begins anew for who comes later', async () => {
  const { clock, idle, timeouts } = open()
  timeouts.touch('a')
  timeouts.remove('a')
  await clock.advance(10)
  timeouts.touch('b')
  await clock.advance(10)
  assert.deepEqual(idle, ['b'])
})

test('has one timer at most, and none after it is stopped', async () => {
  const { clock, idle, timeouts } = open()
  for (const item of ['a', 'b', 'c', 'a']) timeouts.touch(item)
  assert.equal(clock.pendingTimers(), 1)
  timeouts.stop()
  assert.equal(clock.pendingTimers(), 0)
  await clock.advance(100)
  assert.deepEqual(idle, [])
})

test('what one sets off may add and remove others', async () => {
  const clock = createSimulatedClock()
  const idle: string[] = []
  const timeouts = createIdleTimeouts<string>(clock, 10, (item) => {
    idle.push(item)
    timeouts.remove('b')
    if (item === 'a') timeouts.touch('c')
  })
  timeouts.touch('a')
  timeouts.touch('b')
  await clock.advance(20)
  assert.deepEqual(idle, ['a', 'c'])
})

test('sets no timer after it was stopped', () => {
  const { clock, timeouts } = open()
  timeouts.stop()
  timeouts.touch('late')
  assert.equal(clock.pendingTimers(), 0)
})
