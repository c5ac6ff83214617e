// The API server without its network, for tests: the same authorization, admission and validation, no port, nothing on disk.
import { isForbidden, PERSISTENT_VOLUME_CLAIMS } from 'holdfast/api'
import { createMemoryBackend, createSigningKey, openServer } from 'holdfast/apiserver'
import { createSilentLogger, createSystemClock, createSystemRandom } from 'holdfast/base'

const world = { clock: createSystemClock(), random: createSystemRandom(), log: createSilentLogger() }
const keys = { signingKey: await createSigningKey(), rootCaPem: '' }
const server = await openServer({ backend: createMemoryBackend(), authorizationMode: 'Node,RBAC', ...world, ...keys })
const admin = server.core.as({ name: 'admin', groups: ['system:masters'] })
const { items } = await admin.list(PERSISTENT_VOLUME_CLAIMS, { namespace: 'default' })
process.stdout.write(`admin sees ${items.length} claims\n`)
const jane = server.core.as({ name: 'jane', groups: ['system:authenticated'] })
await jane.list(PERSISTENT_VOLUME_CLAIMS).catch((error: unknown) => {
  if (!isForbidden(error)) throw error
  process.stdout.write(`${error.message}\n`)
})
await server.close()
