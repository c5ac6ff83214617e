import { rejects } from 'node:assert/strict'
import { test } from 'node:test'
import { CONFIG_MAPS } from '../../api/kinds/config-map.ts'
import { isRefusal } from '../testing/is-refusal.ts'
import { openServerUnderTest } from '../testing/open-server-under-test.ts'

for (const [what, apiVersion, shown] of [
  ['no version', undefined, ''],
  ['another version', 'v2', 'v2'],
  ['an object that cannot become text as its version', { toString: 1, valueOf: 1 }, '{"toString":1,"valueOf":1}'],
] as const) {
  test(`a configuration with ${what} is refused`, async () => {
    await using server = await openServerUnderTest()
    const value = { ...(apiVersion === undefined ? {} : { apiVersion }), kind: 'ConfigMap', metadata: { name: 'c' } }
    await rejects(
      server.api.patch(
        CONFIG_MAPS,
        { namespace: 'default', name: 'c' },
        { type: 'apply', value },
        { fieldManager: 'test' },
      ),
      isRefusal('BadRequest', new RegExp(`Specified patch version: ${RegExp.escape(shown)}, expected: v1`)),
    )
  })
}
