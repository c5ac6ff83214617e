import { equal, rejects } from 'node:assert/strict'
import { test } from 'node:test'
import { CONFIG_MAPS } from '../../api/kinds/config-map.ts'
import { openTestCore } from '../../apiserver/testing/open-test-core.ts'
import { createSilentLogger } from '../../base/logger.ts'
import { createSeededRandom } from '../../base/random.ts'
import { untilObject } from './until-object.ts'

const REF = { namespace: 'default', name: 'one' }
const map = { apiVersion: 'v1', kind: 'ConfigMap', metadata: REF, data: { a: '1' } } as const

test('waits for an object to come, to change and to go', async (context) => {
  const { api, clock } = await openTestCore(context)
  const parts = { api, clock, random: createSeededRandom(1), log: createSilentLogger() }
  const come = untilObject(CONFIG_MAPS, REF, (object) => object !== undefined, parts)
  await api.create(CONFIG_MAPS, { ...map, metadata: { ...REF, name: 'another' } })
  await api.create(CONFIG_MAPS, map)
  equal((await come)?.metadata.name, 'one')
  const changed = untilObject(CONFIG_MAPS, REF, (object) => object?.data?.['a'] === '2', parts)
  await api.patch(CONFIG_MAPS, REF, { type: 'merge', value: { data: { a: '2' } } })
  equal((await changed)?.data?.['a'], '2')
  const gone = untilObject(CONFIG_MAPS, REF, (object) => object === undefined, parts)
  await api.delete(CONFIG_MAPS, REF)
  equal(await gone, undefined)
  equal(
    await untilObject(CONFIG_MAPS, REF, (object) => object === undefined, parts),
    undefined,
    'what holds already is not waited for',
  )
})

test('gives up with the signal', async (context) => {
  const { api, clock } = await openTestCore(context)
  const giveUp = new AbortController()
  const waiting = untilObject(
    CONFIG_MAPS,
    REF,
    (object) => object !== undefined,
    { api, clock, random: createSeededRandom(1), log: createSilentLogger() },
    giveUp.signal,
  )
  giveUp.abort(new Error('enough'))
  await rejects(waiting, /enough/)
})
