import { basename, dirname, join } from 'node:path'
import { ifPresent, isHostError, isTemporaryName, removeFileIfPresent } from '../../base/host/index.ts'
import type { Host, HostFiles, MountEntry } from '../../base/host/index.ts'

export class StillMountedError extends Error {
  constructor(path: string, by: string) {
    super(`${path} is still mounted after ${by} succeeded`)
    this.name = 'StillMountedError'
  }
}

/** The mount at the path, from the mount table: a bind mount within one file system shows up nowhere else. */
export async function findMount(host: Pick<Host, 'files' | 'mounts'>, path: string): Promise<MountEntry | undefined> {
  const real = await realPath(host.files, path)
  return real === undefined ? undefined : (await host.mounts.list({ target: real })).at(-1)
}

/** Links above resolved, the last name as it is. Undefined when the directory is missing. */
async function realPath(files: HostFiles, path: string): Promise<string | undefined> {
  const directory = await ifPresent(files.resolve(dirname(path)))
  return directory === undefined ? undefined : join(directory, basename(path))
}

/** Other mounts of the same content below the directory. */
export async function findOtherMounts(
  host: Pick<Host, 'files' | 'mounts'>,
  path: string,
  directory: string,
): Promise<string[]> {
  const here = await findMount(host, path)
  if (!here) return []
  const below = `${(await realPath(host.files, directory)) ?? directory}/`
  const isSame = ({ source, fsType }: MountEntry): boolean => source === here.source && fsType === here.fsType
  const mounts = await host.mounts.list({ root: here.root })
  return mounts
    .filter((entry) => isSame(entry) && entry.target !== here.target && entry.target.startsWith(below))
    .map(({ target }) => target)
}

/** Removes an empty directory, a link or an empty file that a driver left behind, if it exists. Never the contents of a directory. */
export async function removeLeftover(files: HostFiles, path: string): Promise<void> {
  const stat = await files.findStat(path)
  if (!stat) return
  if (stat.kind === 'directory') return removeEmptyDirectory(files, path)
  if (stat.kind === 'symlink' || (stat.kind === 'file' && stat.sizeBytes === 0n)) await removeFileIfPresent(files, path)
}

/** Fails with ENOTEMPTY when something is in it. */
export async function removeEmptyDirectory(files: HostFiles, path: string): Promise<void> {
  try {
    await files.removeDirectory(path)
  } catch (error) {
    if (!isHostError(error, 'ENOENT')) throw error
  }
}

/** False: it is not empty, and stays. */
export async function removeDirectoryIfEmpty(files: HostFiles, path: string): Promise<boolean> {
  try {
    await removeEmptyDirectory(files, path)
    return true
  } catch (error) {
    if (isHostError(error, 'ENOTEMPTY', 'EEXIST', 'EBUSY', 'ENOTDIR')) return false
    throw error
  }
}

/** Empty if the directory is missing. */
export const listIfPresent = async (files: HostFiles, path: string) => (await ifPresent(files.list(path))) ?? []

/** Removes what a process was writing when it was killed. */
export async function removeTemporaryFiles(files: HostFiles, directory: string): Promise<void> {
  for (const { name } of await listIfPresent(files, directory))
    if (isTemporaryName(name)) await removeFileIfPresent(files, join(directory, name))
}
