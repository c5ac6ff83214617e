import { join } from 'node:path'
import type { Host } from '../../base/host/index.ts'
import type { Logger } from '../../base/logger.ts'
import { parseUniqueVolumeName } from '../../storage/unique-volume-name.ts'
import {
  findMount,
  listIfPresent,
  removeDirectoryIfEmpty,
  removeLeftover,
  removeTemporaryFiles,
} from './mount-points.ts'
import { BLOCK_DATA, BLOCK_STAGING, BLOCK_TARGETS, DATA_FILE, handleHash, STAGING } from './paths.ts'
import type { VolumePaths } from './paths.ts'
import { readVolumeData } from './volume-data.ts'
import type { ReadData, VolumeData } from './volume-data.ts'
import { deviceKeyOf, isUsableDriverName } from './volume-table.ts'
import type { VolumeTable } from './volume-table.ts'

export type Reconstruction = {
  /** Pods of which something is on the disk. */
  readonly podUids: readonly string[]
  /** Places that nothing explains: they are left alone, and what the node said to use stays in use. */
  readonly unexplained: readonly string[]
}

export type ReconstructParts = {
  host: Host
  paths: VolumePaths
  log: Logger
  /** What the node's status said to be in use: where a file is torn it may still name the volume. */
  volumesInUse: readonly string[]
}

/**
 * Fills the table with what an earlier life left on this machine, all of it uncertain. Asks neither the API server nor a driver: the disk
 * alone has to be enough to undo everything.
 */
export async function reconstruct(
  table: VolumeTable,
  { host, paths, log, volumesInUse }: ReconstructParts,
): Promise<Reconstruction> {
  const { files } = host
  const unexplained: string[] = []
  const known = volumesInUse.flatMap((name) => parseUniqueVolumeName(name) ?? [])
  const leave = (path: string, why: string): void => {
    log.error('this can not be explained and is left as it is', { path, why })
    unexplained.push(path)
  }
  const accept = (found: ReadData): VolumeData | undefined =>
    found.kind === 'read' && isUsableDriverName(found.data.driverName) ? found.data : undefined

  const addDevice = (data: VolumeData, specName: string, isBlock: boolean): void => {
    const device = table.addDevice({ data, specName, isBlock })
    device.state = 'uncertain'
    device.isOnDisk = true
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
    // The place itself says the driver, and the hash which of the volumes in use it is.
    const handle = known.find((volume) => volume.driver === driver && handleHash(volume.handle) === hash)?.handle
    if (handle !== undefined && found.kind !== 'absent')
      return addDevice({ driverName: driver, volumeHandle: handle }, '', false)
    if (await findMount(host, join(directory, STAGING)))
      return leave(directory, 'something is staged, and no file says what')
    if (found.kind !== 'absent') return leave(directory, 'its file is torn')
    // Nothing was called before the file was written, or all was undone.
    await removeLeftover(files, join(directory, STAGING))
    await removeTemporaryFiles(files, directory)
    await removeDirectoryIfEmpty(files, directory)
  }
  const readBlockDevices = async (): Promise<void> => {
    for (const { name: specName, kind } of await listIfPresent(files, paths.blockDevices)) {
      if (kind !== 'directory' || specName === BLOCK_STAGING || specName === BLOCK_TARGETS) continue
      const found = await readVolumeData(files, join(paths.blockDevices, specName, BLOCK_DATA, DATA_FILE))
      const data = accept(found)
      if (data) addDevice(data, specName, true)
      else if (found.kind === 'torn') leave(join(paths.blockDevices, specName), 'its file is torn')
    }
  }

  const addMount = (podUid: string, specName: string, data: VolumeData, isBlock: boolean): void => {
    const isEphemeral = data.volumeLifecycleMode === 'Ephemeral'
    const mount = table.addMount({
      podUid,
      specName,
      driver: data.driverName,
      handle: data.volumeHandle,
      isEphemeral,
      isBlock,
    })
    mount.state = 'uncertain'
    mount.isOnDisk = true
    if (isEphemeral || table.devices.has(deviceKeyOf(mount))) return
    // What is published may be staged too, whatever became of the file that said so.
    table.addDevice({ data, specName, isBlock }).state = 'uncertain'
  }
  const readMount = async (podUid: string, specName: string): Promise<void> => {
    const directory = paths.mountDirectory(podUid, specName)
    const found = await readVolumeData(files, paths.mountData(podUid, specName))
    const said = accept(found)
    if (said) return addMount(podUid, specName, said, false)
    const isMounted = (await findMount(host, paths.mountTarget(podUid, specName))) !== undefined
    const recovered = isMounted || found.kind !== 'absent' ? await recover(podUid, specName) : undefined
    if (recovered) return addMount(podUid, specName, recovered, false)
    if (isMounted) return leave(directory, 'something is mounted, and no file says what')
    if (found.kind === 'torn') return leave(directory, 'its file is torn')
    await removeLeftover(files, paths.mountTarget(podUid, specName))
    await removeTemporaryFiles(files, directory)
    await removeDirectoryIfEmpty(files, directory)
  }
  /** From the volume's own file, by its name; else by what is mounted. */
  const recover = async (podUid: string, specName: string): Promise<VolumeData | undefined> => {
    const here = await findMount(host, paths.mountTarget(podUid, specName))
    for (const device of table.devices.values()) {
      const staged = here && (await findMount(host, paths.staging(device.driver, device.handle)))
      const isSameContent = here && staged && staged.root === here.root && staged.source === here.source
      if (isSameContent || (device.specName === specName && !device.isBlock))
        return { driverName: device.driver, volumeHandle: device.handle, specVolID: specName }
    }
    return undefined
  }
  const readPod = async (podUid: string): Promise<void> => {
    for (const { name, kind } of await listIfPresent(files, paths.podMounts(podUid)))
      if (kind === 'directory') await readMount(podUid, name)
    for (const { name: specName } of await listIfPresent(files, paths.podLinks(podUid)))
      await readBlockMount(podUid, specName)
  }
  const readBlockMount = async (podUid: string, specName: string): Promise<void> => {
    const data = accept(await readVolumeData(files, paths.blockData(specName)))
    if (data) addMount(podUid, specName, data, true)
    else leave(paths.blockLink(podUid, specName), 'no file says what it is')
  }
  /** What was published without its pod knowing, or whose pod's directory is lost. */
  const readBlockTargets = async (): Promise<string[]> => {
    const podUids: string[] = []
    for (const { name: specName } of await listIfPresent(files, join(paths.blockDevices, BLOCK_TARGETS))) {
      for (const { name: podUid } of await listIfPresent(files, paths.blockTargets(specName))) {
        podUids.push(podUid)
        if (!table.mounts.has(`${podUid}/${specName}`)) await readBlockMount(podUid, specName)
      }
    }
    return podUids
  }

  await readDevices()
  await readBlockDevices()
  const pods = (await listIfPresent(files, paths.pods))
    .filter(({ kind }) => kind === 'directory')
    .map(({ name }) => name)
  for (const podUid of pods) await readPod(podUid)
  const podUids = [...new Set([...pods, ...(await readBlockTargets())])]
  if (table.mounts.size + table.devices.size > 0)
    log.info('found volumes of an earlier life', { mounts: table.mounts.size, volumes: table.devices.size })
  return { podUids, unexplained }
}
