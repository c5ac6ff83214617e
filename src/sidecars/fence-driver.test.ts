import { deepEqual, equal, rejects } from 'node:assert/strict'
import { test } from 'node:test'
import { openTestCore } from '../apiserver/testing/open-test-core.ts'
import { isCsiError, joinDriver, outcomeOf } from '../csi/index.ts'
import type { Driver } from '../csi/index.ts'
import { defineTestDriver } from '../csi/testing/start-test-driver.ts'
import { createIdleHandlers, VALID_CALLS } from '../csi/testing/valid-calls.ts'
import { fenceDriver } from './fence-driver.ts'

test('a fenced driver has every call, until it is closed: then none is sent, and each counts as in doubt', async (context) => {
  const { clock } = await openTestCore(context)
  let calls = 0
  const driver = joinDriver(defineTestDriver(createIdleHandlers()), { clock, observe: () => void calls++ })
  const fence = new AbortController()
  const fenced = fenceDriver(driver, fence.signal)
  deepEqual(Object.keys(fenced), Object.keys(driver))
  for (const method of methods()) await callOf(fenced, method)
  const before = calls
  fence.abort(new Error('no longer yours'))
  for (const method of methods()) {
    await rejects(
      callOf(fenced, method),
      (error) => isCsiError(error, 'CANCELLED') && outcomeOf('CreateVolume', error) === 'in-doubt',
    )
  }
  equal(calls, before)
})

type Method = keyof typeof VALID_CALLS
const methods = (): Method[] => Object.keys(VALID_CALLS) as Method[]

async function callOf(driver: Driver, method: Method): Promise<void> {
  const answer = (driver[method] as (request: object) => Promise<unknown> | AsyncIterable<unknown>)(
    VALID_CALLS[method].request,
  )
  if (answer instanceof Promise) await answer
  else for await (const message of answer) void message
}
