const LARGEST_BATCH = 500

/**
 * Calls `act` for every item: first for one, then for twice as many each time as long as all succeed. If the server rejects every request, one
 * request shows that. Throws the first error of a batch; items of later batches are not tried.
 */
export async function slowStart<T>(items: readonly T[], act: (item: T) => Promise<void>): Promise<void> {
  for (let done = 0, size = 1; done < items.length; done += size, size = Math.min(2 * size, LARGEST_BATCH)) {
    const results = await Promise.allSettled(items.slice(done, done + size).map(act))
    for (const result of results) if (result.status === 'rejected') throw result.reason
  }
}
