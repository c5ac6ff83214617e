import { makeDirectories, removeTree } from 'holdfast/base'
import type { Host } from 'holdfast/base'
import { CsiError } from 'holdfast/csi'
import { findCurrent } from './replace-content.ts'

/** A directory to write to: in memory where this process may mount, else on the disk. One that is in use stays as it is. */
export async function openTarget(host: Host, path: string): Promise<void> {
  const { files, mounts, processes } = host
  await makeDirectories(files, path, { mode: 0o755, durable: false })
  // A mount put over what a pod already uses would be seen by nobody: containers keep what they were started with.
  if ((await files.list(path)).length > 0 || !(await mounts.available()) || (await isMounted(host, path))) return
  const { exitCode, stderr } = await processes.run('mount', [
    '-t',
    'tmpfs',
    '-o',
    'size=1m,mode=0755,nosuid,nodev,noexec',
    'secrets',
    path,
  ])
  if (exitCode !== 0) throw new CsiError('INTERNAL', `mount ended with ${exitCode}: ${stderr.trim()}`)
}

/** Takes away what `openTarget` made, with what was written to it. Nothing there is fine; what is not ours is left alone. */
export async function closeTarget(host: Host, path: string): Promise<void> {
  const { files, mounts } = host
  if ((await files.findStat(path))?.kind !== 'directory') return
  if (await isMounted(host, path)) await mounts.unmount(path)
  const isOurs = (await findCurrent(files, path)) !== undefined || (await files.list(path)).length === 0
  if (!isOurs) throw new CsiError('FAILED_PRECONDITION', `${path} has files that this driver has not made`)
  await removeTree(host, path)
}

async function isMounted({ files, mounts }: Host, path: string): Promise<boolean> {
  // The mount table has no links in its paths.
  const place = await files.resolve(path)
  return (await mounts.list()).some(({ target, fsType }) => target === place && fsType === 'tmpfs')
}
