import type { KubeObject } from '../../api/object.ts'
import { CsiError } from '../../csi/csi-error.ts'
import { outcomeOf } from '../../csi/outcome-of.ts'
import type { CsiRpc } from '../../csi/rpc.ts'
import type { Pass } from '../../kube/controller/index.ts'
import { addFailure } from './failures.ts'
import type { VolumeContext } from './volume-context.ts'
import type { Device, Mount } from './volume-table.ts'

type Names = { readonly event: string; readonly operation: string }
const named = (event: string, operation: string): Names => ({ event, operation })

// Events and operations are named as the kubelet names them: for file systems, and for block volumes.
const FAILED = {
  publish: {
    message: 'volume not published',
    files: named('FailedMount', 'MountVolume.SetUp'),
    block: named('FailedMapVolume', 'MapVolume.MapPodDevice'),
  },
  unpublish: {
    message: 'volume not unpublished',
    files: named('FailedUnmount', 'UnmountVolume.TearDown'),
    block: named('FailedUnmount', 'UnmapVolume.UnmapPodDevice'),
  },
  stage: {
    message: 'volume not staged',
    files: named('FailedMount', 'MountVolume.MountDevice'),
    block: named('FailedMapVolume', 'MapVolume.SetUpDevice'),
  },
  unstage: {
    message: 'volume not unstaged',
    files: named('FailedUnstage', 'UnmountDevice'),
    block: named('FailedUnstage', 'UnmountDevice'),
  },
  expand: {
    message: 'volume not expanded',
    files: named('VolumeResizeFailed', 'NodeExpandVolume'),
    block: named('VolumeResizeFailed', 'NodeExpandVolume'),
  },
} as const

export type Attempt = {
  readonly operation: keyof typeof FAILED
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
    const failed = FAILED[operation]
    log.warn(failed.message, { volume: volumeHandle, driver, retryInMs, error })
    const names = isBlock ? failed.block : failed.files
    for (const object of about)
      if (object)
        events.record(
          object,
          'Warning',
          names.event,
          `${names.operation} failed for volume "${volumeName || volumeHandle}" : ${text}`,
        )
  }
}

/** Whether the driver has answered that it did nothing, and nothing is running: then there is nothing to undo. */
export const isUndone = (rpc: CsiRpc, error: unknown): boolean =>
  error instanceof CsiError && outcomeOf(rpc, error) !== 'in-doubt'

/** Removes the files of a call that did nothing. What cannot be removed now is undone later. */
export async function cleanUntouched(entry: Mount | Device, clean: () => Promise<void>): Promise<void> {
  entry.state = 'uncertain'
  try {
    await clean()
    entry.state = 'none'
    entry.isOnDisk = false
  } catch {
    // The failure of the call itself is the one to report.
  }
}
