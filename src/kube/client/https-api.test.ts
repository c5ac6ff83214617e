import { startTestServer } from '../../apiserver/testing/start-test-server.ts'
import { createSystemClock } from '../../base/clock.ts'
import { createSystemHost } from '../../base/host/system-host.ts'
import { createSystemRandom } from '../../base/random.ts'
import { connectApi } from './connect-api.ts'
import { loadKubeconfig } from './credentials.ts'
import { describeApi } from '../testing/describe-api.ts'

describeApi('the API over HTTPS', async () => {
  const server = await startTestServer()
  const clock = createSystemClock()
  const credentials = await loadKubeconfig({
    path: server.kubeconfigPath,
    parts: { host: createSystemHost(), clock, env: {} },
  })
  const { api, close } = connectApi({ credentials, clock, random: createSystemRandom(), userAgent: 'test' })
  return {
    api,
    close: async () => {
      close()
      await server[Symbol.asyncDispose]()
    },
  }
})
