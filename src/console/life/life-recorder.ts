import type { PersistentVolumeClaim } from '../../api/kinds/persistent-volume-claim.ts'
import type { Pod } from '../../api/kinds/pod.ts'
import type { VolumeAttachment } from '../../api/kinds/volume-attachment.ts'
import type { KubeObject } from '../../api/object.ts'
import type { Clock } from '../../base/clock.ts'
import { createRecentMap } from '../../kube/cache/recent-map.ts'
import { selectedNodeOf } from '../../storage/names.ts'
import { isFinishedPod, podClaimKeysOf } from '../../storage/pod-claims.ts'
import type { FollowedCaches, KindName } from '../caches.ts'

/** What can be seen to happen to an object. */
export type Milestone = 'created' | 'node-chosen' | 'bound' | 'attached' | 'scheduled' | 'running'

/** When this process saw things happen, more exactly than the timestamps of objects, which have whole seconds. */
export interface LifeRecorder {
  /** In milliseconds since 1970; undefined if this process did not see it happen. */
  seen(uid: string | undefined, milestone: Milestone): number | undefined
  /** When a pod that used the claim was last seen to end; undefined if none was. */
  leftAtMs(claimKey: string): number | undefined
}

const MOST_OBJECTS = 50_000

/** Which milestones an object has passed. */
export function milestonesOf(kind: KindName, object: KubeObject): readonly Milestone[] {
  const passed: Milestone[] = ['created']
  if (kind === 'claims') {
    const claim = object as PersistentVolumeClaim
    if (selectedNodeOf(claim) !== '') passed.push('node-chosen')
    if (claim.status?.phase === 'Bound') passed.push('bound')
  }
  if (kind === 'attachments' && (object as VolumeAttachment).status?.attached) passed.push('attached')
  if (kind === 'pods') {
    const { spec, status } = object as Pod
    if (spec.nodeName) passed.push('scheduled')
    if (status?.phase === 'Running') passed.push('running')
  }
  return passed
}

/** Watches from now on. What has happened before is not recorded. */
export function createLifeRecorder(followed: FollowedCaches, clock: Clock): LifeRecorder {
  const seen = createRecentMap<Map<Milestone, number>>(MOST_OBJECTS)
  const left = createRecentMap<number>(MOST_OBJECTS)
  const isUsing = (object: KubeObject | undefined): boolean => object !== undefined && !isFinishedPod(object as Pod)
  followed.onChange((kind, { before, after }) => {
    if (kind === 'pods' && isUsing(before) && !isUsing(after))
      for (const key of podClaimKeysOf(before as Pod)) left.set(key, clock.nowMs())
    if (!after || !['claims', 'volumes', 'attachments', 'pods'].includes(kind)) return
    const uid = after.metadata.uid ?? ''
    const known = seen.get(uid) ?? new Map<Milestone, number>()
    const had = before && before.metadata.uid === uid ? milestonesOf(kind, before) : []
    for (const milestone of milestonesOf(kind, after))
      if (!had.includes(milestone) && !known.has(milestone)) known.set(milestone, clock.nowMs())
    seen.set(uid, known)
  })
  return {
    seen: (uid, milestone) => (uid === undefined ? undefined : seen.get(uid)?.get(milestone)),
    leftAtMs: (claimKey) => left.get(claimKey),
  }
}
