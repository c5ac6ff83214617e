import { basename, dirname, join } from 'node:path'
import { HostError, ifPresent, isHostError, isTemporaryName, removeFileIfPresent } from '../../base/host/index.ts'
import type { FileKind, Host, HostFiles, MountEntry } from '../../base/host/index.ts'

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

/** What is at the target of a volume after NodePublishVolume has returned OK. */
export type PublishedTarget = {
  readonly kind: FileKind | undefined
  /** Undefined if the mount table cannot be read. */
  readonly isMounted: boolean | undefined
}

export type PublishedVolume = { readonly isBlock: boolean; readonly isEphemeral: boolean }

/**
 * Says what is wrong if nothing was published, and undefined otherwise. Accepted besides mounts: a link, which drivers without the right to mount
 * use; a device for a block volume; and a plain directory for an inline volume, because such drivers may write their files into the target itself.
 * For a persistent volume a plain directory is a failure: what the pod writes would go to the disk of the node and not to the volume.
 */
export function findUnpublished(
  { kind, isMounted }: PublishedTarget,
  { isBlock, isEphemeral }: PublishedVolume,
): string | undefined {
  if (kind === undefined) return 'the path does not exist'
  if (isMounted !== false || kind === 'symlink') return undefined
  if (isBlock) return kind === 'block-device' ? undefined : `the path is a ${kind}, not a device`
  if (kind !== 'directory') return `the path is a ${kind}`
  return isEphemeral ? undefined : 'the path is a plain directory on the disk of the node'
}

/** Reads what is at a target. */
export async function readTarget(host: Pick<Host, 'files' | 'mounts'>, path: string): Promise<PublishedTarget> {
  const stat = await host.files.findStat(path)
  if (!stat) return { kind: undefined, isMounted: undefined }
  try {
    return { kind: stat.kind, isMounted: (await findMount(host, path)) !== undefined }
  } catch (error) {
    if (!(error instanceof HostError)) throw error
    return { kind: stat.kind, isMounted: undefined }
  }
}
