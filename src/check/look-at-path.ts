import { basename, dirname, join } from 'node:path'
import type { Host } from '../base/host/index.ts'

/** Mounts at the path. */
export async function countMounts({ files, mounts }: Host, path: string): Promise<number> {
  if (!(await files.findStat(dirname(path)))) return 0
  const real = join(await files.resolve(dirname(path)), basename(path))
  return (await mounts.list({ target: real })).length
}

const TEXT = new TextEncoder()

export const writeText = ({ files }: Host, path: string, text: string): Promise<void> =>
  files.writeFile(path, TEXT.encode(text))

/** Undefined if the file is missing. */
export async function readText({ files }: Host, path: string): Promise<string | undefined> {
  return (await files.findStat(path)) ? new TextDecoder().decode(await files.readFile(path)) : undefined
}

/** The first bytes of a block device, as text. */
export async function readBlock({ files }: Host, path: string, offset: bigint, length: number): Promise<string> {
  return new TextDecoder().decode(await files.readRange(await files.resolve(path), offset, length))
}
