import { deepEqual, rejects } from 'node:assert/strict'
import { test } from 'node:test'
import { createStops, startWhole } from './stops.ts'

test('what was started last stops first, each after the one before has stopped', async () => {
  const stopped: string[] = []
  const stops = createStops()
  stops.onStop(() => stopped.push('first'))
  stops.onStop(async () => {
    await Promise.resolve()
    stopped.push('second')
  })
  await stops.run()
  await stops.run()
  deepEqual(stopped, ['second', 'first'])
})

test('a part that fails to stop keeps no other from stopping, and is told of', async () => {
  const stopped: string[] = []
  const stops = createStops()
  stops.onStop(() => stopped.push('first'))
  stops.onStop(() => {
    throw new Error('stuck')
  })
  await rejects(stops.run(), /stuck/)
  deepEqual(stopped, ['first'])
})

test('a whole that can not be put together leaves none of its parts running, and says why', async () => {
  const stopped: string[] = []
  const failing = startWhole((stops) => {
    stops.onStop(() => stopped.push('first'))
    return Promise.reject(new Error('no second part'))
  })
  await rejects(failing, /no second part/)
  deepEqual(stopped, ['first'])
})
