import { createHash } from 'node:crypto'
import { join } from 'node:path'

/** A name that must not become a part of a path. */
export class UnsafeNameError extends Error {
  constructor(name: string) {
    super(`${JSON.stringify(name.slice(0, 80))} can't be part of a path`)
    this.name = 'UnsafeNameError'
  }
}

/** The names of the files and directories of volumes are those of the kubelet, so that one can follow the other on a machine. */
export interface VolumePaths {
  readonly pods: string
  /** Of drivers' volumes of the kind that is a file system: `DRIVER/HASH`. */
  readonly devices: string
  /** Of block volumes: by the name of the volume. */
  readonly blockDevices: string
  pod(uid: string): string
  /** Where the mounts of a pod are, one directory for each volume. */
  podMounts(uid: string): string
  /** Where the links to block volumes of a pod are. */
  podLinks(uid: string): string
  /** Ours; what the driver makes is below it. */
  mountDirectory(uid: string, specName: string): string
  mountData(uid: string, specName: string): string
  mountTarget(uid: string, specName: string): string
  deviceDirectory(driver: string, handle: string): string
  deviceData(driver: string, handle: string): string
  staging(driver: string, handle: string): string
  blockData(specName: string): string
  blockStaging(specName: string): string
  blockTargets(specName: string): string
  blockTarget(specName: string, uid: string): string
  blockLink(uid: string, specName: string): string
}

export const DATA_FILE = 'vol_data.json'
export const TARGET = 'mount'
export const STAGING = 'globalmount'
export const PLUGIN_DIRECTORY = 'kubernetes.io~csi'
/** Below `blockDevices`, beside the volumes themselves. */
export const BLOCK_STAGING = 'staging'
export const BLOCK_TARGETS = 'publish'
export const BLOCK_DATA = 'data'

export function createVolumePaths(rootDir: string): VolumePaths {
  const pods = join(rootDir, 'pods')
  const devices = join(rootDir, 'plugins', 'kubernetes.io', 'csi')
  const blockDevices = join(devices, 'volumeDevices')
  const pod = (uid: string): string => join(pods, checkPathName(uid))
  const podMounts = (uid: string): string => join(pod(uid), 'volumes', PLUGIN_DIRECTORY)
  const podLinks = (uid: string): string => join(pod(uid), 'volumeDevices', PLUGIN_DIRECTORY)
  const mountDirectory = (uid: string, specName: string): string => join(podMounts(uid), checkPathName(specName))
  const deviceDirectory = (driver: string, handle: string): string =>
    join(devices, checkPathName(driver), handleHash(handle))
  const blockTargets = (specName: string): string => join(blockDevices, BLOCK_TARGETS, checkPathName(specName))
  return {
    pods,
    devices,
    blockDevices,
    pod,
    podMounts,
    podLinks,
    mountDirectory,
    mountData: (uid, specName) => join(mountDirectory(uid, specName), DATA_FILE),
    mountTarget: (uid, specName) => join(mountDirectory(uid, specName), TARGET),
    deviceDirectory,
    deviceData: (driver, handle) => join(deviceDirectory(driver, handle), DATA_FILE),
    staging: (driver, handle) => join(deviceDirectory(driver, handle), STAGING),
    blockData: (specName) => join(blockDevices, checkPathName(specName), BLOCK_DATA, DATA_FILE),
    blockStaging: (specName) => join(blockDevices, BLOCK_STAGING, checkPathName(specName)),
    blockTargets,
    blockTarget: (specName, uid) => join(blockTargets(specName), checkPathName(uid)),
    blockLink: (uid, specName) => join(podLinks(uid), checkPathName(specName)),
  }
}

/** By this a handle, which may be any text, stands in a path. */
export const handleHash = (handle: string): string => createHash('sha256').update(handle).digest('hex')

/** Names come from the API, from drivers and from files: none of them may lead elsewhere. */
export function checkPathName(name: string): string {
  if (!isPathName(name)) throw new UnsafeNameError(name)
  return name
}

export const isPathName = (name: string): boolean =>
  // oxlint-disable-next-line no-control-regex
  /^(?!\.{1,2}$)[^/\0-\x1f\x7f]+$/.test(name) && Buffer.byteLength(name) <= 255
