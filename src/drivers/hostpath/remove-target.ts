import { removeFileIfPresent } from '../../base/host/durable-files.ts'
import { isHostError } from '../../base/host/host.ts'
import type { HostFiles } from '../../base/host/host.ts'
import type { Content } from './publisher.ts'

/**
 * Removes what a publisher has made at a target: the empty directory or file to mount on, or a link to the content. Whatever
 * else is there was not made by us and stays; a directory that somebody has filled makes it fail.
 */
export async function removeTarget(files: HostFiles, content: Content, target: string): Promise<void> {
  const stat = await files.findStat(target)
  switch (stat?.kind) {
    case 'directory':
      return files.removeDirectory(target).catch((error: unknown) => {
        if (!isHostError(error, 'ENOENT')) throw error
      })
    case 'file':
      if (stat.sizeBytes === 0n) await removeFileIfPresent(files, target)
      return
    case 'symlink':
      if ((await files.readSymlink(target)) === content.path) await removeFileIfPresent(files, target)
      return
    case undefined:
    case 'socket':
    case 'block-device':
    case 'other':
      return
  }
}
