import { tmpdir } from 'node:os'
import { resolve } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { STORAGE_CLASSES } from '../src/api/kinds/storage-class.ts'
import type { AuditedRequest } from '../test/kubernetes/start-audited-server.ts'
import { formatTable } from './apiserver/table.ts'
import { startLoad } from './cluster/load.ts'
import type { Load } from './cluster/load.ts'
import { measure, memoryOf, total } from './cluster/measure.ts'
import type { ByComponent, Numbers } from './cluster/measure.ts'
import { storageClass } from './cluster/objects.ts'
import { registerNodes } from './cluster/play-nodes.ts'
import { ACCOUNTS, startStage } from './cluster/stage.ts'
import type { Stage, StageOptions } from './cluster/stage.ts'
import { quantile } from './sidecars/measure.ts'

// What a whole cluster makes of claims and pods: npm run bench cluster [-- --quick --claims=1000,10000 …]. How to read it: bench/README.md.
const SECTIONS = ['writes', 'claims', 'scheduling'] as const
const SERVERS = { holdfast: 'state on the disk', memory: 'state in memory' } as const

const { values: options } = parseArgs({
  options: {
    /** Fewer of everything: numbers to look at, not to compare. */
    quick: { type: 'boolean', default: false },
    /** Sections, with commas between. Default: all. */
    only: { type: 'string', default: SECTIONS.join(',') },
    /** Where the API server keeps state, with commas between: holdfast, memory. Default: both; quick: holdfast. */
    servers: { type: 'string' },
    /** How many claims at once, with commas between. Ratios are to the first. Default 1000,10000. */
    claims: { type: 'string' },
    /** Nodes that the pods of those claims run on. Default 100. */
    nodes: { type: 'string' },
    /** Nodes, and pods to be placed on them. Default 5,000 and 2,000. */
    'scheduling-nodes': { type: 'string' },
    'scheduling-pods': { type: 'string' },
    /** Volumes are made only once a pod has a place. */
    delayed: { type: 'boolean', default: false },
    /** Server, controllers and sidecar in one process, as `holdfast up` has them. */
    'one-process': { type: 'boolean', default: false },
    /** Where state is kept. */
    data: { type: 'string', default: tmpdir() },
    /** dist/ in place of the source: what users run, and smaller. */
    built: { type: 'boolean', default: false },
    /** A directory for CPU profiles of all programs. */
    profile: { type: 'string' },
  },
})
const isAsked = (section: (typeof SECTIONS)[number]): boolean => options.only.split(',').includes(section)
const CHOSEN_SERVERS = (Object.keys(SERVERS) as (keyof typeof SERVERS)[]).filter((name) =>
  (options.servers ?? (options.quick ? 'holdfast' : Object.keys(SERVERS).join(','))).split(',').includes(name),
)
const COUNTS = (options.claims ?? (options.quick ? '50,200' : '1000,10000')).split(',').map(Number)
const NODES = Number(options.nodes ?? (options.quick ? 20 : 100))
const SCHEDULING_NODES = Number(options['scheduling-nodes'] ?? (options.quick ? 500 : 5000))
const SCHEDULING_PODS = Number(options['scheduling-pods'] ?? (options.quick ? 200 : 2000))
const COUNTED = options.quick ? 100 : 500
const WARM_UP = options.quick ? 50 : 300
const ALONE = options.quick ? 10 : 50
const REQUESTS = 64
// Of Kubernetes, for pods with CSI volumes on 5,000 nodes: below this its own measurement of scheduling fails.
const PASS_LINE = 48

const write = (line: string): void => void process.stdout.write(`${line}\n`)
const stageOptions: StageOptions = {
  isDurable: false,
  isOneProcess: options['one-process'],
  isAudited: false,
  controllers: '*',
  withSidecar: true,
  parentDirectory: resolve(options.data),
  built: options.built,
  nodeFlags: options.profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${resolve(options.profile)}`],
}

/** With a cluster and nodes of its own, which are gone afterwards. */
async function withStage<T>(
  own: Partial<StageOptions>,
  nodes: { count: number; isLimited: boolean },
  use: (stage: Stage, load: Load) => Promise<T>,
): Promise<T> {
  const stage = await startStage({ ...stageOptions, ...own })
  try {
    await stage.api.create(STORAGE_CLASSES, storageClass(options.delayed))
    await registerNodes(stage.api, nodes.count, nodes)
    const load = await startLoad(stage.api)
    try {
      return await use(stage, load)
    } finally {
      await load.stop()
    }
  } catch (error) {
    write(stage.describe())
    throw error
  } finally {
    await stage.stop()
  }
}

const namesOf = (prefix: string, count: number): string[] =>
  Array.from({ length: count }, (_, index) => `${prefix}-${index}`)

async function warmUp(load: Load): Promise<void> {
  const names = namesOf('warm', WARM_UP)
  await load.attach(names, REQUESTS)
  await load.remove(names, REQUESTS)
}

/** Who writes what for one claim. Audited, and so not measured. */
async function countWrites(): Promise<void> {
  await withStage({ isAudited: true, isOneProcess: false }, { count: NODES, isLimited: false }, async (stage, load) => {
    const names = namesOf('counted', COUNTED)
    for (const [phase, act] of [
      ['attach', load.attach],
      ['remove', load.remove],
    ] as const) {
      const [fromMs, nodeWrites] = [Date.now(), load.nodeWrites()]
      const { writes } = await measure(stage, load, COUNTED, () => act(names, REQUESTS))
      // Lines of the audit log are written a moment later.
      await delay(500)
      const requests = stage
        .requests()
        .filter(({ receivedMs, verb }) => receivedMs >= fromMs && !['get', 'list', 'watch'].includes(verb))
      write('')
      write(
        `${phase}, API writes a claim: ${writes.toFixed(2)}, of them ${((load.nodeWrites() - nodeWrites) / COUNTED).toFixed(2)} by the played nodes and 2.00 by the user`,
      )
      for (const [name, { user }] of Object.entries(ACCOUNTS))
        write(
          formatWrites(
            name,
            requests.filter((request) => request.user === user),
          ),
        )
    }
  })
}

function formatWrites(name: string, requests: readonly AuditedRequest[]): string {
  const counts = new Map<string, number>()
  for (const { verb, resource, code } of requests) {
    const key = `${verb} ${resource}${code >= 400 ? ` (${code})` : ''}`
    counts.set(key, (counts.get(key) ?? 0) + 1)
  }
  const shown = [...counts]
    .toSorted(([, a], [, b]) => b - a)
    .map(([key, count]) => `${key} ${(count / COUNTED).toFixed(2)}`)
  return `${name.padEnd(14)}${(requests.length / COUNTED).toFixed(2).padStart(6)}: ${shown.join(', ')}`
}

type Run = {
  readonly count: number
  readonly attach: Numbers
  readonly remove: Numbers
  readonly memory: Readonly<Record<'attached' | 'peak' | 'removed', ByComponent>>
}

async function benchClaims(server: keyof typeof SERVERS): Promise<void> {
  await withStage({ isDurable: server === 'holdfast' }, { count: NODES, isLimited: false }, async (stage, load) => {
    await warmUp(load)
    const runs: Run[] = []
    for (const count of COUNTS) {
      const names = namesOf(`of-${count}`, count)
      const attach = await measure(stage, load, count, () => load.attach(names, REQUESTS))
      const attached = memoryOf(stage.pids, 'resident')
      const remove = await measure(stage, load, count, () => load.remove(names, REQUESTS))
      runs.push({
        count,
        attach,
        remove,
        memory: { attached, peak: memoryOf(stage.pids, 'peak'), removed: memoryOf(stage.pids, 'resident') },
      })
    }
    const alone = namesOf('alone', ALONE)
    const timesMs: number[] = []
    for (const name of alone) timesMs.push(...(await load.attach([name], 1)).timesMs)
    await load.remove(alone, REQUESTS)
    printRuns(server, runs, Object.keys(stage.pids), timesMs)
  })
}

function printRuns(
  server: keyof typeof SERVERS,
  runs: readonly Run[],
  components: readonly string[],
  aloneMs: readonly number[],
): void {
  const title = (phase: string): string => `${phase}, ${SERVERS[server]}`
  const nameOf = ({ count }: Run): string => `${count} claims`
  const reference = { to: runs[0] ? nameOf(runs[0]) : '', better: 'less' } as const
  const cpuCells = ({ cpuMicros }: Numbers): number[] => components.map((name) => cpuMicros[name] ?? Number.NaN)
  const cpuColumns = components
  const attachRows = runs.map((run) => ({
    name: nameOf(run),
    cells: [
      total(run.attach.cpuMicros),
      run.attach.perSecond,
      run.attach.p50Ms,
      run.attach.p99Ms,
      run.attach.writes,
      run.attach.nodeWrites,
      ...cpuCells(run.attach),
    ],
  }))
  write('')
  process.stdout.write(
    formatTable(
      {
        title: title('attach'),
        columns: ['CPU µs', 'a second', 'p50 ms', 'p99 ms', 'writes', 'by nodes', ...cpuColumns],
        rows: attachRows,
      },
      reference,
    ),
  )
  write(
    `one claim after the other: p50 ${quantile(aloneMs, 0.5).toFixed(1)} ms, p99 ${quantile(aloneMs, 0.99).toFixed(1)} ms`,
  )
  const removeRows = runs.map((run) => ({
    name: nameOf(run),
    cells: [
      total(run.remove.cpuMicros),
      run.remove.perSecond,
      run.count / run.remove.perSecond,
      run.remove.writes,
      run.remove.nodeWrites,
      ...cpuCells(run.remove),
    ],
  }))
  write('')
  process.stdout.write(
    formatTable(
      {
        title: title('remove'),
        columns: ['CPU µs', 'a second', 'seconds', 'writes', 'by nodes', ...cpuColumns],
        rows: removeRows,
      },
      reference,
    ),
  )
  const memoryRows = runs.flatMap((run) =>
    (['attached', 'removed', 'peak'] as const).map((when) => ({
      name: `${nameOf(run)}, ${when}`,
      cells: [total(run.memory[when]), ...components.map((name) => run.memory[when][name])],
    })),
  )
  write('')
  process.stdout.write(
    formatTable(
      { title: title('memory'), columns: ['MiB', ...components], rows: memoryRows },
      { to: `${reference.to}, attached`, better: 'less' },
    ),
  )
}

/** Pods whose volumes are bound, on many nodes: until each has a node. */
async function benchScheduling(): Promise<void> {
  const rows: { name: string; cells: number[] }[] = [{ name: "Kubernetes' pass line", cells: [PASS_LINE] }]
  const alone = { controllers: 'scheduler', withSidecar: false }
  for (const [name, own] of [
    ...(options['one-process'] ? [] : [['scheduler alone', alone] as const]),
    ['whole cluster', {}] as const,
  ]) {
    await withStage({ isDurable: true, ...own }, { count: SCHEDULING_NODES, isLimited: true }, async (stage, load) => {
      const [warm, names] = [namesOf('warm', WARM_UP), namesOf('placed', SCHEDULING_PODS)]
      await load.bind([...warm, ...names], REQUESTS)
      await load.place(warm, REQUESTS)
      const { perSecond, p50Ms, p99Ms, cpuMicros } = await measure(stage, load, SCHEDULING_PODS, () =>
        load.place(names, REQUESTS),
      )
      rows.push({
        name,
        cells: [
          perSecond,
          p50Ms,
          p99Ms,
          total(cpuMicros),
          cpuMicros['server'] ?? Number.NaN,
          cpuMicros['controllers'] ?? Number.NaN,
        ],
      })
    })
  }
  write('')
  process.stdout.write(
    formatTable(
      {
        title: `${SCHEDULING_PODS} pods, ${SCHEDULING_NODES} nodes`,
        columns: ['pods a second', 'p50 ms', 'p99 ms', 'CPU µs', 'server', 'controllers'],
        rows,
      },
      { to: "Kubernetes' pass line", better: 'more' },
    ),
  )
}

const startMs = performance.now()
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit(1))
write(
  `${NODES} nodes, ${REQUESTS} requests at a time, a driver that does nothing; ratios to the first row, above 1 is better`,
)
if (isAsked('writes')) await countWrites()
if (isAsked('claims')) for (const server of CHOSEN_SERVERS) await benchClaims(server)
if (isAsked('scheduling')) await benchScheduling()
write('')
write(`node ${process.version}, ${((performance.now() - startMs) / 1000).toFixed(0)} s`)
