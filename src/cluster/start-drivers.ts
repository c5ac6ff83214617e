import { join } from 'node:path'
import { makeDirectories } from '../base/host/index.ts'
import { createLockTable, serve } from '../csi/kit/index.ts'
import type { RunningServer } from '../csi/kit/index.ts'
import { createHostpathDriver, DEFAULT_DRIVER_NAME, openHostpath } from '../drivers/hostpath/index.ts'
import type { ClusterOptions, ClusterParts, StartedPart } from './cluster-options.ts'

export const ZONE_KEY = 'topology.holdfast.dev/zone'

/** A driver of one node; its socket is where the agent of the node expects it. */
export type StartedDriver = StartedPart & { readonly node: string; readonly rootDir: string; readonly endpoint: string }

/** The bundled driver on every node, all with the same volumes. */
export async function startDrivers(parts: ClusterParts, { dataDirectory, nodes, zones }: ClusterOptions): Promise<StartedDriver[]> {
  const { host, clock, random, log, version } = parts
  const hostpath = await openHostpath({ root: join(dataDirectory, 'volumes'), host, clock, random, log })
  const locks = createLockTable()
  const started: StartedDriver[] = []
  for (let index = 0; index < nodes; index++) {
    const id = `node-${index + 1}`
    const zone = zones[index % zones.length]
    const rootDir = join(dataDirectory, id)
    const directory = join(rootDir, 'plugins', DEFAULT_DRIVER_NAME)
    await makeDirectories(host.files, directory, { mode: 0o700 })
    const { server, publisher } = await createHostpathDriver({
      hostpath,
      node: { id, topology: zone === undefined ? {} : { [ZONE_KEY]: zone }, attachLimit: 0 },
      name: DEFAULT_DRIVER_NAME,
      version,
      attach: true,
      publish: 'auto',
      locks,
    })
    const socket: RunningServer = await serve({ endpoint: join(directory, 'csi.sock'), servers: [server], files: host.files, random, clock, log })
    const place = zone === undefined ? '' : `, zone ${zone}`
    started.push({ name: `driver ${DEFAULT_DRIVER_NAME} on ${id}${place}`, detail: `unix://${socket.path} (${publisher.kind})`, node: id, rootDir, endpoint: `unix://${socket.path}`, stop: () => socket.stop() })
  }
  return started
}
