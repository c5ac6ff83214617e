const NODE_LABELS: ReadonlySet<string> = new Set([
  'kubernetes.io/hostname',
  'kubernetes.io/os',
  'kubernetes.io/arch',
  'beta.kubernetes.io/os',
  'beta.kubernetes.io/arch',
  'topology.kubernetes.io/zone',
  'topology.kubernetes.io/region',
  'failure-domain.beta.kubernetes.io/zone',
  'failure-domain.beta.kubernetes.io/region',
  'node.kubernetes.io/instance-type',
  'beta.kubernetes.io/instance-type',
])
const NODE_PREFIXES = ['kubelet.kubernetes.io', 'node.kubernetes.io']
const RESERVED_PREFIXES = ['kubernetes.io', 'k8s.io']
// Labels that nodes must never set themselves, because they are used to isolate nodes.
const CLOSED_PREFIX = 'node-restriction.kubernetes.io'

type Labels = Readonly<Record<string, string>>

/** Added, changed or removed keys that a node must not change, sorted. Keys outside the domains of Kubernetes are allowed. */
export function findForbiddenLabels(labels: Labels, old: Labels, allowedPrefixes: readonly string[]): string[] {
  const changed = [...new Set([...Object.keys(labels), ...Object.keys(old)])].filter((key) => labels[key] !== old[key])
  return changed.filter((key) => !isFree(key, allowedPrefixes)).sort()
}

function isFree(key: string, allowedPrefixes: readonly string[]): boolean {
  const slash = key.indexOf('/')
  const prefix = slash < 0 ? '' : key.slice(0, slash)
  if (isWithin(prefix, [CLOSED_PREFIX])) return false
  return (
    !isWithin(prefix, RESERVED_PREFIXES) ||
    NODE_LABELS.has(key) ||
    isWithin(prefix, [...NODE_PREFIXES, ...allowedPrefixes])
  )
}

const isWithin = (prefix: string, domains: readonly string[]): boolean =>
  domains.some((domain) => prefix === domain || prefix.endsWith(`.${domain}`))
