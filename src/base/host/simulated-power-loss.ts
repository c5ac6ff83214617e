import type { Random } from '../random.ts'
import { resizeContent, type Content } from './simulated-content.ts'
import type { DirectoryInode, Inode, NameOperation } from './simulated-inodes.ts'

// Greater than every sequence number.
const NONE = Number.POSITIVE_INFINITY

/** All operations that must become durable together with the directory: its own, and earlier ones in other directories. */
export function operationsToSync(directory: DirectoryInode): Set<NameOperation> {
  const operations = new Set<NameOperation>()
  const prefixes = [{ directory, through: NONE }]
  for (const prefix of prefixes) {
    for (const operation of prefix.directory.pending) {
      if (operation.sequence > prefix.through || operations.has(operation)) continue
      operations.add(operation)
      for (const other of operation.directories) prefixes.push({ directory: other, through: operation.sequence })
    }
  }
  return operations
}

/** Makes the operations durable. They must be a prefix in each directory. Returns the inodes that are now removed for good. */
export function applyOperations(operations: ReadonlySet<NameOperation>): Inode[] {
  const gone: Inode[] = []
  for (const { changes } of [...operations].sort((a, b) => a.sequence - b.sequence)) {
    for (const { directory, name, inode } of changes) {
      const before = directory.durableEntries.get(name)
      if (before && !before.place) gone.push(before)
      if (inode) directory.durableEntries.set(name, inode)
      else directory.durableEntries.delete(name)
    }
  }
  for (const directory of new Set([...operations].flatMap((operation) => [...operation.directories]))) {
    directory.pending = directory.pending.filter((operation) => !operations.has(operation))
  }
  return gone
}

/** Chooses what survives of these inodes and makes it both durable and current. Afterwards nothing is pending. */
export function loseUnsynced(inodes: readonly Inode[], random: Random): void {
  const directories = inodes.filter((inode) => inode.kind === 'directory')
  applyOperations(chooseSurvivors(directories, random))
  for (const inode of inodes) {
    if (inode.kind === 'directory') {
      inode.pending = []
      inode.entries = new Map(inode.durableEntries)
    } else if (inode.kind === 'file' && inode.content !== inode.durableContent) {
      inode.content = chooseContent(inode.durableContent, inode.content, random)
      inode.durableContent = inode.content
    }
    inode.attributes = random.below(2) === 0 ? inode.durableAttributes : inode.attributes
    inode.durableAttributes = inode.attributes
  }
}

// A prefix in each directory. An operation on several directories survives in all of them or in none.
function chooseSurvivors(directories: readonly DirectoryInode[], random: Random): Set<NameOperation> {
  const chooseFirstLost = ({ pending }: DirectoryInode): number =>
    pending[random.below(pending.length + 1)]?.sequence ?? NONE
  const firstLost = new Map(directories.map((directory) => [directory, chooseFirstLost(directory)]))
  const survives = ({ sequence, directories: all }: NameOperation): boolean =>
    [...all].every((directory) => sequence < (firstLost.get(directory) ?? NONE))
  for (let settled = false; !settled;) {
    settled = true
    for (const [directory, limit] of firstLost) {
      const lost = directory.pending.find((operation) => operation.sequence < limit && !survives(operation))
      if (!lost) continue
      firstLost.set(directory, lost.sequence)
      settled = false
    }
  }
  return new Set(directories.flatMap((directory) => directory.pending.filter(survives)))
}

// The old content, the new content, or a part of the new: either truncated, or filled with zeros up to the new size.
function chooseContent(before: Content, after: Content, random: Random): Content {
  const choice = random.below(4)
  if (choice === 0) return before
  if (choice === 1) return after
  const written = BigInt(Math.floor(random.fraction() * (Number(after.sizeBytes) + 1)))
  const torn = resizeContent(after, written)
  return choice === 2 ? torn : resizeContent(torn, after.sizeBytes)
}
