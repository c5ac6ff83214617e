import { basename, dirname, join } from 'node:path'
import type { Random } from '../random.ts'
import { HostError, isHostError } from './host.ts'
import type { FileStat, HostFiles, HostMounts } from './host.ts'

const TEMPORARY_NAME = /^\.holdfast-tmp-[0-9a-f]{16}$/

/** A file that `replaceFileDurably` was writing when the process ended. It is no longer needed. */
export const isTemporaryName = (name: string): boolean => TEMPORARY_NAME.test(name)

export type ReplaceFileOptions = {
  /** For the temporary file's name. */
  random: Random
  /** Default 0o600. */
  mode?: number
  /** Directories whose names of the moment are to be durable as well; they are synced while the data is. Default none. */
  alongside?: readonly string[]
}

/**
 * Once it returns the file has the new content for good; until then, whenever it is interrupted, the file has wholly the
 * old or wholly the new. A failure after the rename (of the last sync) leaves the new one, perhaps not for good.
 */
export async function replaceFileDurably(
  files: HostFiles,
  path: string,
  data: Uint8Array,
  options: ReplaceFileOptions,
): Promise<void> {
  const { random, mode = 0o600, alongside = [] } = options
  const directory = dirname(path)
  // Not made of the file's own name, which may be as long as a name can be.
  const temporary = join(directory, `.holdfast-tmp-${Buffer.from(random.bytes(8)).toString('hex')}`)
  try {
    await files.writeFile(temporary, data, { mode, exclusive: true })
    // Data before name: else a power loss could leave the name with no data.
    await syncAll(files, [temporary, ...alongside])
    await files.rename(temporary, path)
  } catch (error) {
    // A file that was there before is not ours; the failure to report is the first one.
    if (!isHostError(error, 'EEXIST')) await removeFileIfPresent(files, temporary).catch(() => {})
    throw error
  }
  await files.sync(directory)
}

/** Together: a disk that takes its time for a sync takes it once for all. */
export async function syncAll(files: HostFiles, paths: readonly string[]): Promise<void> {
  await Promise.all(paths.map((path) => files.sync(path)))
}

/** Which directories to sync so that the path is durable, with all names above it from the root on, which is durable itself. */
export function directoriesAbove(path: string, root: string): string[] {
  if (!path.startsWith(`${root}/`)) throw new Error(`${path} is not below ${root}`)
  const parent = dirname(path)
  return parent === root ? [root] : [...directoriesAbove(parent, root), parent]
}

export type MakeDirectoriesOptions = {
  /** Of each directory that is made. Default 0o750. */
  mode?: number
  /** Default true. A directory that exists already is made durable too: its maker may have been interrupted. */
  durable?: boolean
}

/** Makes the directory and those above it, as far as they are missing. Fails with EEXIST when one of them is something else. */
export async function makeDirectories(
  files: HostFiles,
  path: string,
  options: MakeDirectoriesOptions = {},
): Promise<void> {
  const parent = dirname(path)
  if (!(await isDirectory(files, path))) {
    // Each is durable before the next is made: so of what exists, only the last name can still lack it.
    if (parent !== path) await makeDirectories(files, parent, options)
    await makeOrFindDirectory(files, path, options.mode)
  }
  if (options.durable ?? true) await files.sync(parent)
}

// Another process may create it at the same time.
async function makeOrFindDirectory(files: HostFiles, path: string, mode: number | undefined): Promise<void> {
  try {
    await files.makeDirectory(path, mode)
  } catch (error) {
    if (!isHostError(error, 'EEXIST') || !(await isDirectory(files, path))) throw error
  }
}

async function isDirectory(files: HostFiles, path: string): Promise<boolean> {
  const stat = await files.findStat(path)
  if (stat?.kind !== 'symlink') return stat?.kind === 'directory'
  try {
    return (await files.findStat(await files.resolve(path)))?.kind === 'directory'
  } catch (error) {
    if (isHostError(error, 'ENOENT', 'ENOTDIR', 'ELOOP')) return false
    throw error
  }
}

/** Undefined if the path is missing, or the action fails with one of the other codes. */
export const ifPresent = <T>(action: Promise<T>, ...others: readonly string[]): Promise<T | undefined> =>
  action.catch((error: unknown) => {
    if (isHostError(error, 'ENOENT', 'ENOTDIR', ...others)) return undefined
    throw error
  })

/** Undefined when there is no such file. */
export const readFileIfPresent = (files: HostFiles, path: string): Promise<Uint8Array | undefined> =>
  ifPresent(files.readFile(path))

/** False when there was no such file. Not durable by itself: sync the directory. */
export async function removeFileIfPresent(files: HostFiles, path: string): Promise<boolean> {
  try {
    await files.removeFile(path)
    return true
  } catch (error) {
    if (isHostError(error, 'ENOENT', 'ENOTDIR')) return false
    throw error
  }
}

/** A host will do. `mounts` may also be the targets of all mounts. */
export type RemoveTreeParts = { files: HostFiles; mounts: Pick<HostMounts, 'list'> | ReadonlySet<string> }

/**
 * Removes a directory with all below it, or a file, durably; nothing there is fine. Links are removed, not followed.
 * Refuses with EBUSY, before anything is removed, when something is mounted there or below: what is deleted must be ours.
 */
export async function removeTree({ files, mounts }: RemoveTreeParts, path: string): Promise<void> {
  const top = await files.findStat(path)
  if (!(await files.findStat(dirname(path)))) return
  if (top) {
    // As the mount table writes it: links above the tree are resolved, the last name is not.
    const real = join(await files.resolve(dirname(path)), basename(path))
    await refuseMounts(real, mounts)
    if (top.kind === 'directory') {
      await refuseOtherDevices(files, real, top.deviceId)
      // Again, for the walk may have taken a while.
      await refuseMounts(real, mounts)
      await removeDirectoryTree(files, real)
    } else {
      await removeFileIfPresent(files, real)
    }
  }
  await files.sync(dirname(path))
}

async function refuseMounts(path: string, mounts: RemoveTreeParts['mounts']): Promise<void> {
  const targets = 'list' in mounts ? (await mounts.list()).map((mount) => mount.target) : [...mounts]
  const inTheWay = targets.find((target) => target === path || target.startsWith(`${path}/`))
  if (inTheWay === undefined) return
  throw new HostError('EBUSY', 'removeTree', path, { detail: `EBUSY: something is mounted at ${inTheWay}` })
}

// The mount table may be another namespace's; a change of device betrays most mounts that it doesn't show.
async function refuseOtherDevices(files: HostFiles, path: string, deviceId: bigint): Promise<void> {
  for (const { name, kind } of await files.list(path)) {
    if (kind !== 'directory') continue
    const below = join(path, name)
    const stat = await files.findStat(below)
    if (stat && stat.deviceId !== deviceId) {
      throw new HostError('EBUSY', 'removeTree', path, { detail: `EBUSY: ${below} is on another filesystem` })
    }
    if (stat) await refuseOtherDevices(files, below, deviceId)
  }
}

async function removeDirectoryTree(files: HostFiles, path: string): Promise<void> {
  for (const { name, kind } of await files.list(path)) {
    const below = join(path, name)
    if (kind === 'directory') await removeDirectoryTree(files, below)
    else await removeFileIfPresent(files, below)
  }
  try {
    await files.removeDirectory(path)
  } catch (error) {
    if (!isHostError(error, 'ENOENT')) throw error
  }
}

/**
 * Copies a directory with all below it, or a file: modes, owners (where allowed) and links as they are; sockets, pipes and
 * devices left out. Durable once it returns. Fails with EEXIST; after any other failure the caller removes what there is.
 */
export async function copyTree(files: HostFiles, from: string, to: string): Promise<void> {
  const stat = await files.findStat(from)
  if (!stat) throw new HostError('ENOENT', 'copyTree', from)
  await refuseCopyIntoItself(files, from, to)
  await copyEntry(files, from, to, stat)
  await files.sync(dirname(to))
}

async function refuseCopyIntoItself(files: HostFiles, from: string, to: string): Promise<void> {
  const [source, parent] = [await files.resolve(from), await files.resolve(dirname(to))]
  if (`${parent}/`.startsWith(`${source}/`))
    throw new HostError('EINVAL', 'copyTree', to, { detail: `EINVAL: it is inside ${from}` })
}

async function copyEntry(files: HostFiles, from: string, to: string, stat: FileStat): Promise<void> {
  switch (stat.kind) {
    case 'directory':
      return copyDirectory(files, from, to, stat)
    case 'file':
      await files.copyFile(from, to)
      return files.sync(to)
    case 'symlink':
      await files.makeSymlink(await files.readSymlink(from), to)
      return keepOwner(files, to, stat)
    case 'socket':
    case 'block-device':
    case 'other':
      return
  }
}

async function copyDirectory(files: HostFiles, from: string, to: string, stat: FileStat): Promise<void> {
  await files.makeDirectory(to, 0o700)
  for (const { name } of await files.list(from)) {
    const below = await files.findStat(join(from, name))
    if (below) await copyEntry(files, join(from, name), join(to, name), below)
  }
  // Last: its mode may forbid to write into it. The mode after the owner, whose change clears set-id bits.
  await keepOwner(files, to, stat)
  await files.setMode(to, stat.mode)
  await files.sync(to)
}

async function keepOwner(files: HostFiles, path: string, { uid, gid }: FileStat): Promise<void> {
  try {
    await files.setOwner(path, uid, gid)
  } catch (error) {
    if (!isHostError(error, 'EPERM', 'EINVAL')) throw error
  }
}
