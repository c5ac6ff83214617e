import { isCsiError } from '../../csi/csi-error.ts'
import { doThroughDriver, undoThroughDriver } from './driver-calls.ts'
import type { DevicePass, Wanter } from './device-view.ts'
import type { VolumeContext } from './volume-context.ts'
import { capabilityOf, mountGroupOf } from './volume-requests.ts'
import type { Device } from './volume-table.ts'

/** Stages a volume for all pods of the node that want it. */
export async function stageVolume(
  { files, drivers, secrets, call }: VolumeContext,
  { pod, volume }: Wanter,
  device: Device,
): Promise<void> {
  const { driver: driverName, volumeHandle } = device
  const driver = drivers.get(driverName)
  const capabilities = drivers.capabilities(driverName) ?? new Set()
  if (device.state === 'none' && !device.isOnDisk) device.mountGroup = mountGroupOf(pod, capabilities)
  const secretValues = await secrets.read(volume.csi.nodeStageSecretRef)
  if (device.isBlock) device.volumeName = volume.volumeName
  const path = files.stagingOf(device)
  await doThroughDriver(device, {
    rpc: 'NodeStageVolume',
    write: () => files.writeDevice(device, { driverName, volumeHandle, specVolID: volume.volumeName }),
    call: () =>
      driver.nodeStageVolume(
        {
          volumeId: volumeHandle,
          publishContext: { ...device.publishContext },
          stagingTargetPath: path,
          volumeCapability: capabilityOf(volume.spec, volume.csi.fsType ?? '', capabilities, device.mountGroup),
          volumeContext: { ...volume.csi.volumeAttributes },
          secrets: { ...secretValues },
        },
        call,
      ),
    clean: () => files.cleanDevice(device),
  })
  device.state = 'staged'
}

/** Needs the local disk and the driver, nothing else. */
export async function unstageVolume(context: VolumeContext, pass: DevicePass): Promise<void> {
  const { files, drivers, call } = context
  const { device } = pass.view
  const driver = drivers.get(device.driver)
  // Before the first await: from here on the volume is not published until it is staged again.
  device.state = 'uncertain'
  const [user] = await files.findUsersOf(device)
  if (user !== undefined) throw new Error(`the volume is still mounted at ${user}`)
  const path = files.stagingOf(device)
  await undoThroughDriver(context, device, pass, {
    path,
    call: () =>
      driver.nodeUnstageVolume({ volumeId: device.volumeHandle, stagingTargetPath: path }, call).catch((error) => {
        // A version of the driver that does not stage may have replaced one that did.
        if (!isCsiError(error, 'UNIMPLEMENTED')) throw error
      }),
    clean: () => files.cleanDevice(device),
  })
  device.attachment = undefined
}
