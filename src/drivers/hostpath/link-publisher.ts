import type { HostFiles } from '../../base/host/host.ts'
import { CsiError } from '../../csi/csi-error.ts'
import type { Content, Publisher } from './publisher.ts'
import { removeTarget } from './remove-target.ts'

/** Uses symbolic links, for a process that may not mount. Read-only is not enforced, and a block volume is a plain file. */
export function createLinkPublisher(files: HostFiles): Publisher {
  const publish = async ({ path }: Content, target: string): Promise<void> => {
    const stat = await files.findStat(target)
    if (stat?.kind === 'symlink') {
      if ((await files.readSymlink(target)) === path) return
      throw new CsiError('FAILED_PRECONDITION', `${target} is a link to another target`)
    }
    // Some callers create the target beforehand; this fails for anything but an empty directory.
    if (stat?.kind === 'directory') await files.removeDirectory(target)
    else if (stat) throw new CsiError('FAILED_PRECONDITION', `${target} exists and was not created by this driver`)
    await files.makeSymlink(path, target)
  }
  const unpublish = (content: Content, target: string): Promise<void> => removeTarget(files, content, target)
  // Staging needs no work on the machine: its record is sufficient.
  const nothing = (): Promise<void> => Promise.resolve()
  return {
    kind: 'link',
    stage: nothing,
    isStaged: () => Promise.resolve(true),
    unstage: nothing,
    publish,
    unpublish,
    refresh: nothing,
  }
}
