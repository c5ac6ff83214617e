import { validateCsiDriverName } from '../../api/csi-driver-name.ts'
import type { VolumeAttachment } from '../../api/kinds/volume-attachment.ts'
import { backoffDelayMs } from '../../base/backoff.ts'
import { getOrAdd } from '../../base/get-or-add.ts'
import { Groups } from '../../base/groups.ts'
import { createChangeSource } from '../../kube/controller/index.ts'
import type { RoleWorld } from '../../kube/process/role-world.ts'
import type { PodVolume } from '../../storage/resolve-pod-volume.ts'
import { uniqueVolumeName } from '../../storage/unique-volume-name.ts'

/** The two kinds of a pod's volume that a driver publishes. */
export type DriverVolume = Extract<PodVolume, { kind: 'csi' | 'ephemeral' }>

/** `uncertain`: a call may be running or may have been done. It is repeated or undone, never forgotten. */
export type MountState = 'none' | 'uncertain' | 'mounted'
export type DeviceState = 'none' | 'uncertain' | 'staged'

/** What is known about the volumes of a pod. */
export type PodEntry = {
  readonly uid: string
  /** By the name of the pod's volume. */
  readonly volumes: Map<string, PodVolume>
  /** When the pod was first looked at, on the monotonic clock. */
  seenAtMs?: number
  hasDirectory: boolean
  /** By the name of the pod's volume. */
  readonly failures: Failures
}

export type VolumeFacts = {
  readonly driver: string
  readonly volumeHandle: string
  readonly isBlock: boolean
  /**
   * The PersistentVolume's name; for a volume that is declared in the pod, its name there. Names directories. Empty for a device whose name is
   * not known yet.
   */
  volumeName: string
}

/** Common to mounts and devices. */
type Entry = VolumeFacts & {
  /** Names the volume in the node's status. */
  readonly uniqueName: string
  /** Files of it may be on the disk. */
  isOnDisk: boolean
  /** The driver claimed to have unmounted it, and had not. */
  wasStillMounted?: boolean
  readonly failures: Failures
}

/** A volume of a driver for one pod. */
export type Mount = Entry & {
  readonly key: string
  readonly podUid: string
  readonly isEphemeral: boolean
  state: MountState
  /** The volume that the pod needs; undefined while that is unknown, or if the pod no longer needs it. */
  wish?: DriverVolume
  /** The volume in the pod's spec that the wish comes from. */
  podVolumeName: string
  /** A call of the driver is running. */
  isWorking: boolean
  /** When it was last published, on the monotonic clock. */
  publishedAtMs?: number
  /** A fraction of the time between two calls, drawn again with each call. */
  jitter: number
  /** With which it is mounted, on a machine with SELinux; else empty. */
  seLinuxLabel: string
  /** When the driver needs new tokens at the latest. */
  tokensDueAtMs?: number | undefined
}

/** What the driver got from the pod for which a volume was staged. */
export type StagedAs = {
  /** For a driver that applies the group itself; else empty. */
  readonly mountGroup: string
  readonly seLinuxLabel: string
}

/** A volume of a driver on this node, however many pods use it. */
export type Device = Entry & {
  state: DeviceState
  /** As last read. */
  attachment?: VolumeAttachment | undefined
  publishContext: Readonly<Record<string, string>>
  stagedAs: StagedAs
  claimReadAtMs?: number
  expandedToBytes?: bigint
  isExpandRefused: boolean
  /** Until the call has ended, the volume is neither published nor unpublished. */
  isExpanding: boolean
}

/** A pod's volumes were looked up, or a mount or a device has changed in a way that others may be waiting for. */
export type TableChange = { readonly podUid?: string; readonly mount?: Mount; readonly device?: Device }

/** Two volumes of a pod that are the same one share a mount. */
export const mountKey = (podUid: string, volumeName: string): string => `${podUid}/${volumeName}`

/** Something of the mount is on this node, or may be. */
export const isPresent = ({ state, isOnDisk, isWorking }: Pick<Mount, 'state' | 'isOnDisk' | 'isWorking'>): boolean =>
  state !== 'none' || isOnDisk || isWorking

export const isUsableDriverName = (name: string): boolean => validateCsiDriverName(name).length === 0

export type VolumeTable = ReturnType<typeof createVolumeTable>

/** What is mounted here, may be mounted, or is to be mounted. Controllers watch its changes. */
export function createVolumeTable() {
  const changes = createChangeSource<TableChange>()
  const pods = new Map<string, PodEntry>()
  const mounts = new Map<string, Mount>()
  const devices = new Map<string, Device>()
  const byPod = new Groups<Mount>()
  const byDevice = new Groups<Mount>()
  return {
    ...changes,
    pods,
    mounts: mounts as ReadonlyMap<string, Mount>,
    devices: devices as ReadonlyMap<string, Device>,
    /** The pod's entry, added if it is missing. */
    podOf: (uid: string): PodEntry =>
      getOrAdd(pods, uid, () => ({ uid, volumes: new Map(), hasDirectory: true, failures: new Map() })),
    /** Returns the mount that is there, if there is one. */
    addMount: (facts: VolumeFacts & Pick<Mount, 'podUid' | 'isEphemeral'>): Mount => {
      const key = mountKey(facts.podUid, facts.volumeName)
      const present = mounts.get(key)
      if (present) return present
      const mount: Mount = { ...newEntry(facts), key, podVolumeName: '', seLinuxLabel: '', isWorking: false, jitter: 0 }
      mounts.set(key, mount)
      byPod.add(mount.podUid, mount)
      if (!mount.isEphemeral) byDevice.add(mount.uniqueName, mount)
      return mount
    },
    /** Returns the device that is there, if there is one. */
    addDevice: (facts: VolumeFacts): Device => {
      const entry = newEntry(facts)
      const present = devices.get(entry.uniqueName)
      if (present) return present
      const flags = { isExpandRefused: false, isExpanding: false }
      const device: Device = { ...entry, ...flags, publishContext: {}, stagedAs: { mountGroup: '', seLinuxLabel: '' } }
      devices.set(device.uniqueName, device)
      return device
    },
    removeMount: (mount: Mount): void => {
      mounts.delete(mount.key)
      byPod.delete(mount.podUid, mount)
      byDevice.delete(mount.uniqueName, mount)
      changes.tell({ mount })
    },
    removeDevice: (device: Device): void => {
      devices.delete(device.uniqueName)
      changes.tell({ device })
    },
    /** The device below a mount. A volume that is created for its pod has none. */
    deviceOf: ({ isEphemeral, uniqueName }: Mount) => (isEphemeral ? undefined : devices.get(uniqueName)),
    mountsOfPod: (uid: string): Mount[] => [...byPod.get(uid)],
    mountsOf: (uniqueName: string): Mount[] => [...byDevice.get(uniqueName)],
  }
}

const newEntry = <Facts extends VolumeFacts>(facts: Facts) => ({
  ...facts,
  uniqueName: uniqueVolumeName(facts.driver, facts.volumeHandle),
  state: 'none' as const,
  isOnDisk: false,
  failures: new Map(),
})

export type Failure = {
  /** How often it has failed in a row. */
  readonly count: number
  /** Not tried again before this time on the monotonic clock. */
  readonly retryAtMs: number
  readonly detail: string
}

/** The part of a failure that decisions need. */
export type Patience = Pick<Failure, 'retryAtMs' | 'detail'>

/** The last failure of each operation of a pod, a mount or a device. Each operation backs off on its own. */
export type Failures = Map<string, Failure>

// The kubelet's delays: 0.5 s, 1 s, 2 s … 122 s.
export const BACKOFF = { initialMs: 500, maximumMs: 122_000 }

/** Counts one more failure in a row. Returns how long to wait. */
export function addFailure(
  failures: Failures,
  operation: string,
  detail: string,
  { clock, random }: Pick<RoleWorld, 'clock' | 'random'>,
): number {
  const count = (failures.get(operation)?.count ?? 0) + 1
  const delayMs = backoffDelayMs(BACKOFF, count, random)
  failures.set(operation, { count, retryAtMs: clock.monotonicMs() + delayMs, detail })
  return delayMs
}

/** Ends the backoff of matching entries, because the obstacle may be gone. Their failures still count. Returns them. */
export function retryNow<Entry extends { readonly failures: Failures }>(
  entries: Iterable<Entry>,
  matches: (entry: Entry) => boolean,
): Entry[] {
  const matching = [...entries].filter(matches)
  for (const { failures } of matching)
    for (const [operation, failure] of failures) failures.set(operation, { ...failure, retryAtMs: 0 })
  return matching
}
