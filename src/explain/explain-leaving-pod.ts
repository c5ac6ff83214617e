import { NODES } from '../api/kinds/node.ts'
import type { Pod } from '../api/kinds/pod.ts'
import type { ClusterReader } from './cluster-reader.ts'
import { explainFinalizers } from './explain-finalizers.ts'
import { explainNode } from './explain-node.ts'
import type { Link } from './explanation.ts'
import { findLastError } from './last-error.ts'
import { blockedLink, idOf, waitingLink } from './links.ts'
import { REASONS } from './reasons.ts'

/** Why a pod that is being deleted still exists. */
export async function explainLeavingPod(pod: Pod, reader: ClusterReader): Promise<Link> {
  const [object, state, isLeaving] = [idOf(pod), 'Terminating', true]
  const { nodeName = '' } = pod.spec
  if (nodeName === '' || pod.metadata.deletionGracePeriodSeconds === 0) return explainFinalizers(pod, {})
  const node = await explainNode(nodeName, reader)
  if (node.status === 'waits') {
    const isGone = (await reader.get(NODES, { name: nodeName })).kind === 'absent'
    const reason = isGone ? REASONS.nodeGoneWithPod(object, nodeName) : REASONS.nodeSilentWithPod(nodeName)
    return blockedLink(object, state, [{ ...node, reason }], { isLeaving })
  }
  const lastError = await findLastError(reader, object, [
    'FailedUnmount',
    'FailedUnMount',
    'FailedUnmapDevice',
    'FailedKillPod',
  ])
  const reason = lastError ? REASONS.unmountFailed(nodeName, lastError.message) : REASONS.awaitingPodEnd(nodeName)
  return waitingLink(object, state, reason, { isLeaving, dependsOn: [node], ...(lastError ? { lastError } : {}) })
}
