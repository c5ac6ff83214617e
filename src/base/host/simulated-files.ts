import type { DirectoryWatch, FileStat, HostFiles, OpenDirectory } from './host.ts'
import {
  allocatedBytes,
  BLOCK_BYTES,
  contentOf,
  EMPTY_CONTENT,
  readContent,
  resizeContent,
} from './simulated-content.ts'
import type { SimulatedDisk } from './simulated-disk.ts'
import type { FileInode, Inode } from './simulated-inodes.ts'
import type { Location, SimulatedMountTable } from './simulated-mount-table.ts'
import { createNameOperations } from './simulated-names.ts'
import type { SimulatedPaths } from './simulated-paths.ts'
import { Errno, type Step } from './simulated-step.ts'

export type SimulatedFilesParts = {
  disk: SimulatedDisk
  mounts: SimulatedMountTable
  paths: SimulatedPaths
  step: Step
}

// Names per read of an open directory.
const NAMES_AT_ONCE = 100

/** The steps of HostFiles on the simulated disk, with the permissions of root. */
export function createSimulatedFiles({ disk, mounts, paths, step }: SimulatedFilesParts): HostFiles {
  const names = createNameOperations({ disk, mounts, paths })
  const file = (path: string): Location<FileInode> => fileAt(paths.locate(path, { follow: true }))

  const fileToWrite = (path: string, mode: number): FileInode => {
    const place = paths.locateOrMissing(path)
    if ('missing' in place) return names.create(place.missing, () => disk.newFile(mode))
    const { mount, inode } = fileAt(place.found)
    if (mount.readOnly) throw new Errno('EROFS')
    return inode
  }

  const writeFile = (path: string, data: Uint8Array, options: { mode?: number; exclusive?: boolean } = {}): void => {
    const { mode = 0o600, exclusive = false } = options
    const inode = exclusive ? names.create(paths.entry(path), () => disk.newFile(mode)) : fileToWrite(path, mode)
    disk.setContent(inode, EMPTY_CONTENT)
    const room = disk.availableBytes
    disk.setContent(inode, contentOf(data.length <= room ? data : data.subarray(0, Number(room))))
    // As on a real disk, the part that fits is written.
    if (data.length > room) throw new Errno('ENOSPC')
  }

  const truncate = (path: string, sizeBytes: bigint): void => {
    if (sizeBytes < 0n) throw new Errno('EINVAL')
    const inode = fileToWrite(path, 0o600)
    disk.setContent(inode, resizeContent(inode.content, sizeBytes))
  }

  const copyFile = (from: string, to: string): void => {
    const source = file(from).inode
    const target = paths.entry(to)
    const { mode, uid, gid } = source.attributes
    const copy = names.create(target, () => disk.newFile(mode))
    try {
      disk.setContent(copy, source.content)
      disk.setAttributes(copy, { uid, gid })
    } catch (error) {
      disk.unlink({ directory: target.parent.inode, name: target.name })
      throw error
    }
  }

  const readRange = (path: string, offset: bigint, length: number): Uint8Array =>
    readContent(file(path).inode.content, offset, length)

  const list: (path: string) => Awaited<ReturnType<HostFiles['list']>> = (path) => {
    const { inode } = paths.locate(path, { follow: true })
    if (inode.kind !== 'directory') throw new Errno('ENOTDIR')
    return [...inode.entries].map(([name, { kind }]) => ({ name, kind })).sort((a, b) => (a.name < b.name ? -1 : 1))
  }

  const openDirectory = (path: string): OpenDirectory => {
    const names = list(path).map(({ name }) => name)
    return { read: async () => names.splice(0, NAMES_AT_ONCE), [Symbol.asyncDispose]: async () => {} }
  }

  const findStat = (path: string): FileStat | undefined => {
    try {
      return statOf(paths.locate(path, { follow: false }).inode)
    } catch (error) {
      if (error instanceof Errno && ['ENOENT', 'ENOTDIR'].includes(error.code)) return undefined
      throw error
    }
  }

  const readSymlink = (path: string): string => {
    const { inode } = paths.locate(path, { follow: false })
    if (inode.kind !== 'symlink') throw new Errno('EINVAL')
    return inode.target
  }

  const resolve = (path: string): string => {
    const found = mounts.findPath(paths.locate(path, { follow: true }))
    if (found === undefined) throw new Errno('ENOENT')
    return found
  }

  const changeAttributes = (
    path: string,
    follow: boolean,
    changes: { mode: number } | { uid: number; gid: number },
  ): void => {
    const { mount, inode } = paths.locate(path, { follow })
    if (mount.readOnly) throw new Errno('EROFS')
    disk.setAttributes(inode, { ...changes, modifiedMs: inode.attributes.modifiedMs })
  }

  const usage: (path: string) => Awaited<ReturnType<HostFiles['usage']>> = (path) => {
    paths.locate(path, { follow: true })
    const { total, free } = disk.inodes
    const { capacityBytes: totalBytes, availableBytes, usedBytes } = disk
    return { totalBytes, availableBytes, usedBytes, totalInodes: total, freeInodes: free }
  }

  const watch = (path: string, onHint: () => void): DirectoryWatch => {
    const { inode } = paths.locate(path, { follow: true })
    if (inode.kind !== 'directory') throw new Errno('ENOTDIR')
    return disk.watch(inode, onHint)
  }

  return {
    readFile: (path) => step('readFile', path, () => readRange(path, 0n, Number(file(path).inode.content.sizeBytes))),
    readRange: (path, offset, length) => step('readRange', path, () => readRange(path, offset, length)),
    writeFile: (path, data, options) => step('writeFile', path, () => writeFile(path, data, options)),
    truncate: (path, sizeBytes) => step('truncate', path, () => truncate(path, sizeBytes)),
    copyFile: (from, to) => step('copyFile', to, () => copyFile(from, to), from),
    rename: (from, to) => step('rename', to, () => names.rename(from, to), from),
    makeDirectory: (path, mode = 0o750) => step('makeDirectory', path, () => names.makeDirectory(path, mode)),
    removeFile: (path) => step('removeFile', path, () => names.removeFile(path)),
    removeDirectory: (path) => step('removeDirectory', path, () => names.removeDirectory(path)),
    list: (path) => step('list', path, () => list(path)),
    openDirectory: (path) => step('openDirectory', path, () => openDirectory(path)),
    findStat: (path) => step('findStat', path, () => findStat(path)),
    makeSymlink: (target, path) => step('makeSymlink', path, () => names.makeSymlink(target, path)),
    readSymlink: (path) => step('readSymlink', path, () => readSymlink(path)),
    resolve: (path) => step('resolve', path, () => resolve(path)),
    setMode: (path, mode) => step('setMode', path, () => changeAttributes(path, true, { mode })),
    setOwner: (path, uid, gid) => step('setOwner', path, () => changeAttributes(path, false, { uid, gid })),
    sync: (path) => step('sync', path, () => disk.sync(paths.locate(path, { follow: true }).inode)),
    usage: (path) => step('usage', path, () => usage(path)),
    watch: (path, onHint) => step('watch', path, () => watch(path, onHint)),
  }
}

function fileAt({ mount, inode }: Location): Location<FileInode> {
  if (inode.kind === 'directory') throw new Errno('EISDIR')
  // Nothing can be read from or written to a simulated device.
  if (inode.kind !== 'file') throw new Errno('EINVAL')
  return { mount, inode }
}

function statOf(inode: Inode): FileStat {
  const sizes = sizesOf(inode)
  const { mode, uid, gid, modifiedMs } = inode.attributes
  return { kind: inode.kind, ...sizes, mode, uid, gid, deviceId: 1n, inode: inode.id, modifiedMs }
}

function sizesOf(inode: Inode): { sizeBytes: bigint; allocatedBytes: bigint } {
  switch (inode.kind) {
    case 'file':
      return { sizeBytes: inode.content.sizeBytes, allocatedBytes: allocatedBytes(inode.content) }
    case 'directory':
      return { sizeBytes: BigInt(BLOCK_BYTES), allocatedBytes: BigInt(BLOCK_BYTES) }
    case 'symlink':
      return { sizeBytes: BigInt(Buffer.byteLength(inode.target)), allocatedBytes: 0n }
    case 'block-device':
    case 'socket':
      return { sizeBytes: 0n, allocatedBytes: 0n }
  }
}
