import { join } from 'node:path'
import type { Api } from '../api/api.ts'
import { startApiServer, writeAdminKubeconfig } from '../apiserver/index.ts'
import type { OpenServer } from '../apiserver/index.ts'
import { makeDirectories } from '../base/host/index.ts'
import { startWhole } from '../base/stops.ts'
import { createSystemSockets } from '../csi/index.ts'
import { summarizeStats } from '../node/index.ts'
import type { MeasuredNode } from '../node/index.ts'
import type { ClusterOptions, ClusterParts, StartedPart } from './cluster-options.ts'
import { serveParts } from './serve-parts.ts'
import type { NodeDriver } from './start-drivers.ts'
import { startParts } from './start-parts.ts'
import { createUntilObject } from './until-object.ts'
import type { UntilObject } from './until-object.ts'

export interface Cluster extends AsyncDisposable {
  readonly started: readonly Pick<StartedPart, 'name' | 'detail'>[]
  readonly address: string
  /** With every right. */
  readonly api: Api
  /**
   * Waits until `holds` returns true for an object, which is undefined while it does not exist, and resolves with it. Rejects after `limitMs`, by
   * default a minute, with what `why` says about the object.
   */
  readonly untilObject: UntilObject
  /** One socket of each driver. */
  readonly drivers: readonly { readonly name: string; readonly endpoint: string }[]
  /** How full the volumes of each node are. */
  readonly nodes: readonly MeasuredNode[]
  /** Stops the parts in reverse order. Volumes that a restart needs stay mounted. */
  stop(): Promise<void>
}

/** Starts a cluster in this process. If a part fails to start, the parts before it are stopped. */
export async function startCluster(parts: ClusterParts, options: ClusterOptions): Promise<Cluster> {
  return startWhole(async (stops) => {
    const nodes: MeasuredNode[] = []
    const { server, ...apiServer } = await startServer(parts, options, nodes)
    stops.onStop(() => apiServer.stop())
    const { host, clock, random, log, tracer } = parts
    const sockets = createSystemSockets({ files: host.files, clock, random, log, tracer })
    const served = serveParts(server)
    const others = await startParts({ ...parts, sockets }, options, served)
    for (const part of others) stops.onStop(() => part.stop())
    for (const { name, stats } of others) if (stats) nodes.push({ name, stats })
    const started = [apiServer, ...others].filter(({ isHidden = false }) => !isHidden)
    const { api } = served
    const untilObject = createUntilObject({ api, clock, random, log })
    return {
      started,
      address: apiServer.detail,
      api,
      untilObject,
      drivers: driversOf(others),
      nodes,
      stop: stops.run,
      [Symbol.asyncDispose]: stops.run,
    }
  })
}

function driversOf(parts: readonly (StartedPart & Partial<NodeDriver>)[]): Cluster['drivers'] {
  const found = new Map<string, string>()
  for (const { driverName, endpoint } of parts)
    if (driverName !== undefined && endpoint !== undefined && !found.has(driverName)) found.set(driverName, endpoint)
  return Array.from(found, ([name, endpoint]) => ({ name, endpoint }))
}

async function startServer(
  { host: machine, clock, random, log, version }: ClusterParts,
  options: ClusterOptions,
  nodes: readonly MeasuredNode[],
): Promise<StartedPart & { server: OpenServer }> {
  const {
    dataDirectory,
    inMemory = false,
    acceptDataLoss = false,
    port = 0,
    orFreePort = false,
    nodeLabelPrefixes = [],
    gates = {},
    kubeconfigPath = join(dataDirectory, 'kubeconfig'),
  } = options
  await makeDirectories(machine.files, dataDirectory, { mode: 0o700 })
  const apiServer = await startApiServer(
    {
      port,
      orFreePort,
      authorizationMode: 'Node,RBAC',
      acceptDataLoss,
      nodeLabelPrefixes,
      gates,
      ...(options.versionsKeptMs === undefined ? {} : { versionsKeptMs: options.versionsKeptMs }),
      nodeStats: (name) => {
        const node = nodes.find((each) => each.name === name)
        return node && summarizeStats(name, node.stats())
      },
      ...(inMemory ? {} : { dataDirectory: join(dataDirectory, 'apiserver') }),
    },
    { machine, clock, random, log, version },
  )
  const { address, server, stop } = apiServer
  try {
    await writeAdminKubeconfig(kubeconfigPath, apiServer, { machine, random })
  } catch (error) {
    await stop()
    throw error
  }
  return { name: 'API server', detail: address, server, stop }
}
