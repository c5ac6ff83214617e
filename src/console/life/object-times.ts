import type { PersistentVolumeClaim } from '../../api/kinds/persistent-volume-claim.ts'
import type { Pod } from '../../api/kinds/pod.ts'
import type { KubeObject } from '../../api/object.ts'
import { findTimestamp } from '../../api/timestamps.ts'
import type { Milestone } from './life-recorder.ts'

/** An event as far as its time matters. */
export type TimedEvent = { readonly reason: string; readonly lastTime: string; readonly count: number }

type ObjectTime = { readonly ms: number; readonly source: 'object' | 'event' }

/** The events that tell about milestones which no object has a timestamp for. */
const EVENTS: Readonly<Partial<Record<Milestone, readonly string[]>>> = {
  bound: ['ProvisioningSucceeded'],
  scheduled: ['Scheduled'],
  attached: ['SuccessfulAttachVolume'],
  running: ['Started'],
}

const CONDITIONS: Readonly<Partial<Record<Milestone, string>>> = { scheduled: 'PodScheduled', running: 'Ready' }

/** When an object passed a milestone, as far as it, or an event, has a timestamp. */
export function findObjectTime(
  object: KubeObject,
  milestone: Milestone,
  events: readonly TimedEvent[],
): ObjectTime | undefined {
  if (!isPassed(object, milestone)) return undefined
  const written = findTimestamp(
    milestone === 'created' ? object.metadata.creationTimestamp : conditionTime(object, milestone),
  )
  if (written !== undefined) return { ms: written, source: 'object' }
  const reasons = EVENTS[milestone] ?? []
  // An event that was repeated only has the time of the last time.
  const event = events.find(({ reason, count }) => count === 1 && reasons.includes(reason))
  const told = findTimestamp(event?.lastTime)
  return told === undefined ? undefined : { ms: told, source: 'event' }
}

function conditionTime(object: KubeObject, milestone: Milestone): string | undefined {
  const wanted = CONDITIONS[milestone]
  const { conditions = [] } = (object as Pod).status ?? {}
  return conditions.find(({ type, status }) => type === wanted && status === 'True')?.lastTransitionTime ?? undefined
}

/** Whether the state of the object shows that it passed the milestone, so that an old event about a namesake is not believed. */
function isPassed(object: KubeObject, milestone: Milestone): boolean {
  if (milestone === 'bound') return (object as PersistentVolumeClaim).status?.phase === 'Bound'
  if (milestone === 'scheduled') return Boolean((object as Pod).spec.nodeName)
  if (milestone === 'running') return (object as Pod).status?.phase === 'Running'
  return true
}
