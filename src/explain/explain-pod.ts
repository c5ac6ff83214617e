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
import { absentLink, actor, blockedLink, idOf, readyLink, unseenLink, waitingLink } from './links.ts'

/** Why a pod does not run, or is not gone, as far as its volumes are concerned. */
export async function explainPod(ref: ObjectRef, reader: ClusterReader): Promise<Link> {
  const found = await reader.get(PODS, ref)
  if (found.kind === 'absent') return absentLink({ kind: 'Pod', ...ref })
  if (found.kind === 'unseen') return unseenLink({ kind: 'Pod', ...ref })
  const pod = found.object
  if (pod.metadata.deletionTimestamp !== undefined) return explainLeaving(pod, reader)
  if (isFinishedPod(pod)) return readyLink(idOf(pod), podState(pod), { reason: { code: 'Finished' } })
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
    return blockedLink(
      object,
      state,
      [
        {
          ...node,
          reason: {
            code: isGone ? 'NodeGoneWithPod' : 'NodeSilentWithPod',
            detail: { pod: object.name, namespace: object.namespace ?? '' },
          },
        },
      ],
      { isLeaving },
    )
  }
  const lastError = await findLastError(reader, object, [
    'FailedUnmount',
    'FailedUnMount',
    'FailedUnmapDevice',
    'FailedKillPod',
  ])
  const detail = lastError ? { error: lastError.message } : {}
  return waitingLink(
    object,
    state,
    { code: lastError ? 'UnmountFailed' : 'AwaitingPodEnd', waitsFor: actor(`the node agent on ${nodeName}`), detail },
    { isLeaving, dependsOn: [node], ...(lastError ? { lastError } : {}) },
  )
}
