import { validateCsiDriverName } from '../../api/csi-driver-name.ts'
import { compareDriverVersions, findSupportedVersion } from './driver-version.ts'
import type { DriverVersion } from './driver-version.ts'
import { REASONS } from './reasons.ts'
import type { RegistrationReason } from './reasons.ts'
import type { Sighting } from './scan-registry.ts'

/** A driver that wants to be registered, its name and version being valid. */
export type PluginOffer = {
  readonly name: string
  /** The path of the driver's own socket. */
  readonly endpoint: string
  readonly version: DriverVersion
  /** The registrar said that NodePublishVolume shall carry the pod. */
  readonly requiresPublishPod: boolean
  /** The registrar has not yet said whether it does, but may: it is asked again. */
  readonly isFlagOpen: boolean
}

export type PluginInfo = {
  readonly type: string
  readonly name: string
  readonly endpoint: string
  readonly supportedVersions: readonly string[]
}

export const CSI_PLUGIN = 'CSIPlugin'

/** The name and version that a registrar offers, or why they are refused. */
export function checkPluginInfo({
  type,
  name,
  supportedVersions,
}: PluginInfo): { name: string; version: DriverVersion } | { problem: RegistrationReason } {
  if (type !== CSI_PLUGIN) return { problem: REASONS.otherType(type) }
  const [wrong] = validateCsiDriverName(name)
  if (wrong !== undefined) return { problem: REASONS.badName(name, wrong) }
  const version = findSupportedVersion(supportedVersions)
  return version ? { name, version } : { problem: REASONS.badVersion(name, supportedVersions) }
}

/** A plugin that is registered under a name. */
export type Registered = {
  readonly socket: string
  readonly via: Sighting['via']
  readonly version: DriverVersion
  readonly isLeaving: boolean
}

/**
 * May this offer take over from the one that is registered under its name? A registrar counts more than a socket that was only found;
 * otherwise the version has to be higher, so that two drivers of one name don't take turns.
 */
export function mayTakeOver(offer: { version: DriverVersion; via: Sighting['via'] }, registered: Registered): boolean {
  if (registered.isLeaving) return true
  if (offer.via !== registered.via) return offer.via === 'registrar'
  return compareDriverVersions(offer.version, registered.version) > 0
}
