import { CsiError } from '../../csi/csi-error.ts'
import { BlockMetadataType } from '../../csi/generated/csi/v1/csi.ts'
import type { BlockMetadata, GetMetadataAllocatedResponse } from '../../csi/generated/csi/v1/csi.ts'
import type { CsiHandlers } from '../../csi/kit/index.ts'
import { BLOCK_BYTES, contentPath } from './content.ts'
import type { Hostpath } from './hostpath.ts'

const CHUNK_BYTES = 1024 * 1024
const DEFAULT_RESULTS = 256

type Differs = (block: Uint8Array, offset: number) => boolean

/** Which blocks of a block volume's snapshot have data, or differ from those of another snapshot. */
export function createSnapshotMetadataHandlers(hostpath: Hostpath): CsiHandlers {
  const { files } = hostpath.parts.host

  const requireImage = (id: string): { image: string; sizeBytes: bigint; volumeId: string } => {
    const found = hostpath.findSnapshot(id)
    if (!found) throw new CsiError('NOT_FOUND', `snapshot ${id} does not exist`)
    if (found.record.mode !== 'block')
      throw new CsiError(
        'INVALID_ARGUMENT',
        `snapshot ${id} is of a filesystem volume: only block volumes have block metadata`,
      )
    return {
      image: contentPath(found.folder, 'block'),
      sizeBytes: found.record.sizeBytes,
      volumeId: found.record.sourceVolumeId,
    }
  }

  const getMetadataAllocated: CsiHandlers['getMetadataAllocated'] = async function* ({
    snapshotId,
    startingOffset,
    maxResults,
  }) {
    const { image, sizeBytes } = requireImage(snapshotId)
    const isUsed: Differs = (block) => block.some((byte) => byte !== 0)
    yield* inPages(
      sizeBytes,
      maxResults,
      blocksWhere(image, startingOffset, sizeBytes, () => Promise.resolve(isUsed)),
    )
  }

  const getMetadataDelta: CsiHandlers['getMetadataDelta'] = async function* ({
    baseSnapshotId,
    targetSnapshotId,
    startingOffset,
    maxResults,
  }) {
    const base = requireImage(baseSnapshotId)
    const { image, sizeBytes, volumeId } = requireImage(targetSnapshotId)
    if (base.volumeId !== volumeId)
      throw new CsiError(
        'INVALID_ARGUMENT',
        `${baseSnapshotId} and ${targetSnapshotId} are snapshots of different volumes`,
      )
    const differsFromBase = async (offset: bigint): Promise<Differs> => {
      const old = await files.readRange(base.image, offset, CHUNK_BYTES)
      // A smaller base counts as padded with zeros.
      return (block, at) => block.some((byte, index) => byte !== (old[at + index] ?? 0))
    }
    yield* inPages(sizeBytes, maxResults, blocksWhere(image, startingOffset, sizeBytes, differsFromBase))
  }

  const blocksWhere = async function* (
    image: string,
    start: bigint,
    sizeBytes: bigint,
    testAt: (offset: bigint) => Promise<Differs>,
  ): AsyncGenerator<BlockMetadata, void> {
    if (start < 0n || start > sizeBytes)
      throw new CsiError('OUT_OF_RANGE', `starting_offset ${start} is beyond the volume size of ${sizeBytes} bytes`)
    const first = start - (start % BigInt(BLOCK_BYTES))
    for (let offset = first; offset < sizeBytes; offset += BigInt(CHUNK_BYTES)) {
      const chunk = await files.readRange(image, offset, CHUNK_BYTES)
      const test = await testAt(offset)
      for (let at = 0; at < chunk.length; at += BLOCK_BYTES) {
        const block = chunk.subarray(at, at + BLOCK_BYTES)
        if (test(block, at)) yield { byteOffset: offset + BigInt(at), sizeBytes: BigInt(block.length) }
      }
    }
  }
  return { getMetadataAllocated, getMetadataDelta }
}

async function* inPages(
  volumeCapacityBytes: bigint,
  maxResults: number,
  blocks: AsyncIterable<BlockMetadata>,
): AsyncGenerator<GetMetadataAllocatedResponse, void> {
  const size = maxResults > 0 ? maxResults : DEFAULT_RESULTS
  const page = (blockMetadata: BlockMetadata[]) => ({
    blockMetadataType: BlockMetadataType.FIXED_LENGTH,
    volumeCapacityBytes,
    blockMetadata,
  })
  let collected: BlockMetadata[] = []
  for await (const block of blocks) {
    collected.push(block)
    if (collected.length < size) continue
    yield page(collected)
    collected = []
  }
  if (collected.length > 0) yield page(collected)
}
