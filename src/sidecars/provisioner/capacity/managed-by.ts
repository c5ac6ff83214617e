const CENTRAL = 'external-provisioner'
const LONGEST = 63
const HASH = 8

export const DRIVER_NAME_LABEL = 'csi.storage.k8s.io/drivername'
export const MANAGED_BY_LABEL = 'csi.storage.k8s.io/managed-by'

/**
 * The value of the label that tells whose an object is: one for the cluster, or one for each node. Cut as others cut it, so that either
 * goes on with the objects of the other: first our own name gives way to a hash of it, then the node's.
 */
export function managedBy(nodeName?: string): string {
  if (nodeName === undefined) return CENTRAL
  const whole = `${CENTRAL}-${nodeName}`
  if (whole.length <= LONGEST) return whole
  const rest = LONGEST - nodeName.length - HASH - 2
  return rest > 0 ? `${CENTRAL.slice(0, rest)}-${hashOf(CENTRAL)}-${nodeName}` : `${CENTRAL}-${hashOf(whole)}`
}

/** FNV-1a of 32 bits, in hexadecimal. */
function hashOf(text: string): string {
  let hash = 2166136261
  for (const byte of Buffer.from(text)) hash = Math.imul(hash ^ byte, 16777619) >>> 0
  return hash.toString(16).padStart(HASH, '0')
}
