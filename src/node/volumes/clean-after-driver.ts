import type { Logger } from '../../base/logger.ts'
import { StillMountedError } from './mount-points.ts'
import type { VolumeFiles } from './volume-files.ts'

/**
 * Cleans up after a driver that says it has unmounted a path. If it has not, it may only be late, and is asked once more. A driver that was killed
 * before it wrote down what it had mounted says the same for ever: then the agent unmounts it. Nothing but this volume can be at a path of ours.
 */
export function createCleanAfterDriver(
  files: Pick<VolumeFiles, 'unmount'>,
): (place: object, path: string, clean: () => Promise<void>, log: Logger) => Promise<void> {
  const wasStillMounted = new WeakSet()
  return async (place, path, clean, log) => {
    try {
      await clean()
    } catch (error) {
      if (!(error instanceof StillMountedError)) throw error
      if (!wasStillMounted.has(place)) {
        wasStillMounted.add(place)
        throw error
      }
      log.warn('the driver says again that this is unmounted, and it is not: it is unmounted without the driver', {
        path,
      })
      await files.unmount(path)
      await clean()
    }
    wasStillMounted.delete(place)
  }
}
