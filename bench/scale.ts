import { writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { ROOT } from '../scripts/run.ts'
import { STORAGE_CLASSES } from '../src/api/kinds/storage-class.ts'
import { formatTable } from './apiserver/table.ts'
import { startLoad } from './cluster/load.ts'
import { measure, memoryOf, total } from './cluster/measure.ts'
import { storageClass } from './cluster/objects.ts'
import { registerNodes } from './cluster/play-nodes.ts'
import { startStage } from './cluster/stage.ts'
import { drawScale } from './scale/draw-scale.ts'

// How the cost of one volume depends on the size of the cluster: npm run bench scale [-- --volumes=100,1000 --nodes=100,5000]. How to read it: bench/README.md.
const { values: options } = parseArgs({
  options: {
    /** Volumes, with commas between, each on its own cluster. */
    volumes: { type: 'string', default: '100,1000,10000,100000' },
    /** Nodes, with commas between, each with 1,000 volumes. */
    nodes: { type: 'string', default: '100,1000,5000' },
    /** No further size is begun after this many minutes. */
    minutes: { type: 'string', default: '40' },
    /** The API server keeps its state in memory, and not on the disk. */
    'in-memory': { type: 'boolean', default: false },
    data: { type: 'string', default: tmpdir() },
    /** Where the picture is written. Empty: nowhere. */
    picture: { type: 'string', default: 'docs/scale.svg' },
  },
})
const REQUESTS = 64
const WARM_UP = 200
const VOLUMES_PER_NODE = 20
const FEWEST_NODES = 100
const MOST_NODES = 5000
const VOLUMES_OF_NODES = 1000
const MEBIBYTE = 1024 * 1024
// A claim, a volume, a pod and an attachment; events are counted in.
const OBJECTS_PER_VOLUME = 4
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

async function measureSize({ volumes, nodes }: Size): Promise<Point> {
  const stage = await startStage({
    isDurable: !options['in-memory'],
    isOneProcess: true,
    isAudited: false,
    controllers: '*',
    withSidecar: true,
    parentDirectory: resolve(options.data),
    built: false,
    nodeFlags: ['--expose-gc', '--max-old-space-size=8192'],
  })
  try {
    await stage.api.create(STORAGE_CLASSES, storageClass(false))
    await registerNodes(stage.api, nodes, { isLimited: false })
    const load = await startLoad(stage.api)
    try {
      const namesOf = (prefix: string, count: number): string[] =>
        Array.from({ length: count }, (_, index) => `${prefix}-${index}`)
      const warm = namesOf('warm', WARM_UP)
      await load.attach(warm, REQUESTS)
      await load.remove(warm, REQUESTS)
      const baseBytes = await stage.liveBytes()
      const names = namesOf('scaled', volumes)
      const attached = await measure(stage, load, volumes, () => load.attach(names, REQUESTS))
      const liveBytes = await stage.liveBytes()
      const residentMiB = total(memoryOf(stage.pids, 'resident'))
      const removed = await measure(stage, load, volumes, () => load.remove(names, REQUESTS))
      return {
        volumes,
        nodes,
        cpuMicros: total(attached.cpuMicros),
        wallMicros: 1e6 / attached.perSecond,
        removeMicros: total(removed.cpuMicros),
        liveBytes,
        baseBytes,
        residentMiB,
        removedBytes: await stage.liveBytes(),
      }
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
async function measureAll(sizes: readonly Size[]): Promise<Point[]> {
  const points: Point[] = []
  for (const size of sizes) {
    const known = measured.find(({ volumes, nodes }) => volumes === size.volumes && nodes === size.nodes)
    if (!known && !isTime()) {
      write(`${size.volumes} volumes on ${size.nodes} nodes: NOT MEASURED, ${options.minutes} minutes are over`)
      continue
    }
    const point = known ?? (await measureSize(size))
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
