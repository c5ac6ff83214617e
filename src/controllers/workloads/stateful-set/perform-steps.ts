import type { Api } from '../../../api/api.ts'
import { isAlreadyExists, isNotFound } from '../../../api/api-error.ts'
import { PERSISTENT_VOLUME_CLAIMS } from '../../../api/kinds/persistent-volume-claim.ts'
import type { PersistentVolumeClaim } from '../../../api/kinds/persistent-volume-claim.ts'
import { PODS } from '../../../api/kinds/pod.ts'
import type { Pod } from '../../../api/kinds/pod.ts'
import { STATEFUL_SETS } from '../../../api/kinds/stateful-set.ts'
import type { StatefulSet } from '../../../api/kinds/stateful-set.ts'
import { mergeAsSeen, patchAsSeen } from '../../../kube/controller/index.ts'
import type { Pass } from '../../../kube/controller/index.ts'
import type { EventRecorder } from '../../../kube/controller/event-recorder.ts'
import type { FollowedMembers } from '../follow-members.ts'
import { nameOf } from '../revisions.ts'
import { slowStart } from '../slow-start.ts'
import type { StatefulSetView } from './next-stateful-set-step.ts'
import type { NewPod, StatefulSetStep } from './set-state.ts'

type Parts = {
  readonly api: Api
  readonly events: EventRecorder
  readonly pods: FollowedMembers<StatefulSet, Pod>
  createClaim(set: StatefulSet, claim: PersistentVolumeClaim): Promise<unknown>
}
type StepOf<Kind> = Extract<StatefulSetStep, { kind: Kind }>
type PassOf = Pass<StatefulSetView>

/** The steps for the pods and claims of a StatefulSet. */
export function statefulSetPerformers({ api, events, pods, createClaim }: Parts) {
  const report = createReporter(events)

  const createClaims = async (set: StatefulSet, { pod, claims }: NewPod): Promise<void> => {
    for (const claim of claims) {
      const what = `Claim ${nameOf(claim)}`
      try {
        await createClaim(set, claim)
        report.done(set, 'Create', `${what} Pod ${nameOf(pod)}`, 'success')
      } catch (error) {
        if (isAlreadyExists(error)) continue
        throw report.failed(set, 'Create', `${what} for Pod ${nameOf(pod)}`, error)
      }
    }
  }
  const createPod = async (set: StatefulSet, { pod, claims }: NewPod): Promise<void> => {
    await createClaims(set, { pod, claims })
    try {
      await pods.create(set, pod)
    } catch (error) {
      // A pod that exists already is somebody else's, or the cache does not show it yet.
      throw isAlreadyExists(error) ? error : report.failed(set, 'Create', `Pod ${nameOf(pod)}`, error)
    }
    report.done(set, 'Create', `Pod ${nameOf(pod)}`)
  }
  const deletePod = async (set: StatefulSet, pod: Pod): Promise<void> => {
    await pods.delete(pod).catch((error: unknown) => {
      if (!isNotFound(error)) throw report.failed(set, 'Delete', `Pod ${nameOf(pod)}`, error)
    })
    report.done(set, 'Delete', `Pod ${nameOf(pod)}`)
  }

  return {
    wait: (step: StepOf<'wait'>, { view: { seen }, say, unsay }: PassOf) => {
      const { code, message = '', detail } = step.reason
      const verb = code === 'ClaimLeaving' ? 'Create' : code === 'PodStorageDiffers' ? 'Update' : undefined
      if (verb === undefined) return unsay()
      const text = `${verb} Pod ${detail?.['pod']} in StatefulSet ${nameOf(seen.set)} failed error: ${message}`
      return say(seen.set, { type: 'Warning', event: `Failed${verb}` }, text)
    },
    'write-status': ({ status }: StepOf<'write-status'>, { view: { seen } }: PassOf) =>
      patchAsSeen(api, STATEFUL_SETS, seen.set, mergeAsSeen(seen.set, { status }), { subresource: 'status' }),
    'create-pods': (step: StepOf<'create-pods'>, { view }: PassOf) =>
      slowStart(step.pods, (each) => createPod(view.seen.set, each)),
    'create-claims': (step: StepOf<'create-claims'>, { view }: PassOf) =>
      slowStart(step.pods, (each) => createClaims(view.seen.set, each)),
    'change-claim-owners': async ({ claims }: StepOf<'change-claim-owners'>, { view, say }: PassOf) => {
      for (const { claim, ownerReferences, isForeign } of claims) {
        if (isForeign)
          say(view.seen.set, { type: 'Warning', event: 'ConflictingController' }, conflictOf(claim), nameOf(claim))
        const metadata = { ownerReferences: ownerReferences.length > 0 ? ownerReferences : null }
        await patchAsSeen(api, PERSISTENT_VOLUME_CLAIMS, claim, mergeAsSeen(claim, { metadata }))
      }
    },
    'label-pods': async (step: StepOf<'label-pods'>, { view }: PassOf) => {
      for (const { pod, labels } of step.pods) {
        await patchAsSeen(api, PODS, pod, mergeAsSeen(pod, { metadata: { labels } }))
        report.done(view.seen.set, 'Update', `Pod ${nameOf(pod)}`)
      }
    },
    'delete-pods': async (step: StepOf<'delete-pods'>, { view }: PassOf) => {
      await Promise.all(step.pods.map((pod) => deletePod(view.seen.set, pod)))
    },
  }
}

// With upstream's spelling.
const conflictOf = (claim: PersistentVolumeClaim): string =>
  `PersistentVolumeClaim ${nameOf(claim)} has a conflicting OwnerReference that acts as a manging controller, the retention policy is ignored for this claim`

/** Events in upstream's words. */
const createReporter = (events: EventRecorder) => ({
  done: (set: StatefulSet, verb: string, what: string, end = 'successful'): void =>
    events.record(set, 'Normal', `Successful${verb}`, `${verb} ${what} in StatefulSet ${nameOf(set)} ${end}`),
  /** Returns the error, to be thrown. */
  failed: (set: StatefulSet, verb: string, what: string, error: unknown): unknown => {
    const text = error instanceof Error ? error.message : String(error)
    events.record(
      set,
      'Warning',
      `Failed${verb}`,
      `${verb} ${what} in StatefulSet ${nameOf(set)} failed error: ${text}`,
    )
    return error
  },
})
