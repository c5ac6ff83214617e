import type { Api } from '../api/api.ts'
import type { Pod } from '../api/kinds/pod.ts'
import type { KubeObject, ObjectRef } from '../api/object.ts'
import { createClusterReader } from './cluster-reader.ts'
import type { ClusterReader } from './cluster-reader.ts'
import { collectEvents } from './collect-events.ts'
import { explainAttachment } from './explain-attachment.ts'
import { explainClaim } from './explain-claim.ts'
import { explainAttributesClass, explainSnapshotClass, explainStorageClass } from './explain-class.ts'
import { explainDriver } from './explain-driver.ts'
import { explainNamespace } from './explain-namespace.ts'
import { explainWholeNode } from './explain-whole-node.ts'
import { explainPlacement } from './explain-placement.ts'
import { explainContent } from './explain-content.ts'
import { explainGroupContent } from './explain-group-content.ts'
import { explainGroup } from './explain-group.ts'
import { explainPod as explainPodItself } from './explain-pod.ts'
import { explainSnapshot } from './explain-snapshot.ts'
import { explainVolume } from './explain-volume.ts'
import { explainWorkload } from './explain-workload.ts'
import type { Explanation, Link } from './explanation.ts'
import { findClocks } from './find-clocks.ts'
import { formatOtherCauses, formatSentence } from './format-sentence.ts'
import { withInstalledKinds } from './installed-kinds.ts'
import { pathToCause } from './links.ts'
import { readUsage } from './read-usage.ts'
import { parseTarget } from './parse-target.ts'
import type { Target } from './parse-target.ts'
import { withSidecarState } from './sidecar-lease.ts'

export type ExplainParts = {
  readonly api: Api
  /** For pods, claims and snapshots. */
  readonly namespace: string
  readonly signal: AbortSignal
  /** Also query the usage of a claim's volume, until the signal aborts. Absent: it is not queried. */
  readonly usageSignal?: AbortSignal
  /** The time of the question, in milliseconds since 1970. Absent: expired leases are not noticed, and clocks show when they end. */
  readonly nowMs?: number
}

export type Answer =
  | { readonly kind: 'explained'; readonly explanation: Explanation }
  | { readonly kind: 'absent' }
  | { readonly kind: 'unseen' }

/** Why an object is not ready, read from the cluster as it is at this moment. Nothing is written. */
export async function explain(
  target: Target,
  { api, namespace, signal, usageSignal, nowMs }: ExplainParts,
): Promise<Answer> {
  const reader = createClusterReader(api, signal, nowMs)
  const chain = await explainTarget(target, namespace, reader)
  if (chain.state === 'absent') return { kind: 'absent' }
  if (chain.state === 'not visible') return { kind: 'unseen' }
  const cause = pathToCause(chain).at(-1)?.reason
  const events = await collectEvents(chain, reader)
  // Before the usage, without which the answer is complete.
  const unseen = reader.unseen()
  const usage =
    usageSignal && target.kind === 'PersistentVolumeClaim'
      ? await readUsage({ namespace, name: target.name }, { api, reader, signal: usageSignal })
      : undefined
  const explanation: Explanation = {
    object: chain.object,
    isReady: chain.status === 'ready',
    sentence: formatSentence(chain),
    alsoWaitsFor: formatOtherCauses(chain),
    ...(cause ? { cause } : {}),
    chain,
    clocks: await findClocks(chain, reader),
    ...(usage ? { usage } : {}),
    events,
    unseen,
  }
  return { kind: 'explained', explanation }
}

/** The chain below one object. A reader that is shared reads each object once for several questions. */
export const explainTarget = async (target: Target, namespace: string, reader: ClusterReader): Promise<Link> =>
  withInstalledKinds(await withSidecarState(await explainKind(target, namespace, reader), reader), reader)

/** The same for an object that was read. */
export function explainObject({ kind, metadata }: KubeObject, reader: ClusterReader): Promise<Link> {
  const target = parseTarget(kind, metadata.name)
  if (typeof target === 'string') throw new Error(target)
  return explainTarget(target, metadata.namespace ?? '', reader)
}

function explainKind({ kind, name }: Target, namespace: string, reader: ClusterReader): Promise<Link> {
  const explainEach = (object: KubeObject): Promise<Link> => explainObject(object, reader)
  const explainPod = (pod: Pod): Promise<Link> => explainPlacement(pod, reader)
  // A claim and a snapshot may each be waiting for the other: the second of a kind is not followed further.
  const explainSource = (ref: ObjectRef): Promise<Link> => explainSnapshot(ref, { reader })
  switch (kind) {
    case 'Pod':
      return explainPodItself({ namespace, name }, reader)
    case 'PersistentVolumeClaim':
      return explainClaim({ namespace, name }, { reader, alsoGrowth: true, explainPod, explainSnapshot: explainSource })
    case 'PersistentVolume':
      return explainVolume(name, reader)
    case 'VolumeAttachment':
      return explainAttachment(name, { reader })
    case 'VolumeSnapshot':
      return explainSnapshot(
        { namespace, name },
        { reader, explainClaim: (ref) => explainClaim(ref, { reader, explainPod, explainSnapshot: explainSource }) },
      )
    case 'VolumeSnapshotContent':
      return explainContent(name, reader)
    case 'VolumeGroupSnapshot':
      return explainGroup(
        { namespace, name },
        { reader, explainClaim: (ref) => explainClaim(ref, { reader, explainPod, explainSnapshot: explainSource }) },
      )
    case 'VolumeGroupSnapshotContent':
      return explainGroupContent(name, reader)
    case 'Node':
      return explainWholeNode(name, reader, explainEach)
    case 'Namespace':
      return explainNamespace(name, reader, explainEach)
    case 'StorageClass':
      return explainStorageClass(name, { reader, explainObject: explainEach })
    case 'VolumeAttributesClass':
      return explainAttributesClass(name, { reader, explainObject: explainEach })
    case 'VolumeSnapshotClass':
      return explainSnapshotClass(name, { reader, explainObject: explainEach })
    case 'CSIDriver':
      return explainDriver(name, reader, explainEach)
    case 'StatefulSet':
    case 'Deployment':
    case 'ReplicaSet':
    case 'DaemonSet':
    case 'Job':
      return explainWorkload(kind, { namespace, name }, reader)
  }
}
