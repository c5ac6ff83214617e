import { unreachable } from '../../base/abort.ts'
import type { Pod } from '../../api/kinds/pod.ts'
import { formatReason } from '../../api/reason.ts'
import type { DriverPolicy } from '../../storage/driver-policy.ts'
import { isCsiError } from '../../csi/csi-error.ts'
import { NodeServiceCapability_RPC_Type as Capability } from '../../csi/generated/csi/v1/csi.ts'
import { after, DONE } from '../../kube/controller.ts'
import type { ReconcileContext, Reconciler } from '../../kube/controller.ts'
import { attachmentName } from '../../storage/attachment-name.ts'
import { createCleanAfterDriver } from './clean-after-driver.ts'
import { applyFsGroup, fsGroupOf } from './fs-group.ts'
import { isSurelyUndone } from './is-surely-undone.ts'
import { nextMountStep } from './next-mount-step.ts'
import type { SecretReader } from './secret-reader.ts'
import { formatTokens } from './token-cache.ts'
import { needsVolumes, usedVolumesOf } from './used-volumes.ts'
import { publishRequest, publishSecretOf, TOKENS_KEY } from './volume-requests.ts'
import { deviceKeyOf, isPresent } from './volume-table.ts'
import type { DriverVolume, Mount } from './volume-table.ts'
import type { Capabilities, MountView } from './volume-view.ts'
import { isResolved } from './volume-work.ts'
import type { VolumeWork } from './volume-work.ts'

const MOST_STEPS = 10

/** Publishes a volume for a pod, again and again where the driver wants it, and takes it back. */
export function createMountReconciler(work: VolumeWork, secrets: SecretReader): Reconciler {
  const { clock, config, table, files, drivers, failures, tokens } = work
  const cleanAfterDriver = createCleanAfterDriver(files)

  const republishAtMs = (mount: Mount, policy: DriverPolicy | undefined): number | undefined => {
    if (!policy || policy.republish === 'never' || mount.publishedAtMs === undefined) return undefined
    if (policy.republish === 'eachLoop') return mount.publishedAtMs + config.remountMs
    return Math.min(
      mount.publishedAtMs + config.republishMs * (1 + mount.jitter / 2),
      mount.tokensDueAtMs ?? Number.POSITIVE_INFINITY,
    )
  }
  const readView = (mount: Mount): MountView => {
    const { podUid, specName, driver, isEphemeral } = mount
    const pod = work.findPod(podUid)
    const policy = work.policyOf(driver)
    const device = isEphemeral ? undefined : table.devices.get(deviceKeyOf(mount))
    const others = isEphemeral
      ? []
      : table.mountsOf(deviceKeyOf(mount)).filter((other) => other !== mount && isPresent(other))
    const isWanted = pod !== undefined && needsVolumes(pod)
    const patience = failures.find(mount.key, isWanted ? 'publish' : 'unpublish')
    const capabilities = drivers.capabilities(driver)
    const dueAtMs = republishAtMs(mount, policy)
    return {
      seen: {
        specName,
        driver,
        ...(pod ? { pod } : {}),
        ...(mount.volume ? { volume: mount.volume } : {}),
        ...(policy ? { policy } : {}),
        otherNamespaces: others.flatMap((other) => work.findPod(other.podUid)?.metadata.namespace ?? []),
        ...(device?.attachment ? { attachment: device.attachment } : {}),
      },
      held: {
        nowMs: clock.monotonicMs(),
        isReady: work.isReady(),
        isPodResolved:
          pod !== undefined &&
          isResolved(
            work.podStates.get(podUid),
            usedVolumesOf(pod).map(({ volume }) => volume.name),
          ),
        state: mount.state,
        isPresent: isPresent(mount),
        isRegistered: drivers.find(driver) !== undefined,
        ...(capabilities ? { capabilities } : {}),
        ...(device ? { device: device.state } : {}),
        isExpanding: device?.isExpanding ?? false,
        otherPods: others.length,
        isUnmountFailing: failures.find(mount.key, 'unpublish') !== undefined,
        ...(patience ? { patience } : {}),
        ...(dueAtMs === undefined ? {} : { republishAtMs: dueAtMs }),
      },
    }
  }

  const reconcile: Reconciler = async (key, context) => {
    const { log, signal } = context
    for (let steps = 0; steps < MOST_STEPS; steps++) {
      signal.throwIfAborted()
      const mount = table.mounts.get(key)
      if (!mount) return DONE
      const view = readView(mount)
      const { pod } = view.seen
      const step = nextMountStep(view)
      log.debug('mount step', { step: step.kind, ...('reason' in step ? { reason: step.reason } : {}) })
      switch (step.kind) {
        case 'wait':
          if (step.reason.code === 'VolumeNotStaged') wakeDevice(mount)
          return step.retryInMs === undefined ? DONE : after(step.retryInMs)
        case 'refuse':
          if (pod)
            work.tell(
              pod,
              'FailedMount',
              `MountVolume.SetUp failed for volume "${mount.specName}" : ${formatReason(step.reason)}`,
              key,
            )
          return DONE
        case 'forget':
          removeMount(mount)
          return DONE
        case 'probe': {
          const delayMs = await attempt(
            mount,
            'publish',
            pod,
            context,
            () => drivers.probe(mount.driver, { timeoutMs: config.callTimeoutMs, signal }),
            { isOver: false },
          )
          if (delayMs !== undefined) return after(delayMs)
          continue
        }
        case 'publish': {
          if (!pod || !mount.volume) return DONE
          const { volume } = mount
          const delayMs = await attempt(mount, 'publish', pod, context, () =>
            publish(mount, { pod, volume, isRepeat: step.isRepeat }, context),
          )
          if (delayMs !== undefined) return after(delayMs)
          if (!step.isRepeat) work.enqueuePod(mount.podUid)
          continue
        }
        case 'unpublish': {
          const delayMs = await attempt(mount, 'unpublish', pod, context, () => unpublish(mount, context))
          if (delayMs !== undefined) return after(delayMs)
          removeMount(mount)
          return DONE
        }
        default:
          return unreachable(step)
      }
    }
    return after(0)
  }

  const wakeDevice = (mount: Mount): void => {
    const device = mount.isEphemeral ? undefined : table.devices.get(deviceKeyOf(mount))
    if (device) work.enqueueDevice(device)
  }
  const removeMount = (mount: Mount): void => {
    table.removeMount(mount)
    failures.forget(mount.key)
    wakeDevice(mount)
    // Who waits until no other pod has the volume.
    for (const other of table.mountsOf(deviceKeyOf(mount))) work.enqueueMount(other)
    work.enqueuePod(mount.podUid)
  }

  /** Does it, or tells and says how long to wait. Unless the operation is over with it, earlier failures still count. */
  const attempt = async (
    mount: Mount,
    operation: 'publish' | 'unpublish',
    pod: Pod | undefined,
    { signal, log }: ReconcileContext,
    act: () => Promise<void>,
    { isOver = true } = {},
  ): Promise<number | undefined> => {
    mount.isWorking = true
    try {
      await act()
      if (isOver) failures.forget(mount.key, operation)
      return undefined
    } catch (error) {
      signal.throwIfAborted()
      drivers.doubt(mount.driver, error)
      const text = error instanceof Error ? error.message : String(error)
      const delayMs = failures.add(mount.key, operation, text)
      const what = mount.isBlock
        ? operation === 'publish'
          ? 'MapVolume.MapPodDevice'
          : 'UnmapVolume.UnmapPodDevice'
        : operation === 'publish'
          ? 'MountVolume.SetUp'
          : 'UnmountVolume.TearDown'
      const reason = operation === 'unpublish' ? 'FailedUnmount' : mount.isBlock ? 'FailedMapVolume' : 'FailedMount'
      log.warn(operation === 'publish' ? 'volume not published' : 'volume not unpublished', {
        volume: mount.handle,
        pod: mount.podUid,
        retryInMs: delayMs,
        error,
      })
      const about = pod ?? work.findNode()
      if (about) work.tell(about, reason, `${what} failed for volume "${mount.specName}" : ${text}`)
      return delayMs
    } finally {
      mount.isWorking = false
      wakeDevice(mount)
    }
  }

  type Publishing = { pod: Pod; volume: DriverVolume; isRepeat: boolean }
  const publish = async (
    mount: Mount,
    { pod, volume, isRepeat }: Publishing,
    { signal, log }: ReconcileContext,
  ): Promise<void> => {
    const { podUid, specName, driver: driverName, handle: volumeId, isBlock, isEphemeral } = mount
    const driver = drivers.find(driverName)
    const policy = work.policyOf(driverName)
    const capabilities = drivers.capabilities(driverName) ?? (await probed(driverName, signal))
    const podVolume = usedVolumesOf(pod).find(
      ({ volume: each }) => work.podStates.get(podUid)?.volumes.get(each.name) === volume,
    )?.volume
    if (!driver || !policy || !podVolume) throw new Error('the driver or the wish has gone')
    const request = publishRequest({ pod, podVolume, volume, policy, capabilities })
    const secretValues = await secrets.read(
      publishSecretOf(pod, volume),
      { mayBeKept: isRepeat && policy.republish === 'eachLoop' },
      signal,
    )
    const issued =
      isBlock || policy.tokens.requests.length === 0 ? undefined : await tokens.get(pod, policy.tokens.requests, signal)
    const tokenPart = issued ? { [TOKENS_KEY]: formatTokens(issued.byAudience, policy.tokens.withExpiry) } : {}
    const inSecrets = policy.tokens.passedIn === 'secrets'
    const device = isEphemeral ? undefined : table.devices.get(deviceKeyOf(mount))
    const staged =
      device && (isBlock || capabilities.has(Capability.STAGE_UNSTAGE_VOLUME)) ? files.stagingOf(device) : ''

    const wasUntouched = mount.state === 'none'
    mount.isOnDisk = true
    try {
      // It is there since the first time, and ten syncs of a disk in a second are nine too many.
      if (!isRepeat)
        await files.writeMount(mount, {
          specVolID: specName,
          volumeHandle: volumeId,
          driverName,
          nodeName: work.nodeName,
          attachmentID: isEphemeral
            ? ''
            : attachmentName({ driver: driverName, handle: volumeId, nodeName: work.nodeName }),
          volumeLifecycleMode: isEphemeral ? 'Ephemeral' : 'Persistent',
        })
    } catch (error) {
      if (wasUntouched) await cleanUntouched(mount)
      throw error
    }
    if (!isRepeat) mount.state = 'uncertain'
    const startedMs = clock.monotonicMs()
    try {
      await driver.nodePublishVolume(
        {
          volumeId,
          publishContext: { ...device?.publishContext },
          stagingTargetPath: staged,
          targetPath: files.targetOf(mount),
          volumeCapability: request.volumeCapability,
          readonly: request.readonly,
          volumeContext: { ...request.volumeContext, ...(inSecrets ? {} : tokenPart) },
          secrets: { ...secretValues, ...(inSecrets ? tokenPart : {}) },
        },
        { timeoutMs: config.callTimeoutMs, signal },
      )
    } catch (error) {
      if (wasUntouched && isSurelyUndone('NodePublishVolume', error)) await cleanUntouched(mount)
      throw error
    }
    const group = isBlock ? undefined : fsGroupOf(pod, volume, request.readonly, policy, capabilities)
    if (group && !isRepeat) await applyFsGroup(work.host.files, files.targetOf(mount), group, signal)
    mount.state = 'mounted'
    mount.publishedAtMs = clock.monotonicMs()
    mount.jitter = work.random.fraction()
    mount.tokensDueAtMs = issued?.renewAtMs
    if (!isRepeat)
      log.info('volume published', { volume: volumeId, pod: podUid, tookMs: mount.publishedAtMs - startedMs })
  }
  const probed = async (name: string, signal: AbortSignal): Promise<Capabilities> => {
    await drivers.probe(name, { timeoutMs: config.callTimeoutMs, signal })
    return drivers.capabilities(name) ?? new Set()
  }
  /** Nothing happened: nothing has to be undone later. What can't be removed stays, and is undone then. */
  const cleanUntouched = async (mount: Mount): Promise<void> => {
    mount.state = 'uncertain'
    try {
      await files.cleanMount(mount)
      mount.state = 'none'
      mount.isOnDisk = false
    } catch {
      // The first failure is the one to tell of.
    }
  }

  /** Needs the local disk and the driver, nothing else: pod, volume and secrets may be gone. */
  const unpublish = async (mount: Mount, { signal, log }: ReconcileContext): Promise<void> => {
    const driver = drivers.find(mount.driver)
    if (!driver) throw new Error(`the driver ${mount.driver} has gone`)
    mount.state = 'uncertain'
    const startedMs = clock.monotonicMs()
    try {
      await driver.nodeUnpublishVolume(
        { volumeId: mount.handle, targetPath: files.targetOf(mount) },
        { timeoutMs: config.callTimeoutMs, signal },
      )
    } catch (error) {
      // A volume of the pod's own that is gone can't be anywhere.
      if (!mount.isEphemeral || !isCsiError(error, 'NOT_FOUND') || (await files.isTargetMounted(mount))) throw error
    }
    await cleanAfterDriver(mount, files.targetOf(mount), () => files.cleanMount(mount), log)
    mount.state = 'none'
    mount.isOnDisk = false
    log.info('volume unpublished', { volume: mount.handle, pod: mount.podUid, tookMs: clock.monotonicMs() - startedMs })
  }
  return reconcile
}
