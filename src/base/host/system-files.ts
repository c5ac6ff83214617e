import { constants, watch as watchNames, type BigIntStats, type Dirent } from 'node:fs'
import * as fs from 'node:fs/promises'
import { HostError } from './host.ts'
import type { DirectoryWatch, FileKind, FileStat, FileSystemUsage, HostFiles, OpenDirectory } from './host.ts'
import { createSharedCall } from './shared-call.ts'
import { copySystemFile } from './system-copy-file.ts'
import { errnoOf, systemStep as step } from './system-step.ts'

/** The files of this machine. */
export function createSystemFiles(): HostFiles {
  // Many records are in one directory: concurrent writers share one sync of it.
  const sync = createSharedCall(syncAlone)
  return {
    readFile: (path) => step('readFile', path, async () => plainBytes(await fs.readFile(path))),
    readRange: (path, offset, length) => step('readRange', path, () => readRange(path, offset, length)),
    writeFile: (path, data, options = {}) => step('writeFile', path, () => writeFile(path, data, options)),
    truncate: (path, sizeBytes) => step('truncate', path, () => truncate(path, sizeBytes)),
    copyFile: (from, to) => step('copyFile', to, () => copySystemFile(from, to), from),
    rename: (from, to) => step('rename', to, () => fs.rename(from, to), from),
    makeDirectory: (path, mode = 0o750) => step('makeDirectory', path, () => makeDirectory(path, mode)),
    removeFile: (path) => step('removeFile', path, () => fs.unlink(path)),
    removeDirectory: (path) => step('removeDirectory', path, () => fs.rmdir(path)),
    list: (path) => step('list', path, () => list(path)),
    openDirectory: (path) => step('openDirectory', path, () => openDirectory(path)),
    findStat: (path) => step('findStat', path, () => findStat(path)),
    makeSymlink: (target, path) => step('makeSymlink', path, () => fs.symlink(target, path)),
    readSymlink: (path) => step('readSymlink', path, () => fs.readlink(path)),
    resolve: (path) => step('resolve', path, () => fs.realpath(path)),
    setMode: (path, mode) => step('setMode', path, () => fs.chmod(path, mode)),
    setOwner: (path, uid, gid) => step('setOwner', path, () => fs.lchown(path, uid, gid)),
    sync: (path) => step('sync', path, () => sync(path)),
    usage: (path) => step('usage', path, () => usage(path)),
    watch: (path, onHint) => step('watch', path, () => watch(path, onHint)),
  }
}

const plainBytes = (buffer: Buffer): Uint8Array => new Uint8Array(buffer.buffer, buffer.byteOffset, buffer.byteLength)

async function readRange(path: string, offset: bigint, length: number): Promise<Uint8Array> {
  await using file = await fs.open(path, 'r')
  const buffer = new Uint8Array(length)
  let filled = 0
  while (filled < length) {
    const { bytesRead } = await file.read({
      buffer,
      offset: filled,
      length: length - filled,
      position: offset + BigInt(filled),
    })
    if (bytesRead === 0) break
    filled += bytesRead
  }
  return buffer.subarray(0, filled)
}

async function writeFile(
  path: string,
  data: Uint8Array,
  options: { mode?: number; exclusive?: boolean },
): Promise<void> {
  await using file = await openNewOrExisting(path, options.mode ?? 0o600, options.exclusive ?? false)
  await file.writeFile(data)
}

// Only a newly created file gets the mode, so the two cases must be distinguished.
async function openNewOrExisting(path: string, mode: number, exclusive: boolean): Promise<fs.FileHandle> {
  for (;;) {
    try {
      const file = await fs.open(path, 'wx', mode)
      await file.chmod(mode).catch((error: unknown) => file.close().then(() => Promise.reject(error)))
      return file
    } catch (error) {
      if (exclusive || errnoOf(error) !== 'EEXIST') throw error
    }
    try {
      return await fs.open(path, constants.O_WRONLY | constants.O_TRUNC)
    } catch (error) {
      // Removed in between, or a dangling link, which O_EXCL refuses and a plain open creates.
      if (errnoOf(error) !== 'ENOENT') throw error
      if ((await findStat(path))?.kind === 'symlink') return await fs.open(path, 'w', mode)
    }
  }
}

async function truncate(path: string, sizeBytes: bigint): Promise<void> {
  await using file = await fs.open(path, constants.O_WRONLY | constants.O_CREAT, 0o600)
  await file.truncate(Number(sizeBytes))
}

async function makeDirectory(path: string, mode: number): Promise<void> {
  await fs.mkdir(path, mode | 0o700)
  const { mode: bits } = await fs.lstat(path)
  if (bits === (constants.S_IFDIR | mode)) return
  // Opened without following links: the new directory may have been replaced with a link.
  await using directory = await fs.open(path, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW)
  const made = (await directory.stat()).mode & 0o7777
  const wanted = mode | (made & 0o2000) // a directory may inherit set-group-id
  if (made !== wanted) await directory.chmod(wanted)
}

async function list(path: string): Promise<{ name: string; kind: FileKind }[]> {
  const entries = await fs.readdir(path, { withFileTypes: true })
  return entries.map((entry) => ({ name: entry.name, kind: kindOf(entry) })).sort((a, b) => (a.name < b.name ? -1 : 1))
}

// Names per system call.
const NAMES_AT_ONCE = 256

async function openDirectory(path: string): Promise<OpenDirectory> {
  const directory = await fs.opendir(path, { bufferSize: NAMES_AT_ONCE })
  const read = async (): Promise<string[]> => {
    const names: string[] = []
    for (let entry = await directory.read(); entry; entry = await directory.read()) {
      names.push(entry.name)
      if (names.length === NAMES_AT_ONCE) break
    }
    return names
  }
  return {
    read: () => step('openDirectory', path, read),
    [Symbol.asyncDispose]: () => directory.close(),
  }
}

async function findStat(path: string): Promise<FileStat | undefined> {
  try {
    const stat = await fs.lstat(path, { bigint: true })
    return {
      kind: kindOf(stat),
      sizeBytes: stat.size,
      allocatedBytes: stat.blocks * 512n,
      mode: Number(stat.mode) & 0o7777,
      uid: Number(stat.uid),
      gid: Number(stat.gid),
      deviceId: stat.dev,
      inode: stat.ino,
      modifiedMs: Number(stat.mtimeMs),
    }
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(errnoOf(error))) return undefined
    throw error
  }
}

function kindOf(entry: BigIntStats | Dirent): FileKind {
  if (entry.isFile()) return 'file'
  if (entry.isDirectory()) return 'directory'
  if (entry.isSymbolicLink()) return 'symlink'
  if (entry.isSocket()) return 'socket'
  return entry.isBlockDevice() ? 'block-device' : 'other'
}

async function syncAlone(path: string): Promise<void> {
  // O_NONBLOCK: opening a pipe must not wait for its other end.
  await using handle = await fs.open(path, constants.O_RDONLY | constants.O_NONBLOCK)
  await handle.sync()
}

async function usage(path: string): Promise<FileSystemUsage> {
  const { bsize, blocks, bfree, bavail, files, ffree } = await fs.statfs(path, { bigint: true })
  return {
    totalBytes: blocks * bsize,
    availableBytes: bavail * bsize,
    usedBytes: (blocks - bfree) * bsize,
    totalInodes: files,
    freeInodes: ffree,
  }
}

async function watch(path: string, onHint: () => void): Promise<DirectoryWatch> {
  // Node can watch a file too, but a file has no entries.
  if (!(await fs.stat(path)).isDirectory()) throw new HostError('ENOTDIR', 'watch', path)
  let open = true
  // A watch alone must not keep the process alive.
  const watcher = watchNames(path, { persistent: false })
  const close = (): void => {
    open = false
    watcher.close()
  }
  watcher.on('change', () => {
    if (open) onHint()
  })
  watcher.on('error', () => {
    if (!open) return
    close()
    onHint()
  })
  return { isOpen: () => open, close }
}
