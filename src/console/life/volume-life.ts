import type { PersistentVolumeClaim } from '../../api/kinds/persistent-volume-claim.ts'
import type { PersistentVolume } from '../../api/kinds/persistent-volume.ts'
import type { Pod } from '../../api/kinds/pod.ts'
import type { VolumeAttachment } from '../../api/kinds/volume-attachment.ts'
import { keyOf } from '../../api/object-key.ts'
import type { KubeObject } from '../../api/object.ts'
import type { Span } from '../../base/tracing/index.ts'
import { selectedNodeOf } from '../../storage/names.ts'
import type { Life, LifeStep, TimeSource } from '../protocol.ts'
import type { LifeRecorder, Milestone } from './life-recorder.ts'
import { nodeStagesOf } from './node-stages.ts'
import { findObjectTime } from './object-times.ts'
import type { TimedEvent } from './object-times.ts'
import { callsIn, findCompletion } from './span-moments.ts'
import type { SpanStage } from './span-moments.ts'

export type LifeParts = {
  readonly claim?: PersistentVolumeClaim | undefined
  readonly volume?: PersistentVolume | undefined
  /** Of the volume, oldest first. */
  readonly attachments: readonly VolumeAttachment[]
  /** Pods that use the claim, oldest first. */
  readonly pods: readonly Pod[]
  /** Of the claim's trace, in the order in which they started. Empty if the parts run in other processes. */
  readonly spans: readonly Span[]
  /** About the objects of the volume. */
  readonly events: readonly TimedEvent[]
  readonly recorder: LifeRecorder
}

type Moment = { readonly ms: number; readonly source: TimeSource }

type Stage = {
  readonly title: string
  readonly who: string
  readonly end: Moment | undefined
  readonly calls: readonly Span[]
}

/**
 * The life of a volume until it is mounted for the first pod that uses it: each step from the end of the one before it, and the calls in it. Steps that cannot
 * be told apart, because nothing recorded them, are left out.
 */
export function lifeOf(parts: LifeParts): Life {
  const { claim, volume } = parts
  const steps = chain(momentFrom(parts)(claim ?? volume, 'created'), stagesOf(parts))
  const slowest = findSlowest(steps)
  const note = noteOf(steps)
  return { steps, ...(slowest === undefined ? {} : { slowest }), ...(note === undefined ? {} : { note }) }
}

function stagesOf(parts: LifeParts): Stage[] {
  const { claim, volume } = parts
  const [pod] = parts.pods
  const attachment = parts.attachments.find(({ spec }) => spec.nodeName === pod?.spec.nodeName) ?? parts.attachments[0]
  const isDelayed = claim !== undefined && selectedNodeOf(claim) !== ''
  const stage = stageFrom(parts)
  return [
    stage('Node chosen', 'scheduler', CHOSEN, [isDelayed ? claim : undefined, 'node-chosen']),
    stage('Volume created', 'provisioner', CREATED, [volume, 'created']),
    stage('Bound', 'binder', BOUND, [claim, 'bound']),
    stage('Pod scheduled', 'scheduler', { ...SCHEDULED, key: pod && keyOf(pod) }, [pod, 'scheduled']),
    stage('Attachment requested', 'attach/detach controller', { ...REQUESTED, key: attachment && keyOf(attachment) }, [
      attachment,
      'created',
    ]),
    stage('Attached', 'attacher', { ...ATTACHED, key: attachment && keyOf(attachment) }, [attachment, 'attached']),
    ...nodeStages(parts, pod),
  ]
}

/** Staged and published, if the node tells them apart; otherwise one step. */
function nodeStages(parts: LifeParts, pod: Pod | undefined): Stage[] {
  const who = pod?.spec.nodeName ? `node ${pod.spec.nodeName}` : 'node'
  const stage = stageFrom(parts)
  const stages = nodeStagesOf({ ...parts, pod, runningMs: momentFrom(parts)(pod, 'running')?.ms })
  if (stages.kind === 'mounted') return [stage('Mounted', who, stages.mounted, [pod, 'running'])]
  const { staged, published } = stages
  return [...(staged ? [stage('Staged', who, staged, [pod])] : []), stage('Published', who, published, [pod])]
}

/** A step that ends when its spans say so, or else when its object passes the milestone. */
const stageFrom =
  (parts: LifeParts) =>
  (
    title: string,
    who: string,
    measured: SpanStage,
    [object, milestone]: readonly [object: KubeObject | undefined, milestone?: Milestone],
  ): Stage => {
    const spanMs = object && findCompletion(parts.spans, measured)
    const seen = milestone && momentFrom(parts)(object, milestone)
    const end: Moment | undefined = spanMs === undefined ? seen : { ms: spanMs, source: 'span' }
    return { title, who, end, calls: callsIn(parts.spans, measured, end?.ms ?? Infinity) }
  }

const CHOSEN: SpanStage = { part: 'scheduler', completedBy: 'reserve', steps: ['reserve', 'unschedulable', 'back-off'] }
const CREATED: SpanStage = { part: 'provisioner', completedBy: 'store' }
const BOUND: SpanStage = { part: 'binder', completedBy: 'mark-claim-bound' }
const SCHEDULED: SpanStage = { part: 'scheduler', completedBy: 'place', steps: ['place'] }
const REQUESTED: SpanStage = { part: 'attach-detach', completedBy: 'create' }
const ATTACHED: SpanStage = { part: 'attacher', completedBy: 'publish' }

const momentFrom =
  ({ recorder, events }: LifeParts) =>
  (object: KubeObject | undefined, milestone: Milestone): Moment | undefined => {
    const seenMs = recorder.seen(object?.metadata.uid, milestone)
    if (seenMs !== undefined) return { ms: seenMs, source: 'seen' }
    return object && findObjectTime(object, milestone, events)
  }

function chain(start: Moment | undefined, stages: readonly Stage[]): LifeStep[] {
  const steps: LifeStep[] = []
  let from = start
  const lastDone = stages.findLastIndex(({ end }) => end !== undefined)
  const tried = stages.findIndex(({ calls }, index) => index > lastDone && calls.length > 0)
  for (const [index, { title, who, end, calls }] of stages.entries()) {
    if (!from) break
    if (!end) {
      // What was tried, but is not done yet.
      if (index === tried) steps.push({ title, who, startMs: from.ms, source: from.source }, ...calls.map(callStep))
      continue
    }
    // A step that another one overtook took no time of its own: the pod of a claim that was bound before.
    if (end.ms >= from.ms)
      steps.push({ title, who, startMs: from.ms, endMs: end.ms, source: weaker(from.source, end.source) })
    steps.push(...calls.map(callStep))
    from = end.ms >= from.ms ? end : from
  }
  return steps
}

const isWholeSeconds = (source: TimeSource): boolean => source === 'object' || source === 'event'
const weaker = (one: TimeSource, other: TimeSource): TimeSource => (isWholeSeconds(one) ? one : other)

/** A call is spent in the API server or in the driver, whoever makes it. */
const callStep = ({ name, attributes, startMs, endMs, error }: Span): LifeStep => ({
  title: name,
  who: 'k8s.verb' in attributes ? 'API server' : 'driver',
  startMs,
  endMs,
  source: 'span',
  isCall: true,
  ...(error === undefined ? {} : { error }),
})

function findSlowest(steps: readonly LifeStep[]): number | undefined {
  const lengthOf = ({ startMs, endMs = startMs, isCall }: LifeStep): number => (isCall ? -1 : endMs - startMs)
  const longest = Math.max(...steps.map(lengthOf))
  return longest > 0 ? steps.findIndex((step) => lengthOf(step) === longest) : undefined
}

/** Says which times are not those of the parts themselves. */
function noteOf(steps: readonly LifeStep[]): string | undefined {
  const titlesFrom = (...sources: TimeSource[]): string =>
    steps.flatMap(({ title, source, isCall }) => (!isCall && sources.includes(source) ? [title] : [])).join(', ')
  const [seen, written] = [titlesFrom('seen'), titlesFrom('object', 'event')]
  const notes = [
    ...(seen === '' ? [] : [`Seen in the API, not measured by the part itself: ${seen}.`]),
    ...(written === '' ? [] : [`From timestamps of objects and events, which have whole seconds: ${written}.`]),
  ]
  return notes.length === 0 ? undefined : notes.join(' ')
}
