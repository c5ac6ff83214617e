import { isForbidden, isNotFound } from '../../../api/api-error.ts'
import { hasFinalizer } from '../../../api/finalizers.ts'
import { VOLUME_SNAPSHOTS } from '../../../api/kinds/volume-snapshot.ts'
import { sleep } from '../../../base/clock.ts'
import type { ControllerRole } from '../../../kube/controller/index.ts'
import { SNAPSHOT_SOURCE_FINALIZER } from '../names.ts'
import { sourceKeyOf } from './next-source-step.ts'

const PAGE = 500

/**
 * Looks for snapshots with our finalizer at the start and then at intervals: an earlier process may have left it there. They are listed and
 * not watched, because the upstream provisioner's RBAC does not allow that everywhere.
 */
export function startSnapshotSweep(
  { api, clock, log, signal, onReady, onStop, onIdle }: ControllerRole,
  intervalMs: number,
  onHeld: (sourceKey: string) => void,
): void {
  let isListing = true
  let isMissingKnown = false

  const sweep = async (): Promise<void> => {
    let continueToken: string | undefined
    do {
      const more = continueToken === undefined ? {} : { continueToken }
      const page = await api.list(VOLUME_SNAPSHOTS, { limit: PAGE, ...more })
      for (const snapshot of page.items)
        if (hasFinalizer(snapshot, SNAPSHOT_SOURCE_FINALIZER)) onHeld(sourceKeyOf(snapshot))
      continueToken = page.continueToken
    } while (continueToken)
  }
  const run = async (): Promise<void> => {
    for (;;) {
      isListing = true
      try {
        await sweep()
      } catch (error) {
        if (signal.aborted) return
        if (isForbidden(error))
          return log.warn('unused snapshots are not released: allow list of volumesnapshots', { error })
        if (!isNotFound(error)) log.warn('snapshots could not be listed', { error })
        else if (!isMissingKnown) log.info('the server has no snapshots')
        isMissingKnown = isNotFound(error)
      } finally {
        isListing = false
      }
      await sleep(clock, intervalMs, signal)
    }
  }
  let running: Promise<void> | undefined
  // It ends by itself only where that was logged.
  onReady(() => void (running = run().catch(() => {})))
  onStop(() => running)
  onIdle(() => !isListing)
}
