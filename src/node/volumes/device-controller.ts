import { ignoreNotFound } from '../../api/api-error.ts'
import { isEqualJson } from '../../api/equal-json.ts'
import type { Node } from '../../api/kinds/node.ts'
import { VOLUME_ATTACHMENTS } from '../../api/kinds/volume-attachment.ts'
import { formatReason } from '../../api/reason.ts'
import { atStart, defineController, DONE, on } from '../../kube/controller/index.ts'
import { attempt, PREPARES } from './driver-calls.ts'
import type { Attempt } from './driver-calls.ts'
import { readDeviceView, wantersOf } from './device-view.ts'
import type { DevicePass, DevicePassView, DeviceReads, DeviceStep } from './device-view.ts'
import { expandVolume, readGrowth } from './expand-volume.ts'
import { addFailure, BACKOFF, retryNow } from './failures.ts'
import { nextDeviceStep } from './next-device-step.ts'
import { stageVolume, unstageVolume } from './stage-volume.ts'
import type { VolumeContext } from './volume-context.ts'
import type { Device } from './volume-table.ts'

/** Stages a volume once for all pods of the node that want it, expands it, and unstages it after the last one. */
export function defineDeviceController(context: VolumeContext) {
  const { api, clock, table, drivers, call } = context
  const retry = (matches: (device: Device) => boolean): string[] =>
    retryNow(table.devices.values(), matches).map(({ uniqueName }) => uniqueName)
  const act = (pass: DevicePass, run: () => Promise<void>, how: Partial<Attempt> = {}): Promise<void> => {
    const { device, operation } = pass.view
    const about = () =>
      operation === 'unstage' ? [context.findNode()] : wantersOf(context, pass.key).map(({ pod }) => pod)
    return attempt(context, device, pass, { operation, about, ...how }, run)
  }
  const takeAttachment = ({ device, seen }: DevicePassView): void => {
    device.publishContext = seen.policy?.attach ? (device.attachment?.status?.attachmentMetadata ?? {}) : {}
    device.claimReadAtMs ??= clock.monotonicMs()
  }

  return defineController<DevicePassView, DeviceStep, undefined, DeviceReads>({
    name: 'node-devices',
    queue: context.createQueue({ name: 'node-devices', lanes: { stage: 64, unstage: 64 }, backoff: BACKOFF }),
    watch: [
      atStart(...table.devices.keys()),
      on(table, ({ device, mount }) => device?.uniqueName ?? mount?.uniqueName),
      on(context.driverChanges, (name) => retry(({ driver }) => driver === name)),
      on(context.nodes, ({ before, after }) =>
        isEqualJson(concernsOf(before), concernsOf(after)) ? undefined : retry(({ state }) => state !== 'staged'),
      ),
    ],
    lane: (uniqueName) => (wantersOf(context, uniqueName).length > 0 ? 'stage' : 'unstage'),
    stepLimit: 10,
    view: (uniqueName, { reads }) => readDeviceView(context, uniqueName, reads.isAttachmentRead),
    decide: nextDeviceStep,
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
      probe: (_step, pass) =>
        act(pass, async () => void (await drivers.probe(pass.view.device.driver, call)), PREPARES),
      accept: (_step, { view }) => {
        takeAttachment(view)
        view.device.failures.delete('stage')
        view.device.state = 'staged'
        table.tell({ device: view.device })
      },
      stage: async (_step, pass) => {
        const { device, wanters } = pass.view
        const [wanter] = wanters
        if (!wanter) return
        takeAttachment(pass.view)
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

/** Nodes change often; only this matters to volumes. */
const concernsOf = (node: Node | undefined): object => ({
  uid: node?.metadata.uid ?? '',
  labels: node?.metadata.labels ?? {},
  attached: node?.status?.volumesAttached ?? [],
  inUse: node?.status?.volumesInUse ?? [],
})
