import { removeTree } from '../base/host/index.ts'
import type { Host } from '../base/host/index.ts'

/** Unmounts what is below the data directory of a stopped cluster, lets its loop devices go, and removes it. */
export async function removeClusterData(host: Host, directory: string): Promise<void> {
  const real = await host.files.resolve(directory)
  const isBelow = (path: string): boolean => path.startsWith(`${real}/`)
  // What was mounted last is on top.
  for (const { target } of (await host.mounts.list()).toReversed()) if (isBelow(target)) await host.mounts.unmount(target)
  for (const { device, backingFile } of await host.loops.list()) if (isBelow(backingFile)) await host.loops.detach(device)
  await removeTree(host, directory)
}
