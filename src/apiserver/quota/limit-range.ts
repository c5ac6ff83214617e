import { compareQuantities, quantityToMilli } from '../../api/quantity.ts'
import type { LimitRange, LimitRangeItem } from '../../api/kinds/limit-range.ts'
import type { PersistentVolumeClaim } from '../../api/kinds/persistent-volume-claim.ts'
import type { Container, Pod } from '../../api/kinds/pod.ts'
import type { Loose } from '../kinds/loose.ts'
import type { Amounts } from './amounts.ts'
import { podAmounts } from './pod-amounts.ts'

type Used = { readonly requests: Amounts; readonly limits: Amounts }

const SET_BY = 'kubernetes.io/limit-ranger'

/** Sets the default requests and limits of containers that have none, and an annotation that says so. */
export function applyContainerDefaults(range: LimitRange, pod: Loose<Pod>): void {
  const items = itemsOf(range, 'Container')
  const defaults = {
    limits: Object.assign({}, ...items.map((item) => item.default ?? {})) as Amounts,
    requests: Object.assign({}, ...items.map((item) => item.defaultRequest ?? {})) as Amounts,
  }
  const notes = [
    ...(pod.spec?.containers ?? []).flatMap((container) => fill(container, 'container', defaults)),
    ...(pod.spec?.initContainers ?? []).flatMap((container) => fill(container, 'init container', defaults)),
  ]
  if (notes.length === 0 || !pod.metadata) return
  pod.metadata.annotations = { ...pod.metadata.annotations, [SET_BY]: `LimitRanger plugin set: ${notes.join('; ')}` }
}

function fill(container: Loose<Container>, what: string, defaults: Used): string[] {
  const resources = (container.resources ??= {})
  return (['requests', 'limits'] as const).flatMap((member) => {
    const missing = Object.keys(defaults[member]).filter((name) => resources[member]?.[name] === undefined)
    if (missing.length === 0) return []
    resources[member] = { ...defaults[member], ...(resources[member] as Amounts | undefined) }
    return [`${missing.sort().join(', ')} ${member.slice(0, -1)} for ${what} ${container.name ?? ''}`]
  })
}

/** Why a pod is outside of the limits of its namespace. */
export function podLimitProblems(range: LimitRange, pod: Loose<Pod>): string[] {
  const containers = [...(pod.spec?.containers ?? []), ...(pod.spec?.initContainers ?? [])].map(
    ({ resources }): Used => ({
      requests: (resources?.requests ?? {}) as Amounts,
      limits: (resources?.limits ?? {}) as Amounts,
    }),
  )
  const whole: Used = { requests: podAmounts(pod, 'requests'), limits: podAmounts(pod, 'limits') }
  return [
    ...itemsOf(range, 'Container').flatMap((item) => containers.flatMap((used) => itemProblems(item, used))),
    ...itemsOf(range, 'Pod').flatMap((item) => itemProblems(item, whole)),
  ]
}

/** Why a claim is smaller or larger than its namespace allows. */
export function claimLimitProblems(range: LimitRange, { spec }: Loose<PersistentVolumeClaim>): string[] {
  const requests = (spec?.resources?.requests ?? {}) as Amounts
  return itemsOf(range, 'PersistentVolumeClaim').flatMap((item) => [
    ...amountsOf(item.min).flatMap(([name, least]) => minimumProblems(item, name, least, { requests, limits: {} })),
    ...amountsOf(item.max).flatMap(([name, most]) => {
      const asked = requests[name]
      const text = `maximum ${name} usage per ${item.type} is ${most}`
      if (asked === undefined) return [`${text}.  No request is specified`]
      return compareQuantities(asked, most) > 0 ? [`${text}, but request is ${asked}`] : []
    }),
  ])
}

const itemsOf = ({ spec }: LimitRange, type: string): readonly LimitRangeItem[] =>
  (spec?.limits ?? []).filter((item) => item.type === type)

const amountsOf = (amounts: object | undefined): [string, string][] => Object.entries((amounts ?? {}) as Amounts)

function itemProblems(item: LimitRangeItem, used: Used): string[] {
  return [
    ...amountsOf(item.min).flatMap(([name, least]) => minimumProblems(item, name, least, used)),
    ...amountsOf(item.max).flatMap(([name, most]) => maximumProblems(item, name, most, used)),
    ...amountsOf(item.maxLimitRequestRatio).flatMap(([name, most]) => ratioProblems(item, name, most, used)),
  ]
}

function minimumProblems({ type }: LimitRangeItem, name: string, least: string, { requests, limits }: Used): string[] {
  const [asked, limit] = [requests[name], limits[name]]
  const text = `minimum ${name} usage per ${type} is ${least}`
  if (asked === undefined) return [`${text}.  No request is specified`]
  if (compareQuantities(asked, least) < 0) return [`${text}, but request is ${asked}`]
  return limit !== undefined && compareQuantities(limit, least) < 0 ? [`${text}, but limit is ${limit}`] : []
}

function maximumProblems({ type }: LimitRangeItem, name: string, most: string, { requests, limits }: Used): string[] {
  const [asked, limit] = [requests[name], limits[name]]
  const text = `maximum ${name} usage per ${type} is ${most}`
  if (limit === undefined) return [`${text}.  No limit is specified`]
  if (compareQuantities(limit, most) > 0) return [`${text}, but limit is ${limit}`]
  return asked !== undefined && compareQuantities(asked, most) > 0 ? [`${text}, but request is ${asked}`] : []
}

function ratioProblems({ type }: LimitRangeItem, name: string, most: string, { requests, limits }: Used): string[] {
  const text = `${name} max limit to request ratio per ${type} is ${most}`
  const [asked, limit] = [quantityToMilli(requests[name] ?? '0'), quantityToMilli(limits[name] ?? '0')]
  if (asked === 0) return [`${text}, but no request is specified or request is 0`]
  if (limit === 0) return [`${text}, but no limit is specified or limit is 0`]
  const ratio = limit / asked
  return ratio * 1000 > quantityToMilli(most) ? [`${text}, but provided ratio is ${ratio.toFixed(6)}`] : []
}
