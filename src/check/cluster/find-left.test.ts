import { deepEqual } from 'node:assert/strict'
import { test } from 'node:test'
import { createSimulatedClock } from '../../base/simulated-clock.ts'
import { findLasting } from './find-left.ts'

test('what a sidecar deletes a little later is not left behind', async () => {
  const clock = createSimulatedClock()
  const found = findLasting(clock, new AbortController().signal, () =>
    Promise.resolve(clock.monotonicMs() < 2000 ? ['volume v1'] : []),
  )
  await clock.advance(2100)
  deepEqual(await found, [])
})

test('what is still there after ten seconds is', async () => {
  const clock = createSimulatedClock()
  const found = findLasting(clock, new AbortController().signal, () => Promise.resolve(['volume v1']))
  await clock.advance(11_000)
  deepEqual(await found, ['volume v1'])
})
