import type { Pod } from '../../api/kinds/pod.ts'
import { isCsiError } from '../../csi/csi-error.ts'
import { NodeServiceCapability_RPC_Type as Capability } from '../../csi/generated/csi/v1/csi.ts'
import { attachmentName } from '../../storage/attachment-name.ts'
import { doThroughDriver, undoThroughDriver } from './driver-calls.ts'
import { applyFsGroup, fsGroupOf } from './fs-group.ts'
import type { MountPass } from './mount-view.ts'
import { formatTokens } from './token-cache.ts'
import type { VolumeContext } from './volume-context.ts'
import type { VolumeData } from './volume-data.ts'
import { publishRequest, publishSecretOf, TOKENS_KEY } from './volume-requests.ts'
import type { DriverVolume, Mount } from './volume-table.ts'

export type Publishing = { readonly pod: Pod; readonly wish: DriverVolume; readonly isRepeat: boolean }

/** Gives a pod a volume. `isRepeat`: the pod has it, and the driver wants to be called again. */
export async function publishVolume(
  context: VolumeContext,
  mount: Mount,
  { pod, wish, isRepeat }: Publishing,
): Promise<void> {
  const { clock, files, table, drivers, nodeName, call } = context
  const { driver: driverName, volumeHandle, isBlock } = mount
  const driver = drivers.get(driverName)
  const policy = context.policyOf(driverName)
  const capabilities = drivers.capabilities(driverName) ?? (await drivers.probe(driverName, call))
  const podVolume = pod.spec.volumes?.find(({ name }) => name === mount.podVolumeName)
  if (!podVolume) throw new Error(`the pod has no volume ${mount.podVolumeName}`)
  const request = publishRequest({ pod, podVolume, wish, policy, capabilities })
  const { secrets, attributes, tokensDueAtMs } = await readCredentials(context, mount, { pod, wish, isRepeat })
  const device = table.deviceOf(mount)
  const isStaged = device && (isBlock || capabilities.has(Capability.STAGE_UNSTAGE_VOLUME))
  const path = files.targetOf(mount)
  const publish = () =>
    driver.nodePublishVolume(
      {
        volumeId: volumeHandle,
        publishContext: { ...device?.publishContext },
        stagingTargetPath: isStaged ? files.stagingOf(device) : '',
        targetPath: path,
        volumeCapability: request.volumeCapability,
        readonly: request.readonly,
        volumeContext: { ...request.volumeContext, ...attributes },
        secrets,
      },
      call,
    )
  // A repeated call needs no second file: it may come ten times a second.
  if (isRepeat) await publish()
  else {
    await doThroughDriver(mount, {
      rpc: 'NodePublishVolume',
      write: () => files.writeMount(mount, dataOf(mount, nodeName)),
      call: publish,
      clean: () => files.cleanMount(mount),
    })
    const group = isBlock ? undefined : fsGroupOf(pod, wish, request.readonly, policy, capabilities)
    if (group) await applyFsGroup(context.host.files, path, group, call.signal)
  }
  mount.state = 'mounted'
  mount.publishedAtMs = clock.monotonicMs()
  mount.jitter = context.random.fraction()
  mount.tokensDueAtMs = tokensDueAtMs
}

/** Secrets and tokens. They are read for each call and written nowhere. */
async function readCredentials(
  { secrets, tokens, policyOf }: VolumeContext,
  { driver, isBlock }: Mount,
  { pod, wish, isRepeat }: Publishing,
) {
  const { republish, tokens: wanted } = policyOf(driver)
  const read = await secrets.read(publishSecretOf(pod, wish), isRepeat && republish === 'eachLoop')
  if (isBlock || wanted.requests.length === 0) return { secrets: { ...read }, attributes: {} }
  const { byAudience, renewAtMs: tokensDueAtMs } = await tokens.get(pod, wanted.requests)
  const issued = { [TOKENS_KEY]: formatTokens(byAudience, wanted.withExpiry) }
  return wanted.passedIn === 'secrets'
    ? { secrets: { ...read, ...issued }, attributes: {}, tokensDueAtMs }
    : { secrets: { ...read }, attributes: issued, tokensDueAtMs }
}

const dataOf = ({ volumeName, driver, volumeHandle, isEphemeral }: Mount, nodeName: string): VolumeData => ({
  specVolID: volumeName,
  volumeHandle,
  driverName: driver,
  nodeName,
  attachmentID: isEphemeral ? '' : attachmentName({ driver, volumeHandle: volumeHandle, nodeName }),
  volumeLifecycleMode: isEphemeral ? 'Ephemeral' : 'Persistent',
})

/** Needs the local disk and the driver, nothing else: pod, volume and secrets may be gone. */
export async function unpublishVolume(context: VolumeContext, pass: MountPass): Promise<void> {
  const { files, drivers, call } = context
  const { mount } = pass.view
  const driver = drivers.get(mount.driver)
  mount.state = 'uncertain'
  const path = files.targetOf(mount)
  await undoThroughDriver(context, mount, pass, {
    path,
    call: () =>
      driver.nodeUnpublishVolume({ volumeId: mount.volumeHandle, targetPath: path }, call).catch(async (error) => {
        // A volume that exists only for its pod, and does not exist, is mounted nowhere.
        if (!mount.isEphemeral || !isCsiError(error, 'NOT_FOUND') || (await files.isMounted(path))) throw error
      }),
    clean: () => files.cleanMount(mount),
  })
}
