import type { Api } from '../api/api.ts'
import type { Pod } from '../api/kinds/pod.ts'
import type { ObjectRef } from '../api/object.ts'
import { createClusterReader } from './cluster-reader.ts'
import type { ClusterReader } from './cluster-reader.ts'
import { collectEvents } from './collect-events.ts'
import { explainAttachment } from './explain-attachment.ts'
import { explainClaim } from './explain-claim.ts'
import { explainPlacement } from './explain-placement.ts'
import { explainContent } from './explain-content.ts'
import { explainGroupContent } from './explain-group-content.ts'
import { explainGroup } from './explain-group.ts'
import { explainPod as explainPodItself } from './explain-pod.ts'
import { explainSnapshot } from './explain-snapshot.ts'
import { explainVolume } from './explain-volume.ts'
import type { Explanation, Link } from './explanation.ts'
import { formatOtherCauses, formatSentence } from './format-sentence.ts'
import { pathToCause } from './links.ts'
import { readUsage } from './read-usage.ts'
import type { Target } from './parse-target.ts'

export type ExplainParts = {
  readonly api: Api
  /** For pods, claims and snapshots. */
  readonly namespace: string
  readonly signal: AbortSignal
  /** Also query the usage of a claim's volume, until the signal aborts. Absent: it is not queried. */
  readonly usageSignal?: AbortSignal
}

export type Answer =
  | { readonly kind: 'explained'; readonly explanation: Explanation }
  | { readonly kind: 'absent' }
  | { readonly kind: 'unseen' }

/** Why an object is not ready, read from the cluster as it is at this moment. Nothing is written. */
export async function explain(target: Target, { api, namespace, signal, usageSignal }: ExplainParts): Promise<Answer> {
  const reader = createClusterReader(api, signal)
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
    ...(usage ? { usage } : {}),
    events,
    unseen,
  }
  return { kind: 'explained', explanation }
}

/** The chain below one object. A reader that is shared reads each object once for several questions. */
export function explainTarget({ kind, name }: Target, namespace: string, reader: ClusterReader): Promise<Link> {
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
  }
}
