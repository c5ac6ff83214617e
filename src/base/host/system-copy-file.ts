import { constants, type Stats } from 'node:fs'
import * as fs from 'node:fs/promises'
import { HostError } from './host.ts'
import { errnoOf } from './system-step.ts'

const CHUNK_BYTES = 1024 * 1024
const ZEROS = Buffer.alloc(CHUNK_BYTES)
// Errors from file systems that cannot share blocks, or not between these two files.
const CANNOT_SHARE = ['ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'ENOTTY', 'EXDEV', 'EINVAL']

/** Copies one file with its mode and, where allowed, its owner. Shares blocks if possible; otherwise zeros become holes. */
export async function copySystemFile(from: string, to: string): Promise<void> {
  await using source = await fs.open(from, constants.O_RDONLY | constants.O_NONBLOCK)
  const stat = await source.stat()
  if (!stat.isFile()) throw new HostError(stat.isDirectory() ? 'EISDIR' : 'EINVAL', 'copyFile', from)
  const shared = await shareBlocks(from, to)
  let made = shared
  try {
    await using target = await fs.open(to, shared ? constants.O_RDONLY | constants.O_NOFOLLOW : 'wx', 0o600)
    made = true
    if (!shared) await copyChunks(source, target)
    await keepOwner(target, stat)
    // After the owner: a change of owner clears the set-id bits.
    await target.chmod(stat.mode & 0o7777)
  } catch (error) {
    if (made) await fs.unlink(to).catch(() => {})
    throw error
  }
}

async function shareBlocks(from: string, to: string): Promise<boolean> {
  try {
    await fs.copyFile(from, to, constants.COPYFILE_FICLONE_FORCE | constants.COPYFILE_EXCL)
    return true
  } catch (error) {
    if (CANNOT_SHARE.includes(errnoOf(error))) return false
    throw error
  }
}

async function copyChunks(source: fs.FileHandle, target: fs.FileHandle): Promise<void> {
  const buffer = Buffer.allocUnsafe(CHUNK_BYTES)
  let position = 0
  for (;;) {
    const chunk = await readChunk(source, buffer, position)
    if (chunk.length === 0) break
    if (!chunk.equals(ZEROS.subarray(0, chunk.length))) await writeChunk(target, chunk, position)
    position += chunk.length
  }
  await target.truncate(position)
}

async function readChunk(source: fs.FileHandle, buffer: Buffer, position: number): Promise<Buffer> {
  let filled = 0
  while (filled < buffer.length) {
    const { bytesRead } = await source.read(buffer, filled, buffer.length - filled, position + filled)
    if (bytesRead === 0) break
    filled += bytesRead
  }
  return buffer.subarray(0, filled)
}

async function writeChunk(target: fs.FileHandle, chunk: Buffer, position: number): Promise<void> {
  let written = 0
  while (written < chunk.length) {
    written += (await target.write(chunk, written, chunk.length - written, position + written)).bytesWritten
  }
}

async function keepOwner(target: fs.FileHandle, { uid, gid }: Stats): Promise<void> {
  try {
    await target.chown(uid, gid)
  } catch (error) {
    // Not root, or an owner that this user namespace doesn't know.
    if (!['EPERM', 'EINVAL'].includes(errnoOf(error))) throw error
  }
}
