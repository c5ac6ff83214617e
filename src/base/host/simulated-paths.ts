import type { DirectoryInode, Inode } from './simulated-inodes.ts'
import type { Location, SimulatedMountTable } from './simulated-mount-table.ts'
import { Errno } from './simulated-step.ts'

const LONGEST_NAME_BYTES = 255
const LONGEST_PATH_BYTES = 4095
const MOST_LINKS = 40

/** A name in a directory, taken or free. Mounts over `inode` are ignored. */
export type Entry = { parent: Location<DirectoryInode>; name: string; inode: Inode | undefined }

/** The root, `.` and `..` always exist, but cannot be created or removed. */
export const isNameless = (name: string): name is '/' | '.' | '..' => ['/', '.', '..'].includes(name)

/** Resolves paths as in path_resolution(7), including mounts. Failures are Errnos. */
export interface SimulatedPaths {
  /** Fails with ENOENT if nothing is there. `follow`: also follows a link at the end. */
  locate(path: string, options: { follow: boolean }): Location
  /** Follows links at the end. If only the last name is missing, returns the entry that would be created. */
  locateOrMissing(path: string): { found: Location } | { missing: Entry }
  /** The last name itself, not followed. For a path without a last name, see `isNameless`. */
  entry(path: string): Entry
}

type Walked = { location: Location; missing?: undefined } | { location: Location<DirectoryInode>; missing: string }

export function createSimulatedPaths(mounts: SimulatedMountTable): SimulatedPaths {
  const walk = (path: string, follow: boolean): Walked => {
    const start = mounts.cross({ mount: mounts.root, inode: mounts.root.root })
    // The path from the root, for `..`: it leads out of a mount just as out of a directory.
    let way = [start]
    const ahead = namesOf(path).reverse()
    let links = 0
    for (let name = ahead.pop(); name !== undefined; name = ahead.pop()) {
      const here = directoryAt(way.at(-1) ?? start)
      if (name === '.') continue
      if (name === '..') {
        if (way.length > 1) way.pop()
        continue
      }
      const child = here.inode.entries.get(name)
      if (!child && ahead.length === 0) return { location: here, missing: name }
      if (!child) throw new Errno('ENOENT')
      const next = mounts.cross({ mount: here.mount, inode: child })
      if (next.inode.kind !== 'symlink' || (ahead.length === 0 && !follow && !path.endsWith('/'))) {
        way.push(next)
        continue
      }
      if (++links > MOST_LINKS) throw new Errno('ELOOP')
      if (next.inode.target.startsWith('/')) way = [start]
      ahead.push(...namesOf(next.inode.target).reverse())
    }
    const location = way.at(-1) ?? start
    return { location: path.endsWith('/') ? directoryAt(location) : location }
  }

  const locate = (path: string, follow: boolean): Location => {
    const { location, missing } = walk(checkedPath(path), follow)
    if (missing !== undefined) throw new Errno('ENOENT')
    return location
  }

  return {
    locate: (path, { follow }) => locate(path, follow),
    locateOrMissing: (path) => {
      const { location, missing } = walk(checkedPath(path), true)
      if (missing === undefined) return { found: location }
      if (path.endsWith('/')) throw new Errno('EISDIR')
      return { missing: { parent: location, name: missing, inode: undefined } }
    },
    entry: (path) => {
      const names = namesOf(checkedPath(path))
      const name = names.pop() ?? '/'
      const parent = directoryAt(locate(`/${names.join('/')}`, true))
      const inode = parent.inode.entries.get(name)
      if (inode && inode.kind !== 'directory' && path.endsWith('/')) throw new Errno('ENOTDIR')
      return { parent, name, inode }
    },
  }
}

function directoryAt({ mount, inode }: Location): Location<DirectoryInode> {
  if (inode.kind !== 'directory') throw new Errno('ENOTDIR')
  return { mount, inode }
}

function checkedPath(path: string): string {
  if (!path.startsWith('/') || path.includes('\0')) throw new Errno('EINVAL')
  if (Buffer.byteLength(path) > LONGEST_PATH_BYTES) throw new Errno('ENAMETOOLONG')
  return path
}

function namesOf(path: string): string[] {
  const names = path.split('/').filter((name) => name !== '')
  if (names.some((name) => Buffer.byteLength(name) > LONGEST_NAME_BYTES)) throw new Errno('ENAMETOOLONG')
  return names
}
