import { BLOCK_BYTES } from './simulated-content.ts'
import type { SimulatedDisk } from './simulated-disk.ts'
import { isWithin, type Inode } from './simulated-inodes.ts'
import type { SimulatedMountTable } from './simulated-mount-table.ts'
import { isNameless, type Entry, type SimulatedPaths } from './simulated-paths.ts'
import { Errno } from './simulated-step.ts'

/** Operations that change names in directories. They fail with the same errors, checked in the same order, as Linux. */
export interface NameOperations {
  create<Node extends Inode>(entry: Entry, make: () => Node): Node
  makeDirectory(path: string, mode: number): void
  makeSymlink(target: string, path: string): void
  removeFile(path: string): void
  removeDirectory(path: string): void
  rename(from: string, to: string): void
}

export type NameOperationsParts = { disk: SimulatedDisk; mounts: SimulatedMountTable; paths: SimulatedPaths }

export function createNameOperations({ disk, mounts, paths }: NameOperationsParts): NameOperations {
  const create = <Node extends Inode>({ parent, name, inode }: Entry, make: () => Node): Node => {
    if (inode || isNameless(name)) throw new Errno('EEXIST')
    if (parent.mount.readOnly) throw new Errno('EROFS')
    // A removed directory may still be visible through a mount, but accepts no new names.
    if (!isWithin(parent.inode, disk.root)) throw new Errno('ENOENT')
    if (disk.inodes.free === 0n) throw new Errno('ENOSPC')
    const made = make()
    disk.link(parent.inode, name, made)
    return made
  }

  const makeDirectory = (path: string, mode: number): void => {
    const entry = paths.entry(path)
    create(entry, () => {
      // A directory needs a free block, although its blocks are not counted.
      if (disk.availableBytes < BLOCK_BYTES) throw new Errno('ENOSPC')
      return disk.newDirectory(mode)
    })
  }

  const makeSymlink = (target: string, path: string): void => {
    if (target === '') throw new Errno('ENOENT')
    create(paths.entry(path), () => disk.newSymlink(target))
  }

  const existing = (path: string, nameless: Record<'/' | '.' | '..', string>): Entry & { inode: Inode } => {
    const { parent, name, inode } = paths.entry(path)
    if (isNameless(name)) throw new Errno(nameless[name])
    if (parent.mount.readOnly) throw new Errno('EROFS')
    if (!inode) throw new Errno('ENOENT')
    return { parent, name, inode }
  }

  const removeFile = (path: string): void => {
    const { parent, name, inode } = existing(path, { '/': 'EISDIR', '.': 'EISDIR', '..': 'EISDIR' })
    if (inode.kind === 'directory') throw new Errno('EISDIR')
    if (mounts.isMountPoint(inode)) throw new Errno('EBUSY')
    disk.unlink({ directory: parent.inode, name })
  }

  const removeDirectory = (path: string): void => {
    const { parent, name, inode } = existing(path, { '/': 'EBUSY', '.': 'EINVAL', '..': 'ENOTEMPTY' })
    if (inode.kind !== 'directory') throw new Errno('ENOTDIR')
    if (mounts.isMountPoint(inode)) throw new Errno('EBUSY')
    if (inode.entries.size > 0) throw new Errno('ENOTEMPTY')
    disk.unlink({ directory: parent.inode, name })
  }

  const rename = (from: string, to: string): void => {
    const source = paths.entry(from)
    const target = paths.entry(to)
    if (source.parent.mount !== target.parent.mount) throw new Errno('EXDEV')
    if (isNameless(source.name) || isNameless(target.name)) throw new Errno('EBUSY')
    if (source.parent.mount.readOnly) throw new Errno('EROFS')
    if (!source.inode) throw new Errno('ENOENT')
    if (isWithin(target.parent.inode, source.inode)) throw new Errno('EINVAL')
    if (!isWithin(target.parent.inode, disk.root)) throw new Errno('ENOENT')
    if (target.inode === source.inode) return
    if (target.inode) checkReplaceable(source.inode, target.inode, source.parent.inode)
    if (to.endsWith('/') && source.inode.kind !== 'directory') throw new Errno('ENOTDIR')
    if ([source.inode, target.inode].some((inode) => inode && mounts.isMountPoint(inode))) throw new Errno('EBUSY')
    disk.move(
      { directory: source.parent.inode, name: source.name },
      { directory: target.parent.inode, name: target.name },
      source.inode,
    )
  }

  return { create, makeDirectory, makeSymlink, removeFile, removeDirectory, rename }
}

function checkReplaceable(source: Inode, target: Inode, sourceParent: Inode): void {
  if (isWithin(sourceParent, target)) throw new Errno('ENOTEMPTY')
  if (source.kind === 'directory' && target.kind !== 'directory') throw new Errno('ENOTDIR')
  if (source.kind !== 'directory' && target.kind === 'directory') throw new Errno('EISDIR')
  if (target.kind === 'directory' && target.entries.size > 0) throw new Errno('ENOTEMPTY')
}
