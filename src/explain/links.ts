import type { KubeObject } from '../api/object.ts'
import type { ObjectAwaited } from '../api/reason.ts'
import type { Link, ObjectId } from './explanation.ts'
import { REASONS } from './reasons.ts'
import { mayPass } from './why-reason.ts'
import type { WhyReason } from './why-reason.ts'

export function idOf({
  kind,
  metadata: { namespace, name = '', uid },
}: Pick<KubeObject, 'kind' | 'metadata'>): ObjectId {
  return { kind, name, ...(namespace ? { namespace } : {}), ...(uid ? { uid } : {}) }
}

export const idOfAwaited = ({
  kindName,
  namespace,
  name,
}: Pick<ObjectAwaited, 'kindName' | 'namespace' | 'name'>): ObjectId => ({
  kind: kindName,
  name,
  ...(namespace ? { namespace } : {}),
})

type LinkParts = Partial<Pick<Link, 'title' | 'lastError' | 'isLeaving' | 'dependsOn' | 'reason'>>

export const readyLink = (object: ObjectId, state: string, parts: LinkParts = {}): Link => ({
  object,
  state,
  status: 'ready',
  dependsOn: [],
  ...parts,
})

export const waitingLink = (object: ObjectId, state: string, reason: WhyReason, parts: LinkParts = {}): Link => ({
  object,
  state,
  status: 'waits',
  reason,
  dependsOn: [],
  ...parts,
})

/** The link that it is waiting for has the reason. */
export const blockedLink = (
  object: ObjectId,
  state: string,
  dependsOn: readonly Link[],
  parts: LinkParts = {},
): Link => ({ object, state, status: 'waits', ...parts, dependsOn })

export const absentLink = (object: ObjectId, reason: WhyReason = REASONS.absent(object)): Link =>
  waitingLink(object, 'absent', reason)

export const unseenLink = (object: ObjectId): Link => waitingLink(object, 'not visible', REASONS.notVisible)

/** The links from the first to the one that says why. Empty when nothing is waiting. */
export const pathToCause = (link: Link): Link[] => rankedPaths(link)[0] ?? []

/** One for each cause. First those that need somebody to act, then those that may pass; among them first the cause of most. */
export function rankedPaths(link: Link): Link[][] {
  const paths = pathsToCauses(link)
  const counts = new Map<string, number>()
  for (const path of paths) counts.set(causeKey(path), (counts.get(causeKey(path)) ?? 0) + 1)
  const rank = (path: readonly Link[]): number =>
    (mayPass(path.at(-1)?.reason) ? 0 : 1e6) + (counts.get(causeKey(path)) ?? 0)
  const shortest = Map.groupBy(paths, causeKey)
  return Array.from(shortest.values(), ([first, ...others]) =>
    others.reduce((best, path) => (path.length < best.length ? path : best), first ?? []),
  ).sort((one, other) => rank(other) - rank(one))
}

const causeKey = (path: readonly Link[]): string => {
  const { object, reason } = path.at(-1) ?? {}
  return `${object?.kind} ${object?.namespace}/${object?.name} ${reason?.code}`
}

/** The same for each cause, in the order of the chain. */
export function pathsToCauses(link: Link): Link[][] {
  if (link.status !== 'waits') return []
  const below = link.dependsOn.flatMap(pathsToCauses)
  return below.length === 0 ? [[link]] : below.map((path) => [link, ...path])
}

/** The same chain, with this message in front of its cause: the one that people search for. */
export const prefixCause = (link: Link, message: string): Link =>
  changeCause(link, (reason) => ({ ...reason, message: `${message}: ${reason.message}` }))

/** The same chain, with another reason for each of its causes. */
export async function changeCauses(link: Link, change: (reason: WhyReason) => Promise<WhyReason>): Promise<Link> {
  if (link.status !== 'waits') return link
  if (!link.dependsOn.some(({ status }) => status === 'waits'))
    return link.reason ? { ...link, reason: await change(link.reason) } : link
  return { ...link, dependsOn: await Promise.all(link.dependsOn.map((each) => changeCauses(each, change))) }
}

/** The same chain, with another reason for its first cause. */
export function changeCause(link: Link, change: (reason: WhyReason) => WhyReason): Link {
  const index = link.dependsOn.findIndex(({ status }) => status === 'waits')
  if (index >= 0)
    return {
      ...link,
      dependsOn: link.dependsOn.map((each, at) => (at === index ? changeCause(each, change) : each)),
    }
  return link.reason ? { ...link, reason: change(link.reason) } : link
}

/** A link for each object of the chain, in the order of the list that people see. */
export const flattenLinks = (link: Link, depth = 0): { readonly link: Link; readonly depth: number }[] => [
  { link, depth },
  ...link.dependsOn.flatMap((each) => flattenLinks(each, depth + 1)),
]
