import type { Random } from '../random.ts'
import type { DirectoryWatch } from './host.ts'
import { allocatedBytes, BLOCK_BYTES, EMPTY_CONTENT, type Content } from './simulated-content.ts'
import type { Attributes, DirectoryInode, FileInode, Inode, NameOperation, Place } from './simulated-inodes.ts'
import { applyOperations, loseUnsynced, operationsToSync } from './simulated-power-loss.ts'
import { Errno } from './simulated-step.ts'

const INODES = 1n << 20n

/** Practically unlimited. */
export const DEFAULT_CAPACITY_BYTES = 1n << 40n

/** One file system: inodes with their current and durable state, and the operations on them. Knows no paths. */
export class SimulatedDisk {
  readonly root: DirectoryInode
  capacityBytes: bigint
  readonly #nowMs: () => number
  /** Everything that a power loss could change. */
  readonly #unsynced = new Set<Inode>()
  readonly #watchers = new Map<DirectoryInode, Set<() => void>>()
  #usedBytes = 0n
  #usedInodes = 0n
  #lastId = 0n
  #lastSequence = 0

  constructor(options: { capacityBytes: bigint; nowMs: () => number }) {
    this.capacityBytes = options.capacityBytes
    this.#nowMs = options.nowMs
    this.root = this.newDirectory(0o755)
    this.#usedInodes = 1n
  }

  get usedBytes(): bigint {
    return this.#usedBytes
  }

  /** Never negative, even if the capacity was lowered below the used size. */
  get availableBytes(): bigint {
    const rest = this.capacityBytes - this.#usedBytes
    return rest > 0n ? rest - (rest % BigInt(BLOCK_BYTES)) : 0n
  }

  get inodes(): { total: bigint; free: bigint } {
    return { total: INODES, free: INODES - this.#usedInodes }
  }

  newFile(mode: number): FileInode {
    return { kind: 'file', content: EMPTY_CONTENT, durableContent: EMPTY_CONTENT, ...this.#common(mode) }
  }

  newDirectory(mode: number): DirectoryInode {
    return { kind: 'directory', entries: new Map(), durableEntries: new Map(), pending: [], ...this.#common(mode) }
  }

  newSocket(mode: number): Inode {
    return { kind: 'socket', ...this.#common(mode) }
  }

  newSymlink(target: string): Inode {
    return { kind: 'symlink', target, ...this.#common(0o777) }
  }

  /** Creates a directory that survives every power loss, for what the kernel itself provides. */
  provideDirectory(name: string): DirectoryInode {
    return this.#provide(this.root, name, this.newDirectory(0o755))
  }

  provideDevice(directory: DirectoryInode, name: string): void {
    this.#provide(directory, name, { kind: 'block-device', ...this.#common(0o660) })
  }

  link(directory: DirectoryInode, name: string, inode: Inode): void {
    this.#enter(directory, name, inode)
    this.#record([{ directory, name, inode }])
  }

  unlink({ directory, name }: Place): void {
    const inode = directory.entries.get(name)
    directory.entries.delete(name)
    this.#release(inode)
    this.#record([{ directory, name, inode: undefined }], inode)
  }

  /** Replaces an existing entry with the new name. */
  move(from: Place, to: Place, inode: Inode): void {
    const replaced = to.directory.entries.get(to.name)
    this.#release(replaced)
    from.directory.entries.delete(from.name)
    to.directory.entries.set(to.name, inode)
    inode.place = to
    this.#record(
      [
        { ...from, inode: undefined },
        { ...to, inode },
      ],
      replaced,
    )
  }

  /** Fails with ENOSPC and then leaves the content unchanged. */
  setContent(file: FileInode, content: Content): void {
    const growth = allocatedBytes(content) - allocatedBytes(file.content)
    if (growth > 0n && growth > this.availableBytes) throw new Errno('ENOSPC')
    if (file.place) this.#usedBytes += growth
    file.content = content
    this.setAttributes(file, {})
  }

  /** Also marks the inode as modified now. */
  setAttributes(inode: Inode, changes: Partial<Attributes>): void {
    inode.attributes = { ...inode.attributes, modifiedMs: this.#nowMs(), ...changes }
    this.#unsynced.add(inode)
  }

  watch(directory: DirectoryInode, onHint: () => void): DirectoryWatch {
    const watchers = this.#watchers.get(directory) ?? new Set()
    this.#watchers.set(directory, watchers.add(onHint))
    const isOpen = (): boolean => watchers.has(onHint) && (directory === this.root || directory.place !== undefined)
    return { isOpen, close: () => void watchers.delete(onHint) }
  }

  sync(inode: Inode): void {
    if (inode.kind === 'directory') this.#forget(applyOperations(operationsToSync(inode)))
    if (inode.kind === 'file') inode.durableContent = inode.content
    inode.durableAttributes = inode.attributes
    this.#unsynced.delete(inode)
  }

  /** The random source decides which unsynced changes survive. */
  losePower(random: Random): void {
    const inodes = [...this.#unsynced].sort((a, b) => (a.id < b.id ? -1 : 1))
    this.#unsynced.clear()
    loseUnsynced(inodes, random)
    this.#usedBytes = 0n
    this.#usedInodes = 1n
    this.#reenterAll(this.root)
  }

  #common(mode: number): { id: bigint; attributes: Attributes; durableAttributes: Attributes; place: undefined } {
    const attributes: Attributes = { mode, uid: 0, gid: 0, modifiedMs: this.#nowMs() }
    return { id: ++this.#lastId, attributes, durableAttributes: attributes, place: undefined }
  }

  #provide<Node extends Inode>(directory: DirectoryInode, name: string, inode: Node): Node {
    directory.durableEntries.set(name, inode)
    this.#enter(directory, name, inode)
    return inode
  }

  #enter(directory: DirectoryInode, name: string, inode: Inode): void {
    directory.entries.set(name, inode)
    inode.place = { directory, name }
    this.#usedInodes += 1n
    if (inode.kind === 'file') this.#usedBytes += allocatedBytes(inode.content)
  }

  #reenterAll(directory: DirectoryInode): void {
    for (const [name, inode] of directory.entries) {
      this.#enter(directory, name, inode)
      if (inode.kind === 'directory') this.#reenterAll(inode)
    }
  }

  #release(inode: Inode | undefined): void {
    if (!inode) return
    inode.place = undefined
    this.#usedInodes -= 1n
    if (inode.kind === 'file') this.#usedBytes -= allocatedBytes(inode.content)
  }

  #record(changes: NameOperation['changes'], removed?: Inode): void {
    const directories = new Set(changes.map((change) => change.directory))
    for (const directory of directories) this.setAttributes(directory, {})
    if (removed?.kind === 'directory') directories.add(removed)
    // Asynchronously, as in a kernel: a change must not run other callers' watchers.
    for (const directory of directories) for (const hint of this.#watchers.get(directory) ?? []) queueMicrotask(hint)
    const operation = { sequence: ++this.#lastSequence, directories, changes }
    for (const directory of directories) {
      directory.pending.push(operation)
      this.#unsynced.add(directory)
    }
  }

  #forget(gone: Inode[]): void {
    for (const inode of gone) this.#unsynced.delete(inode)
  }
}
