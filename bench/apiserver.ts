import { tmpdir } from 'node:os'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { startClient } from './apiserver/client.ts'
import type { Client } from './apiserver/client.ts'
import { claim, volume } from './apiserver/objects.ts'
import { cpuMicros, peakBytes, residentBytes } from './apiserver/process-usage.ts'
import { hasKubernetes, SERVER_TITLES, startServer } from './apiserver/servers.ts'
import type { RunningServer, ServerName } from './apiserver/servers.ts'
import { formatTable } from './apiserver/table.ts'
import type { Table } from './apiserver/table.ts'
import type { Task, TaskResult, Watched } from './apiserver/task.ts'

// What the API server costs: npm run bench apiserver [-- --quick --only=create,watch …]. How to read it: bench/README.md.
const SECTIONS = ['start', 'create', 'memory', 'patch', 'get', 'list', 'watch', 'restart'] as const
type Section = (typeof SECTIONS)[number]

const { values: options } = parseArgs({
  options: {
    /** Fewer of everything: numbers to look at, not to compare. */
    quick: { type: 'boolean', default: false },
    /** Sections, with commas between. Default: all. */
    only: { type: 'string', default: SECTIONS.join(',') },
    /** Servers, with commas between. Default: all whose programs are there. */
    servers: { type: 'string', default: Object.keys(SERVER_TITLES).join(',') },
    /** Where state is kept. Default: the temporary directory. */
    data: { type: 'string', default: tmpdir() },
    /** dist/ in place of the source. */
    built: { type: 'boolean', default: false },
    /** A directory for CPU profiles of our servers. */
    profile: { type: 'string' },
  },
})
const isAsked = (section: Section): boolean => options.only.split(',').includes(section)
const scale = (count: number): number => (options.quick ? Math.ceil(count / 5) : count)

const OBJECTS = scale(10_000) * 2
const WARM_UP = scale(2000)
const CREATES: readonly [inFlight: number, count: number][] = [
  [1, scale(500)],
  [16, scale(3000)],
  [64, OBJECTS - WARM_UP - scale(500) - scale(3000)],
]
const PATCHES: typeof CREATES = [
  [1, scale(300)],
  [16, scale(2000)],
  [64, scale(3000)],
]
// Claims that every server has.
const PATCHED = scale(4000)
const GETS: typeof CREATES = [
  [1, scale(500)],
  [64, scale(5000)],
]
const LISTS = options.quick ? 3 : 7
const FEW_WATCHERS = 100
const MANY_WATCHERS = scale(5000)
// Few, so that those who watch can keep up.
const WRITERS = 4
const MEBIBYTE = 1024 * 1024

const write = (line: string): void => void process.stdout.write(`${line}\n`)

type Subject = { name: ServerName; server: RunningServer; client: Client }
const serverOptions = {
  parentDirectory: resolve(options.data),
  built: options.built,
  nodeFlags: options.profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${resolve(options.profile)}`],
}
const names = (Object.keys(SERVER_TITLES) as ServerName[]).filter(
  (name) => options.servers.split(',').includes(name) && (name !== 'kubernetes' || hasKubernetes()),
)
const REFERENCE = SERVER_TITLES[names.includes('kubernetes') ? 'kubernetes' : 'holdfast']

/** Is it measured in full? The others only where the way state is kept makes a difference. */
const isDistinct = ({ name }: Subject): boolean => name === 'holdfast' || name === 'kubernetes'

type Measured = TaskResult & { serverMicros: number }

/** Lets the client do it, and counts the CPU time that the server takes for one operation. */
async function perform({ server, client }: Subject, task: Task): Promise<Measured> {
  const before = cpuMicros(server.pids)
  const result = await client.perform(task)
  return { ...result, serverMicros: (cpuMicros(server.pids) - before) / result.operations }
}

function print(table: Table, better: 'more' | 'less'): void {
  write('')
  process.stdout.write(formatTable(table, { to: REFERENCE, better }))
}

async function tabulate(
  title: string,
  subjects: readonly Subject[],
  taskFor: (subject: Subject) => Task,
): Promise<void> {
  const rows: { name: string; cells: number[] }[] = []
  for (const subject of subjects) {
    const { operations, elapsedMs, p50Ms, p99Ms, serverMicros, clientMicros } = await perform(subject, taskFor(subject))
    rows.push({
      name: SERVER_TITLES[subject.name],
      cells: [(operations / elapsedMs) * 1000, p50Ms, p99Ms, serverMicros, clientMicros],
    })
  }
  print({ title, columns: ['a second', 'p50 ms', 'p99 ms', 'server CPU µs', 'client CPU µs'], rows }, 'more')
}

async function benchStart(): Promise<void> {
  const rows: { name: string; cells: number[] }[] = []
  for (const name of names.filter((each) => each !== 'slow-disk')) {
    const starts: [readyMs: number, createMs: number][] = []
    for (let round = 0; round < (options.quick || name === 'kubernetes' ? 1 : 3); round++) {
      const server = await startServer(name, serverOptions)
      const client = startClient(server)
      const { elapsedMs } = await client.perform({
        kind: 'create',
        what: 'volumes and claims',
        from: 0,
        count: 1,
        inFlight: 1,
      })
      starts.push([server.readyMs, elapsedMs])
      await client.stop()
      await server.stop()
    }
    const [readyMs, createMs] = starts.sort(([a], [b]) => a - b)[Math.floor(starts.length / 2)] ?? [
      Number.NaN,
      Number.NaN,
    ]
    rows.push({ name: SERVER_TITLES[name], cells: [readyMs, createMs] })
  }
  print({ title: 'start, nothing stored', columns: ['ready ms', 'create ms'], rows }, 'less')
}

async function benchCreate(subjects: readonly Subject[]): Promise<void> {
  let from = 0
  for (const subject of subjects)
    await subject.client.perform({ kind: 'create', what: 'volumes and claims', from, count: WARM_UP, inFlight: 16 })
  from += WARM_UP
  for (const [inFlight, count] of CREATES) {
    const first = from
    const taskFor = (subject: Subject): Task => ({
      kind: 'create',
      what: 'volumes and claims',
      from: first,
      count: isDistinct(subject) ? count : Math.min(count, scale(4000)),
      inFlight,
    })
    if (isAsked('create')) await tabulate(`create, ${inFlight} in flight`, subjects, taskFor)
    else for (const subject of subjects) await subject.client.perform(taskFor(subject))
    from += count
  }
}

type Memory = ReadonlyMap<Subject, { idle: number; loaded: number }>

function printMemory(memory: Memory): void {
  const rows = Array.from(memory, ([{ name, server }, { idle, loaded }]) => ({
    name: SERVER_TITLES[name],
    cells: [loaded, peakBytes(server.pids), idle].map((bytes) => bytes / MEBIBYTE),
  }))
  print({ title: `memory, ${OBJECTS} objects`, columns: ['MiB', 'peak MiB', 'before MiB'], rows }, 'less')
}

async function benchWatch(subjects: readonly Subject[]): Promise<void> {
  for (const { client } of subjects)
    await client.perform({ kind: 'create', what: 'pods', from: 0, count: MANY_WATCHERS, inFlight: 64 })
  await benchFanOut(subjects, {
    watched: 'claims',
    watchers: FEW_WATCHERS,
    objects: FEW_WATCHERS,
    eventsEach: FEW_WATCHERS,
    count: scale(500),
  })
  for (const watched of ['pods by node', 'volumes by name'] as const) {
    for (const watchers of [FEW_WATCHERS, MANY_WATCHERS]) {
      await benchFanOut(subjects, { watched, watchers, objects: watchers, eventsEach: 1, count: scale(1000) })
    }
  }
}

type FanOut = { watched: Watched; watchers: number; objects: number; eventsEach: number; count: number }

async function benchFanOut(
  subjects: readonly Subject[],
  { watched, watchers, objects, eventsEach, count }: FanOut,
): Promise<void> {
  const rows: { name: string; cells: (number | undefined)[] }[] = []
  for (const subject of subjects) {
    const { client } = subject
    const change = { kind: 'change', watched, objects } as const
    // The same changes with nobody watching: the rest is what telling costs.
    const alone = await perform(subject, { ...change, count, inFlight: WRITERS, eventsEach: 0 })
    const opened = await client.perform({ kind: 'open watches', watched, watchers })
    const told = await perform(subject, { ...change, count, inFlight: WRITERS, eventsEach })
    const { p50Ms, p99Ms } = await client.perform({
      ...change,
      count: Math.min(count, scale(200)),
      inFlight: 1,
      eventsEach,
    })
    await client.perform({ kind: 'close watches' })
    // One event more or less drowns in what else a write costs.
    const perEvent = eventsEach > 1 ? (told.serverMicros - alone.serverMicros) / eventsEach : undefined
    const eventsPerSecond = (count * eventsEach * 1000) / told.elapsedMs
    if (told.lostWatches > 0)
      write(
        `${SERVER_TITLES[subject.name]} ended ${told.lostWatches} of ${watchers} watches of ${watched}: the numbers below mean nothing`,
      )
    rows.push({
      name: SERVER_TITLES[subject.name],
      cells: [
        eventsPerSecond,
        perEvent,
        told.serverMicros,
        alone.serverMicros,
        p50Ms,
        p99Ms,
        opened.elapsedMs / watchers,
      ],
    })
  }
  const columns = ['events/s', 'CPU/event µs', 'CPU/write µs', 'unwatched µs', 'told p50 ms', 'told p99 ms', 'open ms']
  print({ title: `${watchers} watch ${watched}`, columns, rows }, 'more')
}

async function benchRestart(subjects: readonly Subject[]): Promise<void> {
  const rows: { name: string; cells: number[] }[] = []
  for (const { name, server, client } of subjects) {
    if (!server.restart) continue
    await client.stop()
    const again = await server.restart()
    rows.push({ name: SERVER_TITLES[name], cells: [again.readyMs, residentBytes(again.pids) / MEBIBYTE] })
    await again.stop()
  }
  print({ title: `start, ${OBJECTS} objects stored`, columns: ['ready ms', 'MiB'], rows }, 'less')
}

const startMs = performance.now()
// What was started is ended in any case.
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit(1))
if (!names.includes('kubernetes') && options.servers.includes('kubernetes'))
  write('kube-apiserver and etcd are not built (npm run test:kubernetes builds them): ours alone')
write(
  `volumes of ${JSON.stringify(volume(1)).length} bytes, claims of ${JSON.stringify(claim(1)).length}; state in ${options.data === tmpdir() ? 'the temporary directory' : options.data}; ratios to ${REFERENCE}, above 1 is better`,
)
if (isAsked('start')) await benchStart()

const subjects: Subject[] = []
try {
  for (const name of names) {
    const server = await startServer(name, serverOptions)
    subjects.push({ name, server, client: startClient(server) })
  }
  const idle = new Map(subjects.map((subject) => [subject, residentBytes(subject.server.pids)]))
  await benchCreate(subjects)
  const distinct = subjects.filter(isDistinct)
  if (isAsked('memory'))
    printMemory(
      new Map(
        distinct.map((subject) => [
          subject,
          { idle: idle.get(subject) ?? 0, loaded: residentBytes(subject.server.pids) },
        ]),
      ),
    )
  if (isAsked('patch'))
    for (const [inFlight, count] of PATCHES)
      await tabulate(`patch status, ${inFlight} in flight`, subjects, () => ({
        kind: 'patch status',
        objects: PATCHED,
        count,
        inFlight,
      }))
  const volumes = OBJECTS / 2
  if (isAsked('get'))
    for (const [inFlight, count] of GETS)
      await tabulate(`get, ${inFlight} in flight`, distinct, () => ({ kind: 'get', objects: volumes, count, inFlight }))
  if (isAsked('list')) await tabulate(`list of ${volumes}`, distinct, () => ({ kind: 'list', count: LISTS }))
  if (isAsked('watch')) await benchWatch(distinct)
  if (isAsked('restart')) await benchRestart(distinct)
} finally {
  for (const { server, client } of subjects) {
    await client.stop()
    await server.stop()
  }
}
write('')
write(`node ${process.version}, ${((performance.now() - startMs) / 1000).toFixed(0)} s`)
