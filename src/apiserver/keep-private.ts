import { isHostError } from '../base/host/host.ts'
import type { HostFiles } from '../base/host/host.ts'
import type { Logger } from '../base/logger.ts'

const OTHERS = 0o077

/** Removes the permissions of others from a file or directory with keys or secrets, and logs it. A missing file is ignored. */
export async function keepPrivate(path: string, { files, log }: { files: HostFiles; log: Logger }): Promise<void> {
  const stat = await files.findStat(path)
  // The mode of a link has no meaning, and its target was chosen on purpose.
  if (!stat || stat.kind === 'symlink' || (stat.mode & OTHERS) === 0) return
  const now = stat.mode & ~OTHERS
  try {
    await files.setMode(path, now)
  } catch (cause) {
    if (!isHostError(cause, 'EPERM', 'EACCES', 'EROFS')) throw cause
    throw new Error(
      `${path} has mode ${octal(stat.mode)}, so that others may use it, and this user cannot change that. Run chmod go-rwx ${path} as its owner`,
      { cause },
    )
  }
  log.warn('permissions were too open and have been restricted', { path, was: octal(stat.mode), now: octal(now) })
}

const octal = (mode: number): string => `0${(mode & 0o777).toString(8)}`
