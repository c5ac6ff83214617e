import type { CSIDriver } from '../../api/kinds/csi-driver.ts'
import type { Clock, Timer } from '../../base/clock.ts'
import type { Logger } from '../../base/logger.ts'

export type AllocatableParts = {
  clock: Clock
  log: Logger
  /** Asks the driver for its limit and publishes it. */
  refresh(driver: string): Promise<void>
}

/** Asks drivers from time to time how many volumes the node can have, where their CSIDriver object says so. */
export interface AllocatableUpdates {
  /** To be called whenever the driver is registered or not any more, or its object changes. */
  follow(driver: string, isRegistered: boolean, object: CSIDriver | undefined): void
  stop(): void
}

// The server refuses less; an object of another server may have it.
const SHORTEST_SECONDS = 10

export function createAllocatableUpdates({ clock, log, refresh }: AllocatableParts): AllocatableUpdates {
  const timers = new Map<string, { periodMs: number; timer: Timer }>()
  const cancel = (driver: string): void => {
    timers.get(driver)?.timer.cancel()
    timers.delete(driver)
  }
  const arm = (driver: string, periodMs: number): void => {
    const timer = clock.setTimer(periodMs, () => {
      void refresh(driver)
        .catch((error: unknown) => log.warn('the limit of volumes was not read', { driver, error }))
        // The next one only now: a slow driver must not be asked twice at once.
        .then(() => {
          if (timers.get(driver)?.timer === timer) arm(driver, periodMs)
        })
    })
    timers.set(driver, { periodMs, timer })
  }
  const follow = (driver: string, isRegistered: boolean, object: CSIDriver | undefined): void => {
    const seconds = object?.spec.nodeAllocatableUpdatePeriodSeconds
    const periodMs = isRegistered && seconds ? Math.max(seconds, SHORTEST_SECONDS) * 1000 : undefined
    if (timers.get(driver)?.periodMs === periodMs) return
    cancel(driver)
    if (periodMs !== undefined) arm(driver, periodMs)
  }
  return { follow, stop: () => [...timers.keys()].forEach(cancel) }
}
