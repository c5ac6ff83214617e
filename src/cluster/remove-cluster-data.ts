import { join } from 'node:path'
import { isAdminKubeconfig } from '../apiserver/index.ts'
import { isHostError, readFileIfPresent, removeTree } from '../base/host/index.ts'
import type { Host, HostFiles } from '../base/host/index.ts'
import { SHAPE_FILE } from './cluster-shape.ts'

/** The contents of a data directory: names that a cluster created there, and others. */
export type ClusterData = { readonly own: readonly string[]; readonly foreign: readonly string[] }

// One of these is there from the first start on.
const PROOFS = [SHAPE_FILE, 'apiserver/state.db', 'volumes/holdfast-hostpath.json']

/** Looks who made what; undefined when nothing proves that there was ever a cluster. The directory's path has no links. */
export async function findClusterData(files: HostFiles, directory: string): Promise<ClusterData | undefined> {
  const proofs = await Promise.all(PROOFS.map((name) => files.findStat(join(directory, name))))
  if (proofs.every((proof) => proof === undefined)) return undefined
  const names = await namesIn(files, directory)
  const areOurs = await Promise.all(names.map((name) => isOurs(files, directory, name)))
  return { own: names.filter((_, index) => areOurs[index]), foreign: names.filter((_, index) => !areOurs[index]) }
}

// Recognized by its content: another program may have a directory called volumes.
async function isOurs(files: HostFiles, directory: string, name: string): Promise<boolean> {
  const path = join(directory, name)
  if (name === SHAPE_FILE) return true
  if (name === 'kubeconfig') return isAdminKubeconfig(new TextDecoder().decode(await readFileIfPresent(files, path)))
  const signs = signsOf(name)
  if (signs.length === 0 || (await files.findStat(path))?.kind !== 'directory') return false
  const names = await namesIn(files, path)
  // An empty one was just being made, or removed.
  return names.length === 0 || signs.some((sign) => names.includes(sign))
}

/** The contents of a directory of this name if it is ours. */
function signsOf(name: string): readonly string[] {
  if (name === 'apiserver') return ['state.db', 'pki']
  if (name === 'volumes') return ['holdfast-hostpath.json']
  return /^node-[1-9]\d*$/.test(name) ? ['plugins', 'plugins_registry', 'pods'] : []
}

const namesIn = async (files: HostFiles, path: string): Promise<string[]> =>
  (await files.list(path)).map(({ name }) => name)

/** Unmounts everything below these names of a stopped cluster, releases their loop devices, and removes them; then the directory, if it is empty. */
export async function removeClusterData(host: Host, directory: string, own: readonly string[]): Promise<void> {
  const isBelow = (path: string): boolean => own.some((name) => path.startsWith(`${directory}/${name}/`))
  // The last mount is on top.
  for (const { target } of (await host.mounts.list()).toReversed())
    if (isBelow(target)) await host.mounts.unmount(target)
  for (const { device, backingFile } of await host.loops.list())
    if (isBelow(backingFile)) await host.loops.detach(device)
  // The file that marks it as ours is removed last, so that an interrupted removal can be restarted.
  for (const name of own.toSorted((one, other) => Number(one === SHAPE_FILE) - Number(other === SHAPE_FILE))) {
    const [path, signs] = [join(directory, name), signsOf(name)]
    if (signs.length > 0)
      for (const below of await namesIn(host.files, path))
        if (!signs.includes(below)) await removeTree(host, join(path, below))
    await removeTree(host, path)
  }
  try {
    await host.files.removeDirectory(directory)
  } catch (error) {
    if (!isHostError(error, 'ENOTEMPTY', 'EEXIST', 'EBUSY')) throw error
  }
}
