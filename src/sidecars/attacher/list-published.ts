import type { Driver } from '../../csi/rpc.ts'

/** Node IDs by volume handle, as the driver lists them. */
export type Published = ReadonlyMap<string, ReadonlySet<string>>

export type ListOptions = {
  /** The volumes and nodes of interest. Nothing else is kept, however many volumes the driver has. */
  readonly wanted: Published
  readonly maxEntries: number
  /** For each page. */
  readonly timeoutMs: number
  readonly signal: AbortSignal
}

// A million volumes, a hundred on a page: a driver that exceeds this is not going to end.
const MOST_PAGES = 10_000

/** The wanted volumes that the driver lists, each with the wanted nodes that it is published to. */
export async function listPublished(
  driver: Pick<Driver, 'listVolumes'>,
  { wanted, maxEntries, timeoutMs, signal }: ListOptions,
): Promise<Published> {
  const published = new Map<string, Set<string>>()
  // Only one earlier token is kept, replaced at each power of two: in a cycle it comes back.
  let mark = ''
  let startingToken = ''
  for (let page = 1; page <= MOST_PAGES; page++) {
    const { entries, nextToken } = await driver.listVolumes({ maxEntries, startingToken }, { timeoutMs, signal })
    for (const { volume, status } of entries) {
      const nodes = volume && status && wanted.get(volume.volumeId)
      if (!nodes) continue
      const found = published.get(volume.volumeId) ?? new Set()
      for (const nodeId of status.publishedNodeIds) if (nodes.has(nodeId)) found.add(nodeId)
      published.set(volume.volumeId, found)
    }
    if (nextToken === '') return published
    if (nextToken === mark)
      throw new Error(`ListVolumes does not end: page ${page} has the next_token of an earlier page`)
    if (Number.isInteger(Math.log2(page))) mark = nextToken
    startingToken = nextToken
  }
  throw new Error(`ListVolumes does not end: there are more than ${MOST_PAGES} pages`)
}
