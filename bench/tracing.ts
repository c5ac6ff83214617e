// What tracing costs: npm run bench tracing -- [--volumes=200] [--rounds=3]
import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { parseArgs } from 'node:util'
import { PERSISTENT_VOLUME_CLAIMS } from '../src/api/kinds/persistent-volume-claim.ts'
import { PODS } from '../src/api/kinds/pod.ts'
import { createSilentLogger, createSystemClock, sleep } from '../src/base/index.ts'
import { createClaim, createPod, NAMESPACE } from '../src/cluster/testing/describe-cluster.ts'
import { connect } from '../src/connect/index.ts'

const AT_ONCE = 20
const { values } = parseArgs({
  options: { volumes: { type: 'string', default: '200' }, rounds: { type: 'string', default: '3' } },
})
const volumes = Math.ceil(Number(values.volumes) / AT_ONCE) * AT_ONCE
const clock = createSystemClock()
const main = join(import.meta.dirname, '../src/cli/main.ts')

let bytes = 0
const collector = createServer((request, response) => {
  request.on('data', (chunk: Buffer) => (bytes += chunk.length))
  request.on('end', () => response.writeHead(200, { 'content-type': 'application/x-protobuf' }).end())
})
await new Promise<void>((resolve) => void collector.listen(0, '127.0.0.1', resolve))
const endpoint = `http://127.0.0.1:${(collector.address() as AddressInfo).port}`

const VARIANTS: [name: string, flags: string[]][] = [
  ['off (--no-console)', ['--no-console']],
  ['spans for the console', []],
  ['--otlp-endpoint --no-console', ['--no-console', `--otlp-endpoint=${endpoint}`]],
]

/** User and system time of the process, with all its threads. */
function cpuMs(pid: number | undefined): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  // Clock ticks are hundredths of a second on Linux.
  return 10 * (Number(fields[11]) + Number(fields[12]))
}

async function measure(flags: readonly string[]): Promise<number> {
  const data = mkdtempSync(join(tmpdir(), 'hf-'))
  const args = ['--disable-warning=ExperimentalWarning', main, 'up', `--data=${data}`, '--in-memory', ...flags]
  const up = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = new Promise((resolve) => void up.once('exit', resolve))
  try {
    for await (const line of createInterface(up.stdout)) if (line.startsWith('ready')) break
    up.stdout.resume()
    await using cluster = await connect({
      name: 'bench-tracing',
      kubeconfig: join(data, 'kubeconfig'),
      log: createSilentLogger(),
    })
    const { api } = cluster
    const run = async (names: readonly string[]): Promise<void> => {
      await Promise.all(names.map(async (name) => (await createClaim(api, name), createPod(api, name, name))))
      const isOver = async (phase: string | undefined): Promise<boolean> => {
        const { items } = await api.list(PODS, { namespace: NAMESPACE })
        return phase === undefined ? items.length === 0 : items.every(({ status }) => status?.phase === phase)
      }
      while (!(await isOver('Running'))) await sleep(clock, 50)
      await Promise.all(
        names.flatMap((name) => [
          api.delete(PODS, { namespace: NAMESPACE, name }),
          api.delete(PERSISTENT_VOLUME_CLAIMS, { namespace: NAMESPACE, name }),
        ]),
      )
      const claims = async () => (await api.list(PERSISTENT_VOLUME_CLAIMS, { namespace: NAMESPACE })).items.length
      while (!(await isOver(undefined)) || (await claims()) > 0) await sleep(clock, 50)
    }
    const batch = (index: number): string[] => Array.from({ length: AT_ONCE }, (_, at) => `v-${index}-${at}`)
    // The compiler of the engine and the packages of OpenTelemetry are ready after these.
    for (let index = 0; index < 3; index++) await run(batch(-1 - index))
    const beforeMs = cpuMs(up.pid)
    for (let index = 0; index < volumes / AT_ONCE; index++) await run(batch(index))
    return (cpuMs(up.pid) - beforeMs) / volumes
  } finally {
    up.kill('SIGTERM')
    await ended
    rmSync(data, { recursive: true, force: true })
  }
}

process.stdout.write(
  `CPU time of holdfast up for one volume: claimed, created, attached, mounted, and back; ${volumes} volumes, ${AT_ONCE} at a time\n`,
)
const measured = new Map<string, number[]>(VARIANTS.map(([name]) => [name, []]))
for (let round = 0; round < Number(values.rounds); round++)
  for (const [name, flags] of VARIANTS) measured.get(name)?.push(await measure(flags))
for (const [name, all] of measured) {
  const sorted = [...all].sort((one, other) => one - other)
  const median = sorted[Math.floor(sorted.length / 2)] ?? 0
  process.stdout.write(
    `${name.padEnd(30)} ${median.toFixed(1)} ms  (${sorted.map((each) => each.toFixed(1)).join(', ')})\n`,
  )
}
process.stdout.write(
  `${Math.round(bytes / Number(values.rounds) / (volumes + 3 * AT_ONCE))} bytes sent for each volume\n`,
)
collector.close()
