import { dirname, join } from 'node:path'
import type { Api } from '../api/api.ts'
import { makeDirectories } from '../base/host/index.ts'
import { defaultsOf } from '../base/options/index.ts'
import { DEFAULT_REGISTRATION, DEFAULT_REPORT, DEFAULT_VOLUMES, describeNode, startNode } from '../node/index.ts'
import { nodeRegistrarOptions, startNodeRegistrar } from '../sidecars/node-registrar/index.ts'
import type { ClusterNode, ClusterOptions, MachineParts, StartedPart } from './cluster-options.ts'
import type { SocketCallOptions } from '../csi/index.ts'
import { restartable } from './restartable.ts'
import { startAll } from './start-all.ts'
import type { NodeDriver } from './start-drivers.ts'

export type NodesOptions = Pick<
  ClusterOptions,
  'observeCsi' | 'observeCsiStart' | 'volumes' | 'registration' | 'gates'
> & {
  readonly apiOf: (node: string) => Api
  readonly nodes: readonly ClusterNode[]
  readonly drivers: readonly NodeDriver[]
}

/** The agents of all nodes, with the drivers of each registered as any other would be: by a socket in its directory. */
export async function startNodes(parts: MachineParts, options: NodesOptions): Promise<StartedPart[]> {
  return startAll(async (add) => {
    for (const node of options.nodes) {
      const drivers = options.drivers.filter((driver) => driver.node === node.name)
      // First, so that the agent finds no socket of a former life, and has whom to tell until its end.
      for (const driver of drivers) add(await restartable(() => registerDriver(parts, node, driver)))
      add(await restartable(() => startAgent(parts, node, { ...options, drivers })))
    }
  })
}

/** The zone label of Kubernetes. The bundled driver has a topology key of its own. */
const ZONE_LABEL = 'topology.kubernetes.io/zone'

const pathOf = (endpoint: string): string => endpoint.replace(/^unix:\/\//, '')

/** One node. */
export async function startAgent(
  { host, sockets, clock, random, log, version, tracer }: MachineParts,
  { name, rootDir, zone }: ClusterNode,
  {
    apiOf,
    drivers,
    observeCsi,
    observeCsiStart,
    volumes = {},
    registration = {},
    gates = {},
  }: Omit<NodesOptions, 'nodes'>,
): Promise<StartedPart> {
  const description = describeNode(name, {
    labels: zone === undefined ? {} : { [ZONE_LABEL]: zone },
    rootDir,
    version,
    hostname: name,
    architecture: process.arch,
    capacity: { pods: 1000, cpu: '64', memory: '64Gi' },
  })
  // The socket of an external driver may be anywhere.
  const endpointDirectories = drivers.map(({ endpoint }) => dirname(pathOf(endpoint)))
  const observe = (endpoint: string): SocketCallOptions => {
    const driver = drivers.find((each) => pathOf(each.endpoint) === pathOf(endpoint))?.driverName ?? ''
    return {
      ...(observeCsi ? { observe: observeCsi(name, driver) } : {}),
      ...(observeCsiStart ? { observeStart: observeCsiStart(name, driver) } : {}),
    }
  }
  const nodeParts = {
    host,
    clock,
    random,
    log,
    tracer,
    api: apiOf(name),
    connectDriver: (endpoint: string) => sockets.connectDriver(endpoint, observe(endpoint)),
    connectRegistrar: (endpoint: string) => sockets.connectRegistrar(endpoint),
  }
  const node = await startNode(
    {
      name,
      rootDir,
      description,
      registration: { ...DEFAULT_REGISTRATION, ...registration, endpointDirectories },
      volumes: { ...DEFAULT_VOLUMES, ...volumes, gates },
      report: DEFAULT_REPORT,
    },
    nodeParts,
    new AbortController().signal,
  )
  const { stats } = node.volumes
  return { name, detail: rootDir, isIdle: () => node.isIdle(), stats, stop: () => node.stop() }
}

/** The registrar of a driver on one node. */
export async function registerDriver(
  { host, sockets, clock, random, log }: MachineParts,
  { name, rootDir }: ClusterNode,
  { endpoint }: NodeDriver,
): Promise<StartedPart> {
  const pluginRegistrationPath = join(rootDir, 'plugins_registry')
  await makeDirectories(host.files, pluginRegistrationPath, { mode: 0o700 })
  const config = {
    ...defaultsOf(nodeRegistrarOptions),
    csiAddress: endpoint,
    kubeletRegistrationPath: pathOf(endpoint),
    pluginRegistrationPath,
  }
  const registrar = await startNodeRegistrar(
    config,
    { files: host.files, sockets, clock, random, log },
    { onRefusal: 'retry' },
  )
  return {
    name: `registrar of ${registrar.driverName()} on ${name}`,
    detail: registrar.socketPath(),
    isHidden: true,
    stop: () => registrar.stop(),
  }
}
