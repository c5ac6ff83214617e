import { NAMESPACES } from '../api/kinds/namespace.ts'
import type { ClusterReader } from './cluster-reader.ts'
import type { Link } from './explanation.ts'
import { explainWaiting, findCandidates } from './find-candidates.ts'
import type { ExplainObject } from './find-candidates.ts'
import { absentLink, blockedLink, idOf, readyLink, unseenLink, waitingLink } from './links.ts'
import { SCOPE_REASONS } from './scope-reasons.ts'

// Each says what keeps a namespace from being deleted. Those about finalizers say more than those about content.
const OBSTACLES = [
  'NamespaceFinalizersRemaining',
  'NamespaceDeletionContentFailure',
  'NamespaceContentRemaining',
  'NamespaceDeletionDiscoveryFailure',
]

/** Everything in a namespace that is waiting, and why a namespace is not deleted. */
export async function explainNamespace(
  name: string,
  reader: ClusterReader,
  explainObject: ExplainObject,
): Promise<Link> {
  const found = await reader.get(NAMESPACES, { name })
  if (found.kind === 'absent') return absentLink({ kind: 'Namespace', name })
  if (found.kind === 'unseen') return unseenLink({ kind: 'Namespace', name })
  const { status, metadata } = found.object
  const isLeaving = metadata.deletionTimestamp !== undefined
  const [object, state] = [idOf(found.object), status?.phase ?? 'Active']
  const { claims, snapshots, groups, pods } = await findCandidates(reader, name)
  const waiting = await explainWaiting([...claims, ...snapshots, ...groups, ...pods], explainObject, reader)
  if (waiting.length > 0) return blockedLink(object, state, waiting, { isLeaving })
  if (isLeaving) {
    const messages = OBSTACLES.flatMap((type) =>
      (status?.conditions ?? []).filter((each) => each.type === type && each.status === 'True'),
    ).flatMap(({ message }) => message ?? [])
    const reason = SCOPE_REASONS.namespaceContent(messages[0] ?? 'its content is being deleted')
    return waitingLink(object, state, reason, { isLeaving })
  }
  const reason = SCOPE_REASONS.nothingWaits('is active, and nothing in it is waiting for storage')
  return readyLink(object, state, { reason })
}
