import type { Content } from './simulated-content.ts'

export type Attributes = {
  readonly mode: number
  readonly uid: number
  readonly gid: number
  readonly modifiedMs: number
}

type Common = {
  readonly id: bigint
  attributes: Attributes
  durableAttributes: Attributes
  /** The inode's only name; there are no hard links. Undefined for the root and for removed inodes that are still mounted or attached. */
  place: Place | undefined
}

export type Place = { readonly directory: DirectoryInode; readonly name: string }

export type FileInode = Common & { readonly kind: 'file'; content: Content; durableContent: Content }
export type SymlinkInode = Common & { readonly kind: 'symlink'; readonly target: string }
export type DeviceInode = Common & { readonly kind: 'block-device' }
/** Only a name: the server behind it is not part of the disk. */
export type SocketInode = Common & { readonly kind: 'socket' }
export type DirectoryInode = Common & {
  readonly kind: 'directory'
  entries: Map<string, Inode>
  durableEntries: Map<string, Inode>
  /** Operations that turn the durable entries into the current ones, in order. */
  pending: NameOperation[]
}

export type Inode = FileInode | DirectoryInode | SymlinkInode | DeviceInode | SocketInode

/**
 * One create, remove or rename, which survives a power loss completely or not at all. It is pending in each of its directories: in two for a rename
 * between directories, and also in a directory that it removes, whose own changes came before.
 */
export type NameOperation = {
  /** Grows with each operation. */
  readonly sequence: number
  readonly directories: ReadonlySet<DirectoryInode>
  readonly changes: readonly {
    readonly directory: DirectoryInode
    readonly name: string
    readonly inode: Inode | undefined
  }[]
}

/** The path from the root of the file system, ignoring mounts over it; undefined if it has been removed. */
export function pathOnDisk(inode: Inode, root: Inode): string | undefined {
  const names: string[] = []
  for (let at = inode; at !== root; at = at.place.directory) {
    if (!at.place) return undefined
    names.unshift(at.place.name)
  }
  return `/${names.join('/')}`
}

/** True for the directory itself as well. */
export function isWithin(inode: Inode, directory: Inode): boolean {
  for (let at: Inode | undefined = inode; at; at = at.place?.directory) if (at === directory) return true
  return false
}
