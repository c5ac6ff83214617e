// Whether the liveness probe leaks: npm run bench liveness -- [--probes=30000] [--gate=BYTES]
import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { parseArgs } from 'node:util'
import { createSilentLogger, createSystemClock, createSystemHost, createSystemRandom } from '../src/base/index.ts'
import { defineDriver, serve } from '../src/csi/kit/index.ts'
import { nodeFlagsOf } from './node-flags.ts'

// One every ten seconds.
const PROBES_IN_18_DAYS = 155_520
const SAMPLES = 60
const RESTART_EVERY = 2000
const { values } = parseArgs({ options: { probes: { type: 'string', default: '30000' }, gate: { type: 'string' } } })
const probes = Number(values.probes)
const directory = mkdtempSync('/tmp/holdfast-liveness-')
const socket = join(directory, 'csi.sock')
const log = createSilentLogger()
const startDriver = () =>
  serve({
    endpoint: socket,
    servers: [defineDriver({ name: 'bench.example.com', version: '1' }, { handlers: {}, log })],
    files: createSystemHost().files,
    random: createSystemRandom(),
    clock: createSystemClock(),
    log,
  })

let driver = await startDriver()
const main = join(import.meta.dirname, '../src/cli/main.ts')
const liveness = spawn(
  process.execPath,
  [...nodeFlagsOf('livenessprobe'), main, 'livenessprobe', `--csi-address=${socket}`, '--http-endpoint=127.0.0.1:0'],
  {
    stdio: ['ignore', 'pipe', 'inherit'],
  },
)
let port = 0
for await (const line of createInterface(liveness.stdout)) {
  port = Number(/^ready http port (\d+)/.exec(line)?.[1])
  if (port) break
}

const residentBytes = (): number =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${liveness.pid}/status`, 'utf8'))?.[1]) * 1024
// As the kubelet: each probe has its own connection.
const probe = (): Promise<number> =>
  new Promise((resolve, reject) => {
    request({ port, path: '/healthz', agent: new Agent({ keepAlive: false }) }, (answer) => {
      answer.resume().once('end', () => resolve(answer.statusCode ?? 0))
    })
      .once('error', reject)
      .end()
  })

const samples: { readonly probe: number; readonly bytes: number }[] = []
const answers = new Map<number, number>()
for (let count = 1; count <= probes; count++) {
  if (count % RESTART_EVERY === 0) await driver.stop({ graceMs: 0 })
  const status = await probe()
  answers.set(status, (answers.get(status) ?? 0) + 1)
  if (count % RESTART_EVERY === 0) driver = await startDriver()
  if (count % Math.ceil(probes / SAMPLES) === 0) samples.push({ probe: count, bytes: residentBytes() })
}
liveness.kill()
await driver.stop({ graceMs: 0 })
rmSync(directory, { recursive: true })

/** Bytes for each probe: least squares over the second half, because a heap first grows to its working size. */
function slopeOf(points: typeof samples): number {
  const meanOf = (list: readonly number[]): number => list.reduce((sum, each) => sum + each, 0) / list.length
  const [meanProbe, meanBytes] = [meanOf(points.map((each) => each.probe)), meanOf(points.map((each) => each.bytes))]
  const spread = points.reduce((sum, each) => sum + (each.probe - meanProbe) ** 2, 0)
  return points.reduce((sum, each) => sum + (each.probe - meanProbe) * (each.bytes - meanBytes), 0) / spread
}

const mib = (bytes: number): string => (bytes / 1024 ** 2).toFixed(1)
const half = samples.slice(samples.length / 2)
const slope = slopeOf(half)
const statuses = [...answers].map(([status, count]) => `${count} × ${status}`).join(', ')
process.stdout.write(`${probes} probes, the driver restarted after every ${RESTART_EVERY}: ${statuses}\n`)
for (const { probe: count, bytes } of samples.filter((_, index) => index % 6 === 5))
  process.stdout.write(`${String(count).padStart(8)} probes  ${mib(bytes)} MiB\n`)
process.stdout.write(
  `slope of the second half: ${slope.toFixed(1)} bytes a probe, ${mib(slope * PROBES_IN_18_DAYS)} MiB in 18 days\n`,
)
if (values.gate !== undefined && slope > Number(values.gate)) process.exitCode = 1
