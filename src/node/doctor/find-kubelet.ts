import { join } from 'node:path'
import type { HostFiles } from '../../base/host/index.ts'

export const DEFAULT_ROOT = '/var/lib/kubelet'

/** The directories that distributions use. */
export const USUAL_ROOTS = [
  DEFAULT_ROOT,
  '/var/lib/k0s/kubelet',
  '/var/snap/microk8s/common/var/lib/kubelet',
  '/var/lib/rancher/k3s/agent/kubelet',
] as const

// k3s and MicroK8s run the kubelet inside another program.
const PROGRAMS: ReadonlySet<string> = new Set(['kubelet', 'kubelite', 'k3s-server', 'k3s-agent'])

export type Kubelet = {
  readonly pid: number
  /** What its command line says. Default: the kubelet's own default. */
  readonly rootDir: string
}

/** The kubelet of the machine, if its process is visible: /proc of a container has only those of its pod. */
export async function findKubelet(files: Pick<HostFiles, 'list' | 'readFile'>): Promise<Kubelet | undefined> {
  const read = async (path: string): Promise<string> =>
    new TextDecoder().decode(await files.readFile(path).catch(() => new Uint8Array()))
  for (const { name } of await files.list('/proc').catch(() => [])) {
    // A process that ends meanwhile has no files any more.
    if (!/^\d+$/.test(name) || !PROGRAMS.has((await read(join('/proc', name, 'comm'))).trim())) continue
    const words = (await read(join('/proc', name, 'cmdline'))).split('\0')
    return { pid: Number(name), rootDir: rootDirOf(words) ?? DEFAULT_ROOT }
  }
  return undefined
}

/** The last one counts, as for the kubelet. k3s passes it on with `--kubelet-arg=root-dir=PATH`. */
export function rootDirOf(words: readonly string[]): string | undefined {
  const found = words.flatMap((word, index) => {
    if (word === '--root-dir') return words[index + 1] ?? []
    if (word === '--kubelet-arg') return /^-*root-dir=(.+)$/.exec(words[index + 1] ?? '')?.[1] ?? []
    return /^(?:--kubelet-arg=-*|--)root-dir=(.+)$/.exec(word)?.[1] ?? []
  })
  return found.at(-1)
}
