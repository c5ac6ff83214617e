import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { parseArgs } from 'node:util'
import { openStore } from '../src/apiserver/core/store.ts'
import { createSqliteBackend, STATE_FILE } from '../src/apiserver/storage/sqlite-backend.ts'
import { openSqliteDatabase } from '../src/apiserver/storage/sqlite-database.ts'
import { createSystemHost } from '../src/base/host/index.ts'

// How long the API server takes to start with many objects: npm run bench apiserver-start [-- --objects=100000 --data=DIR]. How to read it: bench/README.md.
const { values } = parseArgs({ options: { objects: { type: 'string', default: '100000' }, data: { type: 'string' } } })
const objects = Math.max(Number(values.objects) || 0, 1)
const folder = mkdtempSync(join(resolve(values.data ?? tmpdir()), 'holdfast-bench-'))
const MAIN = join(import.meta.dirname, '../src/cli/main.ts')
const ROUNDS = 3

const write = (line: string): void => void process.stdout.write(`${line}\n`)
const mebibytes = (bytes: number): string => `${(bytes / 1024 / 1024).toFixed(0)} MiB`
const median = (numbers: readonly number[]): number =>
  numbers.toSorted((one, other) => one - other)[Math.floor(numbers.length / 2)] ?? Number.NaN

/** Half volumes, half claims, as provisioning leaves them. */
function fill(directory: string, count: number): void {
  mkdirSync(directory, { mode: 0o700 })
  const database = openSqliteDatabase(join(directory, STATE_FILE))
  const GROUP = 5000
  for (let first = 0; first < count; first += GROUP) {
    database.commit(Array.from({ length: Math.min(GROUP, count - first) }, (_, index) => objectAt(first + index)))
  }
  database.close()
}

function objectAt(index: number) {
  const revision = index + 1
  const number = String(index >> 1).padStart(7, '0')
  const uid = `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`
  const meta = {
    uid,
    resourceVersion: String(revision),
    creationTimestamp: '2030-01-01T00:00:00Z',
    annotations: { 'pv.kubernetes.io/provisioned-by': 'hostpath.csi.example.com' },
  }
  const common = { accessModes: ['ReadWriteOnce'], storageClassName: 'standard', volumeMode: 'Filesystem' }
  if (index % 2 === 0) {
    const name = `pvc-${number}`
    const csi = {
      driver: 'hostpath.csi.example.com',
      volumeHandle: uid,
      fsType: 'ext4',
      volumeAttributes: { 'storage.kubernetes.io/csiProvisionerIdentity': 'holdfast-1' },
    }
    const claimRef = {
      kind: 'PersistentVolumeClaim',
      namespace: 'default',
      name: `data-${number}`,
      uid,
      apiVersion: 'v1',
      resourceVersion: '1',
    }
    const spec = { capacity: { storage: '1Gi' }, csi, claimRef, persistentVolumeReclaimPolicy: 'Delete', ...common }
    const volume = {
      apiVersion: 'v1',
      kind: 'PersistentVolume',
      metadata: { name, finalizers: ['kubernetes.io/pv-protection'], ...meta },
      spec,
      status: { phase: 'Bound' },
    }
    return { revision, storage: 'persistentvolumes', key: name, json: JSON.stringify(volume) }
  }
  const name = `data-${number}`
  const metadata = {
    name,
    namespace: 'default',
    finalizers: ['kubernetes.io/pvc-protection'],
    labels: { app: 'bench' },
    ...meta,
  }
  const spec = { resources: { requests: { storage: '1Gi' } }, volumeName: `pvc-${number}`, ...common }
  const claim = {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata,
    spec,
    status: { phase: 'Bound', accessModes: ['ReadWriteOnce'], capacity: { storage: '1Gi' } },
  }
  return { revision, storage: 'persistentvolumeclaims', key: `default/${name}`, json: JSON.stringify(claim) }
}

/** As a process of its own, until it says that it is ready. */
async function startProcess(directory: string): Promise<{ readyMs: number; residentBytes: number }> {
  const startMs = performance.now()
  const child = spawn(process.execPath, [MAIN, 'apiserver', `--data=${directory}`, '--port=0'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const exited = once(child, 'exit')
  const [line] = (await once(createInterface(child.stdout), 'line')) as [string]
  const readyMs = performance.now() - startMs
  if (!line.startsWith('ready ')) throw new Error(line)
  const status = readFileSync(`/proc/${child.pid}/status`, 'utf8')
  const residentBytes = Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1] ?? 0) * 1024
  child.kill('SIGTERM')
  await exited
  return { readyMs, residentBytes }
}

async function measureStart(label: string, directory: string): Promise<number> {
  const starts = []
  for (let round = 0; round < ROUNDS; round++) starts.push(await startProcess(directory))
  const readyMs = median(starts.map((start) => start.readyMs))
  const residentBytes = median(starts.map((start) => start.residentBytes))
  write(`${label.padEnd(24)} ready after ${readyMs.toFixed(0)} ms, ${mebibytes(residentBytes)} resident`)
  return readyMs
}

try {
  const [empty, full] = [join(folder, 'empty'), join(folder, 'full')]
  fill(full, objects)
  write(`${objects} objects, ${mebibytes(statSync(join(full, STATE_FILE)).size)} on disk; median of ${ROUNDS}`)
  // The first start of an empty one makes keys and certificates, which is another matter.
  await startProcess(empty)
  const emptyMs = await measureStart('no objects', empty)
  const fullMs = await measureStart(`${objects} objects`, full)

  const { files } = createSystemHost()
  const startMs = performance.now()
  const backend = createSqliteBackend({ directory: full, files })
  const loaded = await backend.load()
  const readMs = performance.now() - startMs
  const store = await openStore({ ...backend, load: () => Promise.resolve(loaded) })
  const parseMs = performance.now() - startMs - readMs
  write(
    `of which: reading ${readMs.toFixed(0)} ms, parsing and freezing ${parseMs.toFixed(0)} ms; ${(((fullMs - emptyMs) / objects) * 1000).toFixed(1)} µs more for each object`,
  )
  await store.close()
} finally {
  rmSync(folder, { recursive: true, force: true })
}
