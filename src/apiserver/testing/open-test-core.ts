import type { TestContext } from 'node:test'
import type { Api } from '../../api/api.ts'
import { createSimulatedClock } from '../../base/simulated-clock.ts'
import type { SimulatedClock } from '../../base/simulated-clock.ts'
import { SYSTEM_USER } from '../core/user.ts'
import type { OpenServer, ServerOptions } from '../open-server.ts'
import { openMemoryServer } from './open-server-under-test.ts'

export type TestCore = { server: OpenServer; api: Api; clock: SimulatedClock }

/** A server without its network, in memory, under a clock that stands still; closed with the test. `api` may do everything. */
export async function openTestCore(
  context: Pick<TestContext, 'after'>,
  options: Partial<ServerOptions> = {},
): Promise<TestCore> {
  const clock = createSimulatedClock()
  const server = await openMemoryServer({ clock, authorizationMode: 'Node,RBAC', ...options })
  context.after(() => server.close())
  return { server, clock, api: server.core.as(SYSTEM_USER) }
}
