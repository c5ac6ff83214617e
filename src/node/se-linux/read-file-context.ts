import { readFileIfPresent } from '../../base/host/index.ts'
import type { Host } from '../../base/host/index.ts'

const SELINUX_FS = '/sys/fs/selinux'
const CONTAINER_CONTEXTS = '/usr/share/containers/selinux/contexts'

/** The context of files of containers. Undefined: SELinux is not enabled on the machine, or has no rules for containers. */
export async function readFileContext({ files, mounts }: Pick<Host, 'files' | 'mounts'>): Promise<string | undefined> {
  const [mount] = await mounts.list({ target: SELINUX_FS })
  if (mount?.fsType !== 'selinuxfs') return undefined
  const read = async (path: string) => new TextDecoder().decode(await readFileIfPresent(files, path))
  const [, policy = 'targeted'] = /^\s*SELINUXTYPE\s*=\s*(\w+)/m.exec(await read('/etc/selinux/config')) ?? []
  // In the order in which container runtimes look for it.
  const text = (await read(CONTAINER_CONTEXTS)) || (await read(`/etc/selinux/${policy}/contexts/lxc_contexts`))
  return /^\s*file\s*=\s*"([^"]+)"/m.exec(text)?.[1]
}
