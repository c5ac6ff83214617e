import type { PolicyRule } from '../../api/kinds/rbac.ts'
import { quoteGo } from '../../api/quote-go.ts'
import type { RequestAttributes } from '../core/request.ts'

const ALL = '*'

/** Whether the rule allows the request. Every part must match; a rule with names never matches a request without one. */
export function ruleAllows(rule: PolicyRule, attributes: RequestAttributes): boolean {
  if (!hasOrAll(rule.verbs, attributes.verb)) return false
  if (!attributes.isResource) return (rule.nonResourceURLs ?? []).some((url) => coversUrl(url, attributes.path))
  const { group, resource, subresource, name } = attributes
  return (
    hasOrAll(rule.apiGroups, group) &&
    coversResource(rule.resources, subresource === '' ? resource : `${resource}/${subresource}`) &&
    (!rule.resourceNames?.length || rule.resourceNames.includes(name))
  )
}

export const rulesAllow = (rules: readonly PolicyRule[], attributes: RequestAttributes): boolean =>
  rules.some((rule) => ruleAllows(rule, attributes))

// A small role can mean billions of single permissions: a hundred verbs on a hundred resources of a hundred groups with a hundred names.
const MOST_COMPARISONS = 200_000

/**
 * The permissions in the wanted rules that the held rules lack, each one verb on one resource. A rule that no single held rule covers, and that has
 * too many permissions to compare each, counts as missing as a whole, which is never too permissive.
 */
export function findMissingRights(held: readonly PolicyRule[], wanted: readonly PolicyRule[]): PolicyRule[] {
  let comparisons = 0
  return wanted.flatMap((rule) => {
    if (isResourceOrUrlRule(rule) && held.some((own) => covers(own, rule))) return []
    comparisons += countRights(rule) * Math.max(1, held.length)
    if (comparisons > MOST_COMPARISONS) return [rule]
    return breakDown(rule).filter((single) => !held.some((own) => covers(own, single)))
  })
}

// A rule that mixes both, or names nothing, means something else than the sum of its parts.
const isResourceOrUrlRule = ({ apiGroups = [], resources = [], nonResourceURLs = [] }: PolicyRule): boolean =>
  nonResourceURLs.length === 0
    ? apiGroups.length > 0 && resources.length > 0
    : apiGroups.length === 0 && resources.length === 0

const countRights = ({
  verbs,
  apiGroups = [],
  resources = [],
  resourceNames = [],
  nonResourceURLs = [],
}: PolicyRule): number =>
  verbs.length * (apiGroups.length * resources.length * Math.max(1, resourceNames.length) + nonResourceURLs.length)

/** Permissions for people to read: verbs on one resource are combined and sorted. */
export function formatRights(rights: readonly PolicyRule[]): string[] {
  const merged = new Map<string, PolicyRule>()
  for (const right of rights) {
    const { verbs, ...thing } = right
    const key = JSON.stringify(thing)
    merged.set(key, { ...thing, verbs: [...(merged.get(key)?.verbs ?? []), ...verbs] })
  }
  return [...new Set([...merged.values()].map(formatRule))].sort()
}

type SingleRight = PolicyRule

function breakDown({
  verbs,
  apiGroups = [],
  resources = [],
  resourceNames = [],
  nonResourceURLs = [],
}: PolicyRule): SingleRight[] {
  const rights: SingleRight[] = []
  for (const group of apiGroups) {
    for (const resource of resources) {
      for (const verb of verbs) {
        const right = { apiGroups: [group], resources: [resource], verbs: [verb] }
        if (resourceNames.length === 0) rights.push(right)
        for (const name of resourceNames) rights.push({ ...right, resourceNames: [name] })
      }
    }
  }
  for (const url of nonResourceURLs) {
    for (const verb of verbs) rights.push({ nonResourceURLs: [url], verbs: [verb] })
  }
  return rights
}

function covers(held: PolicyRule, single: SingleRight): boolean {
  const names = single.resourceNames ?? []
  return (
    single.verbs.every((verb) => hasOrAll(held.verbs, verb)) &&
    (single.apiGroups ?? []).every((group) => hasOrAll(held.apiGroups, group)) &&
    (single.resources ?? []).every((resource) => coversResource(held.resources, resource)) &&
    (single.nonResourceURLs ?? []).every((url) => (held.nonResourceURLs ?? []).some((own) => coversUrl(own, url))) &&
    // No names means all names, which covers any list.
    (!held.resourceNames?.length || (names.length > 0 && names.every((name) => held.resourceNames?.includes(name))))
  )
}

const hasOrAll = (values: readonly string[] | undefined, value: string): boolean =>
  !!values && (values.includes(value) || values.includes(ALL))

// `*` is every resource and subresource, `*/scale` that subresource of every resource.
function coversResource(resources: readonly string[] | undefined, wanted: string): boolean {
  if (hasOrAll(resources, wanted)) return true
  const slash = wanted.indexOf('/')
  return slash >= 0 && !!resources?.includes(`*${wanted.slice(slash)}`)
}

const coversUrl = (held: string, wanted: string): boolean =>
  held === wanted || (held.endsWith(ALL) && wanted.startsWith(withoutStars(held)))

function withoutStars(url: string): string {
  let end = url.length
  while (url[end - 1] === ALL) end -= 1
  return url.slice(0, end)
}

function formatRule({ apiGroups, resources, nonResourceURLs, resourceNames, verbs }: PolicyRule): string {
  const named = {
    APIGroups: apiGroups,
    Resources: resources,
    NonResourceURLs: nonResourceURLs,
    ResourceNames: resourceNames,
    Verbs: verbs,
  }
  const parts = Object.entries(named)
    .filter(([, values]) => values?.length)
    .map(([name, values]) => `${name}:[${values?.map(quoteGo).join(' ')}]`)
  return `{${parts.join(', ')}}`
}
