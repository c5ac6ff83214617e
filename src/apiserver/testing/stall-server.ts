import { grantRules } from './grant-rules.ts'
import { configMap } from './objects-under-test.ts'
import { NEIGHBOUR, NEIGHBOUR_OBJECT, TENANT, TENANT_RULES } from './stall-attack.ts'
import { STALL_ATTACKS } from './stall-attacks.ts'
import { startTestServer } from './start-test-server.ts'
import { startTurnMeter } from './turn-meter.ts'
import type { TurnMeter, TurnReport } from './turn-meter.ts'
import { CONFIG_MAPS } from '../../api/kinds/config-map.ts'
import { SYSTEM_USER } from '../core/user.ts'

/** What the test asks for: each is answered before the next is sent. */
export type StallRequest =
  | { kind: 'start'; tokenFile: string }
  | { kind: 'prepare'; attack: string; attempt: number }
  | { kind: 'begin' }
  | { kind: 'end' }
export type StallReply =
  | { kind: 'started'; address: string; caPem: string }
  | { kind: 'done' }
  | { kind: 'measured'; report: TurnReport }
  | { kind: 'failed'; message: string }

// The API server under attack, in a process of its own: it may run out of memory, and its main thread is measured.
let server: Awaited<ReturnType<typeof startTestServer>> | undefined
let meter: TurnMeter | undefined

const adminApi = () => {
  if (!server) throw new Error('the server has not been started')
  return server.server.core.as(SYSTEM_USER)
}

async function start(tokenFile: string): Promise<StallReply> {
  server = await startTestServer({ tokenFile })
  await grantRules(adminApi(), TENANT, TENANT_RULES)
  await grantRules(adminApi(), NEIGHBOUR, [{ apiGroups: [''], resources: ['configmaps'], verbs: ['get'] }])
  await adminApi().create(CONFIG_MAPS, configMap(NEIGHBOUR_OBJECT))
  return { kind: 'started', address: server.address, caPem: server.identity.authority.pair.certificatePem }
}

async function answer(request: StallRequest): Promise<StallReply> {
  switch (request.kind) {
    case 'start':
      return start(request.tokenFile)
    case 'prepare':
      await STALL_ATTACKS.find(({ name }) => name === request.attack)?.prepare?.(adminApi(), request.attempt)
      await server?.server.idle()
      return { kind: 'done' }
    case 'begin':
      meter = startTurnMeter()
      return { kind: 'done' }
    case 'end': {
      // What the server does on its own because of the request counts as well.
      await server?.server.idle()
      const report = (await meter?.stop()) ?? { worstTurnMs: 0, turns: 0 }
      return { kind: 'measured', report }
    }
  }
}

process.on('message', (request: StallRequest) => {
  answer(request)
    .catch((error: unknown): StallReply => ({ kind: 'failed', message: String(error) }))
    .then((reply) => process.send?.(reply))
    .catch(() => process.exit(1))
})
process.on('disconnect', () => process.exit(0))
