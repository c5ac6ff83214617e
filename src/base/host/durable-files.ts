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
  /** Directories to sync together with the data, so that their current entries become durable too. Default none. */
  alongside?: readonly string[]
}

/**
 * Replaces the file atomically. If it is interrupted at any point, the file has either the old or the new content; when it returns, the new content
 * is durable. If the last sync fails, the file has the new content, but it may not be durable.
 */
export async function replaceFileDurably(
  files: HostFiles,
  path: string,
  data: Uint8Array,
  options: ReplaceFileOptions,
): Promise<void> {
  const { random, mode = 0o600, alongside = [] } = options
  const directory = dirname(path)
  // Not derived from the file's name, which may already have the maximum length.
  const temporary = join(directory, `.holdfast-tmp-${Buffer.from(random.bytes(8)).toString('hex')}`)
  try {
    await files.writeFile(temporary, data, { mode, exclusive: true })
    // Data before name: otherwise a power loss could leave the name without its data.
    await syncAll(files, [temporary, ...alongside])
    await files.rename(temporary, path)
  } catch (error) {
    // With EEXIST, the temporary file belongs to someone else. The first error is the one to report.
    if (!isHostError(error, 'EEXIST')) await removeFileIfPresent(files, temporary).catch(() => {})
    throw error
  }
  await files.sync(directory)
}

/** Syncs concurrently, because a disk can handle several syncs at the cost of one. */
export async function syncAll(files: HostFiles, paths: readonly string[]): Promise<void> {
  await Promise.all(paths.map((path) => files.sync(path)))
}

/** Directories to sync so that the path and all names above it, down from the durable root, are durable. */
export function directoriesAbove(path: string, root: string): string[] {
  if (!path.startsWith(`${root}/`)) throw new Error(`${path} is not below ${root}`)
  const parent = dirname(path)
  return parent === root ? [root] : [...directoriesAbove(parent, root), parent]
}

export type MakeDirectoriesOptions = {
  /** Mode of each directory that is created. Default 0o750. */
  mode?: number
  /** Default true. Existing directories are synced too: the process that created one may have been interrupted. */
  durable?: boolean
}

/** Creates the directory and its missing parents. Fails with EEXIST if one of them exists but is not a directory. */
export async function makeDirectories(
  files: HostFiles,
  path: string,
  options: MakeDirectoriesOptions = {},
): Promise<void> {
  const parent = dirname(path)
  if (!(await isDirectory(files, path))) {
    // Each directory is durable before the next one is created, so only the last existing name may not be durable yet.
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

/** A `Host` fits. `mounts` may also be the set of all mount targets. */
export type RemoveTreeParts = { files: HostFiles; mounts: Pick<HostMounts, 'list'> | ReadonlySet<string> }

/**
 * Durably removes a directory with everything below it, or a file; a missing path is not an error. Links are removed, not followed. Fails with EBUSY,
 * before it removes anything, if something is mounted at or below the path: that data is not ours to delete.
 */
export async function removeTree({ files, mounts }: RemoveTreeParts, path: string): Promise<void> {
  const top = await files.findStat(path)
  if (!(await files.findStat(dirname(path)))) return
  if (top) {
    // As the mount table shows it: links above the tree are resolved, the last name is not.
    const real = join(await files.resolve(dirname(path)), basename(path))
    await refuseMounts(real, mounts)
    if (top.kind === 'directory') {
      await refuseOtherDevices(files, real, top.deviceId)
      // Checked again, because the walk may have taken a while.
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

// The mount table may belong to another namespace. A different device ID reveals most mounts that the table does not show.
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
 * Copies a directory with everything below it, or a file. Keeps links, modes and (where allowed) owners; skips sockets, pipes and devices. Durable
 * once it returns. Fails with EEXIST; after any other failure the caller removes the partial copy.
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
  // Set last, because the mode may forbid writing into the directory. Mode after owner, because changing the owner clears the set-id bits.
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
