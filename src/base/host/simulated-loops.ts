import type { LoopDevice } from './host.ts'
import type { SimulatedDisk } from './simulated-disk.ts'
import type { DirectoryInode, FileInode } from './simulated-inodes.ts'
import type { Location, Mount, SimulatedMountTable } from './simulated-mount-table.ts'
import type { SimulatedPaths } from './simulated-paths.ts'
import { Errno } from './simulated-step.ts'

const FIRST_DEVICES = 8

type Attached = { backing: Location<FileInode>; path: string; readOnly: boolean; sizeBytes: bigint }

/** Loop devices as a table and as nodes in /dev. A node stays when its device is detached, as on a real machine. */
export class SimulatedLoops {
  readonly #disk: SimulatedDisk
  readonly #mounts: SimulatedMountTable
  readonly #paths: SimulatedPaths
  readonly #nodes: DirectoryInode
  readonly #attached = new Map<number, Attached>()

  constructor(parts: {
    disk: SimulatedDisk
    mounts: SimulatedMountTable
    paths: SimulatedPaths
    nodes: DirectoryInode
  }) {
    this.#disk = parts.disk
    this.#mounts = parts.mounts
    this.#paths = parts.paths
    this.#nodes = parts.nodes
    for (let number = 0; number < FIRST_DEVICES; number++) this.#provideNode(number)
  }

  clear(): void {
    this.#attached.clear()
  }

  list(): LoopDevice[] {
    const devices = [...this.#attached].sort(([a], [b]) => a - b)
    return devices.map(([number, { backing, path, readOnly }]) => {
      return { device: deviceOf(number), backingFile: this.#mounts.findPath(backing) ?? `${path} (deleted)`, readOnly }
    })
  }

  attach(path: string, readOnly: boolean): string {
    const { mount, inode } = this.#paths.locate(path, { follow: true })
    if (inode.kind !== 'file') throw new Errno('EINVAL')
    let number = 0
    while (this.#attached.has(number)) number++
    this.#provideNode(number)
    const sizeBytes = inode.content.sizeBytes
    this.#attached.set(number, { backing: { mount, inode }, path, readOnly: readOnly || mount.readOnly, sizeBytes })
    return deviceOf(number)
  }

  detach(device: string): void {
    this.#attached.delete(this.#find(device).number)
  }

  refreshSize(device: string): void {
    const { attached } = this.#find(device)
    attached.sizeBytes = attached.backing.inode.content.sizeBytes
  }

  findSizeBytes(device: string): bigint | undefined {
    return this.#attached.get(numberOf(device))?.sizeBytes
  }

  holds(mount: Mount): boolean {
    return [...this.#attached.values()].some(({ backing }) => backing.mount === mount)
  }

  #find(device: string): { number: number; attached: Attached } {
    this.#paths.locate(device, { follow: true })
    const number = numberOf(device)
    const attached = this.#attached.get(number)
    if (!attached) throw new Errno('ENXIO')
    return { number, attached }
  }

  #provideNode(number: number): void {
    const name = `loop${number}`
    if (!this.#nodes.entries.has(name)) this.#disk.provideDevice(this.#nodes, name)
  }
}

const deviceOf = (number: number): string => `/dev/loop${number}`
const numberOf = (device: string): number => Number(/^\/dev\/loop(\d+)$/.exec(device)?.[1] ?? Number.NaN)
