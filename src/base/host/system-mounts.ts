import { realpath, stat } from 'node:fs/promises'
import { findMountUsers, formatMountUser } from './find-mount-users.ts'
import { HostError } from './host.ts'
import type { HostFiles, HostMounts, HostProcesses, ProcessResult } from './host.ts'
import type { MountTable } from './mount-table.ts'
import { programError, saysBusy } from './program-error.ts'
import { createSharedCall } from './shared-call.ts'
import { createLauncher } from './system-launcher.ts'
import { readMountTable } from './system-mount-table.ts'
import { areProgramsOnPath, hasAdminCapability } from './system-privileges.ts'
import { systemStep as step } from './system-step.ts'

/** The mounts that this process sees, changed through the mount and umount programs. */
export function createSystemMounts(processes: HostProcesses, files: HostFiles): HostMounts {
  const launch = createLauncher(processes)
  const readShared = createSharedCall(readMountTable)
  const readTable = (): Promise<MountTable> => readShared('/proc/self/mountinfo')
  let permitted: Promise<boolean> | undefined
  const available = (): Promise<boolean> =>
    (permitted ??= Promise.all([hasAdminCapability(), areProgramsOnPath('mount', 'umount')]).then((facts) =>
      facts.every(Boolean),
    ))

  const bind = async (source: string, target: string, readOnly: boolean): Promise<void> => {
    const made = await launch('mount', ['--bind', '--', source, target])
    if (made.exitCode !== 0) throw await bindError(source, target, made)
    if (!readOnly) return
    // One call cannot do both. Without the source, mount keeps the other flags (nosuid, nodev) of the bound file system.
    const remounted = await launch('mount', ['-o', 'remount,bind,ro', '--', target])
    if (remounted.exitCode === 0) return
    await launch('umount', ['--', target])
    throw await bindError(source, target, remounted)
  }

  const bindError = async (source: string, target: string, result: ProcessResult): Promise<HostError> => {
    // Reports a missing or inaccessible path before mount is called.
    const [from, to] = [await stat(source), await stat(target)]
    const code = from.isDirectory() !== to.isDirectory() ? 'ENOTDIR' : (await available()) ? 'EIO' : 'EPERM'
    return programError(code, 'bind', target, result)
  }

  const unmount = async (target: string): Promise<void> => {
    // Checked first, because umount would also accept a device, or the file of a loop device, and unmount what is mounted from it.
    const place = await findMountTarget(target)
    if (place === undefined)
      throw new HostError('EINVAL', 'unmount', target, { detail: 'EINVAL: nothing is mounted there' })
    const result = await launch('umount', ['--', place])
    if (result.exitCode === 0) return
    const failure = (code: string): HostError => programError(code, 'unmount', target, result)
    if ((await findMountTarget(target)) === undefined) throw failure('EINVAL')
    if (!(await available())) throw failure('EPERM')
    if (!saysBusy(result.stderr, place)) throw failure('EIO')
    const users = (await findMountUsers(files, place)).map(formatMountUser)
    const detail = `EBUSY: ${result.stderr.trim()}${users.length > 0 ? ` It is used by ${users.join(', ')}.` : ''}`
    throw new HostError('EBUSY', 'unmount', target, { detail })
  }

  // Tries the name as given first: resolving a path on a dead file server would hang.
  const findMountTarget = async (path: string): Promise<string | undefined> => {
    const table = await readTable()
    if (table.find({ target: path }).length > 0) return path
    const resolved = await realpath(path)
    return table.find({ target: resolved }).length > 0 ? resolved : undefined
  }

  return {
    available,
    list: (filter) =>
      step('listMounts', '/', async () => (filter ? (await readTable()).find(filter) : (await readTable()).all())),
    bind: (source, target, { readOnly }) => step('bind', target, () => bind(source, target, readOnly), source),
    unmount: (target) => step('unmount', target, () => unmount(target)),
  }
}
