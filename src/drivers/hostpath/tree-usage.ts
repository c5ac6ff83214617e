import { join } from 'node:path'
import type { HostFiles } from '../../base/host/host.ts'

/** Disk usage of a tree. Entries that disappear during the walk are ignored. */
export async function treeUsage(files: HostFiles, path: string): Promise<{ bytes: bigint; inodes: bigint }> {
  const stat = await files.findStat(path)
  if (!stat) return { bytes: 0n, inodes: 0n }
  let bytes = stat.allocatedBytes
  let inodes = 1n
  if (stat.kind !== 'directory') return { bytes, inodes }
  for (const { name } of await files.list(path).catch(() => [])) {
    const inner = await treeUsage(files, join(path, name))
    bytes += inner.bytes
    inodes += inner.inodes
  }
  return { bytes, inodes }
}
