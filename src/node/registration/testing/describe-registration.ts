import { join } from 'node:path'
import type { TestContext } from 'node:test'
import type { Api } from '../../../api/api.ts'
import { ignoreNotFound } from '../../../api/api-error.ts'
import { CSI_NODES } from '../../../api/kinds/csi-node.ts'
import type { CSINode, CSINodeDriver } from '../../../api/kinds/csi-node.ts'
import { EVENTS } from '../../../api/kinds/event.ts'
import { NODES } from '../../../api/kinds/node.ts'
import type { Node } from '../../../api/kinds/node.ts'
import { nodeUser } from '../../../apiserver/authorization/node-identity.ts'
import { openTestCore } from '../../../apiserver/testing/open-test-core.ts'
import type { TestCore } from '../../../apiserver/testing/open-test-core.ts'
import { createSystemClock } from '../../../base/clock.ts'
import { createSystemHost, makeDirectories } from '../../../base/host/index.ts'
import { createLogger, createSilentLogger } from '../../../base/logger.ts'
import { createSystemRandom } from '../../../base/random.ts'
import { createStops } from '../../../base/stops.ts'
import { CSI_NODE_INFOS } from '../../../compat/alpha-csi-node-info.ts'
import { connectDriver, connectRegistrar, createSystemSockets } from '../../../csi/index.ts'
import type { RegistrationMethods } from '../../../csi/index.ts'
import { CSI_REGISTRATION_SERVICE, REGISTRATION_SERVICE } from '../../../csi/index.ts'
import type { HandlersOf } from '../../../csi/index.ts'
import { createDispatcher, createLockTable, serve } from '../../../csi/kit/index.ts'
import type { Dispatcher, RunningServer } from '../../../csi/kit/index.ts'
import { openTestDirectory } from '../../../csi/testing/open-test-directory.ts'
import { createHostpathDriver, openHostpath } from '../../../drivers/hostpath/index.ts'
import { createEventRecorder } from '../../../kube/controller/event-recorder.ts'
import { createInformers } from '../../../kube/cache/informers.ts'
import { recordWrites } from '../../../kube/testing/record-writes.ts'
import { startNodeRegistrar } from '../../../sidecars/node-registrar/index.ts'
import type { NodeRegistrarConfig, RunningNodeRegistrar } from '../../../sidecars/node-registrar/index.ts'
import { DEFAULT_REGISTRATION, startRegistration } from '../index.ts'
import type { RegistrationConfig, RunningRegistration } from '../index.ts'
import { NODE_ID_ANNOTATION } from '../../../storage/node-ids.ts'
import { createOn, nodeOf } from '../../../testing/objects.ts'

// What the tests of registration on a real machine share: real sockets, the bundled driver, the real registrar, a server in memory that
// lets the node do what a node may.

export const NODE = 'node-1'
export const DRIVER = 'hostpath.example.com'

export type NodeUnderTest = TestCore & {
  readonly root: string
  /** As the node. */
  readonly nodeApi: Api
  /** `patch nodes/status node-1`: every write of the node agent but events. */
  readonly writes: string[]
  /** What was logged at `info` and above, one line each. */
  readonly logged: string[]
  registration(): RunningRegistration
  start(config?: Partial<RegistrationConfig>): Promise<void>
  stop(): Promise<void>
  /** Waits until it holds; asked again whenever something has happened. */
  until(what: string, condition: () => boolean | Promise<boolean>): Promise<void>
  node(): Promise<Node>
  csiNode(): Promise<CSINode | undefined>
  /** The entry of a driver in the CSINode. */
  entry(driver?: string): Promise<CSINodeDriver | undefined>
  nodeIds(): Promise<unknown>
  /** Messages of the events about the node. */
  events(): Promise<string[]>
  /** Serves the bundled driver below the root; the result is its socket. */
  startDriver(options?: DriverOptions): Promise<{ path: string; server: RunningServer }>
  /** The registrar of a driver, in this process. */
  startRegistrar(
    options?: Partial<NodeRegistrarConfig> & { name?: string; onRefusal?: 'end' | 'retry' },
  ): Promise<RunningNodeRegistrar>
  /** A registrar that says what the test wants. */
  serveRegistrar(
    file: string,
    handlers: HandlersOf<RegistrationMethods>,
    services?: 'both' | 'old',
  ): Promise<RunningServer>
  serveAt(path: string, server: Dispatcher): Promise<RunningServer>
}

export type DriverOptions = {
  name?: string
  nodeId?: string
  topology?: Record<string, string>
  attachLimit?: number
  directory?: string
}

const LONGEST_WAIT_MS = 20_000

/** A node with its agent's registration; `start: false` leaves that to the test. */
export async function openNode(
  context: TestContext,
  options: {
    config?: Partial<RegistrationConfig>
    start?: boolean
    labels?: Record<string, string>
    annotations?: Record<string, string>
    apiOf?: (api: Api) => Api
  } = {},
): Promise<NodeUnderTest> {
  // In reverse: the directory goes last.
  const stops = createStops()
  context.after(() => stops.run())
  const after = { after: (stop: () => unknown) => stops.onStop(stop) } as Pick<TestContext, 'after'>
  const root = await openTestDirectory(after)
  const clock = createSystemClock()
  const random = createSystemRandom()
  const host = createSystemHost()
  const core = await openTestCore(after, { clock })
  const { api, server } = core
  const writes: string[] = []
  const logged: string[] = []
  const checks = new Set<() => void>()
  const wake = (): void => [...checks].forEach((check) => check())
  const log = createLogger({
    clock,
    level: 'debug',
    format: 'json',
    write: (line) => {
      if (!line.includes('"level":"debug"')) logged.push(line)
      setImmediate(wake)
    },
  })
  const nodeApi = recordWrites((options.apiOf ?? ((plain) => plain))(server.core.as(nodeUser(NODE))), writes)
  const { labels = {}, annotations = {} } = options
  await createOn(api, NODES, nodeOf(NODE, { metadata: { labels, annotations } }))
  await makeDirectories(host.files, join(root, 'plugins_registry'))

  // Whatever the test waits for is seen here or logged.
  const watching = new AbortController()
  stops.onStop(() => watching.abort(new Error('the test is over')))
  const follow = async (
    type: typeof NODES | typeof CSI_NODES | typeof CSI_NODE_INFOS | typeof EVENTS,
  ): Promise<void> => {
    for await (const _event of api.watch(type as typeof NODES, { signal: watching.signal })) setImmediate(wake)
  }
  for (const type of [NODES, CSI_NODES, CSI_NODE_INFOS, EVENTS]) void follow(type).catch(() => {})
  const until = (what: string, condition: () => boolean | Promise<boolean>): Promise<void> =>
    new Promise((resolve, reject) => {
      let isChecking = false
      let isWanted = false
      const end = (error?: unknown): void => {
        checks.delete(check)
        timer.cancel()
        if (error) reject(error)
        else resolve()
      }
      const check = (): void => {
        isWanted = true
        if (isChecking) return
        isChecking = true
        const run = async (): Promise<void> => {
          while (isWanted) {
            isWanted = false
            if (await condition()) return end()
          }
          isChecking = false
        }
        run().catch(end)
      }
      const timer = clock.setTimer(LONGEST_WAIT_MS, () => end(new Error(`in vain: ${what}\n${logged.join('')}`)))
      checks.add(check)
      check()
    })

  let running: { registration: RunningRegistration; stop(): Promise<void> } | undefined
  const start = async (config: Partial<RegistrationConfig> = {}): Promise<void> => {
    const informers = createInformers({ api: nodeApi, clock, random, log: createSilentLogger() })
    const events = createEventRecorder({ api: nodeApi, clock, log, component: 'holdfast-node', host: NODE })
    const parts = {
      host,
      clock,
      random,
      log,
      api: nodeApi,
      informers,
      events,
      nodeName: NODE,
      rootDir: root,
      connectDriver: (endpoint: string) => connectDriver({ endpoint, clock }),
      connectRegistrar: (endpoint: string) => connectRegistrar({ endpoint, clock }),
    }
    const registration = await startRegistration(
      { ...DEFAULT_REGISTRATION, graceMs: 300, ...options.config, ...config },
      parts,
      new AbortController().signal,
    )
    const stopWake = registration.drivers.onChange(wake)
    running = {
      registration,
      stop: async () => {
        stopWake()
        await registration.stop()
        await informers.stop()
      },
    }
  }
  const stop = async (): Promise<void> => {
    await running?.stop()
    running = undefined
  }
  stops.onStop(stop)
  if (options.start ?? true) await start()

  const serveAt = async (path: string, dispatcher: Dispatcher): Promise<RunningServer> => {
    const served = await serve({
      endpoint: path,
      servers: [dispatcher],
      files: host.files,
      random,
      clock,
      log: createSilentLogger(),
    })
    stops.onStop(() => served.stop({ graceMs: 0 }))
    return served
  }
  const startDriver = async ({
    name = DRIVER,
    nodeId = 'id-1',
    topology = {},
    attachLimit = 0,
    directory = join(root, 'plugins', name),
  }: DriverOptions = {}) => {
    await makeDirectories(host.files, directory)
    const hostpath = await openHostpath({
      root: join(await openTestDirectory(after), 'volumes'),
      host,
      clock,
      random,
      log: createSilentLogger(),
    })
    const { server: driver } = await createHostpathDriver({
      hostpath,
      node: { id: nodeId, topology, attachLimit },
      name,
      version: '1',
      attach: true,
      publish: 'link',
      locks: createLockTable(),
    })
    const path = join(directory, 'csi.sock')
    return { path, server: await serveAt(path, driver) }
  }
  const startRegistrar: NodeUnderTest['startRegistrar'] = async ({
    name = DRIVER,
    onRefusal = 'end',
    ...config
  } = {}) => {
    const socket = join(root, 'plugins', name, 'csi.sock')
    const complete: NodeRegistrarConfig = {
      csiAddress: socket,
      kubeletRegistrationPath: socket,
      pluginRegistrationPath: join(root, 'plugins_registry'),
      requiresPublishPod: false,
      timeoutMs: 5000,
      httpEndpoint: '',
      healthPort: 0,
      mode: '',
      connectionTimeoutMs: 0,
      enablePprof: false,
      ...config,
    }
    const registrar = await startNodeRegistrar(
      complete,
      {
        files: host.files,
        sockets: createSystemSockets({ files: host.files, clock, random, log: createSilentLogger() }),
        clock,
        random,
        log: createSilentLogger(),
      },
      { onRefusal },
    )
    stops.onStop(() => registrar.stop())
    return registrar
  }
  const csiNode = (): Promise<CSINode | undefined> => api.get(CSI_NODES, { name: NODE }).catch(ignoreNotFound)
  const node = (): Promise<Node> => api.get(NODES, { name: NODE })
  return {
    ...core,
    root,
    nodeApi,
    writes,
    logged,
    registration: () => {
      if (!running) throw new Error('the node agent does not run')
      return running.registration
    },
    start,
    stop,
    until,
    node,
    csiNode,
    entry: async (driver = DRIVER) => (await csiNode())?.spec.drivers?.find(({ name }) => name === driver),
    nodeIds: async () => JSON.parse((await node()).metadata.annotations?.[NODE_ID_ANNOTATION] ?? 'null') as unknown,
    events: async () =>
      (await api.list(EVENTS)).items
        .filter(({ involvedObject }) => involvedObject.name === NODE)
        .map(({ message }) => message ?? ''),
    startDriver,
    startRegistrar,
    serveRegistrar: (file, handlers, services = 'both') => {
      const list = services === 'both' ? [REGISTRATION_SERVICE, CSI_REGISTRATION_SERVICE] : [REGISTRATION_SERVICE]
      return serveAt(
        join(root, 'plugins_registry', file),
        createDispatcher<RegistrationMethods>({ services: list, handlers, log: createSilentLogger() }),
      )
    },
    serveAt,
  }
}

/** The response of a well-behaved registrar. */
export const pluginInfo = (endpoint: string, name: string = DRIVER, supportedVersions: string[] = ['1.0.0']) => ({
  type: 'CSIPlugin',
  name,
  endpoint,
  supportedVersions,
})
