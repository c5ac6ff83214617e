import { deepEqual, equal, rejects } from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { isForbidden } from '../api/api-error.ts'
import { NODES } from '../api/kinds/node.ts'
import { createSystemClock } from '../base/clock.ts'
import { createSystemHost } from '../base/host/index.ts'
import { createSystemRandom } from '../base/random.ts'
import { connectApi } from '../kube/client/connect-api.ts'
import { loadKubeconfig } from '../kube/client/credentials.ts'
import { startTestServer } from './testing/start-test-server.ts'

const [clock, random, host] = [createSystemClock(), createSystemRandom(), createSystemHost()]
const SUMMARY = 'proxy/stats/summary'

test('nodes/proxy/stats/summary is served for nodes of this process, to those who may get nodes/proxy', async (context) => {
  await using server = await startTestServer({ nodeStats: (name) => (name === 'here' ? { node: name } : undefined) })
  const connect = async (path: string) => {
    const credentials = await loadKubeconfig({ path, parts: { host, clock, env: {} } })
    const { api, close } = connectApi({ credentials, clock, random, userAgent: 'test' })
    context.after(close)
    return api
  }
  const viewer = join(server.directory, 'viewer')
  await writeFile(viewer, await server.kubeconfigFor('anna', ['system:authenticated']), { mode: 0o600 })
  const [admin, anna] = [await connect(server.kubeconfigPath), await connect(viewer)]
  deepEqual(await admin.get(NODES, { name: 'here' }, { subresource: SUMMARY }), { node: 'here' })
  await rejects(anna.get(NODES, { name: 'here' }, { subresource: SUMMARY }), isForbidden)
  await rejects(anna.get(NODES, { name: 'there' }, { subresource: SUMMARY }), isForbidden)
  for (const [name, subresource] of [
    ['there', SUMMARY],
    ['here', 'proxy/pods'],
    ['here', 'proxy'],
  ] as const)
    await rejects(admin.get(NODES, { name }, { subresource }), (error: { code?: number }) => {
      equal(error.code, 405)
      return true
    })
})
