// How much memory `holdfast up` holds while claims and pods come and go: npm run bench churn -- [--seconds=75]
import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { parseArgs } from 'node:util'
import { PERSISTENT_VOLUME_CLAIMS } from '../src/api/kinds/persistent-volume-claim.ts'
import { PODS } from '../src/api/kinds/pod.ts'
import { createSilentLogger, createSystemClock, sleep } from '../src/base/index.ts'
import { createClaim, createPod, NAMESPACE } from '../src/cluster/testing/describe-cluster.ts'
import { connect } from '../src/connect/index.ts'

const AT_ONCE = 20
const EVERY_MS = 25_000
const clock = createSystemClock()
const { values } = parseArgs({ options: { seconds: { type: 'string', default: '75' } } })
const data = mkdtempSync('/tmp/holdfast-churn-')
const main = join(import.meta.dirname, '../src/cli/main.ts')
const up = spawn(process.execPath, ['--max-semi-space-size=32', main, 'up', `--data=${data}`], {
  stdio: ['ignore', 'pipe', 'inherit'],
})
for await (const line of createInterface(up.stdout)) if (line.startsWith('ready')) break

await using cluster = await connect({
  name: 'bench-churn',
  kubeconfig: join(data, 'kubeconfig'),
  log: createSilentLogger(),
})
const { api } = cluster
const names = Array.from({ length: AT_ONCE }, (_, index) => `churn-${index}`)
const residentMiB = (): number =>
  Math.round(Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${up.pid}/status`, 'utf8'))?.[1]) / 1024)
const until = async (holds: () => Promise<boolean>): Promise<void> => {
  while (!(await holds())) await sleep(clock, 20)
}
const pods = async () => (await api.list(PODS, { namespace: NAMESPACE })).items
const claims = async () => (await api.list(PERSISTENT_VOLUME_CLAIMS, { namespace: NAMESPACE })).items
const tell = (rounds: number): boolean =>
  process.stdout.write(`${String(rounds).padStart(5)} rounds  ${residentMiB()} MiB\n`)

process.stdout.write(`${AT_ONCE} claims with pods created, seen Running, deleted and seen gone in each round\n`)
const endMs = clock.monotonicMs() + Number(values.seconds) * 1000
let toldMs = Number.NEGATIVE_INFINITY
let rounds = 0
while (clock.monotonicMs() < endMs) {
  await Promise.all(names.map(async (name) => (await createClaim(api, name), createPod(api, name, name))))
  await until(async () => (await pods()).every(({ status }) => status?.phase === 'Running'))
  await Promise.all(
    names.flatMap((name) => [
      api.delete(PODS, { namespace: NAMESPACE, name }),
      api.delete(PERSISTENT_VOLUME_CLAIMS, { namespace: NAMESPACE, name }),
    ]),
  )
  await until(async () => (await pods()).length + (await claims()).length === 0)
  rounds++
  if (clock.monotonicMs() - toldMs < EVERY_MS) continue
  toldMs = clock.monotonicMs()
  tell(rounds)
}
tell(rounds)
up.kill('SIGTERM')
await new Promise((resolve) => up.once('exit', resolve))
rmSync(data, { recursive: true })
