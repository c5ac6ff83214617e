import { relative } from 'node:path'
import { validateCsiDriverName } from '../../api/csi-driver-name.ts'
import { ifPresent } from '../../base/host/index.ts'
import type { HostFiles } from '../../base/host/index.ts'
import type { PluginInfo } from '../../csi/generated/pluginregistration/api.ts'
import { parseEndpoint } from '../../csi/parse-endpoint.ts'
import { PluginRefusal, REASONS } from './reasons.ts'
import type { Sighting } from './watch-registry.ts'

/** The numbers of a version, the most important first. */
export type DriverVersion = readonly number[]

/** `1.0.0` and `v1.2` as numbers; undefined if the text is not a version, such as a single number. Anything after the numbers is ignored. */
export function parseDriverVersion(text: string): DriverVersion | undefined {
  const match = /^v?(\d{1,9}(?:\.\d{1,9})+)/.exec(text.trim())
  return match?.[1]?.split('.').map(Number)
}

/** Below zero when the first is the lower one. */
export function compareDriverVersions(a: DriverVersion, b: DriverVersion): number {
  for (let index = 0; index < Math.max(a.length, b.length); index++) {
    const difference = (a[index] ?? 0) - (b[index] ?? 0)
    if (difference !== 0) return difference
  }
  return 0
}

/** The highest supported version: major 1. Others, and invalid versions, are ignored. */
export function findSupportedVersion(versions: readonly string[]): DriverVersion | undefined {
  return versions
    .flatMap((text) => [parseDriverVersion(text) ?? []])
    .filter(([major]) => major === 1)
    .toSorted(compareDriverVersions)
    .at(-1)
}

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

/** The name and version that a registrar offers. Throws a `PluginRefusal`, as the other checks do. */
export function checkPluginInfo({ type, name, supportedVersions }: PluginInfo) {
  if (type !== 'CSIPlugin') throw new PluginRefusal(REASONS.PluginTypeUnknown(type))
  checkName(name)
  const version = findSupportedVersion(supportedVersions)
  if (!version) throw new PluginRefusal(REASONS.VersionUnsupported(name, supportedVersions))
  return { name, version }
}

export function checkName(name: string): void {
  const [problem] = validateCsiDriverName(name)
  if (problem !== undefined) throw new PluginRefusal(REASONS.DriverNameInvalid(name, problem))
}

/** A plugin that is registered under a name. */
export type Registered = Readonly<{ socket: string; via: Sighting['via']; version: DriverVersion; isLeaving: boolean }>

/**
 * Whether this offer may replace the one that is registered under its name. A registrar takes precedence over a socket that was only found; otherwise
 * the version has to be higher, so that two drivers of one name don't alternate.
 */
export function mayTakeOver(offer: { version: DriverVersion; via: Sighting['via'] }, registered: Registered): boolean {
  if (registered.isLeaving) return true
  if (offer.via !== registered.via) return offer.via === 'registrar'
  return compareDriverVersions(offer.version, registered.version) > 0
}

/** The path of a driver's socket, if it is one and lies in one of the directories, also with every link resolved. */
export async function checkEndpoint(
  files: Pick<HostFiles, 'resolve' | 'findStat'>,
  name: string,
  endpoint: string,
  directories: readonly string[],
): Promise<string> {
  const path = findPath(name, endpoint)
  const real = await Promise.all(directories.map((directory) => files.resolve(directory).catch(() => directory)))
  const isInside = (candidate: string): boolean =>
    [...directories, ...real].some((directory) => isBelow(candidate, directory))
  // By its name first: nothing outside is even accessed.
  if (!isInside(path)) throw new PluginRefusal(REASONS.EndpointOutsideRoot(name, path))
  const target = await ifPresent(files.resolve(path), 'ELOOP')
  if (target !== undefined && !isInside(target)) throw new PluginRefusal(REASONS.EndpointOutsideRoot(name, target))
  const stat = target === undefined ? undefined : await files.findStat(target)
  if (!stat) throw new PluginRefusal(REASONS.EndpointMissing(name, path))
  if (stat.kind !== 'socket') throw new PluginRefusal(REASONS.EndpointNotASocket(name, path, stat.kind))
  return path
}

function findPath(name: string, endpoint: string): string {
  try {
    return parseEndpoint(endpoint)
  } catch {
    throw new PluginRefusal(REASONS.EndpointInvalid(name, endpoint))
  }
}

function isBelow(path: string, directory: string): boolean {
  const way = relative(directory, path)
  return way !== '' && way !== '..' && !way.startsWith('../')
}
