import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import type { Api } from '../src/api/api.ts'
import { CSI_DRIVERS } from '../src/api/kinds/csi-driver.ts'
import { PERSISTENT_VOLUME_CLAIMS } from '../src/api/kinds/persistent-volume-claim.ts'
import { PERSISTENT_VOLUMES } from '../src/api/kinds/persistent-volume.ts'
import { PODS } from '../src/api/kinds/pod.ts'
import { createSigningKey } from '../src/apiserver/authentication/token-key.ts'
import { openServer, SYSTEM_USER } from '../src/apiserver/index.ts'
import { createMemoryBackend } from '../src/apiserver/storage/memory-backend.ts'
import { createSystemClock } from '../src/base/clock.ts'
import { createSimulatedHost, createSystemHost } from '../src/base/host/index.ts'
import { createSilentLogger } from '../src/base/logger.ts'
import { createSeededRandom, createSystemRandom } from '../src/base/random.ts'
import { nodesOf } from '../src/cluster/cluster-options.ts'
import { startDrivers } from '../src/cluster/start-drivers.ts'
import { connectDriver, connectRegistrar, createSystemSockets } from '../src/csi/index.ts'
import { DEFAULT_DRIVER_NAME } from '../src/drivers/hostpath/index.ts'
import { createInformers } from '../src/kube/index.ts'
import { DEFAULT_REGISTRATION, DEFAULT_REPORT, DEFAULT_VOLUMES, describeNode, startNode } from '../src/node/index.ts'
import type { RunningNode } from '../src/node/index.ts'
import { nodeRegistrarOptions, startNodeRegistrar } from '../src/sidecars/node-registrar/index.ts'
import { defaultsOf } from '../src/base/options/index.ts'

// What a node agent costs: npm run bench node [-- --pods=500 --nodes=1000 --data=DIR]. How to read it: bench/README.md.
const { values } = parseArgs({
  options: {
    pods: { type: 'string', default: '500' },
    nodes: { type: 'string', default: '1000' },
    data: { type: 'string' },
  },
})
const pods = Math.max(Number(values.pods) || 0, 1)
const many = Math.max(Number(values.nodes) || 0, 1)
const write = (line: string): void => void process.stdout.write(`${line}\n`)
const [clock, random, log, host] = [createSystemClock(), createSystemRandom(), createSilentLogger(), createSystemHost()]
const NAMESPACE = 'default'

const server = await openServer({
  backend: createMemoryBackend(),
  clock,
  random,
  log,
  authorizationMode: 'Node,RBAC',
  signingKey: await createSigningKey(),
  rootCaPem: 'none',
})
const admin = server.core.as(SYSTEM_USER)
const userOf = (name: string) => ({ name: `system:node:${name}`, groups: ['system:nodes', 'system:authenticated'] })

/** CPU time of this process, and of the programs that it ran itself or by way of another. */
function spentMs(): { own: number; programs: number } {
  const { user, system } = process.cpuUsage()
  const statOf = (pid: string): number[] =>
    readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /, '')
      .split(' ')
      .slice(11, 15)
      .map((ticks) => Number(ticks) * 10)
  const [, , ...waitedFor] = statOf('self')
  const living = readFileSync(`/proc/self/task/${process.pid}/children`, 'utf8')
    .split(' ')
    .filter((pid) => pid !== '')
    .flatMap(statOf)
  return { own: (user + system) / 1000, programs: [...waitedFor, ...living].reduce((sum, ms) => sum + ms, 0) }
}

const formatSpent = (before: ReturnType<typeof spentMs>): string => {
  const now = spentMs()
  return `${((now.own - before.own) / pods).toFixed(2)} ms of CPU a pod, and ${((now.programs - before.programs) / pods).toFixed(2)} ms for mount and umount`
}

/** The same API, counting what goes through it by verb and kind. */
function counted(api: Api, calls: Map<string, number>): Api {
  const note = (verb: string, plural: string): void =>
    void calls.set(`${verb} ${plural}`, (calls.get(`${verb} ${plural}`) ?? 0) + 1)
  return {
    ...api,
    get: (type, ref, options) => (note('get', type.plural), api.get(type, ref, options)),
    list: (type, options) => (note('list', type.plural), api.list(type, options)),
    watch: (type, options) => (note('watch', type.plural), api.watch(type, options)),
    create: (type, object, options) => (note('create', type.plural), api.create(type, object, options)),
    update: (type, object, options) => (
      note('update', `${type.plural}${options?.subresource ? `/${options.subresource}` : ''}`),
      api.update(type, object, options)
    ),
    patch: (type, ref, patch, options) => (
      note('patch', `${type.plural}${options?.subresource ? `/${options.subresource}` : ''}`),
      api.patch(type, ref, patch, options)
    ),
    delete: (type, ref, options) => (note('delete', type.plural), api.delete(type, ref, options)),
  }
}

const configOf = (name: string, rootDir: string) => ({
  name,
  rootDir,
  description: describeNode(name, {
    labels: {},
    rootDir,
    version: 'bench',
    hostname: name,
    architecture: process.arch,
    capacity: { pods: pods + 10, cpu: '64', memory: '64Gi' },
  }),
  registration: DEFAULT_REGISTRATION,
  volumes: DEFAULT_VOLUMES,
  report: DEFAULT_REPORT,
})
const partsOf = (api: Api) => ({
  host,
  clock,
  random,
  log,
  api,
  connectDriver: (endpoint: string) => connectDriver({ endpoint, clock }),
  connectRegistrar: (endpoint: string) => connectRegistrar({ endpoint, clock }),
})

async function measurePods(): Promise<void> {
  const directory = mkdtempSync(join(resolve(values.data ?? tmpdir()), 'holdfast-bench-'))
  const nodes = nodesOf({ nodes: 1, zones: [], dataDirectory: directory })
  const [driver] = await startDrivers(
    {
      host,
      sockets: createSystemSockets({ files: host.files, clock, random, log }),
      clock,
      random,
      log,
      version: 'bench',
    },
    directory,
    nodes,
  )
  if (!driver) throw new Error('no driver')
  const calls = new Map<string, number>()
  const node = await startNode(
    configOf(driver.node, join(directory, driver.node)),
    partsOf(counted(server.core.as(userOf(driver.node)), calls)),
    new AbortController().signal,
  )
  const registrarConfig = {
    ...defaultsOf(nodeRegistrarOptions),
    csiAddress: driver.endpoint,
    kubeletRegistrationPath: driver.endpoint.replace('unix://', ''),
    pluginRegistrationPath: join(directory, driver.node, 'plugins_registry'),
  }
  const registrar = await startNodeRegistrar(
    registrarConfig,
    { files: host.files, sockets: createSystemSockets({ files: host.files, clock, random, log }), clock, random, log },
    { onRefusal: 'retry' },
  )
  await admin.create(CSI_DRIVERS, {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'CSIDriver',
    metadata: { name: DEFAULT_DRIVER_NAME },
    spec: { attachRequired: false },
  })
  const { driver: client, connection } = connectDriver({ endpoint: driver.endpoint, clock })
  for (let index = 0; index < pods; index++) await createBound(client, index)

  const informers = createInformers({ api: admin, clock, random, log })
  const cache = informers.get(PODS)
  await informers.synced()
  const running = (): number => Array.from(cache.all()).filter(({ status }) => status?.phase === 'Running').length
  const until = (count: () => boolean): Promise<void> =>
    new Promise((done) => {
      const stop = cache.onChange(() => {
        if (!count()) return
        queueMicrotask(stop)
        done()
      })
      if (count()) done()
    })
  calls.clear()
  const [beganMs, before] = [performance.now(), spentMs()]
  for (let index = 0; index < pods; index++) await createPlacedPod(driver.node, index)
  await until(() => running() === pods)
  const tookMs = performance.now() - beganMs
  const spent = formatSpent(before)
  const mounted =
    (await client.listVolumes({})).entries.length === pods && (await host.mounts.available())
      ? (await host.mounts.list()).filter(({ target }) => target.startsWith(`${directory}/`)).length
      : undefined
  if (mounted !== undefined && mounted < pods) throw new Error(`only ${mounted} mounts`)
  write(
    `${pods} pods with one volume each on one node, mounted: ${tookMs.toFixed(0)} ms, ${((pods / tookMs) * 1000).toFixed(0)} pods a second`,
  )
  write(`agent, driver and API server in one: ${spent}`)
  write(
    `API calls of the agent a pod: ${[...calls].map(([call, count]) => `${call} ${(count / pods).toFixed(2)}`).join(', ')}`,
  )
  const [deletedMs, deleted] = [performance.now(), spentMs()]
  for (let index = 0; index < pods; index++) await admin.delete(PODS, { namespace: NAMESPACE, name: `p${index}` })
  await until(() => cache.size() === 0)
  // Pods are gone when they are unpublished; what they shared is let go of after them.
  while (!node.isIdle()) await new Promise((done) => setTimeout(done, 50))
  write(`deleted to nothing mounted: ${(performance.now() - deletedMs).toFixed(0)} ms; ${formatSpent(deleted)}`)
  connection.close()
  await node.stop()
  await registrar.stop()
  await driver.stop()
  await informers.stop()
  rmSync(directory, { recursive: true })
}

async function createBound(client: ReturnType<typeof connectDriver>['driver'], index: number): Promise<void> {
  const use = { accessMode: { mode: 1 }, accessType: { $case: 'mount', value: {} } } as const
  const { volume } = await client.createVolume({
    name: `v${index}`,
    capacityRange: { requiredBytes: 1024n },
    volumeCapabilities: [use],
  })
  // The driver wants it; the cluster is told below that it needs no attaching, so that the node alone is measured.
  await client.controllerPublishVolume({
    volumeId: volume?.volumeId ?? '',
    nodeId: 'node-1',
    volumeCapability: use,
    readonly: false,
  })
  const common = { accessModes: ['ReadWriteOnce' as const], storageClassName: '' }
  const claim = await admin.create(PERSISTENT_VOLUME_CLAIMS, {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { namespace: NAMESPACE, name: `c${index}`, annotations: { 'pv.kubernetes.io/bind-completed': 'yes' } },
    spec: { ...common, volumeName: `v${index}`, resources: { requests: { storage: '1Ki' } } },
  })
  const claimRef = {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    namespace: NAMESPACE,
    name: `c${index}`,
    ...(claim.metadata.uid ? { uid: claim.metadata.uid } : {}),
  }
  await admin.create(PERSISTENT_VOLUMES, {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name: `v${index}` },
    spec: {
      ...common,
      capacity: { storage: '1Ki' },
      claimRef,
      csi: { driver: DEFAULT_DRIVER_NAME, volumeHandle: volume?.volumeId ?? '' },
    },
  })
  await admin.patch(
    PERSISTENT_VOLUMES,
    { name: `v${index}` },
    { type: 'merge', value: { status: { phase: 'Bound' } } },
    { subresource: 'status' },
  )
  await admin.patch(
    PERSISTENT_VOLUME_CLAIMS,
    { namespace: NAMESPACE, name: `c${index}` },
    { type: 'merge', value: { status: { phase: 'Bound' } } },
    { subresource: 'status' },
  )
}

async function createPlacedPod(nodeName: string, index: number): Promise<void> {
  await admin.create(PODS, {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { namespace: NAMESPACE, name: `p${index}` },
    spec: {
      nodeName,
      containers: [{ name: 'main', image: 'none', volumeMounts: [{ name: 'data', mountPath: '/data' }] }],
      volumes: [{ name: 'data', persistentVolumeClaim: { claimName: `c${index}` } }],
    },
  })
}

async function measureNodes(): Promise<void> {
  const collect = (): number => {
    globalThis.gc?.()
    return process.memoryUsage().heapUsed
  }
  const before = collect()
  const [beganMs, machine] = [performance.now(), createSimulatedHost({ random: createSeededRandom(1) })]
  const started: RunningNode[] = []
  for (let index = 0; index < many; index++) {
    const name = `sim-${index}`
    started.push(
      await startNode(
        configOf(name, `/nodes/${name}`),
        { ...partsOf(server.core.as(userOf(name))), host: machine },
        new AbortController().signal,
      ),
    )
  }
  const tookMs = performance.now() - beganMs
  write(
    `${many} nodes in one process, with their API server and their objects: ${((collect() - before) / many / 1024).toFixed(0)} KiB of heap a node${globalThis.gc ? '' : ' (without --expose-gc: more than it needs)'}, started in ${tookMs.toFixed(0)} ms`,
  )
  await Promise.all(started.map((node) => node.stop()))
}

await measurePods()
await measureNodes()
await server.close()
