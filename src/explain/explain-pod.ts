import type { ObjectRef } from '../api/object.ts'
import { PODS } from '../api/kinds/pod.ts'
import type { Pod } from '../api/kinds/pod.ts'
import { isFinishedPod } from '../storage/pod-claims.ts'
import type { ClusterReader } from './cluster-reader.ts'
import { explainLeavingPod } from './explain-leaving-pod.ts'
import { explainMounts } from './explain-mounts.ts'
import { explainPlacement } from './explain-placement.ts'
import type { Link } from './explanation.ts'
import { absentLink, idOf, readyLink, unseenLink } from './links.ts'
import { REASONS } from './reasons.ts'

/** Why a pod is not running, or not deleted, as far as its volumes are concerned. */
export async function explainPod(ref: ObjectRef, reader: ClusterReader): Promise<Link> {
  const found = await reader.get(PODS, ref)
  if (found.kind === 'absent') return absentLink({ kind: 'Pod', ...ref })
  if (found.kind === 'unseen') return unseenLink({ kind: 'Pod', ...ref })
  const pod = found.object
  if (pod.metadata.deletionTimestamp !== undefined) return explainLeavingPod(pod, reader)
  if (isFinishedPod(pod)) return readyLink(idOf(pod), podState(pod), { reason: REASONS.finished })
  return pod.spec.nodeName ? explainMounts(pod, pod.spec.nodeName, reader) : explainPlacement(pod, reader)
}

export const podState = ({ metadata, status }: Pod): string =>
  metadata.deletionTimestamp === undefined ? (status?.phase ?? 'Pending') : 'Terminating'
