import { dirname, join } from 'node:path'
import type { OpenServer } from '../apiserver/index.ts'
import { makeDirectories } from '../base/host/index.ts'
import { defaultsOf } from '../base/options/index.ts'
import { connectDriver, connectRegistrar } from '../csi/index.ts'
import { DEFAULT_REGISTRATION, DEFAULT_REPORT, DEFAULT_VOLUMES, describeNode, startNode } from '../node/index.ts'
import { nodeRegistrarOptions, startNodeRegistrar } from '../sidecars/node-registrar/index.ts'
import type { ClusterNode, ClusterOptions, ClusterParts, StartedPart } from './cluster-options.ts'
import type { NodeDriver } from './start-drivers.ts'

export type NodesOptions = Pick<ClusterOptions, 'observeCsi' | 'volumes'> & { readonly server: OpenServer; readonly nodes: readonly ClusterNode[]; readonly drivers: readonly NodeDriver[] }

/** The agents of all nodes, with the drivers of each registered as any other would be: by a socket in its directory. */
export async function startNodes(parts: ClusterParts, options: NodesOptions): Promise<StartedPart[]> {
  const started: StartedPart[] = []
  for (const node of options.nodes) {
    const drivers = options.drivers.filter((driver) => driver.node === node.name)
    started.push(await startAgent(parts, node, drivers, options))
    for (const driver of drivers) started.push(await registerDriver(parts, node, driver))
  }
  return started
}

const pathOf = (endpoint: string): string => endpoint.replace(/^unix:\/\//, '')

async function startAgent({ host, clock, random, log, version }: ClusterParts, { name, rootDir }: ClusterNode, drivers: readonly NodeDriver[], { server, observeCsi, volumes = {} }: NodesOptions): Promise<StartedPart> {
  // With no more rights than a node has: what works here works for a kubelet.
  const api = server.core.as({ name: `system:node:${name}`, groups: ['system:nodes', 'system:authenticated'] }, { userAgent: 'holdfast-node' })
  const description = describeNode(name, { labels: {}, version, hostname: name, architecture: process.arch, capacity: { pods: 1000, cpu: '64', memory: '64Gi' } })
  // A driver that somebody else runs may listen anywhere.
  const endpointDirectories = drivers.map(({ endpoint }) => dirname(pathOf(endpoint)))
  const registration = { ...DEFAULT_REGISTRATION, endpointDirectories }
  const observe = observeCsi ? { observe: observeCsi(name) } : {}
  const nodeParts = {
    host,
    clock,
    random,
    log,
    api,
    connectDriver: (endpoint: string) => connectDriver({ endpoint, clock, ...observe }),
    connectRegistrar: (endpoint: string) => connectRegistrar({ endpoint, clock }),
  }
  const node = await startNode({ name, rootDir, description, registration, volumes: { ...DEFAULT_VOLUMES, ...volumes }, report: DEFAULT_REPORT }, nodeParts, new AbortController().signal)
  return { name, detail: rootDir, isIdle: () => node.isIdle(), stop: () => node.stop() }
}

async function registerDriver({ host, clock, random, log }: ClusterParts, { name, rootDir }: ClusterNode, { endpoint }: NodeDriver): Promise<StartedPart> {
  const pluginRegistrationPath = join(rootDir, 'plugins_registry')
  await makeDirectories(host.files, pluginRegistrationPath, { mode: 0o700 })
  const config = { ...defaultsOf(nodeRegistrarOptions), csiAddress: endpoint, kubeletRegistrationPath: pathOf(endpoint), pluginRegistrationPath }
  const registrar = await startNodeRegistrar(config, { files: host.files, clock, random, log }, { onRefusal: 'retry' })
  return { name: `registrar of ${registrar.driverName()} on ${name}`, detail: registrar.socketPath(), isHidden: true, stop: () => registrar.stop() }
}
