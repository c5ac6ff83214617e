import { join } from 'node:path'
import { copyTree } from '../../base/host/durable-files.ts'
import type { HostFiles } from '../../base/host/host.ts'
import { CsiError } from '../../csi/csi-error.ts'
import type { CapacityRange } from '../../csi/generated/csi/v1/csi.ts'
import { chooseCapacity, fitsCapacity } from '../../csi/kit/index.ts'
import type { CapacityRules } from '../../csi/kit/index.ts'
import type { VolumeMode } from './records.ts'

const DIRECTORY = 'data'
const IMAGE = 'image'

/** The size of a device is a multiple of this. */
export const BLOCK_BYTES = 4096

/** The size of the content to create, or OUT_OF_RANGE. For a device, a number of whole blocks. */
export function chooseSize(mode: VolumeMode, range: CapacityRange | undefined, rules: CapacityRules): bigint {
  const size = chooseCapacity(range, rules)
  const rest = mode === 'block' ? size % BigInt(BLOCK_BYTES) : 0n
  if (rest === 0n) return size
  const whole = [size - rest + BigInt(BLOCK_BYTES), size - rest].find(
    (bytes) => bytes > 0n && bytes >= rules.minimumBytes && bytes <= rules.maximumBytes && fitsCapacity(bytes, range),
  )
  if (whole === undefined)
    throw new CsiError(
      'OUT_OF_RANGE',
      `the size of a block volume must be a multiple of ${BLOCK_BYTES} bytes, which the capacity range does not allow`,
    )
  return whole
}

/** The data of a volume or snapshot in its folder: a directory, or the image of a device. */
export const contentPath = (folder: string, mode: VolumeMode): string =>
  join(folder, mode === 'block' ? IMAGE : DIRECTORY)

/** Creates empty content. A directory is writable for all, because nobody sets its permissions as after formatting a file system. */
export async function makeContent(
  files: HostFiles,
  folder: string,
  mode: VolumeMode,
  sizeBytes: bigint,
): Promise<void> {
  const path = contentPath(folder, mode)
  if (mode === 'mount') {
    await files.makeDirectory(path, 0o777)
    return
  }
  await files.truncate(path, sizeBytes)
  await files.sync(path)
}

/** Copies other content and grows the copy to the size. */
export async function copyContent(
  files: HostFiles,
  from: string,
  folder: string,
  mode: VolumeMode,
  sizeBytes: bigint,
): Promise<void> {
  const source = contentPath(from, mode)
  const path = contentPath(folder, mode)
  if (mode === 'mount') {
    await copyTree(files, source, path)
    return
  }
  await files.copyFile(source, path)
  await files.truncate(path, sizeBytes)
  await files.sync(path)
}
