import { constants } from 'node:fs'
import { access, readFile } from 'node:fs/promises'
import { delimiter, join } from 'node:path'

const CAP_SYS_ADMIN = 21n

/** Whether this process may mount and set up devices. False without /proc, which is needed to find out. */
export async function hasAdminCapability(): Promise<boolean> {
  const status = await readFile('/proc/self/status', 'utf8').catch(() => '')
  const mask = /^CapEff:\s*([0-9a-f]+)$/m.exec(status)?.[1]
  return mask !== undefined && ((BigInt(`0x${mask}`) >> CAP_SYS_ADMIN) & 1n) === 1n
}

/** Whether each of these programs is on the PATH. */
export async function areProgramsOnPath(...programs: string[]): Promise<boolean> {
  const directories = (process.env['PATH'] ?? '').split(delimiter).filter((directory) => directory !== '')
  const isThere = async (program: string): Promise<boolean> => {
    const tries = await Promise.all(
      directories.map((directory) => isAccessible(join(directory, program), constants.X_OK)),
    )
    return tries.includes(true)
  }
  return (await Promise.all(programs.map(isThere))).every(Boolean)
}

/** Whether the path exists and allows this access mode (default: existence only). */
export async function isAccessible(path: string, mode: number = constants.F_OK): Promise<boolean> {
  return access(path, mode).then(
    () => true,
    () => false,
  )
}
