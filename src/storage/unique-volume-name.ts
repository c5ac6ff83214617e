const PREFIX = 'kubernetes.io/csi/'

/** What a volume is called in a node's `volumesInUse` and `volumesAttached`. */
export const uniqueVolumeName = (driver: string, handle: string): string => `${PREFIX}${driver}^${handle}`

/** Undefined for a name that is not of a CSI volume. A handle may have the sign too, a driver's name can't: the first one parts them. */
export function parseUniqueVolumeName(name: string): { driver: string; handle: string } | undefined {
  const at = name.indexOf('^')
  if (!name.startsWith(PREFIX) || at < 0) return undefined
  return { driver: name.slice(PREFIX.length, at), handle: name.slice(at + 1) }
}
