import { ignoreNotFound } from '../../api/api-error.ts'
import { isEqualJson } from '../../api/equal-json.ts'
import type { Node } from '../../api/kinds/node.ts'
import { PERSISTENT_VOLUME_CLAIMS } from '../../api/kinds/persistent-volume-claim.ts'
import type { PersistentVolumeClaim } from '../../api/kinds/persistent-volume-claim.ts'
import { PERSISTENT_VOLUMES } from '../../api/kinds/persistent-volume.ts'
import type { Pod } from '../../api/kinds/pod.ts'
import { VOLUME_ATTACHMENTS } from '../../api/kinds/volume-attachment.ts'
import { refOf } from '../../api/object-key.ts'
import { formatReason } from '../../api/reason.ts'
import { CsiError, isCsiError } from '../../csi/csi-error.ts'
import { outcomeOf } from '../../csi/outcome-of.ts'
import type { CacheChange } from '../../kube/cache/object-cache.ts'
import { atStart, defineController, DONE, on } from '../../kube/controller/index.ts'
import { EXPANSION_HINTS } from '../../storage/names.ts'
import type { CsiVolume } from '../../storage/resolve-pod-volume.ts'
import { readDeviceView, wantersOf } from './device-view.ts'
import type { DevicePass, DevicePassView, DeviceReads, DeviceStep, Wanter } from './device-view.ts'
import { attempt, doThroughDriver, PREPARES, undoThroughDriver } from './driver-calls.ts'
import type { Attempt } from './driver-calls.ts'
import { nextDeviceStep } from './next-device-step.ts'
import type { VolumeContext } from './volume-context.ts'
import { capabilityOf, mountGroupOf } from './volume-requests.ts'
import { addFailure, BACKOFF, retryNow } from './volume-table.ts'
import type { Device } from './volume-table.ts'

/** Stages a volume once for all pods of the node that want it, expands it, and unstages it after the last one. */
export function defineDeviceController(context: VolumeContext) {
  const { api, clock, table, drivers, call } = context
  const retry = (matches: (device: Device) => boolean): string[] =>
    retryNow(table.devices.values(), matches).map(({ uniqueName }) => uniqueName)
  const act = (pass: DevicePass, run: () => Promise<unknown>, how: Partial<Attempt> = {}): Promise<void> => {
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
      on(context.pods, (change) => (isHinted(change) ? lookNow(context, change.after) : undefined)),
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
      probe: (_step, pass) => act(pass, () => drivers.probe(pass.view.device.driver, call), PREPARES),
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

/** The expansion controller has left a hint on a pod that we know: a claim of the pod has changed. */
function isHinted({ before, after }: CacheChange<Pod>): boolean {
  if (!before) return false
  const { annotations = {} } = before.metadata
  return Object.entries(after?.metadata.annotations ?? {}).some(
    ([key, value]) => key.startsWith(EXPANSION_HINTS) && annotations[key] !== value,
  )
}

/** Has the claims of the pod read again without waiting for their turn. */
function lookNow({ table }: VolumeContext, pod: Pod | undefined): string[] {
  return table.mountsOfPod(pod?.metadata.uid ?? '').flatMap((mount) => {
    const device = table.deviceOf(mount)
    if (!device) return []
    device.claimReadAtMs = LOOK_NOW
    return [device.uniqueName]
  })
}

/** Nodes change often; only this matters to volumes. */
const concernsOf = (node: Node | undefined): object => ({
  uid: node?.metadata.uid ?? '',
  labels: node?.metadata.labels ?? {},
  attached: node?.status?.volumesAttached ?? [],
  inUse: node?.status?.volumesInUse ?? [],
})

/** Stages a volume for all pods of the node that want it. */
async function stageVolume(
  context: VolumeContext,
  { pod, volume, seLinuxLabel }: Wanter,
  device: Device,
): Promise<void> {
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

type Expansion = Extract<DeviceStep, { kind: 'expand' }>

/** The node's part of expanding a volume. */
async function expandVolume(
  context: VolumeContext,
  device: Device,
  volume: CsiVolume,
  { volumePath, requiredBytes }: Expansion,
): Promise<void> {
  const { drivers, secrets, files, call } = context
  const driver = drivers.get(device.driver)
  const capabilities = drivers.capabilities(device.driver) ?? new Set()
  const secretValues = await secrets.read(volume.csi.nodeExpandSecretRef)
  try {
    await driver.nodeExpandVolume(
      {
        volumeId: device.volumeHandle,
        volumePath,
        stagingTargetPath: device.isOnDisk ? files.stagingOf(device) : '',
        capacityRange: { requiredBytes },
        volumeCapability: capabilityOf(volume, capabilities, device.stagedAs),
        secrets: { ...secretValues },
      },
      call,
    )
  } catch (error) {
    if (!(error instanceof CsiError) || outcomeOf('NodeExpandVolume', error) !== 'failed') throw error
    // Retrying does not help here; another node or a later mount may.
    device.isExpandRefused = true
    const status = { allocatedResourceStatuses: { storage: 'NodeResizeInfeasible' } }
    if (volume.claim && !isCsiError(error, 'FAILED_PRECONDITION'))
      await patchStatus(context, volume.claim, status).catch(() => undefined)
    throw error
  }
  device.expandedToBytes = requiredBytes
  await writeCapacity(context, device, volume)
}

async function writeCapacity(context: VolumeContext, device: Device, volume: CsiVolume): Promise<void> {
  const { claim, persistentVolume } = volume
  const size = persistentVolume?.spec.capacity?.['storage']
  if (!claim || size === undefined) return
  const { conditions = [], allocatedResourceStatuses = {} } = claim.status ?? {}
  const written = await patchStatus(context, claim, {
    capacity: { storage: size },
    conditions: conditions.filter(({ type }) => type !== 'FileSystemResizePending' && type !== 'Resizing'),
    ...('storage' in allocatedResourceStatuses ? { allocatedResourceStatuses: { storage: null } } : {}),
  })
  if (written) renewWishes(context, device, { claim: written })
  const text = `MountVolume.NodeExpandVolume succeeded for volume "${device.volumeName}"`
  for (const { podUid } of context.table.mountsOf(device.uniqueName)) {
    const pod = context.findPod(podUid)
    if (pod) context.events.record(pod, 'Normal', 'FileSystemResizeSuccessful', text)
  }
}

function patchStatus({ api }: VolumeContext, claim: PersistentVolumeClaim, status: object) {
  const patch = { type: 'merge', value: { metadata: { uid: claim.metadata.uid }, status } } as const
  const to = { subresource: 'status' }
  return api.patch(PERSISTENT_VOLUME_CLAIMS, refOf(claim), patch, to).catch(ignoreNotFound)
}

/** Reads claim and volume again: a node is not told when they change. */
async function readGrowth(context: VolumeContext, device: Device, volume: CsiVolume): Promise<void> {
  const { api, clock, config, random } = context
  const { claim: before, persistentVolume } = volume
  // Before the reads: a hint that comes meanwhile has them repeated.
  device.claimReadAtMs = clock.monotonicMs() + (config.claimLookMs * random.fraction()) / 2
  if (!before || !persistentVolume) return
  try {
    const claim = await api.get(PERSISTENT_VOLUME_CLAIMS, refOf(before)).catch(ignoreNotFound)
    if (claim?.metadata.uid !== before.metadata.uid) return
    // Unchanged: the second read is not needed.
    if (claim?.metadata.resourceVersion === before.metadata.resourceVersion) return
    const newer = await api.get(PERSISTENT_VOLUMES, refOf(persistentVolume)).catch(ignoreNotFound)
    if (!claim || !newer) return
    renewWishes(context, device, { claim, persistentVolume: newer, spec: newer.spec })
    // The resizer asks again, for another size.
    if (claim.status?.allocatedResourceStatuses?.['storage'] === 'NodeResizePending') device.isExpandRefused = false
  } catch (error) {
    device.claimReadAtMs = LOOK_NOW
    throw error
  }
}

// Before any time of the clock.
const LOOK_NOW = Number.NEGATIVE_INFINITY

function renewWishes({ table }: VolumeContext, { uniqueName }: Device, newer: Partial<CsiVolume>): void {
  for (const mount of table.mountsOf(uniqueName))
    if (mount.wish?.kind === 'csi' && mount.wish.volume.claim)
      mount.wish = { kind: 'csi', volume: { ...mount.wish.volume, ...newer } }
}
