import { dirname, join } from 'node:path'
import type { Host, MountEntry } from '../../base/host/index.ts'
import type { Logger } from '../../base/logger.ts'
import { parseUniqueVolumeName } from '../../storage/unique-volume-name.ts'
import {
  findMount,
  listIfPresent,
  removeDirectoryIfEmpty,
  removeLeftover,
  removeTemporaryFiles,
} from './mount-points.ts'
import { BLOCK_DATA, BLOCK_STAGING, BLOCK_TARGETS, DATA_FILE, handleHash, isPathName, STAGING } from './paths.ts'
import type { VolumePaths } from './paths.ts'
import { readVolumeData } from './volume-files.ts'
import type { ReadData, VolumeData } from './volume-files.ts'
import { isUsableDriverName, mountKey } from './volume-table.ts'
import type { VolumeTable } from './volume-table.ts'

export type ReconstructParts = {
  host: Host
  paths: VolumePaths
  log: Logger
  /** From the node's status: identifies volumes whose file is damaged. */
  volumesInUse: readonly string[]
}

/**
 * Fills the table with the mounts of an earlier run on this machine, all of them uncertain. Uses neither the API server nor a driver: the disk alone
 * has to be enough to undo everything. Returns unknown directories; they are left alone.
 */
export async function reconstruct(table: VolumeTable, parts: ReconstructParts): Promise<readonly string[]> {
  const { host, paths, log, volumesInUse } = parts
  const { files } = host
  const unexplained: string[] = []
  const known = volumesInUse.flatMap((name) => parseUniqueVolumeName(name) ?? [])
  const leave = (path: string, why: string): void => {
    log.error('files of an unknown volume are left alone', { path, why })
    unexplained.push(path)
  }
  const accept = (found: ReadData): VolumeData | undefined =>
    found.kind === 'read' && isUsableDriverName(found.data.driverName) ? found.data : undefined

  const addDevice = (data: VolumeData, volumeName: string, isBlock: boolean): void => {
    const { driverName: driver, volumeHandle } = data
    const device = table.addDevice({ driver, volumeHandle, volumeName, isBlock })
    device.state = 'uncertain'
    device.isOnDisk = true
    device.stagedAs = { ...device.stagedAs, seLinuxLabel: data.seLinuxMountContext ?? '' }
  }
  const readDevices = async (): Promise<void> => {
    for (const { name: driver, kind } of await listIfPresent(files, paths.devices)) {
      if (kind !== 'directory' || !isUsableDriverName(driver)) continue
      for (const { name: hash } of await listIfPresent(files, join(paths.devices, driver))) {
        if (/^[0-9a-f]{64}$/.test(hash)) await readDevice(driver, hash)
      }
    }
  }
  const readDevice = async (driver: string, hash: string): Promise<void> => {
    const directory = join(paths.devices, driver, hash)
    const found = await readVolumeData(files, join(directory, DATA_FILE))
    const data = accept(found)
    if (data && data.driverName === driver && handleHash(data.volumeHandle) === hash)
      return addDevice(data, data.specVolID ?? '', false)
    // The path names the driver, and the hash tells which of the volumes in use it is.
    const handle = known.find(
      (volume) => volume.driver === driver && handleHash(volume.volumeHandle) === hash,
    )?.volumeHandle
    if (handle !== undefined && found.kind !== 'absent')
      return addDevice({ driverName: driver, volumeHandle: handle }, '', false)
    await settle(directory, join(directory, STAGING), found.kind !== 'absent')
  }
  /** Of a place without a usable file: leaves it alone if a volume may be there, else removes it. */
  const settle = async (directory: string, path: string, isDamaged: boolean): Promise<void> => {
    if (await findMount(host, path)) return leave(directory, 'something is mounted, but its file is missing')
    if (isDamaged) return leave(directory, 'its file is damaged')
    // Either the driver was not called yet, or everything was undone.
    await removeLeftover(files, path)
    await removeTemporaryFiles(files, directory)
    await removeDirectoryIfEmpty(files, directory)
  }
  const readBlockDevices = async (): Promise<void> => {
    for (const { name: volumeName, kind } of await listIfPresent(files, paths.blockDevices)) {
      if (kind !== 'directory' || volumeName === BLOCK_STAGING || volumeName === BLOCK_TARGETS) continue
      const found = await readVolumeData(files, join(paths.blockDevices, volumeName, BLOCK_DATA, DATA_FILE))
      const data = accept(found)
      if (data) addDevice(data, volumeName, true)
      else if (found.kind === 'torn') leave(join(paths.blockDevices, volumeName), 'its file is damaged')
    }
  }

  const addMount = (podUid: string, volumeName: string, data: VolumeData, isBlock: boolean): void => {
    const facts = { driver: data.driverName, volumeHandle: data.volumeHandle, volumeName, isBlock }
    const isEphemeral = data.volumeLifecycleMode === 'Ephemeral'
    const mount = table.addMount({ ...facts, podUid, isEphemeral })
    mount.state = 'uncertain'
    mount.isOnDisk = true
    // A published volume may be staged too, even if the file of its device is lost.
    if (!isEphemeral && !table.deviceOf(mount)) table.addDevice(facts).state = 'uncertain'
  }
  const readMount = async (podUid: string, volumeName: string): Promise<void> => {
    const target = paths.mountTarget(podUid, volumeName)
    const found = await readVolumeData(files, paths.mountData(podUid, volumeName))
    const data = accept(found)
    if (data) return addMount(podUid, volumeName, data, false)
    const here = await findMount(host, target)
    const recovered = here || found.kind !== 'absent' ? await recover(volumeName, here) : undefined
    if (recovered) return addMount(podUid, volumeName, recovered, false)
    await settle(paths.mountDirectory(podUid, volumeName), target, found.kind === 'torn')
  }
  /** From the device of that name, or the one that is mounted there. */
  const recover = async (volumeName: string, here: MountEntry | undefined): Promise<VolumeData | undefined> => {
    for (const device of table.devices.values()) {
      const staged = here && (await findMount(host, paths.staging(device.driver, device.volumeHandle)))
      const isSameContent = here && staged && staged.root === here.root && staged.source === here.source
      if (isSameContent || (device.volumeName === volumeName && !device.isBlock))
        return { driverName: device.driver, volumeHandle: device.volumeHandle, specVolID: volumeName }
    }
    return undefined
  }
  const readPod = async (podUid: string): Promise<void> => {
    for (const { name, kind } of await listIfPresent(files, paths.podMounts(podUid)))
      if (kind === 'directory') await readMount(podUid, name)
    for (const { name: volumeName } of await listIfPresent(files, paths.podLinks(podUid)))
      await readBlockMount(podUid, volumeName)
  }
  const readBlockMount = async (podUid: string, volumeName: string): Promise<void> => {
    const data = accept(await readVolumeData(files, paths.blockData(volumeName)))
    if (data) addMount(podUid, volumeName, data, true)
    else leave(paths.blockLink(podUid, volumeName), 'its file is missing or damaged')
  }
  /** Targets whose link in the pod's directory is lost. */
  const readBlockTargets = async (): Promise<string[]> => {
    const podUids: string[] = []
    for (const { name: volumeName } of await listIfPresent(files, join(paths.blockDevices, BLOCK_TARGETS))) {
      for (const { name: podUid } of await listIfPresent(files, paths.blockTargets(volumeName))) {
        podUids.push(podUid)
        if (!table.mounts.has(mountKey(podUid, volumeName))) await readBlockMount(podUid, volumeName)
      }
    }
    return podUids
  }

  /** Removes what is left of block volumes without a file, as `settle` does for others. */
  const settleBlockDevices = async (): Promise<void> => {
    const places = ['', BLOCK_STAGING, BLOCK_TARGETS].map((name) => join(paths.blockDevices, name))
    const names = (await Promise.all(places.map((place) => listIfPresent(files, place)))).flat().map(({ name }) => name)
    for (const volumeName of new Set(names)) {
      if (volumeName === BLOCK_STAGING || volumeName === BLOCK_TARGETS || !isPathName(volumeName)) continue
      const data = paths.blockData(volumeName)
      if ((await readVolumeData(files, data)).kind !== 'absent') continue
      await settle(dirname(data), paths.blockStaging(volumeName), false)
      await removeDirectoryIfEmpty(files, paths.blockTargets(volumeName))
      for (const directory of [join(dirname(dirname(data)), 'dev'), dirname(dirname(data))])
        await removeDirectoryIfEmpty(files, directory)
    }
  }

  await readDevices()
  await readBlockDevices()
  const podUids = (await listIfPresent(files, paths.pods)).flatMap(({ name, kind }) =>
    kind === 'directory' ? [name] : [],
  )
  for (const podUid of podUids) await readPod(podUid)
  for (const podUid of [...podUids, ...(await readBlockTargets())]) table.podOf(podUid)
  await settleBlockDevices()
  if (table.mounts.size + table.devices.size > 0)
    log.info('found volumes of an earlier run', { mounts: table.mounts.size, volumes: table.devices.size })
  return unexplained
}
