import { fork } from 'node:child_process'
import { once } from 'node:events'
import { parseArgs } from 'node:util'
import type { Api } from '../src/api/api.ts'
import { PERSISTENT_VOLUMES } from '../src/api/kinds/persistent-volume.ts'
import { createSystemClock, createSystemRandom } from '../src/base/index.ts'
import { createHttpApi } from '../src/kube/client/http-api.ts'
import type { HttpConnection, HttpConnectionParts } from '../src/kube/client/http-connection.ts'
import { openHttp1Pool } from '../src/kube/client/http1-pool.ts'
import { openHttp2Sessions } from '../src/kube/client/http2-sessions.ts'
import { formatTable } from './apiserver/table.ts'
import { measure, medianCost } from './csi-call/measure.ts'
import type { Cost } from './csi-call/measure.ts'
import { otherVolume } from './sidecars/objects.ts'

// What one request to an API server costs its client: npm run bench api-request [-- --rounds=N]. How to read it: bench/README.md.
const { values } = parseArgs({ options: { rounds: { type: 'string', default: '7' } } })
const rounds = Math.min(Math.max(Number(values.rounds) || 1, 1), 21)
const IN_FLIGHT = [1, 32]
const WARM_UP_CALLS = 3000
const ROUND_CALLS = 1000

const child = fork(new URL('api-request/echo-server.ts', import.meta.url))
const [{ port, ca }] = (await once(child, 'message')) as [{ port: number; ca: string }]
const clock = createSystemClock()
const tls = { ca, rejectUnauthorized: true }
const parts: HttpConnectionParts = {
  server: new URL(`https://127.0.0.1:${port}`),
  tls: () => Promise.resolve(tls),
  clock,
}
const credentials = {
  server: parts.server,
  namespace: undefined,
  tls: parts.tls,
  headers: () => Promise.resolve({ authorization: 'Bearer a-token-of-ordinary-length-0123456789' }),
  invalidate: () => false,
}
const open = (name: string, connection: HttpConnection): { name: string; api: Api; connection: HttpConnection } => ({
  name,
  connection,
  api: createHttpApi({ connection, credentials, clock, random: createSystemRandom(), userAgent: 'bench' }),
})
const subjects = [open('HTTP/1.1 pool', openHttp1Pool(parts)), open('node:http2', openHttp2Sessions(parts))]
const { volume } = otherVolume(0)
let number = 0
const nextNumber = (): number => number++
const run = (api: Api, inFlight: number, calls: number): Promise<Cost> =>
  measure({ call: () => api.create(PERSISTENT_VOLUMES, volume), inFlight, calls, server: undefined, nextNumber })

for (const { api } of subjects) await run(api, 32, WARM_UP_CALLS)
for (const inFlight of IN_FLIGHT) {
  const costs = subjects.map(({ name, api }) => ({ name, api, list: [] as Cost[] }))
  // In turn, so that whatever else the machine does falls on all of them alike.
  for (let round = 0; round < rounds; round++)
    for (const { api, list } of costs) list.push(await run(api, inFlight, ROUND_CALLS))
  const rows = costs.map(({ name, list }) => {
    const { clientMicros, wallMicros } = medianCost(list)
    return { name, cells: [clientMicros, wallMicros] }
  })
  process.stdout.write(
    formatTable(
      { title: `POST of a volume, ${inFlight} in flight`, columns: ['CPU µs', 'time µs'], rows },
      { to: 'node:http2', better: 'less' },
    ),
  )
}
for (const { connection } of subjects) connection.close()
child.disconnect()
await once(child, 'exit')
