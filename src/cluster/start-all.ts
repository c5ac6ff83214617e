import { startWhole } from '../base/stops.ts'

/** Starts parts one after the other. When one can't start, those before it are stopped again. */
export function startAll<Part extends { stop(): Promise<void> }>(
  start: (add: (...parts: readonly Part[]) => void) => Promise<unknown>,
): Promise<Part[]> {
  return startWhole(async (stops) => {
    const started: Part[] = []
    await start((...parts) => {
      started.push(...parts)
      for (const part of parts) stops.onStop(() => part.stop())
    })
    return started
  })
}
