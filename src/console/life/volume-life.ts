import type { PersistentVolumeClaim } from '../../api/kinds/persistent-volume-claim.ts'
import type { PersistentVolume } from '../../api/kinds/persistent-volume.ts'
import type { Pod } from '../../api/kinds/pod.ts'
import type { VolumeAttachment } from '../../api/kinds/volume-attachment.ts'
import { findTimestamp } from '../../api/timestamps.ts'
import type { KubeObject } from '../../api/object.ts'
import { selectedNodeOf } from '../../storage/names.ts'
import type { CallInfo, Life, LifeStep, TimeSource } from '../protocol.ts'
import type { LifeRecorder, Milestone } from './life-recorder.ts'

export type LifeParts = {
  readonly claim?: PersistentVolumeClaim | undefined
  readonly volume?: PersistentVolume | undefined
  /** Of the volume, oldest first. */
  readonly attachments: readonly VolumeAttachment[]
  /** Pods that use the claim, oldest first. */
  readonly pods: readonly Pod[]
  readonly calls: readonly CallInfo[]
  readonly recorder: LifeRecorder
}

type Moment = { readonly ms: number; readonly source: TimeSource }

/**
 * The life of a volume until the first pod that uses it is running: each step from the end of the one before it, and the calls in it. Steps that cannot
 * be told apart, because nothing was watching, are left out.
 */
export function lifeOf(parts: LifeParts): Life {
  const { claim, volume, calls } = parts
  const [pod] = parts.pods
  const attachment = parts.attachments.find(({ spec }) => spec.nodeName === pod?.spec.nodeName) ?? parts.attachments[0]
  const moment = momentsFrom(parts.recorder)
  const claimed = moment(claim, 'created')
  const isDelayed = claim !== undefined && selectedNodeOf(claim) !== ''
  const steps = chain(
    claimed ?? moment(volume, 'created'),
    [
      { title: 'Node chosen', who: 'scheduler', end: isDelayed ? moment(claim, 'node-chosen') : undefined },
      { title: 'Volume created', who: 'provisioner', end: moment(volume, 'created'), calls: ['CreateVolume'] },
      { title: 'Bound', who: 'binder', end: moment(claim, 'bound') },
      { title: 'Pod scheduled', who: 'scheduler', end: moment(pod, 'scheduled') },
      { title: 'Attachment requested', who: 'attach/detach controller', end: moment(attachment, 'created') },
      { title: 'Attached', who: 'attacher', end: moment(attachment, 'attached'), calls: ['ControllerPublishVolume'] },
      {
        title: 'Mounted',
        who: pod?.spec.nodeName ? `node ${pod.spec.nodeName}` : 'node',
        end: moment(pod, 'running'),
        calls: ['NodeStageVolume', 'NodePublishVolume'],
      },
    ],
    calls,
  )
  const slowest = findSlowest(steps)
  const isExact = steps.every(({ source }) => source !== 'object')
  return {
    steps,
    ...(slowest === undefined ? {} : { slowest }),
    ...(isExact ? {} : { note: 'Some times come from the timestamps of objects, which have whole seconds.' }),
  }
}

const momentsFrom =
  (recorder: LifeRecorder) =>
  (object: KubeObject | undefined, milestone: Milestone): Moment | undefined => {
    const seenMs = recorder.seen(object?.metadata.uid, milestone)
    if (seenMs !== undefined) return { ms: seenMs, source: 'seen' }
    // Only the creation has a timestamp on every kind.
    const ms = milestone === 'created' ? findTimestamp(object?.metadata.creationTimestamp) : undefined
    return ms === undefined ? undefined : { ms, source: 'object' }
  }

type Stage = {
  readonly title: string
  readonly who: string
  readonly end: Moment | undefined
  readonly calls?: readonly string[]
}

function chain(start: Moment | undefined, stages: readonly Stage[], calls: readonly CallInfo[]): LifeStep[] {
  const steps: LifeStep[] = []
  let from = start
  for (const { title, who, end, calls: methods = [] } of stages) {
    if (!from || !end) continue
    // A step that another one overtook took no time of its own: the pod of a claim that was bound before.
    if (end.ms >= from.ms)
      steps.push({ title, who, startMs: from.ms, endMs: end.ms, source: weaker(from.source, end.source) })
    steps.push(...callsOf(methods, calls))
    from = end.ms >= from.ms ? end : from
  }
  return steps
}

const weaker = (one: TimeSource, other: TimeSource): TimeSource => (one === 'object' ? one : other)

/** The calls of a step, oldest first. */
const callsOf = (methods: readonly string[], calls: readonly CallInfo[]): LifeStep[] =>
  calls
    .filter(({ method }) => methods.includes(method))
    .map(({ method, by, startMs, tookMs, error }): LifeStep => ({
      title: method,
      who: `driver, called by ${by}`,
      startMs,
      endMs: startMs + tookMs,
      source: 'call',
      isCall: true,
      ...(error === undefined ? {} : { error }),
    }))
    .reverse()

function findSlowest(steps: readonly LifeStep[]): number | undefined {
  const lengthOf = ({ startMs, endMs = startMs, isCall }: LifeStep): number => (isCall ? -1 : endMs - startMs)
  const longest = Math.max(...steps.map(lengthOf))
  return longest > 0 ? steps.findIndex((step) => lengthOf(step) === longest) : undefined
}
