import type { KubeObject } from '../api/object.ts'
import type { ObjectAwaited, Reason } from '../api/reason.ts'
import type { Link, ObjectId } from './explanation.ts'

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

export const actor = (name: string) => ({ kind: 'actor', name }) as const

type LinkParts = Partial<Pick<Link, 'title' | 'lastError' | 'isLeaving' | 'dependsOn' | 'reason'>>

export const readyLink = (object: ObjectId, state: string, parts: LinkParts = {}): Link => ({
  object,
  state,
  status: 'ready',
  dependsOn: [],
  ...parts,
})

export const waitingLink = (object: ObjectId, state: string, reason: Reason, parts: LinkParts = {}): Link => ({
  object,
  state,
  status: 'waits',
  reason,
  dependsOn: [],
  ...parts,
})

/** What it waits for says why. */
export const blockedLink = (
  object: ObjectId,
  state: string,
  dependsOn: readonly Link[],
  parts: LinkParts = {},
): Link => ({ object, state, status: 'waits', ...parts, dependsOn })

export const absentLink = (object: ObjectId, reason: Reason = { code: 'Absent' }): Link =>
  waitingLink(object, 'absent', reason)

export const unseenLink = (object: ObjectId): Link => waitingLink(object, 'not visible', { code: 'NotVisible' })

/** The links from the first that waits to the one that says why. Empty when nothing waits. */
export function pathToCause(link: Link): Link[] {
  if (link.status !== 'waits') return []
  const next = link.dependsOn.find(({ status }) => status === 'waits')
  return [link, ...(next ? pathToCause(next) : [])]
}

/** A link for each object of the chain, in the order of the list that people see. */
export const flattenLinks = (link: Link, depth = 0): { readonly link: Link; readonly depth: number }[] => [
  { link, depth },
  ...link.dependsOn.flatMap((each) => flattenLinks(each, depth + 1)),
]
