import { deepEqual, doesNotThrow, rejects, throws } from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { CONFIG_MAPS } from '../../api/kinds/config-map.ts'
import { isRefusal } from '../testing/is-refusal.ts'
import { configMap } from '../testing/objects-under-test.ts'
import { openServerUnderTest } from '../testing/open-server-under-test.ts'
import type { ServerUnderTest } from '../testing/open-server-under-test.ts'
import { refuseManyValues } from './decode-object.ts'

const dataOf = (count: number): Record<string, string> =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, '']))
const tooMany = isRefusal('RequestEntityTooLarge', /^Request entity too large: more than 20000 fields and list items$/)

describe('an object has at most 20,000 fields and list items', () => {
  let server: ServerUnderTest
  before(async () => void (server = await openServerUnderTest()))
  after(() => server.close())

  test('when it is created, replaced or patched', async () => {
    const ref = { namespace: 'default', name: 'x' }
    await rejects(server.api.create(CONFIG_MAPS, configMap('x', {}, dataOf(20_000))), tooMany)
    const stored = await server.api.create(CONFIG_MAPS, configMap('x', {}, dataOf(19_900)))
    await rejects(server.api.update(CONFIG_MAPS, { ...stored, data: dataOf(20_000) }), tooMany)
    const more = Object.fromEntries(Object.entries(dataOf(200)).map(([key, value]) => [`more-${key}`, value]))
    await rejects(server.api.patch(CONFIG_MAPS, ref, { type: 'merge', value: { data: more } }), tooMany)
    deepEqual(await server.api.get(CONFIG_MAPS, ref), stored)
  })
})

test('one that has more from before can be changed, but not grow', () => {
  const before = { metadata: { finalizers: ['a'] }, data: dataOf(30_000) }
  doesNotThrow(() => refuseManyValues({}, { ...before, metadata: {} }, before))
  throws(() => refuseManyValues({}, { ...before, data: dataOf(30_001) }, before), tooMany)
  throws(() => refuseManyValues({}, before), tooMany)
})

test('a kind that administrators write may have any number', () => {
  doesNotThrow(() => refuseManyValues({ hasManyValues: true }, { data: dataOf(30_000) }))
})
