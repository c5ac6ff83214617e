import type { Random } from '../random.ts'
import { HostError } from './host.ts'
import type { Host, HostMounts, HostProcesses, LoopDevices } from './host.ts'
import { DEFAULT_CAPACITY_BYTES, SimulatedDisk } from './simulated-disk.ts'
import { createSimulatedFiles } from './simulated-files.ts'
import { SimulatedLoops } from './simulated-loops.ts'
import { SimulatedMountTable } from './simulated-mount-table.ts'
import { createSimulatedPaths, type SimulatedPaths } from './simulated-paths.ts'
import { createStep, Errno, type Step, type StepHooks } from './simulated-step.ts'
import { listTree, type TreeEntry } from './simulated-tree.ts'

export type SimulatedHostOptions = {
  /** Decides what survives a power loss. */
  random: Random
  /** Counts only the data of files, in blocks of 4 KiB. Default 1 TiB. */
  capacityBytes?: bigint
  /** Default true. */
  mountsAvailable?: boolean
  /** Default true. */
  loopsAvailable?: boolean
  /** For the times of files. Default: always 0. */
  nowMs?: () => number
  /** Runs simulated programs. Default: no program is found. */
  run?: HostProcesses['run']
}

/**
 * A machine in memory that starts with an empty disk and /dev. Ending a process needs no simulation: the kernel keeps its state. Each operation takes
 * effect at one point, and hooks can stop the caller before or after it.
 */
export interface SimulatedHost extends Host, StepHooks {
  /** Removes all mounts and loop devices. The random source decides which unsynced changes survive. */
  losePower(): void
  /** Creates a socket file, which replaces an existing one. The directory must exist. */
  placeSocket(path: string): void
  /** If it is below the used size, nothing more can be written. */
  setCapacity(bytes: bigint): void
  /** The device's size when it was attached or last refreshed; undefined if it has no file. */
  findLoopSizeBytes(device: string): bigint | undefined
  /** Disk, mounts and loop devices as a sorted list, to compare two states. Runs no hooks. */
  snapshotTree(): TreeEntry[]
}

export function createSimulatedHost(options: SimulatedHostOptions): SimulatedHost {
  const { random, capacityBytes = DEFAULT_CAPACITY_BYTES, nowMs = () => 0, run = findNoProgram } = options
  const hooks: StepHooks = {}
  const step = createStep(hooks)
  const disk = new SimulatedDisk({ capacityBytes, nowMs })
  const table = new SimulatedMountTable(disk.root)
  const paths = createSimulatedPaths(table)
  const loopTable = new SimulatedLoops({ disk, mounts: table, paths, nodes: disk.provideDirectory('dev') })
  return {
    files: createSimulatedFiles({ disk, mounts: table, paths, step }),
    mounts: simulateMounts({ table, paths, step, loops: loopTable, permitted: options.mountsAvailable ?? true }),
    loops: simulateLoopDevices(loopTable, step, options.loopsAvailable ?? true),
    processes: { run },
    get beforeStep() {
      return hooks.beforeStep
    },
    set beforeStep(hook) {
      hooks.beforeStep = hook
    },
    get afterStep() {
      return hooks.afterStep
    },
    set afterStep(hook) {
      hooks.afterStep = hook
    },
    losePower: () => {
      table.clear()
      loopTable.clear()
      disk.losePower(random)
    },
    placeSocket: (path) => {
      const { parent, name, inode } = paths.entry(path)
      if (inode) disk.unlink({ directory: parent.inode, name })
      disk.link(parent.inode, name, disk.newSocket(0o600))
    },
    setCapacity: (bytes) => {
      disk.capacityBytes = bytes
    },
    findLoopSizeBytes: (device) => loopTable.findSizeBytes(device),
    snapshotTree: () => listTree(disk.root, table.list(), loopTable.list()),
  }
}

type MountParts = {
  table: SimulatedMountTable
  paths: SimulatedPaths
  step: Step
  loops: SimulatedLoops
  permitted: boolean
}

function simulateMounts({ table, paths, step, loops, permitted }: MountParts): HostMounts {
  const locate = (path: string) => paths.locate(path, { follow: true })
  const permittedStep = permit(step, permitted)
  return {
    available: async () => permitted,
    list: (filter) =>
      step('listMounts', '/', () =>
        table
          .list()
          .filter(
            (entry) => !filter || ('target' in filter ? entry.target === filter.target : entry.root === filter.root),
          ),
      ),
    bind: (source, target, { readOnly }) =>
      permittedStep('bind', target, () => table.bind(locate(source), locate(target), readOnly), source),
    unmount: (target) =>
      permittedStep('unmount', target, () => table.unmount(locate(target), (mount) => loops.holds(mount))),
  }
}

function simulateLoopDevices(loops: SimulatedLoops, step: Step, permitted: boolean): LoopDevices {
  const permittedStep = permit(step, permitted)
  return {
    available: async () => permitted,
    list: () => step('listLoops', '/dev', () => loops.list()),
    attach: (backingFile, { readOnly }) =>
      permittedStep('attachLoop', backingFile, () => loops.attach(backingFile, readOnly)),
    detach: (device) => permittedStep('detachLoop', device, () => loops.detach(device)),
    refreshSize: (device) => permittedStep('refreshLoopSize', device, () => loops.refreshSize(device)),
  }
}

const permit =
  (step: Step, permitted: boolean): Step =>
  (operation, path, act, from) => {
    const refuse = (): never => {
      throw new Errno('EPERM')
    }
    return step(operation, path, permitted ? act : refuse, from)
  }

const findNoProgram: HostProcesses['run'] = async (command) => {
  throw new HostError('ENOENT', 'run', command)
}
