import { join } from 'node:path'
import type { HostFiles } from './host.ts'

/** A process that keeps a mount busy. */
export type MountUser = {
  readonly pid: number
  /** The name of its program. */
  readonly command: string
  readonly by: 'working directory' | 'root directory' | 'program' | 'open file'
}

const PLACES = { cwd: 'working directory', root: 'root directory', exe: 'program' } as const
const MOST_USERS = 5

/**
 * Processes that have something open below the mount point, at most five. Reads /proc, which shows those of other users only to root. No names of files
 * in the volume are returned, because the result ends up in events.
 */
export async function findMountUsers(
  files: Pick<HostFiles, 'list' | 'readSymlink' | 'readFile'>,
  target: string,
): Promise<MountUser[]> {
  const isInside = (path: string | undefined): boolean => path === target || (path?.startsWith(`${target}/`) ?? false)
  const linkOf = (path: string) => files.readSymlink(path).catch(() => undefined)
  const namesIn = async (path: string) => (await files.list(path).catch(() => [])).map(({ name }) => name)
  const findUse = async (process: string): Promise<MountUser['by'] | undefined> => {
    for (const [name, by] of Object.entries(PLACES)) if (isInside(await linkOf(join(process, name)))) return by
    for (const name of await namesIn(join(process, 'fd')))
      if (isInside(await linkOf(join(process, 'fd', name)))) return 'open file'
    return undefined
  }
  const users: MountUser[] = []
  for (const name of await namesIn('/proc')) {
    if (!/^\d+$/.test(name)) continue
    // A process that ends meanwhile has no links any more.
    const by = await findUse(join('/proc', name))
    if (!by) continue
    const command = await files.readFile(join('/proc', name, 'comm')).catch(() => new Uint8Array())
    users.push({ pid: Number(name), command: new TextDecoder().decode(command).trim(), by })
    if (users.length >= MOST_USERS) break
  }
  return users
}

/** `process 4711 (nginx, open file)`. */
export const formatMountUser = ({ pid, command, by }: MountUser): string => `process ${pid} (${command}, ${by})`
