import type { Pod } from '../../api/kinds/pod.ts'
import { isCsiError } from '../../csi/csi-error.ts'
import { NodeServiceCapability_RPC_Type as Capability } from '../../csi/generated/csi/v1/csi.ts'
import type { Logger } from '../../base/logger.ts'
import { attachmentName } from '../../storage/attachment-name.ts'
import { cleanUntouched, isUndone } from './attempt.ts'
import { applyFsGroup, fsGroupOf } from './fs-group.ts'
import { formatTokens } from './token-cache.ts'
import type { VolumeContext } from './volume-context.ts'
import { publishRequest, publishSecretOf, TOKENS_KEY } from './volume-requests.ts'
import type { DriverVolume, Mount } from './volume-table.ts'

export type Publishing = { readonly pod: Pod; readonly wish: DriverVolume; readonly isRepeat: boolean }

/** Gives a pod a volume. `isRepeat`: it has it, and the driver wants to be called again. */
export async function publishVolume(
  context: VolumeContext,
  mount: Mount,
  { pod, wish, isRepeat }: Publishing,
  log: Logger,
): Promise<void> {
  const { clock, files, table, drivers, policyOf, call } = context
  const { podUid, driver: driverName, volumeHandle, isBlock } = mount
  const driver = drivers.require(driverName)
  const policy = policyOf(driverName)
  const capabilities = drivers.capabilities(driverName) ?? (await drivers.probe(driverName, call))
  const podVolume = pod.spec.volumes?.find(({ name }) => name === mount.podVolumeName)
  if (!podVolume) throw new Error(`the pod has no volume ${mount.podVolumeName}`)
  const request = publishRequest({ pod, podVolume, wish, policy, capabilities })
  const { secrets, attributes, tokensDueAtMs } = await readCredentials(context, mount, { pod, wish, isRepeat })
  const device = table.deviceOf(mount)

  const wasUntouched = mount.state === 'none'
  mount.isOnDisk = true
  // A repeated call needs no second file: it may come ten times a second.
  if (!isRepeat) await writeMountFile(context, mount)
  if (!isRepeat) mount.state = 'uncertain'
  const startedMs = clock.monotonicMs()
  try {
    await driver.nodePublishVolume(
      {
        volumeId: volumeHandle,
        publishContext: { ...device?.publishContext },
        stagingTargetPath:
          device && (isBlock || capabilities.has(Capability.STAGE_UNSTAGE_VOLUME)) ? files.stagingOf(device) : '',
        targetPath: files.targetOf(mount),
        volumeCapability: request.volumeCapability,
        readonly: request.readonly,
        volumeContext: { ...request.volumeContext, ...attributes },
        secrets,
      },
      call,
    )
  } catch (error) {
    if (wasUntouched && isUndone('NodePublishVolume', error)) await cleanUntouched(mount, () => files.cleanMount(mount))
    throw error
  }
  const group = isBlock ? undefined : fsGroupOf(pod, wish, request.readonly, policy, capabilities)
  if (group && !isRepeat) await applyFsGroup(context.host.files, files.targetOf(mount), group, call.signal)
  mount.state = 'mounted'
  mount.publishedAtMs = clock.monotonicMs()
  mount.jitter = context.random.fraction()
  mount.tokensDueAtMs = tokensDueAtMs
  if (!isRepeat)
    log.info('volume published', { volume: volumeHandle, pod: podUid, tookMs: mount.publishedAtMs - startedMs })
}

/** Secrets and tokens. They are read for each call and written nowhere. */
async function readCredentials(
  { secrets, tokens, policyOf }: VolumeContext,
  { driver, isBlock }: Mount,
  { pod, wish, isRepeat }: Publishing,
) {
  const { republish, tokens: wanted } = policyOf(driver)
  const read = await secrets.read(publishSecretOf(pod, wish), { mayBeKept: isRepeat && republish === 'eachLoop' })
  if (isBlock || wanted.requests.length === 0) return { secrets: { ...read }, attributes: {} }
  const { byAudience, renewAtMs } = await tokens.get(pod, wanted.requests)
  const issued = { [TOKENS_KEY]: formatTokens(byAudience, wanted.withExpiry) }
  return wanted.passedIn === 'secrets'
    ? { secrets: { ...read, ...issued }, attributes: {}, tokensDueAtMs: renewAtMs }
    : { secrets: { ...read }, attributes: issued, tokensDueAtMs: renewAtMs }
}

async function writeMountFile({ files, nodeName }: VolumeContext, mount: Mount): Promise<void> {
  const { volumeName, driver, volumeHandle, isEphemeral } = mount
  try {
    await files.writeMount(mount, {
      specVolID: volumeName,
      volumeHandle,
      driverName: driver,
      nodeName,
      attachmentID: isEphemeral ? '' : attachmentName({ driver, handle: volumeHandle, nodeName }),
      volumeLifecycleMode: isEphemeral ? 'Ephemeral' : 'Persistent',
    })
  } catch (error) {
    if (mount.state === 'none') await cleanUntouched(mount, () => files.cleanMount(mount))
    throw error
  }
}

/** Needs the local disk and the driver, nothing else: pod, volume and secrets may be gone. */
export async function unpublishVolume(
  { clock, files, drivers, call }: VolumeContext,
  mount: Mount,
  log: Logger,
): Promise<void> {
  const { podUid: pod, volumeHandle: volume } = mount
  const driver = drivers.require(mount.driver)
  mount.state = 'uncertain'
  const startedMs = clock.monotonicMs()
  try {
    await driver.nodeUnpublishVolume({ volumeId: volume, targetPath: files.targetOf(mount) }, call)
  } catch (error) {
    // A volume that exists only for its pod, and does not exist, is mounted nowhere.
    if (!mount.isEphemeral || !isCsiError(error, 'NOT_FOUND') || (await files.isTargetMounted(mount))) throw error
  }
  await files.cleanAfterDriver(mount, files.targetOf(mount), () => files.cleanMount(mount), log)
  mount.state = 'none'
  mount.isOnDisk = false
  log.info('volume unpublished', { volume, pod, tookMs: clock.monotonicMs() - startedMs })
}
