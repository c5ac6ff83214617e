import { writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { ROOT } from '../scripts/run.ts'
import { STORAGE_CLASSES } from '../src/api/kinds/storage-class.ts'
import { formatTable } from './apiserver/table.ts'
import { OBJECTS_PER_VOLUME, startLoad } from './cluster/load.ts'
import type { Load } from './cluster/load.ts'
import { measure, memoryOf, total } from './cluster/measure.ts'
import type { Numbers } from './cluster/measure.ts'
import { storageClass } from './cluster/objects.ts'
import { registerNodes } from './cluster/play-nodes.ts'
import { startStage } from './cluster/stage.ts'
import type { Stage, StageOptions } from './cluster/stage.ts'
import { drawScale } from './scale/draw-scale.ts'
import { fillCluster, readPattern } from './scale/fill-cluster.ts'
import type { Pattern } from './scale/fill-cluster.ts'
import { quantile } from './sidecars/measure.ts'
import { untilQuiet } from './sidecars/until-quiet.ts'

// How the cost of one volume depends on the size of the cluster: npm run bench scale [-- --volumes=100,1000 --nodes=100,5000]. How to read it: bench/README.md.
const { values: options } = parseArgs({
  options: {
    /** Volumes, with commas between, each on its own cluster. */
    volumes: { type: 'string', default: '100,1000,10000,100000' },
    /** Nodes, with commas between, each with 1,000 volumes. */
    nodes: { type: 'string', default: '100,1000,5000' },
    /** No further size is begun after this many minutes. */
    minutes: { type: 'string', default: '40' },
    /** The cluster is empty, and gets all volumes at once. 100,000 take most of an hour. */
    'at-once': { type: 'boolean', default: false },
    data: { type: 'string', default: tmpdir() },
    /** Where the picture is written. Empty: nowhere. */
    picture: { type: 'string', default: 'docs/scale.svg' },
  },
})
const REQUESTS = 64
// As many as are measured: a program that has just started is still being compiled.
const WARM_UP = 1000
const ADDED = 1000
const ROUNDS = 3
const VOLUMES_PER_NODE = 20
const FEWEST_NODES = 100
const MOST_NODES = 5000
const VOLUMES_OF_NODES = 1000
const MEBIBYTE = 1024 * 1024
const PODS_ASKED_FOR = 150_000

type Size = { readonly volumes: number; readonly nodes: number }
type Point = Size & {
  readonly cpuMicros: number
  readonly wallMicros: number
  readonly removeMicros: number
  readonly liveBytes: number
  readonly baseBytes: number
  readonly residentMiB: number
  readonly removedBytes: number
}

const write = (line: string): void => void process.stdout.write(`${line}\n`)
const listOf = (text: string): number[] => text.split(',').filter(Boolean).map(Number)

/** Nodes grow with volumes, as in a cluster: 20 volumes each. */
const nodesFor = (volumes: number): number =>
  Math.min(MOST_NODES, Math.max(FEWEST_NODES, Math.ceil(volumes / VOLUMES_PER_NODE)))

const stageOptions: StageOptions = {
  isDurable: true,
  isOneProcess: true,
  isAudited: false,
  controllers: '*',
  withSidecar: true,
  parentDirectory: resolve(options.data),
  built: false,
  nodeFlags: ['--expose-gc', '--max-old-space-size=8192'],
}
const namesOf = (prefix: string, count: number): string[] =>
  Array.from({ length: count }, (_, index) => `${prefix}-${index}`)

async function withStage<T>(fill: StageOptions['fill'], use: (stage: Stage) => Promise<T>): Promise<T> {
  const stage = await startStage({ ...stageOptions, ...(fill ? { fill } : {}) })
  try {
    return await use(stage)
  } catch (error) {
    write(stage.describe())
    throw error
  } finally {
    await stage.stop()
  }
}

async function withLoad<T>(stage: Stage, use: (load: Load) => Promise<T>): Promise<T> {
  const load = await startLoad(stage.api)
  try {
    return await use(load)
  } finally {
    await load.stop()
  }
}

/** One volume, as a cluster leaves it. */
const makePattern = (): Promise<Pattern> =>
  withStage(undefined, async (stage) => {
    await stage.api.create(STORAGE_CLASSES, storageClass(false))
    await registerNodes(stage.api, 1, { isLimited: false })
    await withLoad(stage, (load) => load.attach(['volume-of-the-pattern'], 1))
    await untilQuiet(Object.values(stage.pids).flat())
    return readPattern(stage.api)
  })

/** The cluster has all these volumes, and gets some more. */
async function measureSize(pattern: Pattern, { volumes, nodes }: Size): Promise<Point> {
  const present = options['at-once'] ? 0 : volumes
  const added = options['at-once'] ? volumes : ADDED
  const fillWith = (count: number) => (directory: string) => fillCluster(directory, pattern, { volumes: count, nodes })
  const emptyBytes = await withStage(fillWith(0), (stage) => stage.liveBytes())
  return withStage(fillWith(present), async (stage) => {
    const all = Object.values(stage.pids).flat()
    await untilQuiet(all)
    const filledBytes = await stage.liveBytes()
    return withLoad(stage, async (load) => {
      const warm = namesOf('warm', WARM_UP)
      await load.attach(warm, REQUESTS)
      await load.remove(warm, REQUESTS)
      const rounds: { attached: Numbers; removed: Numbers }[] = []
      const names = namesOf('added', added)
      let attachedBytes = filledBytes
      let residentMiB = 0
      for (let round = 0; round < (options['at-once'] ? 1 : ROUNDS); round++) {
        const attached = await measure(stage, load, added, () => load.attach(names, REQUESTS))
        if (options['at-once']) attachedBytes = await stage.liveBytes()
        residentMiB = Math.max(residentMiB, total(memoryOf(stage.pids, 'resident')))
        const removed = await measure(stage, load, added, () => load.remove(names, REQUESTS))
        rounds.push({ attached, removed })
      }
      const median = (read: (round: (typeof rounds)[number]) => number): number => quantile(rounds.map(read), 0.5)
      return {
        volumes,
        nodes,
        cpuMicros: median(({ attached }) => total(attached.cpuMicros)),
        wallMicros: median(({ attached }) => 1e6 / attached.perSecond),
        removeMicros: median(({ removed }) => total(removed.cpuMicros)),
        liveBytes: attachedBytes,
        baseBytes: emptyBytes,
        residentMiB,
        removedBytes: await stage.liveBytes(),
      }
    })
  })
}

const bytesPerVolume = ({ liveBytes, baseBytes, volumes }: Point): number => (liveBytes - baseBytes) / volumes

function print(title: string, points: readonly Point[], nameOf: (point: Point) => string): void {
  const rows = points.map((point) => ({
    name: nameOf(point),
    cells: [
      point.cpuMicros,
      point.wallMicros,
      point.removeMicros,
      bytesPerVolume(point) / OBJECTS_PER_VOLUME,
      point.liveBytes / MEBIBYTE,
      point.residentMiB,
      point.removedBytes / MEBIBYTE,
    ],
  }))
  const columns = ['CPU µs', 'time µs', 'remove CPU µs', 'bytes/object', 'live MiB', 'resident MiB', 'removed: live']
  const reference = points.find(({ volumes }) => volumes === VOLUMES_OF_NODES) ?? points[0]
  write('')
  process.stdout.write(
    formatTable({ title, columns, rows }, { to: reference ? nameOf(reference) : '', better: 'less' }),
  )
}

/** From the largest size that was measured: what grows with volumes is proportional, the rest is the same. */
function printOutlook(points: readonly Point[]): void {
  const largest = points.toSorted((one, other) => other.volumes - one.volumes)[0]
  if (!largest) return
  const liveMiB = (largest.baseBytes + bytesPerVolume(largest) * PODS_ASKED_FOR) / MEBIBYTE
  const residentMiB = liveMiB * (largest.residentMiB / (largest.liveBytes / MEBIBYTE))
  const cpuMinutes = (largest.cpuMicros * PODS_ASKED_FOR) / 1e6 / 60
  write('')
  write(
    `${PODS_ASKED_FOR.toLocaleString('en')} pods with a volume each, from ${largest.volumes.toLocaleString('en')}: ${(liveMiB / 1024).toFixed(1)} GiB live, about ${(residentMiB / 1024).toFixed(1)} GiB resident, ${cpuMinutes.toFixed(0)} minutes of CPU to attach them all`,
  )
}

const startMs = performance.now()
const isTime = (): boolean => performance.now() - startMs < Number(options.minutes) * 60_000
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit(1))
write('API server, controllers and sidecar in one process; a driver that does nothing; played nodes')
const measured: Point[] = []
const pattern = await makePattern()
async function measureAll(sizes: readonly Size[]): Promise<Point[]> {
  const points: Point[] = []
  for (const size of sizes) {
    const known = measured.find(({ volumes, nodes }) => volumes === size.volumes && nodes === size.nodes)
    if (!known && !isTime()) {
      write(`${size.volumes} volumes on ${size.nodes} nodes: NOT MEASURED, ${options.minutes} minutes are over`)
      continue
    }
    const point = known ?? (await measureSize(pattern, size))
    if (!known) measured.push(point)
    points.push(point)
  }
  return points
}
// The largest size comes last: it may take longer than all others.
const byNodes = await measureAll(listOf(options.nodes).map((nodes) => ({ volumes: VOLUMES_OF_NODES, nodes })))
const byVolumes = await measureAll(listOf(options.volumes).map((volumes) => ({ volumes, nodes: nodesFor(volumes) })))
print('by volumes, 20 on each node', byVolumes, ({ volumes, nodes }) => `${volumes} volumes, ${nodes} nodes`)
print(`by nodes, ${VOLUMES_OF_NODES} volumes`, byNodes, ({ nodes }) => `${nodes} nodes`)
printOutlook(byVolumes)
if (options.picture !== '') {
  const milliseconds = (micros: number): string => `${(micros / 1000).toFixed(1)}`
  const charts = [
    {
      title: 'CPU per volume, ms',
      xLabel: 'volumes, 20 on each node',
      points: byVolumes.map(({ volumes, cpuMicros }) => ({ x: volumes, y: cpuMicros })),
      format: milliseconds,
    },
    {
      title: 'time per volume, ms',
      xLabel: 'volumes, 20 on each node',
      points: byVolumes.map(({ volumes, wallMicros }) => ({ x: volumes, y: wallMicros })),
      format: milliseconds,
    },
    {
      title: 'memory per object, KiB',
      xLabel: 'volumes, 20 on each node',
      points: byVolumes.map((point) => ({ x: point.volumes, y: bytesPerVolume(point) / OBJECTS_PER_VOLUME })),
      format: (bytes: number) => (bytes / 1024).toFixed(1),
    },
    {
      title: 'CPU per volume, ms',
      xLabel: `nodes, ${VOLUMES_OF_NODES.toLocaleString('en')} volumes`,
      points: byNodes.map(({ nodes, cpuMicros }) => ({ x: nodes, y: cpuMicros })),
      format: milliseconds,
    },
  ]
  writeFileSync(join(ROOT, options.picture), drawScale(charts.filter(({ points }) => points.length > 0)))
  write(`picture: ${options.picture}`)
}
write('')
write(`node ${process.version}, ${((performance.now() - startMs) / 1000).toFixed(0)} s`)
