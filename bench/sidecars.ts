import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { CSI_NODES } from '../src/api/kinds/csi-node.ts'
import { PERSISTENT_VOLUME_CLAIMS } from '../src/api/kinds/persistent-volume-claim.ts'
import { PERSISTENT_VOLUMES } from '../src/api/kinds/persistent-volume.ts'
import { STORAGE_CLASSES } from '../src/api/kinds/storage-class.ts'
import { grantSidecars, sidecarUser } from '../test/kubernetes/sidecar-rbac.ts'
import { connectAdmin } from '../test/kubernetes/sidecar-stage.ts'
import { startAuditedHoldfast, startAuditedKubernetes } from '../test/kubernetes/start-audited-server.ts'
import { startLogged } from '../test/kubernetes/start-logged.ts'
import { peakBytes, residentBytes } from './apiserver/process-usage.ts'
import { hasKubernetes } from './apiserver/servers.ts'
import { formatTable } from './apiserver/table.ts'
import { inFlight } from './sidecars/in-flight.ts'
import { loadedVolumes, PHASES, startLoad } from './sidecars/load.ts'
import type { Load, Phase } from './sidecars/load.ts'
import { countCalls, measureRun, median } from './sidecars/measure.ts'
import type { Calls, PhaseNumbers, RunNumbers, RunOptions } from './sidecars/measure.ts'
import { csiNodes, DRIVER, otherVolume, storageClass } from './sidecars/objects.ts'
import { ACCOUNTS, availableSubjects, startSubject, SUBJECT_TITLES } from './sidecars/subjects.ts'
import type { RunningSubject, Settings, SubjectName } from './sidecars/subjects.ts'

// What provisioning and attaching cost: npm run bench sidecars [-- --quick --volumes=1000 …]. How to read it: bench/README.md.
const SECTIONS = ['tuned', 'default', 'memory'] as const

const { values: options } = parseArgs({
  options: {
    /** Fewer of everything: numbers to look at, not to compare. */
    quick: { type: 'boolean', default: false },
    /** Volumes in one run. Default 1,000. */
    volumes: { type: 'string' },
    /** Times that each is measured; the median counts. */
    rounds: { type: 'string' },
    /** Sections, with commas between. Default: all. */
    only: { type: 'string', default: SECTIONS.join(',') },
    /** Sidecars, with commas between: together, apart, go. Default: all that are there. */
    subjects: { type: 'string', default: Object.keys(SUBJECT_TITLES).join(',') },
    /** The API server that they work on: kubernetes, or holdfast. Default: kubernetes where it is built. */
    server: { type: 'string', default: hasKubernetes() ? 'kubernetes' : 'holdfast' },
    /** dist/ in place of the source: what users run, and smaller. */
    built: { type: 'boolean', default: false },
    /** A directory for CPU profiles of our sidecars. */
    profile: { type: 'string' },
    /** A further word for Node in our sidecars, such as --node=--max-semi-space-size=4. */
    node: { type: 'string', multiple: true, default: [] },
  },
})
const isAsked = (section: (typeof SECTIONS)[number]): boolean => options.only.split(',').includes(section)
const VOLUMES = Number(options.volumes ?? (options.quick ? 200 : 1000))
const ROUNDS = Number(options.rounds ?? (options.quick ? 1 : 2))
const REQUESTS = 64
const WARM_UP = Math.min(200, VOLUMES)
const ALONE = options.quick ? 30 : 100
// With its default settings a Go attacher makes 1.7 of them a second.
const FEW_VOLUMES = options.quick ? 15 : 50
const OTHER_VOLUMES = options.quick ? 2000 : 10_000
const SETTLE_MS = 3000
const MEBIBYTE = 1024 * 1024

const write = (line: string): void => void process.stdout.write(`${line}\n`)
const names = availableSubjects().filter((name) => options.subjects.split(',').includes(name))
const REFERENCE = SUBJECT_TITLES[names.includes('go') ? 'go' : (names[0] ?? 'together')]

const startMs = performance.now()
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit(1))
if (names.length === 0) throw new Error('there is nothing to measure')
if (!names.includes('go') && options.subjects.includes('go'))
  write('the Go sidecars are not beside the peers of npm run test:kubernetes: ours alone')

const directory = mkdtempSync(join(tmpdir(), 'holdfast-bench-'))
const socket = join(directory, 'csi.sock')
const users = Object.fromEntries(ACCOUNTS.map((account) => [account, sidecarUser(account)]))
const APISERVER_FLAGS = [
  // Protection of objects in use would need a controller that lifts it.
  '--disable-admission-plugins=ServiceAccount,StorageObjectInUseProtection',
  // A write to the log for each request would slow the server.
  '--audit-log-mode=batch',
  '--audit-log-batch-max-wait=500ms',
  '--audit-log-batch-throttle-enable=false',
]
const server = await (options.server === 'kubernetes'
  ? startAuditedKubernetes({ users, apiserverFlags: APISERVER_FLAGS })
  : startAuditedHoldfast({ users, durable: true }))
const driver = startLogged(
  process.execPath,
  [join(import.meta.dirname, 'sidecars/null-driver.ts'), `unix://${socket}`, DRIVER],
  join(directory, 'driver.log'),
)
await driver.ready
const { api, close } = await connectAdmin(server)
await grantSidecars(api, {
  'csi-provisioner': ['csi-provisioner', 'csi-sidecar'],
  'csi-attacher': ['csi-attacher', 'csi-sidecar'],
  'csi-resizer': ['csi-sidecar'],
  'csi-snapshotter': ['csi-sidecar'],
})
await api.create(STORAGE_CLASSES, storageClass)
for (const node of csiNodes) await api.create(CSI_NODES, node)
const place = {
  server,
  socket,
  directory,
  built: options.built,
  nodeFlags: [
    ...options.node,
    ...(options.profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${resolve(options.profile)}`]),
  ],
}

/** With sidecars of its own, which are gone afterwards. */
async function withSubject<T>(
  name: SubjectName,
  settings: Settings,
  use: (subject: RunningSubject, load: Load) => Promise<T>,
): Promise<T> {
  const subject = startSubject(name, settings, place)
  const load = await startLoad(api)
  try {
    return await use(subject, load)
  } catch (error) {
    write(`${SUBJECT_TITLES[name]} failed: ${subject.describe()}`)
    throw error
  } finally {
    await load.stop()
    await subject.stop()
  }
}

type Measured = { name: SubjectName; runs: RunNumbers[] }

async function measure(
  settings: Settings,
  rounds: number,
  of: (name: SubjectName) => Omit<RunOptions, 'prefix' | 'requests'>,
): Promise<Measured[]> {
  const measured = names.map((name): Measured => ({ name, runs: [] }))
  // In turn, so that whatever else the machine does falls on all of them alike.
  for (let round = 0; round < rounds; round++) {
    for (const { name, runs } of measured) {
      const run = { prefix: `${settings}-${name}-${round}`, requests: REQUESTS, ...of(name) }
      runs.push(await withSubject(name, settings, (subject, load) => measureRun(load, subject, run)))
    }
  }
  return measured
}

const middle = (runs: readonly RunNumbers[], of: (run: RunNumbers) => number): number => median(runs.map(of))

function printPhases(title: string, measured: readonly Measured[]): void {
  const column = (phase: Phase, key: keyof PhaseNumbers) => (runs: readonly RunNumbers[]) =>
    middle(runs, ({ phases }) => phases[phase][key])
  for (const phase of PHASES) {
    const cells = (['perSecond', 'p50Ms', 'p99Ms', 'cpuMicros', 'aloneP50Ms', 'aloneP99Ms'] as const).map((key) =>
      column(phase, key),
    )
    const rows = measured.map(({ name, runs }) => ({
      name: SUBJECT_TITLES[name],
      cells: cells.map((cell) => cell(runs)),
    }))
    write('')
    process.stdout.write(
      formatTable(
        {
          title: `${phase}, ${title}`,
          columns: ['a second', 'p50 ms', 'p99 ms', 'CPU µs', 'alone p50', 'alone p99'],
          rows,
        },
        { to: REFERENCE, better: 'more' },
      ),
    )
  }
  const rows = measured.map(({ name, runs }) => ({
    name: SUBJECT_TITLES[name],
    cells: [middle(runs, ({ lifeMicros }) => lifeMicros), ...PHASES.map((phase) => column(phase, 'cpuMicros')(runs))],
  }))
  write('')
  process.stdout.write(
    formatTable(
      { title: `CPU a volume, ${title}`, columns: ['life µs', ...PHASES], rows },
      { to: REFERENCE, better: 'less' },
    ),
  )
}

function printCalls(measured: readonly Measured[]): void {
  const requests = server.requests()
  for (const phase of PHASES) {
    write('')
    write(`${phase}, API calls a volume`)
    for (const { name, runs } of measured) {
      const last = runs.at(-1)
      if (last) write(`${SUBJECT_TITLES[name].padEnd(30)}${formatCalls(countCalls(requests, last)[phase])}`)
    }
  }
}

function formatCalls(calls: Calls): string {
  const shown = [...calls].filter(([, count]) => count >= 0.005).toSorted(([, a], [, b]) => b - a)
  return shown.length === 0 ? 'none' : shown.map(([call, count]) => `${call} ${count.toFixed(2)}`).join(', ')
}

/** Memory of sidecars that were just started and have done one thing, so that their caches are full. */
async function measureMemory(name: SubjectName, label: string): Promise<[resident: number, peak: number]> {
  return withSubject(name, 'tuned', async ({ pids }, load) => {
    const volumes = loadedVolumes(`${label}-${name}`, 1)
    await load.run('provision', volumes, 1)
    await load.settle('provision', volumes)
    await load.run('attach', volumes, 1)
    await load.run('detach', volumes, 1)
    await load.settle('delete', volumes)
    await load.run('delete', volumes, 1)
    await delay(SETTLE_MS)
    return [residentBytes(pids), peakBytes(pids)]
  })
}

async function benchMemory(): Promise<void> {
  const empty = new Map<SubjectName, number>()
  for (const name of names) empty.set(name, (await measureMemory(name, 'empty'))[0])
  await inFlight(
    Array.from({ length: OTHER_VOLUMES }, (_, index) => otherVolume(index)),
    REQUESTS,
    async ({ volume, claim }) => {
      const stored = await api.create(PERSISTENT_VOLUME_CLAIMS, claim)
      const claimRef = {
        ...volume.spec.claimRef,
        ...(stored.metadata.uid === undefined ? {} : { uid: stored.metadata.uid }),
      }
      await api.create(PERSISTENT_VOLUMES, { ...volume, spec: { ...volume.spec, claimRef } })
      await api.patch(
        PERSISTENT_VOLUMES,
        { name: volume.metadata.name ?? '' },
        { type: 'merge', value: { status: { phase: 'Bound' } } },
        { subresource: 'status' },
      )
    },
  )
  const rows: { name: string; cells: number[] }[] = []
  for (const name of names) {
    const [resident, peak] = await measureMemory(name, 'full')
    rows.push({
      name: SUBJECT_TITLES[name],
      cells: [resident, peak, empty.get(name) ?? Number.NaN].map((bytes) => bytes / MEBIBYTE),
    })
  }
  write('')
  process.stdout.write(
    formatTable(
      { title: `memory, ${OTHER_VOLUMES} volumes`, columns: ['MiB', 'peak MiB', 'without MiB'], rows },
      { to: REFERENCE, better: 'less' },
    ),
  )
}

try {
  write(
    `on ${options.server === 'kubernetes' ? 'kube-apiserver + etcd' : 'holdfast apiserver --data'}, a driver that does nothing; ratios to ${REFERENCE}, above 1 is better`,
  )
  if (isAsked('tuned')) {
    const tuned = await measure('tuned', ROUNDS, () => ({ volumes: VOLUMES, warmUp: WARM_UP, alone: ALONE }))
    printPhases('tuned', tuned)
    await delay(SETTLE_MS)
    printCalls(tuned)
  }
  if (isAsked('default')) {
    const byDefault = await measure('default', 1, (name) =>
      name === 'go' ? { volumes: FEW_VOLUMES, warmUp: 0, alone: 0 } : { volumes: VOLUMES, warmUp: WARM_UP, alone: 0 },
    )
    printPhases('default settings', byDefault)
    if (names.includes('go'))
      write(
        `Go with ${FEW_VOLUMES} volumes and no warm-up, ours with ${VOLUMES}: its default limit makes the rest of a longer run the same`,
      )
  }
  if (isAsked('memory')) await benchMemory()
} finally {
  close()
  await driver.stop()
  await server.stop()
  rmSync(directory, { recursive: true, force: true })
}
write('')
write(`node ${process.version}, ${VOLUMES} volumes, ${((performance.now() - startMs) / 1000).toFixed(0)} s`)
