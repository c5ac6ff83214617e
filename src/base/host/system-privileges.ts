import { constants } from 'node:fs'
import { access, readFile } from 'node:fs/promises'
import { delimiter, join } from 'node:path'

const CAP_SYS_ADMIN = 21n

/** May this process mount and set up devices? False where there is no /proc to tell. */
export async function hasAdminCapability(): Promise<boolean> {
  const status = await readFile('/proc/self/status', 'utf8').catch(() => '')
  const mask = /^CapEff:\s*([0-9a-f]+)$/m.exec(status)?.[1]
  return mask !== undefined && ((BigInt(`0x${mask}`) >> CAP_SYS_ADMIN) & 1n) === 1n
}

/** True when each of these programs would be found. */
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

/** True when the path exists and may be used so (default: exists at all). */
export async function isAccessible(path: string, mode: number = constants.F_OK): Promise<boolean> {
  return access(path, mode).then(
    () => true,
    () => false,
  )
}
