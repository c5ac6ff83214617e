import type { Node } from '../../api/kinds/node.ts'
import type { Pod } from '../../api/kinds/pod.ts'
import type { VolumeAttachment } from '../../api/kinds/volume-attachment.ts'
import { NodeServiceCapability_RPC_Type as Capability } from '../../csi/generated/csi/v1/csi.ts'
import type { Pass } from '../../kube/controller/index.ts'
import type { DriverPolicy } from '../../storage/driver-policy.ts'
import type { CsiVolume } from '../../storage/resolve-pod-volume.ts'
import type { Capabilities, VolumeContext } from './volume-context.ts'
import { isPresent } from './volume-table.ts'
import type { Device, Patience } from './volume-table.ts'
import { needsVolumes } from './pod-view.ts'
import type { VolumeRefusal, VolumeWait } from './reasons.ts'

/** One volume on the node. */
export type DeviceView = {
  readonly seen: {
    readonly driver: string
    readonly uniqueName: string
    readonly node?: Node | undefined
    readonly policy?: DriverPolicy | undefined
    /** The volume as one of its pods defines it. Undefined if no pod needs it. */
    readonly volume?: CsiVolume | undefined
    readonly attachment?: VolumeAttachment | undefined
  }
  readonly held?: Pick<Device, 'state' | 'isOnDisk' | 'isExpandRefused' | 'expandedToBytes'> & {
    readonly nowMs: number
    /** All pods of the node are known. */
    readonly isReady: boolean
    readonly isRegistered: boolean
    /** Undefined until the driver was asked. */
    readonly capabilities?: Capabilities | undefined
    /** The node's status lists the volume as in use. */
    readonly isReported: boolean
    /** Number of pods that have it, or may have it. */
    readonly users: number
    /** It is being published or unpublished. */
    readonly isUserBusy: boolean
    readonly isAttachmentRead: boolean
    /** It is staged with the SELinux label of another pod, and has to be unstaged first. */
    readonly isLabelledOtherwise: boolean
    readonly patience?: Patience | undefined
    /** Where it is published, if anywhere: a volume is expanded there. */
    readonly publishedAt?: string | undefined
    /** When to read claim and volume again. */
    readonly lookAtMs?: number | undefined
  }
}

export type DeviceStep =
  | VolumeWait
  | VolumeRefusal
  | { readonly kind: 'forget' }
  | { readonly kind: 'read-attachment'; readonly name: string }
  | { readonly kind: 'probe' }
  /** The driver does not stage: the volume only has to be attached. */
  | { readonly kind: 'accept' }
  | { readonly kind: 'stage' }
  | { readonly kind: 'unstage' }
  | { readonly kind: 'expand'; readonly volumePath: string; readonly requiredBytes: bigint }
  /** Read claim and volume again: a node is not told when they change. */
  | { readonly kind: 'look' }

/** The input of steps besides the decision. */
export type DevicePassView = DeviceView & {
  readonly device: Device
  readonly wanters: readonly Wanter[]
  /** What is being attempted: it has its own backoff. */
  readonly operation: 'stage' | 'unstage' | 'expand'
}
export type DevicePass = Pass<DevicePassView, undefined, DeviceReads>
export type DeviceReads = { readonly isAttachmentRead: boolean }
export type Wanter = { readonly pod: Pod; readonly volume: CsiVolume; readonly seLinuxLabel: string }

export function readDeviceView(
  context: VolumeContext,
  uniqueName: string,
  isAttachmentRead = false,
): DevicePassView | undefined {
  const { clock, config, table, files, drivers, findNode, policyOf, isReady } = context
  const device = table.devices.get(uniqueName)
  if (!device) return undefined
  const { driver, state, claimReadAtMs } = device
  const node = findNode()
  const wanters = wantersOf(context, uniqueName)
  const [wanter] = wanters
  const mounts = table.mountsOf(uniqueName)
  const published = mounts.find((mount) => mount.state === 'mounted')
  const capabilities = drivers.capabilities(driver)
  const isOtherwise = wanter !== undefined && isLabelledOtherwise(device, wanter.seLinuxLabel)
  const operation = !wanter || isOtherwise ? 'unstage' : state === 'staged' ? 'expand' : 'stage'
  return {
    device,
    wanters,
    operation,
    seen: { driver, uniqueName, node, policy: policyOf(driver), volume: wanter?.volume, attachment: device.attachment },
    held: {
      ...device,
      nowMs: clock.monotonicMs(),
      isReady: isReady(),
      isRegistered: drivers.isRegistered(driver),
      capabilities,
      isReported: node?.status?.volumesInUse?.includes(uniqueName) ?? false,
      users: mounts.filter(isPresent).length,
      isUserBusy: mounts.some(({ isWorking }) => isWorking),
      isAttachmentRead,
      isLabelledOtherwise: isOtherwise,
      patience: device.failures.get(operation),
      publishedAt: published && files.targetOf(published),
      lookAtMs:
        // Unknown after the driver has registered again: it may be able to expand the volume.
        (capabilities?.has(Capability.EXPAND_VOLUME) ?? true) && claimReadAtMs !== undefined
          ? claimReadAtMs + config.claimLookMs
          : undefined,
    },
  }
}

/** A volume that is not on the disk is not staged, with whatever label. */
export const isLabelledOtherwise = ({ isOnDisk, stagedAs }: Device, seLinuxLabel: string): boolean =>
  isOnDisk && stagedAs.seLinuxLabel !== seLinuxLabel

/** The pods that need the volume, and what each of them needs. */
export function wantersOf({ table, findPod }: VolumeContext, uniqueName: string): Wanter[] {
  return table.mountsOf(uniqueName).flatMap(({ podUid, wish, seLinuxLabel }) => {
    const pod = findPod(podUid)
    return pod && needsVolumes(pod) && wish?.kind === 'csi' ? [{ pod, volume: wish.volume, seLinuxLabel }] : []
  })
}
