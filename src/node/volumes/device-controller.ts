import { ignoreNotFound } from '../../api/api-error.ts'
import { isEqualJson } from '../../api/equal-json.ts'
import type { Node } from '../../api/kinds/node.ts'
import { VOLUME_ATTACHMENTS } from '../../api/kinds/volume-attachment.ts'
import { formatReason } from '../../api/reason.ts'
import { isCsiError } from '../../csi/csi-error.ts'
import { atStart, defineController, DONE, on } from '../../kube/controller/index.ts'
import { readDeviceView, wantersOf } from './device-view.ts'
import type { DevicePass, DevicePassView, DeviceReads, DeviceStep, Wanter } from './device-view.ts'
import { attempt, doThroughDriver, PREPARES, undoThroughDriver } from './driver-calls.ts'
import type { Attempt } from './driver-calls.ts'
import { expandVolume, isHinted, lookNow, readGrowth } from './expand-volume.ts'
import { nextDeviceStep } from './next-device-step.ts'
import type { VolumeContext } from './volume-context.ts'
import { capabilityOf, mountGroupOf } from './volume-requests.ts'
import { addFailure, BACKOFF, retryNow } from './volume-table.ts'
import type { Device } from './volume-table.ts'
import { claimUidOf, claimUidOfPodVolume } from '../../storage/life-of.ts'

/** Stages a volume once for all pods of the node that need it, expands it, and unstages it after the last one. */
export function defineDeviceController(context: VolumeContext) {
  const { api, table, drivers, call } = context
  const retry = (matches: (device: Device) => boolean): string[] =>
    retryNow(table.devices.values(), matches).map(({ uniqueName }) => uniqueName)
  const act = (pass: DevicePass, run: () => Promise<unknown>, how: Partial<Attempt> = {}): Promise<void> => {
    const { device, operation } = pass.view
    const about = () =>
      operation === 'unstage' ? [context.findNode()] : wantersOf(context, pass.key).map(({ pod }) => pod)
    return attempt(context, device, pass, { operation, about, ...how }, run)
  }

  return defineController<DevicePassView, DeviceStep, undefined, DeviceReads>({
    name: 'node-devices',
    queue: context.createQueue({ name: 'node-devices', lanes: { stage: 64, unstage: 64 }, backoff: BACKOFF }),
    watch: [
      atStart(...table.devices.keys()),
      on(table, ({ device, mount }) => device?.uniqueName ?? mount?.uniqueName),
      on(context.driverChanges, (name) => retry(({ driver }) => driver === name)),
      on(context.pods, (change) => (isHinted(change) ? lookNow(context, change.after) : undefined)),
      on(context.nodes, ({ before, after }) =>
        isEqualJson(concernsOf(before), concernsOf(after)) ? undefined : retry(({ state }) => state !== 'staged'),
      ),
    ],
    lane: (uniqueName) => (wantersOf(context, uniqueName).length > 0 ? 'stage' : 'unstage'),
    stepLimit: 10,
    view: (uniqueName, { reads }) => readDeviceView(context, uniqueName, reads.isAttachmentRead),
    decide: nextDeviceStep,
    lifeOf: ({ device, seen: { volume } }) => [
      volume ? claimUidOfPodVolume(volume) : claimUidOf(undefined, device.volumeName),
    ],
    perform: {
      refuse: ({ reason }, { view: { device, wanters }, say }) => {
        const text = formatReason(reason)
        const message = `MountVolume.WaitForAttach failed for volume "${device.volumeName}" : ${text}`
        for (const { pod } of wanters) say(pod, { type: 'Warning', event: 'FailedMount' }, message)
        if (!reason.waitsFor) return DONE
        // Nodes may not watch attachments, so it is read again after a backoff.
        addFailure(device.failures, 'stage', text, context)
        return undefined
      },
      'read-attachment': async ({ name }, pass) => {
        pass.view.device.attachment = await api.get(VOLUME_ATTACHMENTS, { name }).catch(ignoreNotFound)
        pass.reads = { isAttachmentRead: true }
      },
      probe: (_step, pass) => act(pass, () => drivers.probe(pass.view.device.driver, call), PREPARES),
      accept: (_step, { view }) => {
        takeAttachment(context, view)
        view.device.failures.delete('stage')
        view.device.state = 'staged'
        table.tell({ device: view.device })
      },
      stage: async (_step, pass) => {
        const { device, wanters } = pass.view
        const [wanter] = wanters
        if (!wanter) return
        takeAttachment(context, pass.view)
        await act(pass, () => stageVolume(context, wanter, device))
        table.tell({ device })
      },
      unstage: (_step, pass) => act(pass, () => unstageVolume(context, pass)),
      expand: async (step, pass) => {
        const { device, wanters } = pass.view
        const [wanter] = wanters
        if (!wanter) return
        device.isExpanding = true
        try {
          await act(pass, () => expandVolume(context, device, wanter.volume, step))
        } finally {
          device.isExpanding = false
          table.tell({ device })
        }
      },
      look: async (_step, pass) => {
        const [wanter] = pass.view.wanters
        if (wanter) await act(pass, () => readGrowth(context, pass.view.device, wanter.volume), { isQuiet: true })
      },
      forget: (_step, { view }) => table.removeDevice(view.device),
    },
  })
}

/** Nodes change often; only these fields matter to volumes. */
const concernsOf = (node: Node | undefined): object => ({
  uid: node?.metadata.uid ?? '',
  labels: node?.metadata.labels ?? {},
  attached: node?.status?.volumesAttached ?? [],
  inUse: node?.status?.volumesInUse ?? [],
})

/** Takes over the attachment's data for later calls. */
function takeAttachment({ clock }: VolumeContext, { device, seen }: DevicePassView): void {
  device.publishContext = seen.policy?.attach ? (device.attachment?.status?.attachmentMetadata ?? {}) : {}
  device.claimReadAtMs ??= clock.monotonicMs()
}

/** Stages a volume for all pods of the node that need it. */
async function stageVolume(context: VolumeContext, wanter: Wanter, device: Device): Promise<void> {
  const { pod, volume, seLinuxLabel } = wanter
  const { files, drivers, secrets, call } = context
  const { driver: driverName, volumeHandle } = device
  const driver = drivers.get(driverName)
  const capabilities = drivers.capabilities(driverName) ?? new Set()
  if (device.state === 'none' && !device.isOnDisk)
    device.stagedAs = { mountGroup: mountGroupOf(pod, capabilities), seLinuxLabel }
  const seLinuxMountContext = device.stagedAs.seLinuxLabel
  const secretValues = await secrets.read(volume.csi.nodeStageSecretRef)
  if (device.isBlock) device.volumeName = volume.volumeName
  const path = files.stagingOf(device)
  await doThroughDriver(device, {
    rpc: 'NodeStageVolume',
    write: () =>
      files.writeDevice(device, {
        driverName,
        volumeHandle,
        specVolID: volume.volumeName,
        ...(seLinuxMountContext ? { seLinuxMountContext } : {}),
      }),
    call: () =>
      driver.nodeStageVolume(
        {
          volumeId: volumeHandle,
          publishContext: { ...device.publishContext },
          stagingTargetPath: path,
          volumeCapability: capabilityOf(volume, capabilities, device.stagedAs),
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
async function unstageVolume(context: VolumeContext, pass: DevicePass): Promise<void> {
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
