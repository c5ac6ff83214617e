import { open } from 'node:fs/promises'
import { MountTable } from './mount-table.ts'

// Enough for several hundred mounts. The kernel returns one page at a time, regardless of the buffer size.
const FIRST_BYTES = 128 * 1024

/** Reads /proc/self/mountinfo. */
export async function readMountTable(path: string): Promise<MountTable> {
  await using file = await open(path)
  let bytes = Buffer.allocUnsafe(FIRST_BYTES)
  for (let filled = 0; ;) {
    const { bytesRead } = await file.read(bytes, filled, bytes.length - filled)
    if (bytesRead === 0) return new MountTable(bytes.subarray(0, filled))
    filled += bytesRead
    if (filled === bytes.length) bytes = Buffer.concat([bytes], 2 * bytes.length)
  }
}
