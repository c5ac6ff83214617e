import { dirname, join } from 'node:path'
import {
  directoriesAbove,
  ifPresent,
  makeDirectories,
  readFileIfPresent,
  removeFileIfPresent,
  replaceFileDurably,
  syncAll,
} from '../../base/host/index.ts'
import type { Host, HostFiles } from '../../base/host/index.ts'
import type { Random } from '../../base/random.ts'
import {
  findMount,
  findOtherMounts,
  readTarget,
  removeDirectoryIfEmpty,
  removeEmptyDirectory,
  removeLeftover,
  removeTemporaryFiles,
  StillMountedError,
} from './mount-points.ts'
import type { VolumePaths } from './paths.ts'
import type { Device, Mount } from './volume-table.ts'

/** The file beside a mount: everything that is needed to undo it, and no secret. It has the kubelet's keys; unknown ones are ignored. */
export type VolumeData = {
  readonly driverName: string
  readonly volumeHandle: string
  /** The name of the PersistentVolume, or of the pod's volume. */
  readonly specVolID?: string
  readonly nodeName?: string
  readonly attachmentID?: string
  readonly volumeLifecycleMode?: 'Persistent' | 'Ephemeral'
  /** The label of a volume that is mounted with one. */
  readonly seLinuxMountContext?: string
}

export type ReadData =
  | { readonly kind: 'read'; readonly data: VolumeData }
  | { readonly kind: 'absent' }
  | { readonly kind: 'torn' }

export async function readVolumeData(files: HostFiles, path: string): Promise<ReadData> {
  const bytes = await readFileIfPresent(files, path)
  if (!bytes) return { kind: 'absent' }
  const data = parseVolumeData(new TextDecoder().decode(bytes))
  return data ? { kind: 'read', data } : { kind: 'torn' }
}

/** Undefined for a file that is incomplete, of another type or without a handle. */
export function parseVolumeData(text: string): VolumeData | undefined {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return undefined
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
  const texts: Partial<Record<keyof VolumeData, string>> = {}
  for (const key of KEYS) {
    const text = (value as Record<string, unknown>)[key]
    if (typeof text === 'string' && text !== '') texts[key] = text
  }
  const { driverName, volumeHandle, volumeLifecycleMode: mode, ...rest } = texts
  if (driverName === undefined || volumeHandle === undefined) return undefined
  // Any mode but Ephemeral means a volume that existed before the pod.
  const volumeLifecycleMode = mode === undefined || mode === 'Ephemeral' ? mode : 'Persistent'
  return { driverName, volumeHandle, ...rest, ...(volumeLifecycleMode ? { volumeLifecycleMode } : {}) }
}

const KEYS = [
  'driverName',
  'volumeHandle',
  'specVolID',
  'nodeName',
  'attachmentID',
  'volumeLifecycleMode',
  'seLinuxMountContext',
] as const

export const formatVolumeData = (data: VolumeData): string =>
  `${JSON.stringify(Object.fromEntries(Object.entries(data).sort(([a], [b]) => (a < b ? -1 : 1))))}\n`

type MountPlace = Pick<Mount, 'podUid' | 'volumeName' | 'isBlock'>
type DevicePlace = Pick<Device, 'driver' | 'volumeHandle' | 'volumeName' | 'isBlock'>
type FileParts = { readonly host: Host; readonly paths: VolumePaths; readonly random: Random }

export type VolumeFiles = ReturnType<typeof createVolumeFiles>

/** The files of mounts and devices. They are written before a driver is called, and removed after the driver has undone the call. */
export function createVolumeFiles({ host, paths, random }: FileParts) {
  const { files } = host
  const targetOf = ({ podUid, volumeName, isBlock }: MountPlace): string =>
    isBlock ? paths.blockTarget(volumeName, podUid) : paths.mountTarget(podUid, volumeName)
  const stagingOf = ({ driver, volumeHandle, volumeName, isBlock }: DevicePlace): string =>
    isBlock ? paths.blockStaging(volumeName) : paths.staging(driver, volumeHandle)
  const dataOf = ({ driver, volumeHandle, volumeName, isBlock }: DevicePlace): string =>
    isBlock ? paths.blockData(volumeName) : paths.deviceData(driver, volumeHandle)

  /** Makes the directories that everything else is in. Comes before any other write. */
  const open = async (): Promise<void> =>
    void (await Promise.all([paths.pods, paths.devices].map((path) => makeDirectories(files, path))))
  // Names below these directories are made first and synced together.
  const above = (path: string): string[] =>
    directoriesAbove(path, path.startsWith(`${paths.pods}/`) ? paths.pods : paths.devices)
  const makeDurably = async (path: string): Promise<void> => {
    await makeDirectories(files, path, { durable: false })
    await syncAll(files, above(path))
  }
  /**
   * Durable once it returns, with the directories above it and all names beside it. The directories are synced each time, since one that
   * exists may not be durable yet. A file that already has the text is not written again.
   */
  const writeData = async (path: string, data: VolumeData): Promise<void> => {
    const directory = dirname(path)
    await makeDirectories(files, directory, { durable: false })
    const bytes = new TextEncoder().encode(formatVolumeData(data))
    const present = await readFileIfPresent(files, path)
    if (present && Buffer.compare(present, bytes) === 0) return syncAll(files, above(path))
    await replaceFileDurably(files, path, bytes, { random, alongside: above(directory) })
  }

  /** Durable once it returns: from then on a restart finds the mount again. */
  const writeMount = async ({ podUid, volumeName, isBlock }: MountPlace, data: VolumeData): Promise<void> => {
    if (!isBlock) return writeData(paths.mountData(podUid, volumeName), data)
    // All pods of a block volume share one file. The link, whose target does not exist yet, stands for this pod.
    await writeData(paths.blockData(volumeName), data)
    await makeDurably(paths.blockTargets(volumeName))
    const link = paths.blockLink(podUid, volumeName)
    await makeDirectories(files, dirname(link), { durable: false })
    if (!(await files.findStat(link))) await files.makeSymlink(paths.blockTarget(volumeName, podUid), link)
    await syncAll(files, above(link))
  }
  const removeUnmounted = async (path: string, by: string): Promise<void> => {
    if (await findMount(host, path)) throw new StillMountedError(path, by)
    await removeLeftover(files, path)
  }
  const removeData = async (path: string): Promise<void> => {
    await removeFileIfPresent(files, path)
    await removeTemporaryFiles(files, dirname(path))
  }
  /** After NodeUnpublishVolume, or a publish that did nothing. Fails while something is mounted there. */
  const cleanMount = async (mount: MountPlace): Promise<void> => {
    const { podUid, volumeName, isBlock } = mount
    await removeUnmounted(targetOf(mount), 'NodeUnpublishVolume')
    if (isBlock) {
      // The directory of all targets stays until the volume is unstaged: another pod may be about to get its own there.
      await removeFileIfPresent(files, paths.blockLink(podUid, volumeName))
      return syncIfPresent(paths.podLinks(podUid))
    }
    const directory = paths.mountDirectory(podUid, volumeName)
    // The target first: without the file it would never be cleaned up.
    await syncIfPresent(directory)
    await removeData(paths.mountData(podUid, volumeName))
    await removeEmptyDirectory(files, directory)
    await syncIfPresent(dirname(directory))
  }
  const writeDevice = async (device: DevicePlace, data: VolumeData): Promise<void> => {
    const [staging, path] = [stagingOf(device), dataOf(device)]
    if (device.isBlock) await makeDurably(staging)
    // The file is beside the directory, and its last sync makes both names durable.
    else await makeDirectories(files, staging, { durable: false })
    await writeData(path, data)
  }
  /** After NodeUnstageVolume. Fails while something is mounted there. */
  const cleanDevice = async (device: DevicePlace): Promise<void> => {
    const staging = stagingOf(device)
    await removeUnmounted(staging, 'NodeUnstageVolume')
    await syncIfPresent(dirname(staging))
    // Before the file, without which it would never be cleaned up.
    if (device.isBlock) await removeDirectoryIfEmpty(files, paths.blockTargets(device.volumeName))
    const directory = dirname(dataOf(device))
    await removeData(dataOf(device))
    await removeDirectoryIfEmpty(files, directory)
    if (device.isBlock) {
      await removeDirectoryIfEmpty(files, join(dirname(directory), 'dev'))
      await removeDirectoryIfEmpty(files, dirname(directory))
    }
    await syncIfPresent(device.isBlock ? paths.blockDevices : dirname(directory))
  }
  const syncIfPresent = async (path: string): Promise<void> => {
    await ifPresent(files.sync(path))
  }
  /** Removes only empty directories: false when something is left. */
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
  /** Unmounts everything that is mounted at the path. */
  const unmount = async (path: string): Promise<void> => {
    for (let mount = await findMount(host, path); mount; mount = await findMount(host, path))
      await host.mounts.unmount(mount.target)
  }
  return {
    open,
    targetOf,
    stagingOf,
    writeMount,
    cleanMount,
    unmount,
    isMounted: async (path: string) => (await findMount(host, path)) !== undefined,
    readTarget: (path: string) => readTarget(host, path),
    writeDevice,
    cleanDevice,
    /** Mounts below our pods that show what is staged. */
    findUsersOf: async (device: DevicePlace) =>
      device.isBlock ? [] : findOtherMounts(host, stagingOf(device), paths.pods),
    removePod,
  }
}
