import type { TestContext } from 'node:test'
import type { Api } from '../../api/api.ts'
import { createSilentLogger } from '../../base/logger.ts'
import { createSeededRandom } from '../../base/random.ts'
import { createSimulatedClock } from '../../base/simulated-clock.ts'
import type { SimulatedClock } from '../../base/simulated-clock.ts'
import { createSigningKey } from '../authentication/token-key.ts'
import { SYSTEM_USER } from '../core/user.ts'
import { openServer } from '../open-server.ts'
import type { OpenServer, ServerOptions } from '../open-server.ts'
import { createMemoryBackend } from '../storage/memory-backend.ts'

export type TestCore = { server: OpenServer; api: Api; clock: SimulatedClock }

/** A server without its network, in memory, under a clock that stands still; closed with the test. `api` may do everything. */
export async function openTestCore(context: Pick<TestContext, 'after'>, options: Partial<ServerOptions> = {}): Promise<TestCore> {
  const clock = createSimulatedClock()
  const server = await openServer({
    backend: createMemoryBackend(),
    clock,
    random: createSeededRandom(1),
    log: createSilentLogger(),
    authorizationMode: 'Node,RBAC',
    signingKey: await createSigningKey(),
    rootCaPem: 'a certificate',
    ...options,
  })
  context.after(() => server.close())
  return { server, clock, api: server.core.as(SYSTEM_USER) }
}
