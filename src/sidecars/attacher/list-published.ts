import type { Driver } from '../../csi/rpc.ts'
import type { Published } from './find-drift.ts'

export type ListOptions = {
  /** The volumes and nodes that matter: of all others nothing is kept, however many the driver has. */
  readonly wanted: Published
  readonly maxEntries: number
  /** For each page. */
  readonly timeoutMs: number
  readonly signal: AbortSignal
}

// A million volumes, a hundred on a page: a driver that goes on after that goes on for ever.
const MOST_PAGES = 10_000

/** Those of the wanted volumes that the driver lists, with those of the wanted nodes that it says they are published to. */
export async function listPublished(
  driver: Pick<Driver, 'listVolumes'>,
  { wanted, maxEntries, timeoutMs, signal }: ListOptions,
): Promise<Published> {
  const published = new Map<string, Set<string>>()
  // Only one of the tokens so far is kept, another one at each power of two: in a circle that one comes back.
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
      throw new Error(`the driver lists in a circle: after ${page} pages it gives a token that it gave before`)
    if (Number.isInteger(Math.log2(page))) mark = nextToken
    startingToken = nextToken
  }
  throw new Error(`the driver lists without end: ${MOST_PAGES} pages, and still there is a next one`)
}
