import type { Driver } from '../../csi/rpc.ts'
import type { Published } from './find-drift.ts'

/** All volumes of the driver with the nodes that they are published to. Each page has its own time limit. */
export async function listPublished(driver: Driver, { maxEntries, timeoutMs, signal }: { maxEntries: number; timeoutMs: number; signal: AbortSignal }): Promise<Published> {
  const published = new Map<string, Set<string>>()
  const tokens = new Set<string>()
  let startingToken = ''
  do {
    const { entries, nextToken } = await driver.listVolumes({ maxEntries, startingToken }, { timeoutMs, signal })
    for (const { volume, status } of entries) {
      if (!volume || !status) continue
      const nodes = published.get(volume.volumeId) ?? new Set()
      for (const nodeId of status.publishedNodeIds) nodes.add(nodeId)
      published.set(volume.volumeId, nodes)
    }
    if (tokens.has(nextToken)) throw new Error(`the driver lists in a circle: it gave the token ${JSON.stringify(nextToken)} twice`)
    tokens.add(nextToken)
    startingToken = nextToken
  } while (startingToken !== '')
  return published
}
