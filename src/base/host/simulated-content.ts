import { createHash } from 'node:crypto'

export const BLOCK_BYTES = 4096

/**
 * The content of a file. Immutable, so keeping an older state only needs a reference. A missing block is a hole; a block shorter than BLOCK_BYTES is
 * padded with zeros.
 */
export type Content = { readonly sizeBytes: bigint; readonly blocks: ReadonlyMap<number, Uint8Array> }

export const EMPTY_CONTENT: Content = { sizeBytes: 0n, blocks: new Map() }

export function contentOf(data: Uint8Array): Content {
  const blocks = new Map<number, Uint8Array>()
  for (let start = 0; start < data.length; start += BLOCK_BYTES) {
    blocks.set(start / BLOCK_BYTES, Uint8Array.from(data.subarray(start, start + BLOCK_BYTES)))
  }
  return { sizeBytes: BigInt(data.length), blocks }
}

/** Truncates the content, or extends it by a hole. */
export function resizeContent(content: Content, sizeBytes: bigint): Content {
  if (sizeBytes >= content.sizeBytes) return { sizeBytes, blocks: content.blocks }
  const whole = Number(sizeBytes / BigInt(BLOCK_BYTES))
  const rest = Number(sizeBytes % BigInt(BLOCK_BYTES))
  const blocks = new Map<number, Uint8Array>()
  for (const [index, block] of content.blocks) {
    if (index < whole) blocks.set(index, block)
    else if (index === whole && rest > 0) blocks.set(index, block.subarray(0, rest))
  }
  return { sizeBytes, blocks }
}

/** Returns fewer bytes than requested at the end of the content. */
export function readContent(content: Content, offset: bigint, length: number): Uint8Array {
  const rest = content.sizeBytes - offset
  const size = rest <= 0n ? 0 : rest < BigInt(length) ? Number(rest) : length
  const result = new Uint8Array(size)
  const start = Number(offset)
  for (let index = Math.floor(start / BLOCK_BYTES); index * BLOCK_BYTES < start + size; index++) {
    const at = index * BLOCK_BYTES - start
    const block = content.blocks.get(index)?.subarray(Math.max(0, -at), Math.max(0, size - at))
    if (block) result.set(block, Math.max(0, at))
  }
  return result
}

/** Bytes allocated on disk: whole blocks, without holes. */
export const allocatedBytes = (content: Content): bigint => BigInt(content.blocks.size * BLOCK_BYTES)

/** Equal for equal bytes, whether zeros are stored or are holes. Not a hash of the bytes themselves, because a file may be huge. */
export function hashContent(content: Content): string {
  const hash = createHash('sha256').update(`${content.sizeBytes}`)
  for (const [index, block] of [...content.blocks].sort(([a], [b]) => a - b)) {
    const end = block.findLastIndex((byte) => byte !== 0) + 1
    if (end > 0) hash.update(`\n${index} ${end}\n`).update(block.subarray(0, end))
  }
  return hash.digest('hex').slice(0, 16)
}
