import type { FileKind, LoopDevice, MountEntry } from './host.ts'
import { hashContent } from './simulated-content.ts'
import type { DirectoryInode, Inode } from './simulated-inodes.ts'

/** One entry of the simulated machine, simple enough to compare two states. */
export type TreeEntry = {
  path: string
  kind: FileKind | 'mount' | 'loop-device'
  mode: number
  sizeBytes: bigint
  /** A file's hash, a link's target, or what is mounted or attached; otherwise empty. */
  detail: string
}

/** Everything on the disk, regardless of mounts over it, then each mount and loop device. Sorted by path. */
export function listTree(
  root: DirectoryInode,
  mounts: readonly MountEntry[],
  loops: readonly LoopDevice[],
): TreeEntry[] {
  const entry = (path: string, kind: TreeEntry['kind'], of: string, readOnly: boolean): TreeEntry => {
    return { path, kind, mode: 0, sizeBytes: 0n, detail: `${of} ${readOnly ? 'ro' : 'rw'}` }
  }
  return [
    ...listDirectory(root, ''),
    ...mounts.filter(isBind).map((mount) => entry(mount.target, 'mount', mount.root, mount.readOnly)),
    ...loops.map((loop) => entry(loop.device, 'loop-device', loop.backingFile, loop.readOnly)),
  ].sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0))
}

const isBind = ({ target, root }: MountEntry): boolean => target !== '/' || root !== '/'

function listDirectory(directory: DirectoryInode, path: string): TreeEntry[] {
  return [...directory.entries].flatMap(([name, inode]) => {
    const below = `${path}/${name}`
    // Device nodes belong to the kernel; attached files are listed separately.
    if (inode.kind === 'block-device') return []
    return [describeInode(inode, below), ...(inode.kind === 'directory' ? listDirectory(inode, below) : [])]
  })
}

function describeInode(inode: Inode, path: string): TreeEntry {
  const { kind } = inode
  const detail = kind === 'file' ? hashContent(inode.content) : kind === 'symlink' ? inode.target : ''
  return { path, kind, mode: inode.attributes.mode, sizeBytes: kind === 'file' ? inode.content.sizeBytes : 0n, detail }
}
