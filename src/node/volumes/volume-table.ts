import { validateCsiDriverName } from '../../api/csi-driver-name.ts'
import type { PodVolume } from '../../storage/resolve-pod-volume.ts'
import { uniqueVolumeName } from '../../storage/unique-volume-name.ts'
import type { VolumeAttachment } from '../../api/kinds/volume-attachment.ts'
import type { VolumeData } from './volume-data.ts'

/** The two kinds of a pod's volume that a driver publishes. */
export type DriverVolume = Extract<PodVolume, { kind: 'csi' }> | Extract<PodVolume, { kind: 'ephemeral' }>

/** `uncertain`: a call may be running or may have been done. It is repeated or undone, never forgotten. */
export type MountState = 'none' | 'uncertain' | 'mounted'
export type DeviceState = 'none' | 'uncertain' | 'staged'

/** A volume of a driver for one pod. */
export type Mount = {
  readonly key: string
  readonly podUid: string
  readonly specName: string
  readonly driver: string
  readonly handle: string
  readonly isEphemeral: boolean
  readonly isBlock: boolean
  /** The pod's wish; undefined while it is not known, or is no more. */
  volume: DriverVolume | undefined
  state: MountState
  /** Something of it may be on the disk. */
  isOnDisk: boolean
  isWorking: boolean
  /** When it was last published, on the clock that only grows. */
  publishedAtMs: number | undefined
  /** A share of the time between two calls, drawn anew with each. */
  jitter: number
  /** Then at the latest the driver is to get new tokens. */
  tokensDueAtMs: number | undefined
}

/** A volume of a driver on this node, however many pods use it. */
export type Device = {
  readonly key: string
  readonly driver: string
  readonly handle: string
  readonly isBlock: boolean
  /** For the paths of a block volume. */
  specName: string
  state: DeviceState
  isOnDisk: boolean
  /** As it was read last: what the attacher said. */
  attachment: VolumeAttachment | undefined
  publishContext: Readonly<Record<string, string>>
  /** The group that was given when it was staged. */
  mountGroup: string
  claimReadAtMs: number | undefined
  /** The size that the driver has grown it to here, or refuses to. */
  expandedToBytes: bigint | undefined
  isExpandRefused: boolean
  /** Until it has ended, no pod is given the volume or loses it. */
  isExpanding: boolean
}

/** What may be mounted here, and what is to be. */
export interface VolumeTable {
  readonly mounts: ReadonlyMap<string, Mount>
  readonly devices: ReadonlyMap<string, Device>
  addMount(facts: MountFacts): Mount
  addDevice(facts: {
    data: Pick<VolumeData, 'driverName' | 'volumeHandle'>
    specName: string
    isBlock: boolean
  }): Device
  removeMount(mount: Mount): void
  removeDevice(device: Device): void
  mountsOfPod(podUid: string): Mount[]
  /** Of the volume that a device is. */
  mountsOf(deviceKey: string): Mount[]
  mountsOfDriver(driver: string): Mount[]
  devicesOfDriver(driver: string): Device[]
}

export type MountFacts = Pick<Mount, 'podUid' | 'specName' | 'driver' | 'handle' | 'isEphemeral' | 'isBlock'>

/** A mount's place: two volumes of a pod that are the same one share it. */
export const mountKey = (podUid: string, specName: string): string => `${podUid}/${specName}`

/** What a device is called, and the volume in the node's status. */
export const deviceKeyOf = ({ driver, handle }: { driver: string; handle: string }): string =>
  uniqueVolumeName(driver, handle)

/** Something of it is here, or may be. */
export const isPresent = ({ state, isOnDisk, isWorking }: Pick<Mount, 'state' | 'isOnDisk' | 'isWorking'>): boolean =>
  state !== 'none' || isOnDisk || isWorking

export const isUsableDriverName = (name: string): boolean => validateCsiDriverName(name).length === 0

export function createVolumeTable(): VolumeTable {
  const mounts = new Map<string, Mount>()
  const devices = new Map<string, Device>()
  const byPod = createGroups<Mount>()
  const byDevice = createGroups<Mount>()

  const addMount = (facts: MountFacts): Mount => {
    const key = mountKey(facts.podUid, facts.specName)
    const present = mounts.get(key)
    if (present) return present
    const mount: Mount = {
      ...facts,
      key,
      volume: undefined,
      state: 'none',
      isOnDisk: false,
      isWorking: false,
      publishedAtMs: undefined,
      jitter: 0,
      tokensDueAtMs: undefined,
    }
    mounts.set(key, mount)
    byPod.add(mount.podUid, mount)
    if (!mount.isEphemeral) byDevice.add(deviceKeyOf(mount), mount)
    return mount
  }
  const removeMount = (mount: Mount): void => {
    mounts.delete(mount.key)
    byPod.remove(mount.podUid, mount)
    byDevice.remove(deviceKeyOf(mount), mount)
  }
  const addDevice: VolumeTable['addDevice'] = ({ data, specName, isBlock }) => {
    const names = { driver: data.driverName, handle: data.volumeHandle }
    const key = deviceKeyOf(names)
    const present = devices.get(key)
    if (present) return present
    const device: Device = {
      ...names,
      key,
      isBlock,
      specName,
      state: 'none',
      isOnDisk: false,
      attachment: undefined,
      publishContext: {},
      mountGroup: '',
      claimReadAtMs: undefined,
      expandedToBytes: undefined,
      isExpandRefused: false,
      isExpanding: false,
    }
    devices.set(key, device)
    return device
  }
  return {
    mounts,
    devices,
    addMount,
    addDevice,
    removeMount,
    removeDevice: ({ key }) => void devices.delete(key),
    mountsOfPod: (podUid) => byPod.get(podUid),
    mountsOf: (deviceKey) => byDevice.get(deviceKey),
    mountsOfDriver: (driver) => [...mounts.values()].filter((mount) => mount.driver === driver),
    devicesOfDriver: (driver) => [...devices.values()].filter((device) => device.driver === driver),
  }
}

function createGroups<T>() {
  const groups = new Map<string, Set<T>>()
  return {
    add: (key: string, item: T): void => {
      const group = groups.get(key)
      if (group) group.add(item)
      else groups.set(key, new Set([item]))
    },
    remove: (key: string, item: T): void => {
      const group = groups.get(key)
      if (group?.delete(item) && group.size === 0) groups.delete(key)
    },
    get: (key: string): T[] => [...(groups.get(key) ?? [])],
  }
}
