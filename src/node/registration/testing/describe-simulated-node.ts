import type { TestContext } from 'node:test'
import type { Api } from '../../../api/api.ts'
import { ignoreNotFound } from '../../../api/api-error.ts'
import { CSI_NODES } from '../../../api/kinds/csi-node.ts'
import type { CSINode } from '../../../api/kinds/csi-node.ts'
import { EVENTS } from '../../../api/kinds/event.ts'
import { NODES } from '../../../api/kinds/node.ts'
import { nodeUser } from '../../../apiserver/authorization/node-identity.ts'
import { openTestCore } from '../../../apiserver/testing/open-test-core.ts'
import type { TestCore } from '../../../apiserver/testing/open-test-core.ts'
import type { Clock } from '../../../base/clock.ts'
import { createSimulatedHost, makeDirectories } from '../../../base/host/index.ts'
import type { Host, SimulatedHost } from '../../../base/host/index.ts'
import { createSilentLogger } from '../../../base/logger.ts'
import { createSeededRandom } from '../../../base/random.ts'
import type { Random } from '../../../base/random.ts'
import { createSimulatedClock } from '../../../base/simulated-clock.ts'
import { createSimulatedSockets } from '../../../csi/index.ts'
import type { SocketUser } from '../../../csi/index.ts'
import { defineDriver } from '../../../csi/kit/index.ts'
import type { CsiHandlers, Dispatcher, RunningServer } from '../../../csi/kit/index.ts'
import { createEventRecorder } from '../../../kube/controller/event-recorder.ts'
import { createInformers } from '../../../kube/cache/informers.ts'
import { recordWrites } from '../../../kube/testing/record-writes.ts'
import { createRegistrationServer } from '../../../sidecars/node-registrar/serve-registration.ts'
import { DEFAULT_REGISTRATION, startRegistration } from '../index.ts'
import type { RegistrationConfig, RegistrationParts, RunningRegistration } from '../index.ts'
import { createOn, nodeOf } from '../../../testing/objects.ts'

// What the tests under the simulated clock share: a machine in memory whose sockets lead to servers in this process.

export const NODE = 'node-1'
export const DRIVER = 'd.example.com'
export const ROOT = '/var/lib/kubelet'
export const DRIVER_SOCKET = `${ROOT}/plugins/${DRIVER}/csi.sock`
export const REGISTRAR_SOCKET = `${ROOT}/plugins_registry/${DRIVER}-reg.sock`

/** A machine on which plugins come and go. */
export type PluginMachine = {
  readonly host: SimulatedHost
  /** `registered`, or the error: what the registrar was told. */
  readonly told: string[]
  /** Paths, in the order in which they were connected to. */
  readonly dialled: string[]
  /** How the driver answers NodeGetInfo; may be replaced. */
  nodeInfo: NonNullable<CsiHandlers['nodeGetInfo']>
  serve(path: string, server: Dispatcher): void
  /** A driver that answers as `nodeInfo`, and its registrar. */
  install(): void
  /** The registrar alone, on a new socket. */
  installRegistrar(): void
  /** The socket of the registrar goes. */
  removeRegistrar(): Promise<void>
  connections(
    clock: Clock,
    around?: SocketUser['around'],
  ): Pick<RegistrationParts, 'connectDriver' | 'connectRegistrar'>
}

export async function createPluginMachine(): Promise<PluginMachine> {
  const host = createSimulatedHost({ random: createSeededRandom(1) })
  await makeDirectories(host.files, `${ROOT}/plugins_registry`)
  await makeDirectories(host.files, `${ROOT}/plugins/${DRIVER}`)
  const sockets = createSimulatedSockets(host)
  const served = new Map<string, Promise<RunningServer>>()
  const told: string[] = []
  const dialled: string[] = []
  const log = createSilentLogger()
  const owner = sockets({ clock: createSimulatedClock() })
  const serve = (path: string, server: Dispatcher): void => void served.set(path, owner.serve(path, server))
  const machine: PluginMachine = {
    host,
    told,
    dialled,
    nodeInfo: () =>
      Promise.resolve({
        nodeId: 'id-1',
        maxVolumesPerNode: 5n,
        accessibleTopology: { segments: { 'example.com/zone': 'a' } },
      }),
    serve,
    install: () => {
      const handlers: CsiHandlers = {
        nodeGetInfo: (request, call) => machine.nodeInfo(request, call),
        nodePublishVolume: () => Promise.resolve({}),
        nodeUnpublishVolume: () => Promise.resolve({}),
      }
      serve(
        DRIVER_SOCKET,
        defineDriver({ name: DRIVER, version: '1', features: { topology: true } }, { handlers, log }),
      )
      machine.installRegistrar()
    },
    installRegistrar: () => {
      const onOutcome = (error: string | undefined): void => void told.push(error ?? 'registered')
      serve(
        REGISTRAR_SOCKET,
        createRegistrationServer({
          driverName: DRIVER,
          endpoint: DRIVER_SOCKET,
          requiresPublishPod: true,
          log,
          onOutcome,
        }),
      )
    },
    removeRegistrar: async () => {
      await (await served.get(REGISTRAR_SOCKET))?.stop()
    },
    connections: (clock, around) => {
      const { connectDriver, connectRegistrar } = sockets({ clock, ...(around ? { around } : {}) })
      const dial = (path: string): string => {
        dialled.push(path)
        return path
      }
      return {
        connectDriver: (path) => connectDriver(dial(path)),
        connectRegistrar: (path) => connectRegistrar(dial(path)),
      }
    },
  }
  return machine
}

export type SimulatedNode = TestCore & {
  readonly machine: PluginMachine
  readonly writes: string[]
  registration: RunningRegistration
  settled(): Promise<void>
  advance(byMs: number): Promise<void>
  csiNode(): Promise<CSINode | undefined>
  events(): Promise<string[]>
}

export type SimulatedNodeOptions = {
  config?: Partial<RegistrationConfig>
  apiOf?: (api: Api) => Api
  hostOf?: (host: Host) => Host
  before?: (core: TestCore, machine: PluginMachine) => Promise<void> | void
}

export async function openSimulatedNode(
  context: TestContext,
  { config = {}, apiOf = (api) => api, hostOf = (host) => host, before }: SimulatedNodeOptions = {},
): Promise<SimulatedNode> {
  const core = await openTestCore(context)
  const { server, api, clock } = core
  const machine = await createPluginMachine()
  await createOn(api, NODES, nodeOf(NODE))
  await before?.(core, machine)
  const writes: string[] = []
  const nodeApi = recordWrites(apiOf(server.core.as(nodeUser(NODE))), writes)
  const started = startOn(
    { ...config },
    { host: hostOf(machine.host), clock, random: createSeededRandom(3), api: nodeApi },
    machine,
  )
  let running: Awaited<typeof started> | undefined
  void started.then((value) => (running = value))
  while (!running) await clock.advance(0)
  const { registration, stop } = running
  context.after(stop)
  const settled = async (): Promise<void> => {
    for (let quiet = 0, turns = 0; quiet < 5; turns++) {
      if (turns > 1000) throw new Error('registration does not settle')
      await clock.advance(0)
      await server.idle()
      quiet = registration.isIdle() ? quiet + 1 : 0
    }
  }
  await settled()
  return {
    ...core,
    machine,
    writes,
    registration,
    settled,
    advance: async (byMs) => {
      await clock.advance(byMs)
      await settled()
    },
    csiNode: () => findCsiNode(api),
    events: async () => (await api.list(EVENTS)).items.map(({ message }) => message ?? ''),
  }
}

export const findCsiNode = (api: Api): Promise<CSINode | undefined> =>
  api.get(CSI_NODES, { name: NODE }).catch(ignoreNotFound)

/** Registration on such a machine, with caches of its own. */
export async function startOn(
  config: Partial<RegistrationConfig>,
  { host, clock, random, api }: { host: Host; clock: Clock; random: Random; api: Api },
  machine: PluginMachine,
  around?: Parameters<PluginMachine['connections']>[1],
): Promise<{ registration: RunningRegistration; stop(): Promise<void> }> {
  const log = createSilentLogger()
  const informers = createInformers({ api, clock, random, log })
  const events = createEventRecorder({ api, clock, log, component: 'holdfast-node', host: NODE })
  const parts = {
    host,
    clock,
    random,
    log,
    api,
    informers,
    events,
    nodeName: NODE,
    rootDir: ROOT,
    ...machine.connections(clock, around),
  }
  const registration = await startRegistration(
    { ...DEFAULT_REGISTRATION, ...config },
    parts,
    new AbortController().signal,
  )
  return {
    registration,
    stop: async () => {
      await registration.stop()
      await informers.stop()
    },
  }
}
