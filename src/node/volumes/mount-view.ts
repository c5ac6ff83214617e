import type { Pod } from '../../api/kinds/pod.ts'
import type { VolumeAttachment } from '../../api/kinds/volume-attachment.ts'
import type { Pass } from '../../kube/controller/index.ts'
import type { DriverPolicy } from '../../storage/driver-policy.ts'
import { isLabelledOtherwise } from './device-view.ts'
import type { Capabilities, VolumeConfig, VolumeContext } from './volume-context.ts'
import { isPresent } from './volume-table.ts'
import type { DeviceState, DriverVolume, Mount, Patience } from './volume-table.ts'
import { isKnown, needsVolumes, usedVolumesOf } from './pod-view.ts'
import type { VolumeRefusal, VolumeWait } from './reasons.ts'

/** One volume for one pod. */
export type MountView = {
  readonly seen: {
    readonly volumeName: string
    readonly driver: string
    /** Undefined if it is gone. */
    readonly pod?: Pod | undefined
    /** The volume that the pod needs. Undefined if it needs none, or that is unknown. */
    readonly wish?: DriverVolume | undefined
    readonly policy?: DriverPolicy | undefined
    /** Namespaces of the other pods here that have the volume. */
    readonly otherNamespaces: readonly string[]
    readonly attachment?: VolumeAttachment | undefined
  }
  readonly held?: Pick<Mount, 'state'> & {
    readonly nowMs: number
    /** All pods of the node are known. */
    readonly isReady: boolean
    /** All volumes of the pod are known. */
    readonly isPodResolved: boolean
    readonly isPresent: boolean
    readonly isRegistered: boolean
    /** Undefined until the driver was asked. */
    readonly capabilities?: Capabilities | undefined
    /** Undefined for a volume that has no device. */
    readonly device?: DeviceState | undefined
    /** The driver is expanding the volume. */
    readonly isExpanding: boolean
    /** Number of other pods here that have the volume, or may have it. */
    readonly otherPods: number
    readonly patience?: Patience | undefined
    readonly isUnmountFailing: boolean
    /** When to publish it again. Undefined: never. */
    readonly republishAtMs?: number | undefined
  }
}

export type MountStep =
  | VolumeWait
  | VolumeRefusal
  | { readonly kind: 'forget' }
  | { readonly kind: 'probe' }
  | { readonly kind: 'publish'; readonly isRepeat: boolean }
  | { readonly kind: 'unpublish' }

export type MountPassView = MountView & { readonly mount: Mount }
export type MountPass = Pass<MountPassView>

/** With the mount itself, for the steps. */
export function readMountView(context: VolumeContext, key: string): MountPassView | undefined {
  const { clock, config, table, drivers, findPod, policyOf, isReady } = context
  const mount = table.mounts.get(key)
  if (!mount) return undefined
  const { podUid, volumeName, driver, wish, failures } = mount
  const pod = findPod(podUid)
  const policy = policyOf(driver)
  const device = table.deviceOf(mount)
  const others = mount.isEphemeral
    ? []
    : table.mountsOf(mount.uniqueName).filter((other) => other !== mount && isPresent(other))
  const isWanted = wish !== undefined && pod !== undefined && needsVolumes(pod)
  return {
    mount,
    seen: {
      volumeName,
      driver,
      pod,
      wish,
      policy,
      otherNamespaces: others.flatMap((other) => findPod(other.podUid)?.metadata.namespace ?? []),
      attachment: device?.attachment,
    },
    held: {
      state: mount.state,
      nowMs: clock.monotonicMs(),
      isReady: isReady(),
      isPodResolved:
        pod !== undefined &&
        usedVolumesOf(pod).every(({ volume }) => isKnown(table.pods.get(podUid)?.volumes.get(volume.name))),
      isPresent: isPresent(mount),
      isRegistered: drivers.isRegistered(driver),
      capabilities: drivers.capabilities(driver),
      device: device && isLabelledOtherwise(device, mount.seLinuxLabel) ? 'uncertain' : device?.state,
      isExpanding: device?.isExpanding ?? false,
      otherPods: others.length,
      isUnmountFailing: failures.has('unpublish'),
      patience: failures.get(isWanted ? 'publish' : 'unpublish'),
      republishAtMs: republishAtMs(mount, policy, config),
    },
  }
}

function republishAtMs(
  { publishedAtMs, jitter, tokensDueAtMs = Number.POSITIVE_INFINITY }: Mount,
  { republish }: DriverPolicy,
  { remountMs, republishMs }: VolumeConfig,
): number | undefined {
  if (republish === 'never' || publishedAtMs === undefined) return undefined
  if (republish === 'eachLoop') return publishedAtMs + remountMs
  return Math.min(publishedAtMs + republishMs * (1 + jitter / 2), tokensDueAtMs)
}
