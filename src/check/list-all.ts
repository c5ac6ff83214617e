import type { Driver } from '../csi/index.ts'

type VolumeEntry = Awaited<ReturnType<Driver['listVolumes']>>['entries'][number]
type SnapshotEntry = Awaited<ReturnType<Driver['listSnapshots']>>['entries'][number]

// A driver that repeats its pages would keep the caller for ever.
const MOST_PAGES = 10_000

/** All volumes of the driver, page by page. */
export const allVolumes = (driver: Driver, maxEntries = 0): Promise<VolumeEntry[]> =>
  allPages((startingToken) => driver.listVolumes({ maxEntries, startingToken }))

export const allSnapshots = (driver: Driver, maxEntries = 0): Promise<SnapshotEntry[]> =>
  allPages((startingToken) => driver.listSnapshots({ maxEntries, startingToken }))

async function allPages<Entry>(
  list: (startingToken: string) => Promise<{ entries: Entry[]; nextToken: string }>,
): Promise<Entry[]> {
  const all: Entry[] = []
  let token = ''
  for (let page = 0; page < MOST_PAGES; page++) {
    const { entries, nextToken } = await list(token)
    all.push(...entries)
    if (nextToken === '') return all
    token = nextToken
  }
  throw new Error(`the list does not end after ${MOST_PAGES} pages`)
}
