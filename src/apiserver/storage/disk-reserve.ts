import { closeSync, fstatSync, ftruncateSync, openSync, statfsSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'

/** The name of the file within the data directory. */
export const RESERVE_FILE = 'state.db-reserve'

const LARGEST_BYTES = 8 * 1024 * 1024
// On a small disk, the reserve itself must not fill it.
const LARGEST_SHARE = 8
// Released one after the other: the last ones are for a restart.
const PART_BYTES = 2 * 1024 * 1024
// With less free space than this, or than this share of a small disk, the disk counts as full.
const LEAST_BYTES = 1024 * 1024
const LEAST_SHARE = 16
const BLOCK_BYTES = 4096

/**
 * Disk space that is reserved for a full disk: even a deletion needs some, to be written. It is a file of zeros, which is truncated when the disk is
 * full and filled again when there is room.
 */
export interface DiskReserve {
  /** Releases a part of it to the disk. False if nothing is left. */
  release(): boolean
  /** Restores it completely. False if there is no room for that. */
  restore(): boolean
  close(): void
}

/** Opens or creates the file; it may be empty until `restore` is called. */
export function openDiskReserve(path: string): DiskReserve {
  const descriptor = openSync(path, 'a+', 0o600)
  const sizeBytes = (): number => fstatSync(descriptor).size

  const release = (): boolean => {
    const size = sizeBytes()
    if (size === 0) return false
    ftruncateSync(descriptor, afterRelease(size))
    return true
  }
  const restore = (): boolean => {
    const size = sizeBytes()
    const { bavail, blocks, bsize } = statfsSync(dirname(path))
    const total = blocks * bsize
    const wanted = Math.max(size, Math.min(LARGEST_BYTES, Math.floor(total / LARGEST_SHARE)))
    // Released space must not be used by others.
    if (bavail * bsize < wanted - size + Math.min(LEAST_BYTES, total / LEAST_SHARE)) return false
    if (size === wanted) return true
    try {
      const zeros = Buffer.alloc(256 * 1024)
      // Appends, because of how the file was opened.
      for (let at = size; at < wanted;) at += writeSync(descriptor, zeros, 0, Math.min(zeros.length, wanted - at))
      return true
    } catch {
      ftruncateSync(descriptor, size)
      return false
    }
  }
  return { release, restore, close: () => closeSync(descriptor) }
}

/** The length of the file after a part of it was released. */
export const afterRelease = (sizeBytes: number): number =>
  sizeBytes > PART_BYTES ? sizeBytes - PART_BYTES : Math.floor(sizeBytes / 2 / BLOCK_BYTES) * BLOCK_BYTES
