/** Does it for each, with that many under way at a time. */
export async function inFlight<T>(
  items: readonly T[],
  most: number,
  act: (item: T, index: number) => Promise<unknown>,
): Promise<void> {
  let next = 0
  const lane = async (): Promise<void> => {
    while (next < items.length) {
      const index = next++
      await act(items[index] as T, index)
    }
  }
  await Promise.all(Array.from({ length: Math.min(most, items.length) }, lane))
}
