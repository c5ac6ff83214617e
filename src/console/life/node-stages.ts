import type { PersistentVolume } from '../../api/kinds/persistent-volume.ts'
import type { Pod } from '../../api/kinds/pod.ts'
import type { Span } from '../../base/tracing/index.ts'
import { uniqueVolumeName } from '../../storage/unique-volume-name.ts'
import type { SpanStage } from './span-moments.ts'

/** What the node of a pod does with its volume. */
export type NodeStages =
  /** Only the running pod shows it: the node is not ours, or has not called the driver yet. */
  | { readonly kind: 'mounted'; readonly mounted: SpanStage }
  /** `staged` is undefined for a driver that does not stage volumes. */
  | { readonly kind: 'told-apart'; readonly staged: SpanStage | undefined; readonly published: SpanStage }

// What a node does before it calls NodeStageVolume, or NodePublishVolume if the driver does not stage.
const PREPARING = ['resolve', 'report-waiting', 'read-attachment', 'probe']
// Timestamps of objects and events have whole seconds.
const ROUNDING_MS = 1000

type MountedVolume = {
  readonly pod: Pod | undefined
  readonly volume?: PersistentVolume | undefined
  /** Of the claim's trace. */
  readonly spans: readonly Span[]
  /** When the pod was reported as running, if it was. */
  readonly runningMs: number | undefined
}

/** How the steps of a node are found in its spans. */
export function nodeStagesOf({ pod, volume, spans, runningMs }: MountedVolume): NodeStages {
  const part = pod?.spec.nodeName ?? ''
  const podUid = pod?.metadata.uid
  const { csi } = volume?.spec ?? {}
  // An agent that was restarted calls the driver again for pods that are running: these calls are not those that mounted the volume.
  const latestMs = (runningMs ?? Infinity) + ROUNDING_MS
  const isCalled = (rpc: string): boolean =>
    spans.some(
      ({ kind, name, startMs, ...span }) =>
        kind === 'client' && span.part === part && name === rpc && startMs <= latestMs,
    )
  const stages = isCalled('NodeStageVolume')
  if (!volume || !csi || !(stages || isCalled('NodePublishVolume')))
    return { kind: 'mounted', mounted: { part, completedBy: 'report-running', key: podUid } }
  const staged: SpanStage = {
    part,
    completedBy: 'stage',
    key: uniqueVolumeName(csi.driver, csi.volumeHandle),
    steps: [...PREPARING, 'stage'],
  }
  const published: SpanStage = {
    part,
    completedBy: 'publish',
    key: `${podUid}/${volume.metadata.name}`,
    steps: [...(stages ? [] : PREPARING), 'publish'],
  }
  return { kind: 'told-apart', staged: stages ? staged : undefined, published }
}
