import { stat } from 'node:fs/promises'
import { HostError } from './host.ts'
import type { HostProcesses, LoopDevice, LoopDevices } from './host.ts'
import { parseLosetupList } from './parse-losetup-list.ts'
import { programError, saysBusy } from './program-error.ts'
import { areProgramsOnPath, hasAdminCapability, isAccessible } from './system-privileges.ts'
import { systemStep as step } from './system-step.ts'

// losetup finds a free device and takes it in two steps; another process may take the device in between.
const ATTACH_TRIES = 5

/** The loop devices of this machine, through losetup from util-linux. */
export function createSystemLoops(processes: HostProcesses): LoopDevices {
  let permitted: Promise<boolean> | undefined
  const available = (): Promise<boolean> =>
    (permitted ??= Promise.all([
      hasAdminCapability(),
      areProgramsOnPath('losetup'),
      isAccessible('/dev/loop-control'),
    ]).then((facts) => facts.every(Boolean)))

  const list = async (): Promise<LoopDevice[]> => {
    const result = await processes.run('losetup', ['--json', '--list', '--output', 'NAME,BACK-FILE,RO'])
    if (result.exitCode !== 0) throw programError('EIO', 'listLoops', '/dev', result)
    return parseLosetupList(result.stdout)
  }

  const attach = async (backingFile: string, readOnly: boolean): Promise<string> => {
    const fileStat = await stat(backingFile)
    if (!fileStat.isFile() && !fileStat.isBlockDevice()) throw new HostError('EINVAL', 'attachLoop', backingFile)
    for (let tries = 1; ; tries++) {
      const result = await processes.run('losetup', [
        '--find',
        '--show',
        ...(readOnly ? ['--read-only'] : []),
        '--',
        backingFile,
      ])
      if (result.exitCode === 0) return result.stdout.trim()
      const busy = saysBusy(result.stderr, backingFile)
      if (!busy || tries === ATTACH_TRIES)
        throw programError(await attachErrorCode(busy), 'attachLoop', backingFile, result)
    }
  }

  const attachErrorCode = async (busy: boolean): Promise<string> => {
    if (!(await available())) return 'EPERM'
    return busy ? 'EBUSY' : 'EIO'
  }

  const change = async (operation: string, device: string, option: string): Promise<void> => {
    const result = await processes.run('losetup', [`${option}=${device}`])
    if (result.exitCode === 0) return
    if (!(await isAccessible(device))) throw programError('ENOENT', operation, device, result)
    if (!(await available())) throw programError('EPERM', operation, device, result)
    const attached = (await list()).some((loop) => loop.device === device)
    throw programError(attached ? 'EIO' : 'ENXIO', operation, device, result)
  }

  return {
    available,
    list: () => step('listLoops', '/dev', list),
    attach: (backingFile, { readOnly }) => step('attachLoop', backingFile, () => attach(backingFile, readOnly)),
    detach: (device) => step('detachLoop', device, () => change('detachLoop', device, '--detach')),
    refreshSize: (device) => step('refreshLoopSize', device, () => change('refreshLoopSize', device, '--set-capacity')),
  }
}
