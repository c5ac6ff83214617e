import { createSeededRandom } from '../random.ts'
import { describeHost } from './testing/describe-host.ts'
import { openPrivateDirectory } from './testing/open-private-directory.ts'
import { createSimulatedHost } from './simulated-host.ts'
import { createSystemHost } from './system-host.ts'

describeHost('the system host', async () => {
  const host = createSystemHost()
  return { host, ...(await openPrivateDirectory(host)) }
})

describeHost('the simulated host', async () => {
  const host = createSimulatedHost({ random: createSeededRandom(1) })
  await host.files.makeDirectory('/work')
  return { host, directory: '/work', close: async () => {} }
})
