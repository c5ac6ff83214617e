import { CONTROLLER_REVISIONS } from '../../../api/kinds/controller-revision.ts'
import type { ControllerRevision } from '../../../api/kinds/controller-revision.ts'
import { PERSISTENT_VOLUME_CLAIMS } from '../../../api/kinds/persistent-volume-claim.ts'
import { PODS } from '../../../api/kinds/pod.ts'
import type { Pod } from '../../../api/kinds/pod.ts'
import { STATEFUL_SETS } from '../../../api/kinds/stateful-set.ts'
import type { StatefulSet } from '../../../api/kinds/stateful-set.ts'
import { selectsLabels } from '../../../api/label-selector.ts'
import { keyOfRef } from '../../../api/object-key.ts'
import type { KubeObject } from '../../../api/object.ts'
import { count } from '../../../base/options/index.ts'
import type { ConfigOf, OptionTable } from '../../../base/options/index.ts'
import { defineController, keyIfPresent, on, startControllers } from '../../../kube/controller/index.ts'
import type { ControllerRole } from '../../../kube/controller/index.ts'
import type { StartRole } from '../../../kube/process/role-world.ts'
import { createCreatedObjects } from '../created-objects.ts'
import { followMembers } from '../follow-members.ts'
import { ownershipPerformers } from '../ownership-performers.ts'
import { revisionPerformers } from '../revision-performers.ts'
import { ordinalOf } from './identity.ts'
import { nextStatefulSetStep } from './next-stateful-set-step.ts'
import type { StatefulSetStep, StatefulSetView } from './next-stateful-set-step.ts'
import { statefulSetPerformers } from './perform-steps.ts'

/** The flags of the StatefulSet controller. */
export const statefulSetOptions = {
  concurrentStatefulsetSyncs: count(5, 'Number of StatefulSets to process concurrently.', { minimum: 1 }),
} satisfies OptionTable

type StatefulSetConfig = ConfigOf<typeof statefulSetOptions>

/** Creates, replaces and deletes the pods of StatefulSets, and their claims. */
export const startStatefulSet: StartRole<StatefulSetConfig> = (config, world, signal) =>
  startControllers(world, signal, (role) => [defineStatefulSet(config, role)])

function defineStatefulSet({ concurrentStatefulsetSyncs }: StatefulSetConfig, role: ControllerRole) {
  const { api, clock, events, follow, createQueue } = role
  const sets = follow(STATEFUL_SETS)
  const isSelected = ({ spec }: StatefulSet, { metadata }: KubeObject): boolean =>
    selectsLabels(spec.selector, metadata.labels)
  const owner = { owners: sets, ownerType: STATEFUL_SETS }
  const pods = followMembers<StatefulSet, Pod>(role, PODS, {
    ...owner,
    isSelected: (set, pod) => isSelected(set, pod) && ordinalOf(set, pod) !== undefined,
  })
  const revisions = followMembers<StatefulSet, ControllerRevision>(role, CONTROLLER_REVISIONS, { ...owner, isSelected })
  const claims = follow(PERSISTENT_VOLUME_CLAIMS)
  const created = createCreatedObjects(claims, clock)
  role.onStop(created.stop)

  return defineController<StatefulSetView, StatefulSetStep>({
    name: 'stateful-set',
    queue: createQueue({ name: 'statefulset', lanes: { default: concurrentStatefulsetSyncs } }),
    watch: [on(sets, keyIfPresent), pods.watch, revisions.watch],
    view: (key) => {
      const set = sets.get(key)
      if (!set) return undefined
      const { namespace = '', uid = '' } = set.metadata
      const unseen = created.of(uid)
      const findClaim = (name: string) =>
        claims.get(keyOfRef({ namespace, name })) ?? unseen.find(({ metadata }) => metadata.name === name)
      return {
        seen: {
          set,
          pods: pods.candidatesOf(set),
          revisions: revisions.candidatesOf(set),
          findClaim,
          nowMs: clock.nowMs(),
        },
      }
    },
    decide: nextStatefulSetStep,
    perform: {
      ...ownershipPerformers<StatefulSet>(api, STATEFUL_SETS),
      ...statefulSetPerformers({
        api,
        events,
        pods,
        createClaim: (set, claim) => created.create(set, () => api.create(PERSISTENT_VOLUME_CLAIMS, claim)),
      }),
      ...revisionPerformers(api, STATEFUL_SETS, revisions),
    },
  })
}
