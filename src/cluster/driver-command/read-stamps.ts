import { join } from 'node:path'
import type { HostFiles } from '../../base/host/index.ts'

// Directories that a build does not read, or that it fills.
const IGNORED: ReadonlySet<string> = new Set(['node_modules', '.git', '.cache'])
// Reading more would take longer than the pause between two looks.
export const MOST_FILES = 2000

/** Size and time of each file at these paths, directories included, as one text: two looks that differ mean a change. */
export async function readStamps(files: HostFiles, paths: readonly string[]): Promise<string> {
  const stamps: string[] = []
  const visit = async (path: string): Promise<void> => {
    if (stamps.length >= MOST_FILES) return
    const stat = await files.findStat(path)
    if (!stat) return void stamps.push(`${path} missing`)
    if (stat.kind !== 'directory') return void stamps.push(`${path} ${stat.sizeBytes} ${stat.modifiedMs}`)
    for (const { name } of await files.list(path)) if (!IGNORED.has(name)) await visit(join(path, name))
  }
  for (const path of paths) await visit(path).catch(() => {})
  return stamps.join('\n')
}
