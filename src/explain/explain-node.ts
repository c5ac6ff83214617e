import { hasCondition } from '../api/conditions.ts'
import { NODES } from '../api/kinds/node.ts'
import type { Node } from '../api/kinds/node.ts'
import type { ClusterReader } from './cluster-reader.ts'
import type { Link } from './explanation.ts'
import { absentLink, readyLink, waitingLink } from './links.ts'
import { REASONS } from './reasons.ts'

/** Whether the node can act. */
export async function explainNode(name: string, reader: ClusterReader): Promise<Link> {
  const object = { kind: 'Node', name }
  const found = await reader.get(NODES, { name })
  if (found.kind === 'absent') return absentLink(object, REASONS.nodeMissing(name))
  if (found.kind === 'unseen') return readyLink(object, 'not visible')
  if (isReadyNode(found.object)) return readyLink(object, 'Ready')
  return waitingLink(object, 'NotReady', REASONS.nodeNotReady(name))
}

/** A node without this condition may well be ready. */
export const isReadyNode = ({ status }: Node): boolean =>
  !status?.conditions?.some(({ type }) => type === 'Ready') || hasCondition(status.conditions, 'Ready')
