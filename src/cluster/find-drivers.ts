import type { ClusterNode, GivenDriver } from './cluster-options.ts'
import { askDriverName } from './ask-driver-name.ts'
import type { AskParts } from './ask-driver-name.ts'
import type { NodeDriver } from './start-drivers.ts'

export type FindOptions = {
  /** Drivers that the cluster has besides. Default none. */
  bundled?: readonly Pick<NodeDriver, 'driverName' | 'node'>[]
  signal?: AbortSignal
}

/** Asks drivers that run already who they are, and whether they are ready. One that does not answer is an error: nothing could be done with it. */
export async function findDrivers(
  parts: AskParts,
  given: readonly GivenDriver[],
  nodes: readonly ClusterNode[],
  { bundled = [], signal }: FindOptions = {},
): Promise<NodeDriver[]> {
  for (const { node, endpoint } of given) {
    if (!nodes.some(({ name }) => name === node))
      throw new Error(
        `--driver ${endpoint}: there is no ${node}; the nodes are ${nodes.map(({ name }) => name).join(', ')}`,
      )
  }
  const found = await Promise.all(
    given.map(async ({ node, endpoint }) => ({
      driverName: await askDriverName(parts, endpoint, signal),
      node,
      endpoint,
    })),
  )
  const problem = findDouble(found, bundled)
  if (problem !== undefined) throw new Error(problem)
  return found
}

/** Of the drivers with one name on one node, only one could be registered. */
function findDouble(
  found: readonly NodeDriver[],
  bundled: readonly Pick<NodeDriver, 'driverName' | 'node'>[],
): string | undefined {
  for (const [index, { driverName, node, endpoint }] of found.entries()) {
    const isSame = (other: Pick<NodeDriver, 'driverName' | 'node'>): boolean =>
      other.driverName === driverName && other.node === node
    if (bundled.some(isSame))
      return `--driver ${endpoint}: it is called ${driverName}, as the bundled driver; add --no-bundled-driver`
    const before = found.slice(0, index).find(isSame)
    if (before)
      return `--driver ${endpoint}: ${before.endpoint} is ${driverName} on ${node} already; name another node with --driver=NODE=${endpoint}, or leave one out`
  }
  return undefined
}
