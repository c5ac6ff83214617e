import { join } from 'node:path'
import type { OpenServer } from '../apiserver/index.ts'
import { makeDirectories } from '../base/host/index.ts'
import { defaultsOf } from '../base/options/index.ts'
import { connectDriver, connectRegistrar } from '../csi/index.ts'
import { DEFAULT_REGISTRATION, DEFAULT_REPORT, DEFAULT_VOLUMES, describeNode, startNode } from '../node/index.ts'
import { nodeRegistrarOptions, startNodeRegistrar } from '../sidecars/node-registrar/index.ts'
import type { ClusterParts, StartedPart } from './cluster-options.ts'
import type { StartedDriver } from './start-drivers.ts'

/** The agents of all nodes, each with its driver registered as any other would be: by a socket in its directory. */
export async function startNodes(parts: ClusterParts, server: OpenServer, drivers: readonly StartedDriver[]): Promise<StartedPart[]> {
  const started: StartedPart[] = []
  for (const driver of drivers) {
    started.push(await startAgent(parts, server, driver))
    started.push(await registerDriver(parts, driver))
  }
  return started
}

async function startAgent({ host, clock, random, log, version }: ClusterParts, server: OpenServer, { node: name, rootDir }: StartedDriver): Promise<StartedPart> {
  // With no more rights than a node has: what works here works for a kubelet.
  const api = server.core.as({ name: `system:node:${name}`, groups: ['system:nodes', 'system:authenticated'] }, { userAgent: 'holdfast-node' })
  const description = describeNode(name, { labels: {}, version, hostname: name, architecture: process.arch, capacity: { pods: 1000, cpu: '64', memory: '64Gi' } })
  const config = { name, rootDir, description, registration: DEFAULT_REGISTRATION, volumes: DEFAULT_VOLUMES, report: DEFAULT_REPORT }
  const nodeParts = {
    host,
    clock,
    random,
    log,
    api,
    connectDriver: (endpoint: string) => connectDriver({ endpoint, clock }),
    connectRegistrar: (endpoint: string) => connectRegistrar({ endpoint, clock }),
  }
  const node = await startNode(config, nodeParts, new AbortController().signal)
  return { name, detail: rootDir, isIdle: () => node.isIdle(), stop: () => node.stop() }
}

async function registerDriver({ host, clock, random, log }: ClusterParts, { node, rootDir, endpoint }: StartedDriver): Promise<StartedPart> {
  const pluginRegistrationPath = join(rootDir, 'plugins_registry')
  await makeDirectories(host.files, pluginRegistrationPath, { mode: 0o700 })
  const kubeletRegistrationPath = endpoint.replace(/^unix:\/\//, '')
  const config = { ...defaultsOf(nodeRegistrarOptions), csiAddress: endpoint, kubeletRegistrationPath, pluginRegistrationPath }
  const registrar = await startNodeRegistrar(config, { files: host.files, clock, random, log }, { onRefusal: 'retry' })
  return { name: `registrar of ${registrar.driverName()} on ${node}`, detail: registrar.socketPath(), isHidden: true, stop: () => registrar.stop() }
}
