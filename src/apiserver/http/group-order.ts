// Upstream's order: kubectl uses the first group with a resource of the given name.
const FIRST_GROUPS = [
  '',
  'apiregistration.k8s.io',
  'apps',
  'events.k8s.io',
  'authentication.k8s.io',
  'authorization.k8s.io',
  'autoscaling',
  'batch',
  'certificates.k8s.io',
  'networking.k8s.io',
  'policy',
  'rbac.authorization.k8s.io',
  'storage.k8s.io',
  'apiextensions.k8s.io',
  'admissionregistration.k8s.io',
  'scheduling.k8s.io',
  'coordination.k8s.io',
  'node.k8s.io',
  'discovery.k8s.io',
  'flowcontrol.apiserver.k8s.io',
  'internal.apiserver.k8s.io',
  'resource.k8s.io',
]
const RANKS = new Map(FIRST_GROUPS.map((group, rank) => [group, rank]))

/** Sorts groups: the core group first, then the built-in ones in a fixed order, then the others by name. */
export function compareGroups(left: string, right: string): number {
  const byRank = (RANKS.get(left) ?? FIRST_GROUPS.length) - (RANKS.get(right) ?? FIRST_GROUPS.length)
  return byRank || compareText(left, right)
}

/** Sorts versions, the preferred one first: v2, v1, v1beta2, v1beta1, v1alpha1, then other names alphabetically. */
export function compareVersions(left: string, right: string): number {
  const [a, b] = [parseVersion(left), parseVersion(right)]
  if (!a || !b) return a ? -1 : b ? 1 : compareText(left, right)
  return b.stability - a.stability || b.major - a.major || b.minor - a.minor
}

function parseVersion(text: string): { stability: number; major: number; minor: number } | undefined {
  const [, major, stage, minor = '0'] = /^v([1-9]\d*)(?:(alpha|beta)([1-9]\d*))?$/.exec(text) ?? []
  if (major === undefined) return undefined
  return { stability: stage === undefined ? 2 : stage === 'beta' ? 1 : 0, major: Number(major), minor: Number(minor) }
}

export const compareText = (left: string, right: string): number => (left < right ? -1 : left > right ? 1 : 0)
