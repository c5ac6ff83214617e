import { deepEqual, equal, rejects, throws } from 'node:assert/strict'
import { test } from 'node:test'
import type { Api } from '../api/api.ts'
import { CONFIG_MAPS } from '../api/kinds/config-map.ts'
import { openTestCore } from '../apiserver/testing/open-test-core.ts'
import { configMap } from '../apiserver/testing/objects-under-test.ts'
import { isCsiError, joinDriver, outcomeOf } from '../csi/index.ts'
import type { Driver } from '../csi/index.ts'
import { defineTestDriver } from '../csi/testing/start-test-driver.ts'
import { createIdleHandlers, VALID_CALLS } from '../csi/testing/valid-calls.ts'
import { fenceApi, fenceDriver } from './fence.ts'

test('a fenced API passes everything on until it is closed, and then refuses everything', async (context) => {
  const { api } = await openTestCore(context)
  const fence = new AbortController()
  const fenced = fenceApi(api, fence.signal)
  const ref = { namespace: 'default', name: 'a' }
  const requests: ((through: Api) => Promise<unknown>)[] = [
    (through) => through.create(CONFIG_MAPS, configMap('a')),
    (through) => through.get(CONFIG_MAPS, ref),
    async (through) => through.update(CONFIG_MAPS, await api.get(CONFIG_MAPS, ref)),
    (through) => through.patch(CONFIG_MAPS, ref, { type: 'merge', value: { data: { x: 'y' } } }),
    (through) => through.list(CONFIG_MAPS),
    (through) => through.delete(CONFIG_MAPS, ref),
    (through) => through.deleteCollection(CONFIG_MAPS, { namespace: 'default' }),
  ]
  for (const request of requests) await request(fenced)
  await api.create(CONFIG_MAPS, configMap('a'))
  fence.abort(new Error('no longer yours'))
  for (const request of requests) await rejects(request(fenced), /no longer yours/)
  throws(() => fenced.watch(CONFIG_MAPS), /no longer yours/)
  equal((await api.get(CONFIG_MAPS, ref)).data?.['x'], undefined)
})

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
    await rejects(callOf(fenced, method), (error) => isCsiError(error, 'CANCELLED') && outcomeOf('CreateVolume', error) === 'in-doubt')
  }
  equal(calls, before)
})

type Method = keyof typeof VALID_CALLS
const methods = (): Method[] => Object.keys(VALID_CALLS) as Method[]

async function callOf(driver: Driver, method: Method): Promise<void> {
  const answer = (driver[method] as (request: object) => Promise<unknown> | AsyncIterable<unknown>)(VALID_CALLS[method].request)
  if (answer instanceof Promise) await answer
  else for await (const message of answer) void message
}
