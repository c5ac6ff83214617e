import { createHash } from 'node:crypto'
import { join } from 'node:path'

export class UnsafeNameError extends Error {
  constructor(name: string) {
    super(`${JSON.stringify(name.slice(0, 80))} cannot be part of a path`)
    this.name = 'UnsafeNameError'
  }
}

export const DATA_FILE = 'vol_data.json'
export const TARGET = 'mount'
export const STAGING = 'globalmount'
export const PLUGIN_DIRECTORY = 'kubernetes.io~csi'
/** Below `blockDevices`, beside the volumes themselves. */
export const BLOCK_STAGING = 'staging'
export const BLOCK_TARGETS = 'publish'
export const BLOCK_DATA = 'data'

export type VolumePaths = ReturnType<typeof createVolumePaths>

/** Files and directories have the names that the kubelet gives them, so that a machine can change from one to the other. */
export function createVolumePaths(rootDir: string) {
  const pods = join(rootDir, 'pods')
  const devices = join(rootDir, 'plugins', 'kubernetes.io', 'csi')
  const blockDevices = join(devices, 'volumeDevices')
  const pod = (uid: string): string => join(pods, checkPathName(uid))
  const podMounts = (uid: string): string => join(pod(uid), 'volumes', PLUGIN_DIRECTORY)
  const podLinks = (uid: string): string => join(pod(uid), 'volumeDevices', PLUGIN_DIRECTORY)
  const mountDirectory = (uid: string, volumeName: string): string => join(podMounts(uid), checkPathName(volumeName))
  const deviceDirectory = (driver: string, volumeHandle: string): string =>
    join(devices, checkPathName(driver), handleHash(volumeHandle))
  const blockTargets = (volumeName: string): string => join(blockDevices, BLOCK_TARGETS, checkPathName(volumeName))
  return {
    pods,
    /** Of volumes with a file system, as `DRIVER/HASH`. */
    devices,
    /** Of block volumes, by the name of the volume. */
    blockDevices,
    pod,
    /** The mounts of a pod, one directory for each volume. */
    podMounts,
    /** Links to the block volumes of a pod. */
    podLinks,
    /** Holds our file and what the driver mounts. */
    mountDirectory,
    mountData: (uid: string, volumeName: string) => join(mountDirectory(uid, volumeName), DATA_FILE),
    mountTarget: (uid: string, volumeName: string) => join(mountDirectory(uid, volumeName), TARGET),
    deviceData: (driver: string, volumeHandle: string) => join(deviceDirectory(driver, volumeHandle), DATA_FILE),
    staging: (driver: string, volumeHandle: string) => join(deviceDirectory(driver, volumeHandle), STAGING),
    blockData: (volumeName: string) => join(blockDevices, checkPathName(volumeName), BLOCK_DATA, DATA_FILE),
    blockStaging: (volumeName: string) => join(blockDevices, BLOCK_STAGING, checkPathName(volumeName)),
    blockTargets,
    blockTarget: (volumeName: string, uid: string) => join(blockTargets(volumeName), checkPathName(uid)),
    blockLink: (uid: string, volumeName: string) => join(podLinks(uid), checkPathName(volumeName)),
  }
}

/** Stands for a handle, which may be any text, in a path. */
export const handleHash = (volumeHandle: string): string => createHash('sha256').update(volumeHandle).digest('hex')

/** Names come from the API, from drivers and from files: none of them may lead out of its directory. */
export function checkPathName(name: string): string {
  if (!isPathName(name)) throw new UnsafeNameError(name)
  return name
}

export const isPathName = (name: string): boolean =>
  // oxlint-disable-next-line no-control-regex
  /^(?!\.{1,2}$)[^/\0-\x1f\x7f]+$/.test(name) && Buffer.byteLength(name) <= 255
