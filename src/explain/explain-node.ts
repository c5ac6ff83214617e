import { hasCondition } from '../api/conditions.ts'
import { NODES } from '../api/kinds/node.ts'
import type { ClusterReader } from './cluster-reader.ts'
import type { Link } from './explanation.ts'
import { absentLink, readyLink, waitingLink } from './links.ts'

/** Whether there is somebody on the node who could act. */
export async function explainNode(name: string, reader: ClusterReader): Promise<Link> {
  const object = { kind: 'Node', name }
  const found = await reader.get(NODES, { name })
  if (found.kind === 'absent') return absentLink(object, { code: 'NodeMissing' })
  if (found.kind === 'unseen') return readyLink(object, 'not visible')
  const { conditions } = found.object.status ?? {}
  // A node that says nothing of itself is not called silent.
  if (!conditions?.some(({ type }) => type === 'Ready') || hasCondition(conditions, 'Ready'))
    return readyLink(object, 'Ready')
  return waitingLink(object, 'NotReady', { code: 'NodeNotReady' })
}
