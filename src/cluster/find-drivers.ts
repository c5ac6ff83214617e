import { startDeadline } from '../base/abort.ts'
import type { ClusterNode, GivenDriver, MachineParts } from './cluster-options.ts'
import type { NodeDriver } from './start-drivers.ts'

const ANSWER_TIMEOUT_MS = 10_000

/** Asks drivers that run already who they are. One that does not answer is an error: nothing could be done with it. */
export function findDrivers({ clock, sockets }: Pick<MachineParts, 'clock' | 'sockets'>, given: readonly GivenDriver[], nodes: readonly ClusterNode[]): Promise<NodeDriver[]> {
  return Promise.all(
    given.map(async ({ node, endpoint }) => {
      if (!nodes.some(({ name }) => name === node)) throw new Error(`--driver ${endpoint}: there is no ${node}; the nodes are ${nodes.map(({ name }) => name).join(', ')}`)
      const { driver, connection } = sockets.connectDriver(endpoint)
      try {
        using deadline = startDeadline(clock, ANSWER_TIMEOUT_MS, () => new Error(`--driver ${endpoint}: no driver answers there; start it first`))
        await connection.ready(deadline.signal)
        const { name } = await driver.getPluginInfo({}, { signal: deadline.signal })
        return { driverName: name, node, endpoint }
      } finally {
        connection.close()
      }
    }),
  )
}
