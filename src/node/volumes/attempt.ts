import type { KubeObject } from '../../api/object.ts'
import type { Pass } from '../../kube/controller/index.ts'
import { addFailure } from './failures.ts'
import type { VolumeContext } from './volume-context.ts'
import type { Device, Mount } from './volume-table.ts'

// Events and operations have the kubelet's names: for a volume with a file system, and for a block volume.
const NAMES = {
  publish: { events: ['FailedMount', 'FailedMapVolume'], calls: ['MountVolume.SetUp', 'MapVolume.MapPodDevice'] },
  unpublish: {
    events: ['FailedUnmount', 'FailedUnmount'],
    calls: ['UnmountVolume.TearDown', 'UnmapVolume.UnmapPodDevice'],
  },
  stage: { events: ['FailedMount', 'FailedMapVolume'], calls: ['MountVolume.MountDevice', 'MapVolume.SetUpDevice'] },
  unstage: { events: ['FailedUnstage', 'FailedUnstage'], calls: ['UnmountDevice', 'UnmountDevice'] },
  expand: { events: ['VolumeResizeFailed', 'VolumeResizeFailed'], calls: ['NodeExpandVolume', 'NodeExpandVolume'] },
} as const

export type Attempt = {
  readonly operation: keyof typeof NAMES
  /** Objects that get an event about each failure. */
  readonly about: readonly (KubeObject | undefined)[]
  /** False for a call that only prepares the operation: earlier failures of the operation still count then. */
  readonly isWhole?: boolean
}

/** Acts, or counts and reports the failure; the next decision waits for the backoff to end. */
export async function attempt(
  { clock, random, drivers, events }: VolumeContext,
  entry: Mount | Device,
  { log, signal }: Pick<Pass<unknown>, 'log' | 'signal'>,
  { operation, about, isWhole = true }: Attempt,
  act: () => Promise<void>,
): Promise<void> {
  const { failures, driver, volumeHandle, volumeName, isBlock } = entry
  try {
    await act()
    if (isWhole) failures.delete(operation)
  } catch (error) {
    signal.throwIfAborted()
    drivers.doubt(driver, error)
    const text = error instanceof Error ? error.message : String(error)
    const retryInMs = addFailure(failures, operation, text, { clock, random })
    log.warn('volume operation failed', { operation, volume: volumeHandle, driver, retryInMs, error })
    const { events: names, calls } = NAMES[operation]
    const message = `${calls[isBlock ? 1 : 0]} failed for volume "${volumeName || volumeHandle}" : ${text}`
    for (const object of about) if (object) events.record(object, 'Warning', names[isBlock ? 1 : 0], message)
  }
}
