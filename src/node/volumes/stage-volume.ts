import { isCsiError } from '../../csi/csi-error.ts'
import type { Logger } from '../../base/logger.ts'
import { cleanUntouched, isUndone } from './attempt.ts'
import type { Wanter } from './device-view.ts'
import type { VolumeContext } from './volume-context.ts'
import { mountGroupOf, stageRequest } from './volume-requests.ts'
import type { Device } from './volume-table.ts'

/** Stages a volume for all pods of the node that want it. */
export async function stageVolume(
  { clock, files, drivers, secrets, call }: VolumeContext,
  device: Device,
  { pod, volume }: Wanter,
  log: Logger,
): Promise<void> {
  const { driver: driverName, volumeHandle } = device
  const driver = drivers.require(driverName)
  const capabilities = drivers.capabilities(driverName) ?? new Set()
  const clean = () => cleanUntouched(device, () => files.cleanDevice(device))
  const wasUntouched = device.state === 'none' && !device.isOnDisk
  if (wasUntouched) device.mountGroup = mountGroupOf(pod, capabilities)
  const secretValues = await secrets.read(volume.csi.nodeStageSecretRef)
  device.isOnDisk = true
  if (device.isBlock) device.volumeName = volume.name
  try {
    await files.writeDevice(device, { driverName, volumeHandle, specVolID: volume.name })
  } catch (error) {
    if (wasUntouched) await clean()
    throw error
  }
  device.state = 'uncertain'
  const startedMs = clock.monotonicMs()
  try {
    await driver.nodeStageVolume(
      {
        volumeId: volumeHandle,
        publishContext: { ...device.publishContext },
        stagingTargetPath: files.stagingOf(device),
        ...stageRequest(volume, capabilities, device.mountGroup),
        secrets: { ...secretValues },
      },
      call,
    )
  } catch (error) {
    if (wasUntouched && isUndone('NodeStageVolume', error)) await clean()
    throw error
  }
  device.state = 'staged'
  log.info('volume staged', { volume: volumeHandle, driver: driverName, tookMs: clock.monotonicMs() - startedMs })
}

/** Needs the local disk and the driver, nothing else. */
export async function unstageVolume(
  { clock, files, drivers, call }: VolumeContext,
  device: Device,
  log: Logger,
): Promise<void> {
  const { driver: driverName, volumeHandle: volume } = device
  const driver = drivers.require(driverName)
  // Before the first await: from here on the volume is not published until it is staged again.
  device.state = 'uncertain'
  const [user] = await files.findUsersOf(device)
  if (user !== undefined) throw new Error(`the volume is still mounted at ${user}`)
  const startedMs = clock.monotonicMs()
  try {
    await driver.nodeUnstageVolume({ volumeId: volume, stagingTargetPath: files.stagingOf(device) }, call)
  } catch (error) {
    // A version of the driver that does not stage may have replaced one that did.
    if (!isCsiError(error, 'UNIMPLEMENTED')) throw error
  }
  await files.cleanAfterDriver(device, files.stagingOf(device), () => files.cleanDevice(device), log)
  device.state = 'none'
  device.isOnDisk = false
  device.attachment = undefined
  log.info('volume unstaged', { volume, driver: driverName, tookMs: clock.monotonicMs() - startedMs })
}
