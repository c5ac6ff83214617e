import { join } from 'node:path'
import { makeDirectories } from '../base/host/index.ts'
import { startProxy } from '../proxy/index.ts'
import type { ClusterNode, ClusterOptions, MachineParts, StartedPart } from './cluster-options.ts'
import { startAll } from './start-all.ts'
import type { NodeDriver } from './start-drivers.ts'

/** A proxy in front of each driver. Each has the name and the node of its driver, and an endpoint of its own. */
export function startProxies(
  { host, clock, random, log }: MachineParts,
  proxy: NonNullable<ClusterOptions['proxy']>,
  { nodes, drivers }: { nodes: readonly ClusterNode[]; drivers: readonly NodeDriver[] },
): Promise<(StartedPart & NodeDriver)[]> {
  const { files } = host
  return startAll(async (add) => {
    for (const { driverName, node, endpoint } of drivers) {
      const directory = join(nodes.find(({ name }) => name === node)?.rootDir ?? '', 'plugins', driverName)
      await makeDirectories(files, directory, { mode: 0o700 })
      // Not longer than csi.sock: the kernel limits the length of the path.
      const listen = join(directory, 'flt.sock')
      const running = await startProxy({ listen, to: endpoint, ...proxy, clock, random, files, log })
      add({
        name: `proxy of ${driverName} on ${node}`,
        detail: `unix://${running.path}`,
        driverName,
        node,
        endpoint: `unix://${running.path}`,
        stop: () => running.stop(),
      })
    }
  })
}
