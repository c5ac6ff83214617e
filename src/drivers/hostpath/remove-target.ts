import { dirname } from 'node:path'
import { removeFileIfPresent } from '../../base/host/durable-files.ts'
import type { HostFiles } from '../../base/host/host.ts'
import { ignoring } from './ignoring.ts'
import type { Content } from './publisher.ts'

/**
 * Removes what a publisher created at a target: the empty directory or file to mount on, or a link to the content. Anything else is not ours and
 * stays, including a non-empty directory. Durable, because the record of the target is removed next.
 */
export async function removeTarget(files: HostFiles, content: Content, target: string): Promise<void> {
  await removeOwn(files, content, target)
  await ignoring(files.sync(dirname(target)), 'ENOENT', 'ENOTDIR')
}

async function removeOwn(files: HostFiles, content: Content, target: string): Promise<void> {
  const stat = await files.findStat(target)
  if (stat?.kind === 'directory') await ignoring(files.removeDirectory(target), 'ENOENT', 'ENOTEMPTY')
  if (stat?.kind === 'file' && stat.sizeBytes === 0n && content.mode === 'block')
    await removeFileIfPresent(files, target)
  if (stat?.kind === 'symlink' && (await files.readSymlink(target)) === content.path)
    await removeFileIfPresent(files, target)
}
