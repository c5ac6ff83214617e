import type { Driver } from '../../csi/rpc.ts'
import { readPages } from '../read-pages.ts'

/** Node IDs by volume handle, as the driver lists them. */
export type Published = ReadonlyMap<string, ReadonlySet<string>>

export type ListOptions = {
  /** The volumes and nodes of interest. Nothing else is kept, however many volumes the driver has. */
  readonly wanted: Published
  readonly maxEntries: number
  /** Per page. */
  readonly timeoutMs: number
  readonly signal: AbortSignal
}

/** The wanted volumes that the driver lists, each with the wanted nodes that it is published to. */
export async function listPublished(
  driver: Pick<Driver, 'listVolumes'>,
  { wanted, maxEntries, timeoutMs, signal }: ListOptions,
): Promise<Published> {
  const published = new Map<string, Set<string>>()
  const readPage = (startingToken: string) => driver.listVolumes({ maxEntries, startingToken }, { timeoutMs, signal })
  await readPages('ListVolumes', readPage, ({ entries }) => {
    for (const { volume, status } of entries) {
      const nodes = volume && status && wanted.get(volume.volumeId)
      if (!nodes) continue
      const found = published.get(volume.volumeId) ?? new Set()
      for (const nodeId of status.publishedNodeIds) if (nodes.has(nodeId)) found.add(nodeId)
      published.set(volume.volumeId, found)
    }
  })
  return published
}
