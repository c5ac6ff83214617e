import { makeDirectories } from '../../../base/host/index.ts'
import type { Host } from '../../../base/host/index.ts'
import { contentPath } from '../../../drivers/hostpath/content.ts'
import type { Plant } from '../fault.ts'

/** Removes every mount at the path. */
export async function unmountEverything({ mounts }: Host, path: string): Promise<void> {
  for (const _mount of await mounts.list({ target: path })) await mounts.unmount(path)
}

/** Mounts a directory at a path that may not exist. */
export async function bindFresh({ files, mounts }: Host, source: string, target: string): Promise<void> {
  await makeDirectories(files, target)
  await mounts.bind(source, target, { readOnly: false })
}

/** The directory with the content of a filesystem volume. */
export function contentFolder({ hostpath }: Plant, volumeId: string): string | undefined {
  const volume = hostpath.volumes.find(volumeId)
  return volume?.mode === 'mount' ? contentPath(hostpath.volumes.folder(volumeId), 'mount') : undefined
}
