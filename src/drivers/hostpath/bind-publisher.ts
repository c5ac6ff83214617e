import type { FileKind, Host, LoopDevice, MountEntry } from '../../base/host/host.ts'
import { CsiError } from '../../csi/csi-error.ts'
import { ignoring } from './ignoring.ts'
import type { Content, Publisher } from './publisher.ts'
import { realPath } from './real-path.ts'
import { removeTarget } from './remove-target.ts'

/** Uses bind mounts; block volumes become loop devices. Needs permission to mount. */
export function createBindPublisher({ files, mounts, loops }: Host): Publisher {
  const mountsAt = async (path: string): Promise<MountEntry[]> => mounts.list({ target: await realPath(files, path) })
  // A mount follows a link, so it would not be found under the link's own name.
  const requireKind = async (path: string, kind: FileKind): Promise<void> => {
    const found = (await files.findStat(path))?.kind
    if (found !== kind)
      throw new CsiError('FAILED_PRECONDITION', `${path} must be a ${kind}, but is ${found ? `a ${found}` : 'missing'}`)
  }

  const bindOnce = async (source: string, target: string, readonly: boolean): Promise<void> => {
    const present = await mountsAt(target)
    if (present.length === 1 && present[0]?.readOnly === readonly) return
    // A read-only bind takes two steps; a crash in between leaves a writable one.
    await unmountEach(target, present)
    await mounts.bind(source, target, { readOnly: readonly })
  }
  const unmountEach = async (target: string, present: readonly MountEntry[]): Promise<void> => {
    for (const _mount of present) await ignoring(mounts.unmount(target), 'EINVAL', 'ENOENT')
  }
  const unmountAll = async (target: string): Promise<void> => unmountEach(target, await mountsAt(target))

  const devicesOf = async ({ path }: Content): Promise<LoopDevice[]> => {
    const image = await realPath(files, path)
    return (await loops.list()).filter(
      ({ backingFile }) => backingFile === image || backingFile === `${image} (deleted)`,
    )
  }
  const deviceFor = async (content: Content, readOnly: boolean): Promise<string> => {
    if (!(await loops.available()))
      throw new CsiError(
        'FAILED_PRECONDITION',
        'block volumes need loop devices, which this process is not allowed to use',
      )
    const present = (await devicesOf(content)).find((device) => device.readOnly === readOnly)
    return present?.device ?? (await loops.attach(content.path, { readOnly }))
  }

  const stage = async (content: Content, stagingPath: string): Promise<void> => {
    if (content.mode === 'block') {
      await deviceFor(content, false)
      return
    }
    await requireKind(stagingPath, 'directory')
    await bindOnce(content.path, stagingPath, false)
  }
  const isStaged = async (content: Content, stagingPath: string): Promise<boolean> =>
    (content.mode === 'block' ? await devicesOf(content) : await mountsAt(stagingPath)).length > 0
  const unstage = async (content: Content, stagingPath: string, { last }: { last: boolean }): Promise<void> => {
    await unmountAll(stagingPath)
    if (content.mode !== 'block' || !last) return
    for (const { device } of await devicesOf(content)) await ignoring(loops.detach(device), 'ENXIO')
  }

  const publish = async (content: Content, target: string, { readonly }: { readonly: boolean }): Promise<void> => {
    if (content.mode === 'block') {
      // The device must refuse writes, not the mount: a mount does not restrict access to a device.
      const device = await deviceFor(content, readonly)
      if ((await mountsAt(target)).length > 0) return
      await ignoring(files.writeFile(target, new Uint8Array(), { mode: 0o600, exclusive: true }), 'EEXIST')
      await requireKind(target, 'file')
      await mounts.bind(device, target, { readOnly: false })
      return
    }
    await ignoring(files.makeDirectory(target, 0o750), 'EEXIST')
    await requireKind(target, 'directory')
    await bindOnce(content.path, target, readonly)
  }
  const unpublish = async (content: Content, target: string): Promise<void> => {
    await unmountAll(target)
    await removeTarget(files, content, target)
  }

  const refresh = async (content: Content): Promise<void> => {
    for (const { device } of await devicesOf(content)) await loops.refreshSize(device)
  }
  return { kind: 'bind', stage, isStaged, unstage, publish, unpublish, refresh }
}
