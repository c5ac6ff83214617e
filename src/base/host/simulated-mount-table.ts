import type { MountEntry } from './host.ts'
import { isWithin, pathOnDisk, type Inode } from './simulated-inodes.ts'
import { Errno } from './simulated-step.ts'

/** A mount is attached to an inode as seen through its parent mount. A second mount on the same target is attached to the root of the first. */
export type Mount = {
  readonly root: Inode
  readonly readOnly: boolean
  readonly at: Location | undefined
}

/** An inode and the mount through which it is seen. */
export type Location<Node extends Inode = Inode> = { readonly mount: Mount; readonly inode: Node }

/** All mounts of the simulated machine, the root file system first. */
export class SimulatedMountTable {
  readonly root: Mount
  #mounts: Mount[]

  constructor(root: Inode) {
    this.root = { root, readOnly: false, at: undefined }
    this.#mounts = [this.root]
  }

  clear(): void {
    this.#mounts = [this.root]
  }

  /** What is visible at the location: the root of the topmost mount, if there is one. */
  cross(location: Location): Location {
    const over = this.#mounts.find(({ at }) => at?.inode === location.inode && at.mount === location.mount)
    return over ? this.cross({ mount: over, inode: over.root }) : location
  }

  isMountPoint(inode: Inode): boolean {
    return this.#mounts.some(({ at }) => at?.inode === inode)
  }

  bind(source: Location, target: Location, readOnly: boolean): void {
    if ((source.inode.kind === 'directory') !== (target.inode.kind === 'directory')) throw new Errno('ENOTDIR')
    if (!target.inode.place && target.inode !== target.mount.root) throw new Errno('ENOENT')
    this.#mounts.push({ root: source.inode, readOnly: readOnly || source.mount.readOnly, at: target })
  }

  /** `isUsed` says whether something outside the table, such as a loop device, holds the mount. */
  unmount({ mount, inode }: Location, isUsed: (mount: Mount) => boolean): void {
    if (inode !== mount.root) throw new Errno('EINVAL')
    if (!mount.at || isUsed(mount) || this.#mounts.some(({ at }) => at?.mount === mount)) throw new Errno('EBUSY')
    this.#mounts = this.#mounts.filter((other) => other !== mount)
  }

  list(): MountEntry[] {
    return this.#mounts.flatMap((mount) => {
      const target = mount.at ? this.findPath(mount.at) : '/'
      if (target === undefined) return []
      const root = pathOnDisk(mount.root, this.root.root) ?? '//deleted'
      return [{ target, root, fsType: 'simulated', source: 'simulated', readOnly: mount.readOnly }]
    })
  }

  /** Undefined for an inode that was removed, or moved outside of the mounted tree. */
  findPath({ mount, inode }: Location): string | undefined {
    const below = mount.at ? this.findPath(mount.at) : '/'
    if (below === undefined || !isWithin(inode, mount.root)) return undefined
    const within = pathOnDisk(inode, mount.root) ?? '/'
    return [below, within].filter((path) => path !== '/').join('') || '/'
  }
}
