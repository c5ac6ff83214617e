import { isNotFound } from '../../api/api-error.ts'
import { VOLUME_ATTACHMENTS } from '../../api/kinds/volume-attachment.ts'
import { formatReason } from '../../api/reason.ts'
import { unreachable } from '../../base/abort.ts'
import { NodeServiceCapability_RPC_Type as Capability } from '../../csi/generated/csi/v1/csi.ts'
import { isCsiError } from '../../csi/csi-error.ts'
import { after, DONE } from '../../kube/controller.ts'
import type { ReconcileContext, Reconciler } from '../../kube/controller.ts'
import { within } from '../../kube/within.ts'
import type { CsiVolume } from '../../storage/resolve-pod-volume.ts'
import { createCleanAfterDriver } from './clean-after-driver.ts'
import type { ExpandVolume } from './expand-volume.ts'
import { isSurelyUndone } from './is-surely-undone.ts'
import { nextDeviceStep } from './next-device-step.ts'
import type { SecretReader } from './secret-reader.ts'
import { needsVolumes } from './used-volumes.ts'
import { mountGroupOf, stageRequest } from './volume-requests.ts'
import { isPresent } from './volume-table.ts'
import type { Device } from './volume-table.ts'
import type { Capabilities, DeviceView } from './volume-view.ts'
import type { VolumeWork } from './volume-work.ts'

const MOST_STEPS = 10

/** Stages a volume once for all pods of the node that want it, and takes it back after the last one. */
export function createDeviceReconciler(work: VolumeWork, secrets: SecretReader, expand: ExpandVolume): Reconciler {
  const { api, clock, config, table, files, drivers, failures } = work
  const cleanAfterDriver = createCleanAfterDriver(files)

  const wantersOf = (device: Device) =>
    table.mountsOf(device.key).flatMap((mount) => {
      const pod = work.findPod(mount.podUid)
      return pod && needsVolumes(pod) && mount.volume?.kind === 'csi'
        ? [{ mount, pod, volume: mount.volume.volume }]
        : []
    })
  const readView = (device: Device, isAttachmentRead: boolean): DeviceView => {
    const { driver, key } = device
    const [wanter] = wantersOf(device)
    const node = work.findNode()
    const policy = work.policyOf(driver)
    const capabilities = drivers.capabilities(driver)
    const published = table.mountsOf(key).find(({ state }) => state === 'mounted')
    const patience = failures.find(key, device.state === 'staged' && wanter ? 'expand' : wanter ? 'stage' : 'unstage')
    const lookAtMs =
      capabilities?.has(Capability.EXPAND_VOLUME) && device.claimReadAtMs !== undefined
        ? device.claimReadAtMs + config.claimLookMs
        : undefined
    return {
      seen: {
        driver,
        uniqueName: key,
        ...(node ? { node } : {}),
        ...(policy ? { policy } : {}),
        ...(wanter ? { volume: wanter.volume } : {}),
        ...(device.attachment ? { attachment: device.attachment } : {}),
      },
      held: {
        nowMs: clock.monotonicMs(),
        isReady: work.isReady(),
        state: device.state,
        isOnDisk: device.isOnDisk,
        isRegistered: drivers.find(driver) !== undefined,
        ...(capabilities ? { capabilities } : {}),
        isReported: work.isReported(key),
        users: table.mountsOf(key).filter(isPresent).length,
        isUserBusy: table.mountsOf(key).some(({ isWorking }) => isWorking),
        isAttachmentRead,
        ...(patience ? { patience } : {}),
        ...(published ? { publishedAt: files.targetOf(published) } : {}),
        ...(device.expandedToBytes === undefined ? {} : { expandedToBytes: device.expandedToBytes }),
        isExpandRefused: device.isExpandRefused,
        ...(lookAtMs === undefined ? {} : { lookAtMs }),
      },
    }
  }

  const reconcile: Reconciler = async (key, context) => {
    const { log, signal } = context
    let isAttachmentRead = false
    for (let steps = 0; steps < MOST_STEPS; steps++) {
      signal.throwIfAborted()
      const device = table.devices.get(key)
      if (!device) return DONE
      const view = readView(device, isAttachmentRead)
      const { volume } = view.seen
      const step = nextDeviceStep(view)
      log.debug('volume step', { step: step.kind, ...('reason' in step ? { reason: step.reason } : {}) })
      switch (step.kind) {
        case 'wait':
          return step.retryInMs === undefined ? DONE : after(step.retryInMs)
        case 'refuse':
          tellWanters(
            device,
            `MountVolume.WaitForAttach failed for volume "${device.specName}" : ${formatReason(step.reason)}`,
          )
          // What only the attachment says is not told to nodes.
          return step.reason.waitsFor ? after(failures.add(key, 'stage', formatReason(step.reason))) : DONE
        case 'forget':
          table.removeDevice(device)
          failures.forget(key)
          work.touchUse()
          return DONE
        case 'read-attachment':
          device.attachment = await within(clock, signal, (until) =>
            find(api.get(VOLUME_ATTACHMENTS, { name: step.name }, { signal: until })),
          )
          isAttachmentRead = true
          continue
        case 'probe': {
          const delayMs = await attempt(
            device,
            volume ? 'stage' : 'unstage',
            context,
            () => drivers.probe(device.driver, { timeoutMs: config.callTimeoutMs, signal }),
            { isOver: false },
          )
          if (delayMs !== undefined) return after(delayMs)
          continue
        }
        case 'accept':
          takeAttachment(device, view)
          failures.forget(key, 'stage')
          device.state = 'staged'
          wakeMounts(device)
          continue
        case 'stage': {
          if (!volume) return DONE
          takeAttachment(device, view)
          const delayMs = await attempt(device, 'stage', context, () => stage(device, volume, context))
          if (delayMs !== undefined) return after(delayMs)
          wakeMounts(device)
          continue
        }
        case 'unstage': {
          const delayMs = await attempt(device, 'unstage', context, () => unstage(device, context))
          if (delayMs !== undefined) return after(delayMs)
          continue
        }
        case 'expand': {
          if (!volume) return DONE
          device.isExpanding = true
          const delayMs = await attempt(device, 'expand', context, () =>
            expand.grow(device, volume, step, context),
          ).finally(() => {
            device.isExpanding = false
            wakeMounts(device)
          })
          if (delayMs !== undefined) return after(delayMs)
          continue
        }
        case 'look': {
          if (!volume) return DONE
          const delayMs = await attempt(device, 'expand', context, () => expand.look(device, signal))
          if (delayMs !== undefined) return after(delayMs)
          continue
        }
        default:
          return unreachable(step)
      }
    }
    return after(0)
  }

  const takeAttachment = (device: Device, { seen: { policy } }: DeviceView): void => {
    device.publishContext = policy?.attach ? (device.attachment?.status?.attachmentMetadata ?? {}) : {}
    device.claimReadAtMs ??= clock.monotonicMs()
  }
  const wakeMounts = (device: Device): void => {
    for (const mount of table.mountsOf(device.key)) work.enqueueMount(mount)
  }
  const tellWanters = (device: Device, text: string): void => {
    for (const { pod } of wantersOf(device)) work.tell(pod, 'FailedMount', text, `${device.key} ${pod.metadata.uid}`)
  }

  type Operation = 'stage' | 'unstage' | 'expand'
  const attempt = async (
    device: Device,
    operation: Operation,
    { signal, log }: ReconcileContext,
    act: () => Promise<void>,
    { isOver = true } = {},
  ): Promise<number | undefined> => {
    try {
      await act()
      // A driver that only said what it can do has not yet done it: failures before that still count.
      if (isOver) failures.forget(device.key, operation)
      return undefined
    } catch (error) {
      signal.throwIfAborted()
      drivers.doubt(device.driver, error)
      const text = error instanceof Error ? error.message : String(error)
      const delayMs = failures.add(device.key, operation, text)
      log.warn(MESSAGES[operation], { volume: device.handle, driver: device.driver, retryInMs: delayMs, error })
      tellFailure(device, operation, text)
      return delayMs
    }
  }
  const tellFailure = (device: Device, operation: Operation, text: string): void => {
    const node = work.findNode()
    switch (operation) {
      case 'stage':
        return wantersOf(device).forEach(({ pod }) =>
          work.tell(
            pod,
            device.isBlock ? 'FailedMapVolume' : 'FailedMount',
            `${device.isBlock ? 'MapVolume.SetUpDevice' : 'MountVolume.MountDevice'} failed for volume "${device.specName}" : ${text}`,
          ),
        )
      case 'expand':
        return wantersOf(device).forEach(({ pod }) =>
          work.tell(pod, 'VolumeResizeFailed', `NodeExpandVolume failed for volume "${device.specName}" : ${text}`),
        )
      case 'unstage':
        if (node)
          work.tell(
            node,
            'FailedUnstage',
            `UnmountDevice failed for volume "${device.specName || device.handle}" : ${text}`,
          )
        return
      default:
        return unreachable(operation)
    }
  }

  const stage = async (device: Device, volume: CsiVolume, { signal, log }: ReconcileContext): Promise<void> => {
    const { driver: name, handle: volumeId } = device
    const driver = drivers.find(name)
    const capabilities: Capabilities = drivers.capabilities(name) ?? new Set()
    if (!driver) throw new Error(`the driver ${name} has gone`)
    const wasUntouched = device.state === 'none' && !device.isOnDisk
    const [wanter] = wantersOf(device)
    if (wasUntouched) device.mountGroup = wanter ? mountGroupOf(wanter.pod, capabilities) : ''
    const secretValues = await secrets.read(volume.csi.nodeStageSecretRef, { mayBeKept: false }, signal)
    device.isOnDisk = true
    if (device.isBlock) device.specName = volume.name
    try {
      await files.writeDevice(device, { driverName: name, volumeHandle: volumeId, specVolID: volume.name })
    } catch (error) {
      if (wasUntouched) await cleanUntouched(device)
      throw error
    }
    device.state = 'uncertain'
    const startedMs = clock.monotonicMs()
    try {
      await driver.nodeStageVolume(
        {
          volumeId,
          publishContext: { ...device.publishContext },
          stagingTargetPath: files.stagingOf(device),
          ...stageRequest(volume, capabilities, device.mountGroup),
          secrets: secretValues,
        },
        { timeoutMs: config.callTimeoutMs, signal },
      )
    } catch (error) {
      if (wasUntouched && isSurelyUndone('NodeStageVolume', error)) await cleanUntouched(device)
      throw error
    }
    device.state = 'staged'
    log.info('volume staged', { volume: volumeId, driver: name, tookMs: clock.monotonicMs() - startedMs })
  }
  const cleanUntouched = async (device: Device): Promise<void> => {
    device.state = 'uncertain'
    try {
      await files.cleanDevice(device)
      device.state = 'none'
      device.isOnDisk = false
    } catch {
      // The first failure is the one to tell of; what is left is unstaged later.
    }
  }

  /** Needs the local disk and the driver, nothing else. */
  const unstage = async (device: Device, { signal, log }: ReconcileContext): Promise<void> => {
    const { driver: name, handle: volumeId } = device
    const driver = drivers.find(name)
    if (!driver) throw new Error(`the driver ${name} has gone`)
    // Before the first wait: from here on no pod is given the volume, until it is staged again.
    device.state = 'uncertain'
    const [user] = await files.findUsersOf(device)
    if (user !== undefined) throw new Error(`the volume is still mounted at ${user}`)
    const startedMs = clock.monotonicMs()
    try {
      await driver.nodeUnstageVolume(
        { volumeId, stagingTargetPath: files.stagingOf(device) },
        { timeoutMs: config.callTimeoutMs, signal },
      )
    } catch (error) {
      // A driver that knows no staging, after one that did.
      if (!isCsiError(error, 'UNIMPLEMENTED')) throw error
    }
    await cleanAfterDriver(device, files.stagingOf(device), () => files.cleanDevice(device), log)
    device.state = 'none'
    device.isOnDisk = false
    device.attachment = undefined
    log.info('volume unstaged', { volume: volumeId, driver: name, tookMs: clock.monotonicMs() - startedMs })
  }
  return reconcile
}

const MESSAGES = { stage: 'volume not staged', unstage: 'volume not unstaged', expand: 'volume not expanded' } as const

async function find<T>(request: Promise<T>): Promise<T | undefined> {
  try {
    return await request
  } catch (error) {
    if (isNotFound(error)) return undefined
    throw error
  }
}
