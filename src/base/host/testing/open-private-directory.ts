import { mkdtemp, realpath } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { removeTree } from '../durable-files.ts'
import type { Host } from '../host.ts'

/**
 * For tests on the real machine: an empty directory with private mount propagation. With shared propagation, the default of systemd, a mount inside a
 * bound directory would also appear in its source.
 */
export async function openPrivateDirectory(host: Host): Promise<{ directory: string; close(): Promise<void> }> {
  const directory = await realpath(await mkdtemp(join(tmpdir(), 'holdfast-host-')))
  if (await host.mounts.available())
    await host.processes.run('mount', ['--make-private', '--bind', directory, directory])
  const close = async (): Promise<void> => {
    for (const { target } of (await host.mounts.list()).reverse()) {
      if (target === directory || target.startsWith(`${directory}/`)) await host.mounts.unmount(target)
    }
    await removeTree(host, directory)
  }
  return { directory, close }
}
