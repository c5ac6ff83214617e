import { equal, rejects, throws } from 'node:assert/strict'
import { test } from 'node:test'
import type { Api } from '../../api/api.ts'
import { CONFIG_MAPS } from '../../api/kinds/config-map.ts'
import { openTestCore } from '../../apiserver/testing/open-test-core.ts'
import { configMap } from '../../apiserver/testing/objects-under-test.ts'
import { fenceApi } from './fence-api.ts'

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
