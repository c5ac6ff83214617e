import { compareQuantities } from '../../api/quantity.ts'
import { PODS } from '../../api/kinds/pod.ts'
import type { Container, Pod } from '../../api/kinds/pod.ts'
import { PERSISTENT_VOLUME_CLAIMS } from '../../api/kinds/persistent-volume-claim.ts'
import type { ResourceQuota } from '../../api/kinds/resource-quota.ts'
import { SERVICES } from '../../api/kinds/service.ts'
import { qualifiedResource } from '../../api/resource-type.ts'
import type { ResourceType } from '../../api/resource-type.ts'
import type { Draft } from '../core/kind-definition.ts'
import type { Loose } from '../kinds/loose.ts'
import { addAmounts, formatAmounts, growthOf, pickAmounts } from './amounts.ts'
import type { Amounts } from './amounts.ts'
import { appliesTo, isTerminatingPod } from './quota-scope.ts'
import { isMeasuredBy, usageOf } from './usage-of.ts'

/** A write that may use up a quota. */
export type MeasuredWrite = {
  readonly type: ResourceType
  readonly subresource: string
  readonly object: Draft
  /** Absent for a creation. */
  readonly old: Draft | undefined
}

/** The new `status.used` of each quota that the write is charged to, or why it is rejected. */
export type QuotaDecision =
  | { readonly kind: 'charge'; readonly charges: readonly { quota: ResourceQuota; used: Amounts }[] }
  | { readonly kind: 'refuse'; readonly why: string }

/** Decides a write on the newest state of the quotas of its namespace. */
export function checkQuotas(quotas: readonly ResourceQuota[], write: MeasuredWrite, nowMs: number): QuotaDecision {
  const { type, object, old } = write
  const charges: { quota: ResourceQuota; used: Amounts }[] = []
  for (const quota of isMeasured(write) ? quotas : []) {
    const { hard = {}, used = {} } = (quota.status ?? {}) as { hard?: Amounts; used?: Amounts }
    if (!appliesTo(quota, hard, type, object)) continue
    const name = quota.metadata.name ?? ''
    const measured = Object.keys(hard).filter((resource) => isMeasuredBy(type, resource))
    const missing = missingAmounts(write, measured)
    if (missing) return { kind: 'refuse', why: `failed quota: ${name}: must specify ${missing}` }
    const unknown = measured.filter((resource) => used[resource] === undefined)
    if (unknown.length > 0)
      return { kind: 'refuse', why: `status unknown for quota: ${name}, resources: ${unknown.sort().join(',')}` }
    const before = old && appliesTo(quota, hard, type, old) ? usageOf(type, old, nowMs) : {}
    const added = pickAmounts(growthOf(usageOf(type, object, nowMs), before), measured)
    if (Object.keys(added).length === 0) continue
    const sum = addAmounts(used, added)
    const exceeded = Object.keys(added).filter((resource) => isMore(sum[resource], hard[resource]))
    if (exceeded.length > 0 && write.subresource !== 'status')
      return { kind: 'refuse', why: formatExceeded(name, { added, used, hard }, exceeded) }
    charges.push({ quota, used: sum })
  }
  return { kind: 'charge', charges }
}

const isMore = (sum: string | undefined, limit: string | undefined): boolean =>
  sum !== undefined && limit !== undefined && compareQuantities(sum, limit) > 0

const formatExceeded = (
  name: string,
  { added, used, hard }: { added: Amounts; used: Amounts; hard: Amounts },
  exceeded: readonly string[],
): string => {
  const of = (amounts: Amounts): string => formatAmounts(pickAmounts(amounts, exceeded))
  return `exceeded quota: ${name}, requested: ${of(added)}, used: ${of(used)}, limited: ${of(hard)}`
}

// Most objects only count: an update does not change their number.
function isMeasured({ type, subresource, object, old }: MeasuredWrite): boolean {
  switch (qualifiedResource(type)) {
    case PODS.plural:
      return (
        subresource === '' &&
        (old === undefined || isTerminatingPod(object as Loose<Pod>) !== isTerminatingPod(old as Loose<Pod>))
      )
    case PERSISTENT_VOLUME_CLAIMS.plural:
      return subresource === '' || subresource === 'status'
    case SERVICES.plural:
      return subresource === ''
    default:
      return subresource === '' && old === undefined
  }
}

const CONSTRAINED = ['cpu', 'memory', 'requests.cpu', 'requests.memory', 'limits.cpu', 'limits.memory']

/** A quota for CPU or memory applies only to pods that say how much each of their containers uses. */
function missingAmounts({ type, object }: MeasuredWrite, measured: readonly string[]): string | undefined {
  if (qualifiedResource(type) !== PODS.plural) return undefined
  const { spec } = object as Loose<Pod>
  if ((spec as { resources?: object } | undefined)?.resources) return undefined
  const containers = [...(spec?.containers ?? []), ...(spec?.initContainers ?? [])]
  const missing = measured
    .filter((resource) => CONSTRAINED.includes(resource))
    .sort()
    .flatMap((resource) => {
      const names = containers.filter((container) => !hasAmount(container, resource)).map(({ name = '' }) => name)
      return names.length > 0 ? [`${resource} for: ${[...new Set(names)].sort().join(',')}`] : []
    })
  return missing.length > 0 ? missing.join('; ') : undefined
}

function hasAmount({ resources }: Loose<Container>, resource: string): boolean {
  const name = resource.slice(resource.indexOf('.') + 1)
  return (resource.startsWith('limits.') ? resources?.limits : resources?.requests)?.[name] !== undefined
}

/** `status.used` computed from all objects of a namespace. `objects` are those of one kind. */
export function usedBy(
  quota: ResourceQuota,
  kinds: readonly { type: ResourceType; objects: () => readonly Draft[] }[],
  nowMs: number,
): Amounts {
  const hard = (quota.spec?.hard ?? {}) as Amounts
  let used: Amounts = Object.fromEntries(Object.keys(hard).map((name) => [name, '0']))
  for (const { type, objects } of kinds) {
    const measured = Object.keys(hard).filter((name) => isMeasuredBy(type, name))
    if (measured.length === 0) continue
    for (const object of objects())
      if (appliesTo(quota, hard, type, object))
        used = addAmounts(used, pickAmounts(usageOf(type, object, nowMs), measured))
  }
  return used
}
