import { join } from 'node:path'
import type { Clock } from '../base/clock.ts'
import type { Host } from '../base/host/index.ts'
import { makeDirectories } from '../base/host/index.ts'
import type { Logger } from '../base/logger.ts'
import type { Random } from '../base/random.ts'
import { createLockTable, serve } from '../csi/kit/index.ts'
import type { RunningServer } from '../csi/kit/index.ts'
import { createHostpathDriver, DEFAULT_DRIVER_NAME, openHostpath } from '../drivers/hostpath/index.ts'

export type ClusterParts = { host: Host; clock: Clock; random: Random; log: Logger; version: string }

export type ClusterOptions = {
  /** Everything that a cluster keeps is below this directory. */
  dataDirectory: string
  nodes: number
  /** Nodes are spread over them in turn; empty for a cluster without topology. */
  zones: readonly string[]
}

/** A part that runs, for showing. */
export type ClusterPart = { name: string; detail: string }

export interface Cluster {
  readonly started: readonly ClusterPart[]
  /** What a whole cluster has and this version does not. */
  readonly missing: readonly string[]
  /** In reverse order; nothing that a restart will want is undone. */
  stop(): Promise<void>
}

export const ZONE_KEY = 'topology.holdfast.dev/zone'

const MISSING = ['API server', 'controllers', 'sidecars', 'node agents']

/** Starts what there is of a cluster in this process. When a part can't start, those before it are stopped again. */
export async function startCluster(parts: ClusterParts, options: ClusterOptions): Promise<Cluster> {
  const running: RunningServer[] = []
  const stop = async (): Promise<void> => {
    for (const server of running.reverse()) await server.stop()
  }
  try {
    const started = await startDrivers(parts, options, running)
    return { started, missing: MISSING, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

/** The bundled driver on every node, all with the same volumes. */
async function startDrivers(parts: ClusterParts, { dataDirectory, nodes, zones }: ClusterOptions, running: RunningServer[]): Promise<ClusterPart[]> {
  const { host, clock, random, log, version } = parts
  const hostpath = await openHostpath({ root: join(dataDirectory, 'volumes'), host, clock, random, log })
  const locks = createLockTable()
  const started: ClusterPart[] = []
  for (let index = 0; index < nodes; index++) {
    const id = `node-${index + 1}`
    const zone = zones[index % zones.length]
    const topology = zone === undefined ? {} : { [ZONE_KEY]: zone }
    const directory = join(dataDirectory, id)
    await makeDirectories(host.files, directory, { mode: 0o700 })
    const { server, publisher } = await createHostpathDriver({
      hostpath,
      node: { id, topology, attachLimit: 0 },
      name: DEFAULT_DRIVER_NAME,
      version,
      attach: true,
      publish: 'auto',
      locks,
    })
    const socket = await serve({ endpoint: join(directory, 'csi.sock'), servers: [server], files: host.files, random, clock, log })
    running.push(socket)
    const place = zone === undefined ? '' : `, zone ${zone}`
    started.push({ name: `driver ${DEFAULT_DRIVER_NAME} on ${id}${place}`, detail: `unix://${socket.path} (${publisher.kind})` })
  }
  return started
}
