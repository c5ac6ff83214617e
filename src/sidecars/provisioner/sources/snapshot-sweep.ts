import { isForbidden, isNotFound } from '../../../api/api-error.ts'
import { hasFinalizer } from '../../../api/finalizers.ts'
import { VOLUME_SNAPSHOTS } from '../../../api/kinds/volume-snapshot.ts'
import { definePeriodic, DONE } from '../../../kube/controller/index.ts'
import type { ControllerRole } from '../../../kube/controller/index.ts'
import { SNAPSHOT_SOURCE_FINALIZER } from '../names.ts'
import { sourceKeyOf } from './next-source-step.ts'

const PAGE = 500

/**
 * Looks for snapshots with our finalizer at the start and then at intervals: an earlier process may have left it there. They are listed and
 * not watched, because the upstream provisioner's RBAC does not allow that everywhere.
 */
export function defineSnapshotSweep({ api }: ControllerRole, intervalMs: number, onHeld: (sourceKey: string) => void) {
  let isMissingKnown = false
  return definePeriodic({
    name: 'snapshot-sweep',
    intervalMs,
    problem: 'snapshots could not be listed',
    act: async ({ log }) => {
      let continueToken: string | undefined
      try {
        do {
          const page = await api.list(VOLUME_SNAPSHOTS, { limit: PAGE, ...(continueToken ? { continueToken } : {}) })
          for (const snapshot of page.items)
            if (hasFinalizer(snapshot, SNAPSHOT_SOURCE_FINALIZER)) onHeld(sourceKeyOf(snapshot))
          continueToken = page.continueToken
        } while (continueToken)
        isMissingKnown = false
      } catch (error) {
        if (isForbidden(error)) {
          log.warn('unused snapshots are not released: allow list of volumesnapshots', { error })
          return DONE
        }
        if (!isNotFound(error)) throw error
        if (!isMissingKnown) log.info('the server has no snapshots')
        isMissingKnown = true
      }
      return undefined
    },
  })
}
