import { join } from 'node:path'
import type { Clock } from '../../base/clock.ts'
import { ifPresent, isHostError } from '../../base/host/index.ts'
import type { FileStat, HostFiles } from '../../base/host/index.ts'
import type { Logger } from '../../base/logger.ts'
import type { FsGroup } from './fs-group-of.ts'

export type FsGroupParts = {
  readonly files: HostFiles
  readonly clock: Clock
  readonly log: Logger
  readonly signal: AbortSignal
  /** False: the pod is being deleted, and the rest of the files need no group. */
  isWanted(): boolean
  /** Called if it takes long: first without a number, then with the number of files so far. */
  onProgress(processed?: number): void
}

// The kubelet's times.
const FIRST_REPORT_MS = 30_000
const REPORT_EVERY_MS = 60_000

const FILE_BITS = 0o660
const DIRECTORY_BITS = 0o2770

/**
 * Sets the group of everything below the path, and of the path itself last, so that an interrupted run is detected there and repeated. One step at a
 * time, so that a slow volume occupies only one thread. Resolves with false if it was interrupted.
 */
export async function applyFsGroup(path: string, group: FsGroup, parts: FsGroupParts): Promise<boolean> {
  const { files, log } = parts
  // A driver that may not mount leaves a link.
  const root = await files.resolve(path)
  const stat = await files.findStat(root)
  if (!stat || (group.onlyOnRootMismatch && fits(stat, group.gid))) return true
  const walk = createWalk(group.gid, parts)
  const isWhole = await walk.visit(root)
  const { processed, failed, firstError } = walk.result()
  if (failed > 0) log.warn('some files of the volume keep their group or mode', { path, failed, error: firstError })
  if (!isWhole) log.info('the pod is being deleted: the change of ownership was interrupted', { path, processed })
  return isWhole
}

const bitsOf = ({ kind }: FileStat): number => (kind === 'directory' ? DIRECTORY_BITS : FILE_BITS)

const fits = (stat: FileStat, gid: number): boolean => stat.gid === gid && (stat.mode & bitsOf(stat)) === bitsOf(stat)

function createWalk(gid: number, { files, clock, signal, isWanted, onProgress }: FsGroupParts) {
  let [processed, failed, reports] = [0, 0, 0]
  let firstError: unknown
  let reportAtMs = clock.monotonicMs() + FIRST_REPORT_MS
  const reportIfLong = (): void => {
    if (clock.monotonicMs() < reportAtMs) return
    reportAtMs = clock.monotonicMs() + REPORT_EVERY_MS
    onProgress(reports++ === 0 ? undefined : processed)
  }
  /** A file that must not be changed is left alone, and so is one that is gone: files may be created and deleted while others use the volume. */
  const change = async (path: string, stat: FileStat): Promise<void> => {
    processed++
    try {
      if (stat.gid !== gid) await files.setOwner(path, stat.uid, gid)
      const mode = stat.mode | bitsOf(stat)
      // Always after the owner, whose change clears some bits. A link has no mode of its own.
      if (stat.kind !== 'symlink' && (mode !== stat.mode || stat.gid !== gid)) await files.setMode(path, mode)
    } catch (error) {
      signal.throwIfAborted()
      if (isHostError(error, 'ENOENT')) return
      failed++
      firstError ??= error
    }
  }
  /** Changes what is in a directory, and returns the directories in it. Undefined: interrupted. */
  const changeFiles = async (path: string): Promise<string[] | undefined> => {
    await using directory = await files.openDirectory(path)
    const directories: string[] = []
    for (let names = await directory.read(); names.length > 0; names = await directory.read()) {
      for (const name of names) {
        signal.throwIfAborted()
        if (!isWanted()) return undefined
        reportIfLong()
        const below = join(path, name)
        const stat = await files.findStat(below)
        if (stat?.kind === 'directory') directories.push(below)
        else if (stat) await change(below, stat)
      }
    }
    return directories
  }
  /** False: interrupted. Only one directory is open at a time, however deep the tree is. */
  const visit = async (path: string): Promise<boolean> => {
    const directories = await changeFiles(path)
    if (!directories) return false
    for (const below of directories) if ((await ifPresent(visit(below))) === false) return false
    const stat = await files.findStat(path)
    if (stat) await change(path, stat)
    return true
  }
  return { visit, result: () => ({ processed, failed, firstError }) }
}
