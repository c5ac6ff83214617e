import { readFile, realpath, stat } from 'node:fs/promises'
import { HostError } from './host.ts'
import type { HostMounts, HostProcesses, MountEntry, ProcessResult } from './host.ts'
import { parseMountInfo } from './parse-mount-info.ts'
import { programError, saysBusy } from './program-error.ts'
import { areProgramsOnPath, hasAdminCapability } from './system-privileges.ts'
import { systemStep as step } from './system-step.ts'

/** The mounts that this process sees, changed through the mount and umount programs. */
export function createSystemMounts(processes: HostProcesses): HostMounts {
  let permitted: Promise<boolean> | undefined
  const available = (): Promise<boolean> =>
    (permitted ??= Promise.all([hasAdminCapability(), areProgramsOnPath('mount', 'umount')]).then((facts) => facts.every(Boolean)))

  const bind = async (source: string, target: string, readOnly: boolean): Promise<void> => {
    const made = await processes.run('mount', ['--bind', '--', source, target])
    if (made.exitCode !== 0) throw await bindError(source, target, made)
    if (!readOnly) return
    // One call can't do both. Without the source, mount keeps the other flags (nosuid, nodev) of what was bound.
    const remounted = await processes.run('mount', ['-o', 'remount,bind,ro', '--', target])
    if (remounted.exitCode === 0) return
    await processes.run('umount', ['--', target])
    throw await bindError(source, target, remounted)
  }

  const bindError = async (source: string, target: string, result: ProcessResult): Promise<HostError> => {
    // What is wrong with a path says so here.
    const [from, to] = [await stat(source), await stat(target)]
    const code = from.isDirectory() !== to.isDirectory() ? 'ENOTDIR' : (await available()) ? 'EIO' : 'EPERM'
    return programError(code, 'bind', target, result)
  }

  const unmount = async (target: string): Promise<void> => {
    // Asked first, since umount would also take a device or a loop device's file for what is mounted from it.
    const place = await findMountTarget(target)
    if (place === undefined) throw new HostError('EINVAL', 'unmount', target, { detail: 'EINVAL: nothing is mounted there' })
    const result = await processes.run('umount', ['--', place])
    if (result.exitCode === 0) return
    const failure = (code: string): HostError => programError(code, 'unmount', target, result)
    if ((await findMountTarget(target)) === undefined) throw failure('EINVAL')
    if (!(await available())) throw failure('EPERM')
    throw failure(saysBusy(result.stderr, place) ? 'EBUSY' : 'EIO')
  }

  return {
    available,
    list: () => step('listMounts', '/', listMounts),
    bind: (source, target, { readOnly }) => step('bind', target, () => bind(source, target, readOnly), source),
    unmount: (target) => step('unmount', target, () => unmount(target)),
  }
}

const listMounts = async (): Promise<MountEntry[]> => parseMountInfo(await readFile('/proc/self/mountinfo', 'utf8'))

// The name as given comes first: looking at a path on a dead file server would wait for it.
async function findMountTarget(path: string): Promise<string | undefined> {
  const targets = new Set((await listMounts()).map((mount) => mount.target))
  if (targets.has(path)) return path
  const resolved = await realpath(path)
  return targets.has(resolved) ? resolved : undefined
}
