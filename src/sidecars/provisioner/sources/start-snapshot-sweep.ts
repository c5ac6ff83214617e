import { isForbidden, isNotFound } from '../../../api/api-error.ts'
import type { Api } from '../../../api/api.ts'
import { hasFinalizer } from '../../../api/finalizers.ts'
import { VOLUME_SNAPSHOTS } from '../../../api/kinds/volume-snapshot.ts'
import { sleep } from '../../../base/clock.ts'
import type { Clock } from '../../../base/clock.ts'
import type { Logger } from '../../../base/logger.ts'
import { within } from '../../../kube/within.ts'
import { SNAPSHOT_SOURCE_FINALIZER } from '../names.ts'
import { sourceKeyOf } from './next-source-step.ts'

export type SweepParts = {
  readonly api: Api
  readonly clock: Clock
  readonly log: Logger
  readonly intervalMs: number
  /** A snapshot has our finalizer. */
  onHeld(sourceKey: string): void
}

const PAGE = 500

/**
 * Looks for snapshots with our finalizer at once and then from time to time: an earlier life may have left it there. They are listed and
 * not watched, which fewer are allowed to.
 */
export function startSnapshotSweep({ api, clock, log, intervalMs, onHeld }: SweepParts): {
  isIdle(): boolean
  stop(): Promise<void>
} {
  const stopping = new AbortController()
  const { signal } = stopping
  let isListing = true
  let isMissingKnown = false

  const sweep = async (): Promise<void> => {
    let continueToken: string | undefined
    do {
      const more = continueToken === undefined ? {} : { continueToken }
      const page = await within(clock, signal, (until) =>
        api.list(VOLUME_SNAPSHOTS, { limit: PAGE, signal: until, ...more }),
      )
      for (const snapshot of page.items)
        if (hasFinalizer(snapshot, SNAPSHOT_SOURCE_FINALIZER)) onHeld(sourceKeyOf(snapshot))
      continueToken = page.continueToken
    } while (continueToken)
  }
  /** False: there is no use in trying again. */
  const trySweep = async (): Promise<boolean> => {
    try {
      await sweep()
    } catch (error) {
      if (signal.aborted) return false
      if (isForbidden(error)) {
        log.warn('snapshots that nobody restores any more are not looked for: allow list of volumesnapshots', { error })
        return false
      }
      if (!isNotFound(error)) log.warn('snapshots could not be listed', { error })
      else if (!isMissingKnown) log.info('the server has no snapshots')
      isMissingKnown = isNotFound(error)
    }
    return true
  }
  const run = async (): Promise<void> => {
    for (;;) {
      isListing = true
      const goesOn = await trySweep()
      isListing = false
      if (!goesOn) return
      await sleep(clock, intervalMs, signal)
    }
  }
  // It ends by itself only where that was logged.
  const running = run().catch(() => {})
  const stop = async (): Promise<void> => {
    stopping.abort(new Error('snapshots are not looked for any more'))
    await running
  }
  return { isIdle: () => !isListing, stop }
}
