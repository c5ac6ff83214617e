const PREFIX = 'kubernetes.io/csi/'

/** The name of a volume in a node's `volumesInUse` and `volumesAttached`. */
export const uniqueVolumeName = (driver: string, volumeHandle: string): string => `${PREFIX}${driver}^${volumeHandle}`

/** Undefined if the name is not that of a CSI volume. The first `^` separates driver and handle: a handle can contain one, a driver's name cannot. */
export function parseUniqueVolumeName(name: string): { driver: string; volumeHandle: string } | undefined {
  const at = name.indexOf('^')
  if (!name.startsWith(PREFIX) || at < 0) return undefined
  return { driver: name.slice(PREFIX.length, at), volumeHandle: name.slice(at + 1) }
}
