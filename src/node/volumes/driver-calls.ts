import type { KubeObject } from '../../api/object.ts'
import { CsiError } from '../../csi/csi-error.ts'
import { outcomeOf } from '../../csi/outcome-of.ts'
import type { CsiRpc } from '../../csi/rpc.ts'
import type { Pass } from '../../kube/controller/index.ts'
import { formatNoAnswer, SLOW_CALL_MS } from '../../storage/driver-trouble.ts'
import { addFailure } from './volume-table.ts'
import type { Device, Mount } from './volume-table.ts'
import { StillMountedError } from './mount-points.ts'
import type { VolumeContext } from './volume-context.ts'

// Events and operations have the kubelet's names: for a volume with a file system, and for a block volume.
const NAMES = {
  publish: ['FailedMount', 'MountVolume.SetUp', 'FailedMapVolume', 'MapVolume.MapPodDevice'],
  unpublish: ['FailedUnmount', 'UnmountVolume.TearDown', 'FailedUnmount', 'UnmapVolume.UnmapPodDevice'],
  stage: ['FailedMount', 'MountVolume.MountDevice', 'FailedMapVolume', 'MapVolume.SetUpDevice'],
  unstage: ['FailedUnstage', 'UnmountDevice', 'FailedUnstage', 'UnmountDevice'],
  expand: ['VolumeResizeFailed', 'NodeExpandVolume', 'VolumeResizeFailed', 'NodeExpandVolume'],
} as const

export type Attempt = {
  readonly operation: keyof typeof NAMES
  /** Objects that get an event about a failure. */
  about(): readonly (KubeObject | undefined)[]
  /** False for a call that only prepares the operation: earlier failures of the operation still count then. */
  readonly isWhole?: boolean
  /** For a call that comes many times a second. */
  readonly isQuiet?: boolean
}

/** For a call that only asks what the driver can do. */
export const PREPARES = { isWhole: false, isQuiet: true }

/** Performs the operation, or counts and reports the failure; the next decision waits for the backoff to end. */
export async function attempt(
  { clock, random, drivers, events, tracer }: VolumeContext,
  entry: Mount | Device,
  { log, signal }: Pick<Pass<unknown>, 'log' | 'signal'>,
  { operation, about, isWhole = true, isQuiet = false }: Attempt,
  act: () => Promise<unknown>,
): Promise<void> {
  const { failures, driver, volumeHandle, volumeName, isBlock } = entry
  const startedMs = clock.monotonicMs()
  const [event, name, blockEvent, blockName] = NAMES[operation]
  const report = (state: string, text: string): void => {
    const message = `${isBlock ? blockName : name} ${state} for volume "${volumeName || volumeHandle}" : ${text}`
    for (const object of about()) if (object) events.record(object, 'Warning', isBlock ? blockEvent : event, message)
  }
  const slow = clock.setTimer(SLOW_CALL_MS, () => report('is running', formatNoAnswer(SLOW_CALL_MS)))
  try {
    await act()
    if (isWhole) failures.delete(operation)
    const tookMs = clock.monotonicMs() - startedMs
    if (!isQuiet) log.info('volume operation succeeded', { operation, volume: volumeHandle, driver, tookMs })
  } catch (error) {
    signal.throwIfAborted()
    drivers.doubt(driver, error)
    tracer?.noteFailure(error)
    const text = error instanceof Error ? error.message : String(error)
    const retryInMs = addFailure(failures, operation, text, { clock, random })
    log.warn('volume operation failed', { operation, volume: volumeHandle, driver, retryInMs, error })
    report('failed', text)
  } finally {
    slow.cancel()
  }
}

type Calling = {
  call(): Promise<unknown>
  /** Removes what is on the disk. Fails while something is mounted there. */
  clean(): Promise<void>
}
type Doing = Calling & { readonly rpc: CsiRpc; write(): Promise<void> }
type Undoing = Calling & { readonly path: string }

/** Writes the file, then calls the driver. A call that certainly did nothing leaves nothing behind. */
export async function doThroughDriver(entry: Mount | Device, { rpc, write, call, clean }: Doing): Promise<void> {
  const wasUntouched = entry.state === 'none' && !entry.isOnDisk
  entry.isOnDisk = true
  let isCalled = false
  try {
    await write()
    entry.state = 'uncertain'
    isCalled = true
    await call()
  } catch (error) {
    if (wasUntouched && (!isCalled || isUndone(rpc, error))) await cleanUntouched(entry, clean)
    throw error
  }
}

/** The driver has answered that it did nothing, and nothing is running. */
const isUndone = (rpc: CsiRpc, error: unknown): boolean =>
  error instanceof CsiError && outcomeOf(rpc, error) !== 'in-doubt'

async function cleanUntouched(entry: Mount | Device, clean: () => Promise<void>): Promise<void> {
  entry.state = 'uncertain'
  try {
    await clean()
    entry.state = 'none'
    entry.isOnDisk = false
  } catch {
    // The failure of the call is the one to report. What is left is undone later.
  }
}

/**
 * Calls the driver, then removes the files. If the driver claims to have unmounted the path and has not, it may only be late, and is called once
 * more. A driver that was killed before it recorded its mount makes the same claim forever: then the agent unmounts the path, where nothing but
 * this volume can be.
 */
export async function undoThroughDriver(
  { files }: VolumeContext,
  entry: Mount | Device,
  { log }: Pick<Pass<unknown>, 'log'>,
  { path, call, clean }: Undoing,
): Promise<void> {
  await call()
  try {
    await clean()
  } catch (error) {
    if (!(error instanceof StillMountedError) || !entry.wasStillMounted) {
      entry.wasStillMounted = error instanceof StillMountedError
      throw error
    }
    log.warn('the driver claims again that the path is unmounted: unmounting it without the driver', { path })
    await files.unmount(path)
    await clean()
  }
  entry.state = 'none'
  entry.isOnDisk = false
  entry.wasStillMounted = false
}
