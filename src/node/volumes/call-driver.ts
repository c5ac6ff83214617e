import { CsiError } from '../../csi/csi-error.ts'
import { outcomeOf } from '../../csi/outcome-of.ts'
import type { CsiRpc } from '../../csi/rpc.ts'
import type { Pass } from '../../kube/controller/index.ts'
import { StillMountedError } from './mount-points.ts'
import type { VolumeContext } from './volume-context.ts'
import type { Device, Mount } from './volume-table.ts'

type Place = {
  readonly path: string
  /** Removes what is on the disk. Fails while something is mounted at the path. */
  clean(): Promise<void>
}
type Doing = Place & { readonly rpc: CsiRpc; write(): Promise<void>; call(): Promise<unknown> }
type Undoing = Place & { readonly message: string; call(): Promise<unknown> }

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
  { clock, files }: VolumeContext,
  entry: Mount | Device,
  { log }: Pick<Pass<unknown>, 'log'>,
  { path, message, call, clean }: Undoing,
): Promise<void> {
  const startedMs = clock.monotonicMs()
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
  log.info(message, { volume: entry.volumeHandle, driver: entry.driver, tookMs: clock.monotonicMs() - startedMs })
}
