import type { ObjectRef } from '../api/object.ts'
import { NODES } from '../api/kinds/node.ts'
import { PODS } from '../api/kinds/pod.ts'
import type { Pod } from '../api/kinds/pod.ts'
import { isFinishedPod } from '../storage/pod-claims.ts'
import type { ClusterReader } from './cluster-reader.ts'
import { explainFinalizers } from './explain-finalizers.ts'
import { explainMounts } from './explain-mounts.ts'
import { explainNode } from './explain-node.ts'
import { explainPlacement } from './explain-placement.ts'
import type { Link } from './explanation.ts'
import { findLastError } from './last-error.ts'
import { absentLink, blockedLink, idOf, readyLink, unseenLink, waitingLink } from './links.ts'
import { REASONS } from './reasons.ts'

/** Why a pod is not running, or not deleted, as far as its volumes are concerned. */
export async function explainPod(ref: ObjectRef, reader: ClusterReader): Promise<Link> {
  const found = await reader.get(PODS, ref)
  if (found.kind === 'absent') return absentLink({ kind: 'Pod', ...ref })
  if (found.kind === 'unseen') return unseenLink({ kind: 'Pod', ...ref })
  const pod = found.object
  if (pod.metadata.deletionTimestamp !== undefined) return explainLeaving(pod, reader)
  if (isFinishedPod(pod)) return readyLink(idOf(pod), podState(pod), { reason: REASONS.finished })
  return pod.spec.nodeName ? explainMounts(pod, pod.spec.nodeName, reader) : explainPlacement(pod, reader)
}

export const podState = ({ metadata, status }: Pod): string =>
  metadata.deletionTimestamp === undefined ? (status?.phase ?? 'Pending') : 'Terminating'

async function explainLeaving(pod: Pod, reader: ClusterReader): Promise<Link> {
  const [object, state, isLeaving] = [idOf(pod), 'Terminating', true]
  const { nodeName = '' } = pod.spec
  if (nodeName === '' || pod.metadata.deletionGracePeriodSeconds === 0) return explainFinalizers(pod, {})
  const node = await explainNode(nodeName, reader)
  if (node.status === 'waits') {
    const isGone = (await reader.get(NODES, { name: nodeName })).kind === 'absent'
    const reason = isGone ? REASONS.nodeGoneWithPod(object, nodeName) : REASONS.nodeSilentWithPod
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
