import { join } from 'node:path'
import { makeDirectories } from '../base/host/index.ts'
import { createLockTable } from '../csi/kit/index.ts'
import { createHostpathDriver, DEFAULT_DRIVER_NAME, openHostpath } from '../drivers/hostpath/index.ts'
import type { ClusterNode, MachineParts, StartedPart } from './cluster-options.ts'
import { startAll } from './start-all.ts'

export const ZONE_KEY = 'topology.holdfast.dev/zone'

/** A driver of one node, ours or a stranger's. */
export type NodeDriver = { readonly driverName: string; readonly node: string; readonly endpoint: string }

/** The bundled driver on every node, all with the same volumes; each socket is where the agent of the node expects it. */
export async function startDrivers(
  parts: MachineParts,
  dataDirectory: string,
  nodes: readonly ClusterNode[],
): Promise<(StartedPart & NodeDriver)[]> {
  const { host, sockets, clock, random, log, version, tracer } = parts
  const hostpath = await openHostpath({ root: join(dataDirectory, 'volumes'), host, clock, random, log })
  const locks = createLockTable()
  return startAll(async (add) => {
    for (const { name: id, rootDir, zone } of nodes) {
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
        tracer,
      })
      const socket = await sockets.serve(join(directory, 'csi.sock'), server)
      const place = zone === undefined ? '' : `, zone ${zone}`
      const endpoint = `unix://${socket.path}`
      add({
        name: `driver ${DEFAULT_DRIVER_NAME} on ${id}${place}`,
        detail: `${endpoint} (${publisher.kind})`,
        driverName: DEFAULT_DRIVER_NAME,
        node: id,
        endpoint,
        stop: () => socket.stop(),
      })
    }
  })
}
