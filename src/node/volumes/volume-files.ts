import { dirname, join } from 'node:path'
import { directoriesAbove, isHostError, makeDirectories, removeFileIfPresent, syncAll } from '../../base/host/index.ts'
import type { Host } from '../../base/host/index.ts'
import type { Random } from '../../base/random.ts'
import {
  findMount,
  findOtherMounts,
  removeDirectoryIfEmpty,
  removeEmptyDirectory,
  removeLeftover,
  removeTemporaryFiles,
  StillMountedError,
} from './mount-points.ts'
import type { VolumePaths } from './paths.ts'
import { writeVolumeData } from './volume-data.ts'
import type { VolumeData } from './volume-data.ts'
import type { Device, Mount } from './volume-table.ts'

/** What is on the disk for mounts and devices. Everything is written down before a driver is called, and removed after it has undone it. */
export interface VolumeFiles {
  /** Makes, for good, what everything else lies in. Comes before all writing. */
  open(): Promise<void>
  targetOf(mount: MountPlace): string
  stagingOf(device: DevicePlace): string
  /** For good once it returns; from then on a restart finds the mount again. */
  writeMount(mount: MountPlace, data: VolumeData): Promise<void>
  /** After NodeUnpublishVolume, or a publish that surely did nothing. Fails while something is mounted there. */
  cleanMount(mount: MountPlace): Promise<void>
  isTargetMounted(mount: MountPlace): Promise<boolean>
  /** Everything that is mounted at the path. */
  unmount(path: string): Promise<void>
  writeDevice(device: DevicePlace, data: VolumeData): Promise<void>
  /** After NodeUnstageVolume. Fails while something is mounted there. */
  cleanDevice(device: DevicePlace): Promise<void>
  /** Targets below our pods that show what is staged. */
  findUsersOf(device: DevicePlace): Promise<string[]>
  /** Empty directories only: false when something is left. */
  removePod(podUid: string): Promise<boolean>
}

type MountPlace = Pick<Mount, 'podUid' | 'specName' | 'isBlock'>
type DevicePlace = Pick<Device, 'driver' | 'handle' | 'specName' | 'isBlock'>

export function createVolumeFiles({
  host,
  paths,
  random,
}: {
  host: Host
  paths: VolumePaths
  random: Random
}): VolumeFiles {
  const { files } = host
  const targetOf = ({ podUid, specName, isBlock }: MountPlace): string =>
    isBlock ? paths.blockTarget(specName, podUid) : paths.mountTarget(podUid, specName)
  const stagingOf = ({ driver, handle, specName, isBlock }: DevicePlace): string =>
    isBlock ? paths.blockStaging(specName) : paths.staging(driver, handle)
  const dataOf = ({ driver, handle, specName, isBlock }: DevicePlace): string =>
    isBlock ? paths.blockData(specName) : paths.deviceData(driver, handle)

  const open = async (): Promise<void> =>
    void (await Promise.all([paths.pods, paths.devices].map((path) => makeDirectories(files, path))))
  // Below these, names are made before they are durable, so that one sync of all is enough.
  const above = (path: string): string[] =>
    directoriesAbove(path, path.startsWith(`${paths.pods}/`) ? paths.pods : paths.devices)
  const makeDurably = async (path: string): Promise<void> => {
    await makeDirectories(files, path, { durable: false })
    await syncAll(files, above(path))
  }
  const writeData = (path: string, data: VolumeData): Promise<void> =>
    writeVolumeData(files, path, data, { above, random })

  const writeMount = async ({ podUid, specName, isBlock }: MountPlace, data: VolumeData): Promise<void> => {
    if (!isBlock) return writeData(paths.mountData(podUid, specName), data)
    // One file for all pods of a block volume; the link, which leads nowhere yet, stands for this one.
    await writeData(paths.blockData(specName), data)
    await makeDurably(paths.blockTargets(specName))
    const link = paths.blockLink(podUid, specName)
    await makeDirectories(files, dirname(link), { durable: false })
    if (!(await files.findStat(link))) await files.makeSymlink(paths.blockTarget(specName, podUid), link)
    await syncAll(files, above(link))
  }
  const requireUnmounted = async (path: string, by: string): Promise<void> => {
    if (await findMount(host, path)) throw new StillMountedError(path, by)
  }
  const cleanMount = async (mount: MountPlace): Promise<void> => {
    const { podUid, specName, isBlock } = mount
    const target = targetOf(mount)
    await requireUnmounted(target, 'NodeUnpublishVolume')
    await removeLeftover(files, target)
    if (isBlock) {
      // The directory of all targets stays until the volume is unstaged: another pod may be about to get its own there.
      await removeFileIfPresent(files, paths.blockLink(podUid, specName))
      return syncIfPresent(paths.podLinks(podUid))
    }
    const directory = paths.mountDirectory(podUid, specName)
    // The target first: without the file nobody would come back for it.
    await syncIfPresent(directory)
    await removeFileIfPresent(files, paths.mountData(podUid, specName))
    await removeTemporaryFiles(files, directory)
    await removeEmptyDirectory(files, directory)
    await syncIfPresent(dirname(directory))
  }
  const writeDevice = async (device: DevicePlace, data: VolumeData): Promise<void> => {
    const [staging, path] = [stagingOf(device), dataOf(device)]
    if (device.isBlock) await makeDurably(staging)
    // The file lies beside it, and its last sync is one of both names.
    else await makeDirectories(files, staging, { durable: false })
    await writeData(path, data)
  }
  const cleanDevice = async (device: DevicePlace): Promise<void> => {
    const staging = stagingOf(device)
    await requireUnmounted(staging, 'NodeUnstageVolume')
    await removeLeftover(files, staging)
    await syncIfPresent(dirname(staging))
    // Before the file, without which nobody would come back for it.
    if (device.isBlock) await removeDirectoryIfEmpty(files, paths.blockTargets(device.specName))
    const data = dataOf(device)
    await removeFileIfPresent(files, data)
    await removeTemporaryFiles(files, dirname(data))
    await removeDirectoryIfEmpty(files, dirname(data))
    if (device.isBlock) {
      await removeDirectoryIfEmpty(files, join(dirname(dirname(data)), 'dev'))
      await removeDirectoryIfEmpty(files, dirname(dirname(data)))
    }
    await syncIfPresent(device.isBlock ? paths.blockDevices : dirname(dirname(data)))
  }
  const syncIfPresent = async (path: string): Promise<void> => {
    try {
      await files.sync(path)
    } catch (error) {
      if (!isHostError(error, 'ENOENT', 'ENOTDIR')) throw error
    }
  }
  const removePod = async (podUid: string): Promise<boolean> => {
    const directories = [
      paths.podMounts(podUid),
      dirname(paths.podMounts(podUid)),
      paths.podLinks(podUid),
      dirname(paths.podLinks(podUid)),
      paths.pod(podUid),
    ]
    let isGone = true
    for (const directory of directories) isGone = await removeDirectoryIfEmpty(files, directory)
    await syncIfPresent(paths.pods)
    return isGone
  }
  return {
    open,
    targetOf,
    stagingOf,
    writeMount,
    cleanMount,
    unmount: async (path) => {
      for (let mount = await findMount(host, path); mount; mount = await findMount(host, path))
        await host.mounts.unmount(mount.target)
    },
    isTargetMounted: async (mount) => (await findMount(host, targetOf(mount))) !== undefined,
    writeDevice,
    cleanDevice,
    findUsersOf: (device) =>
      device.isBlock ? Promise.resolve([]) : findOtherMounts(host, stagingOf(device), paths.pods),
    removePod,
  }
}
