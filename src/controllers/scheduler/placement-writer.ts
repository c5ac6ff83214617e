import type { Api } from '../../api/api.ts'
import { setCondition } from '../../api/conditions.ts'
import type { Binding } from '../../api/kinds/binding.ts'
import { PERSISTENT_VOLUME_CLAIMS } from '../../api/kinds/persistent-volume-claim.ts'
import type { PersistentVolumeClaim } from '../../api/kinds/persistent-volume-claim.ts'
import { PERSISTENT_VOLUMES } from '../../api/kinds/persistent-volume.ts'
import { PODS } from '../../api/kinds/pod.ts'
import type { Pod, PodCondition } from '../../api/kinds/pod.ts'
import { refOf } from '../../api/object-key.ts'
import type { Status } from '../../api/object.ts'
import type { Clock } from '../../base/clock.ts'
import { mergeAsSeen } from '../../kube/controller/index.ts'
import type { FollowedKind } from '../../kube/controller/index.ts'
import { claimReferenceTo, isVolumeBoundToClaim } from '../../storage/claim-reference.ts'
import { BOUND_BY_CONTROLLER, SELECTED_NODE } from '../../storage/names.ts'
import type { Match } from './reservations.ts'

export type PlacementWriter = ReturnType<typeof createPlacementWriter>

/** All writes of the scheduler. */
export function createPlacementWriter(api: Api, clock: Clock, pods: Pick<FollowedKind<Pod>, 'remember'>) {
  return {
    /** Reserves the volume for the claim; the binder does the rest. */
    match: async ({ claim, volume }: Match): Promise<void> => {
      // A controller may only undo a controller's choice.
      const metadata = isVolumeBoundToClaim(volume, claim) ? {} : { annotations: { [BOUND_BY_CONTROLLER]: 'yes' } }
      const change = { metadata, spec: { claimRef: claimReferenceTo(claim) } }
      await api.patch(PERSISTENT_VOLUMES, refOf(volume), mergeAsSeen(volume, change))
    },
    /** Has the claim's volume created for the node. */
    select: async (claim: PersistentVolumeClaim, node: string): Promise<void> => {
      const change = { metadata: { annotations: { [SELECTED_NODE]: node } } }
      await api.patch(PERSISTENT_VOLUME_CLAIMS, refOf(claim), mergeAsSeen(claim, change))
    },
    place: async ({ metadata: { namespace = '', name = '', uid = '' } }: Pod, node: string): Promise<void> => {
      const binding: Binding = {
        apiVersion: 'v1',
        kind: 'Binding',
        metadata: { namespace, name, uid },
        target: { kind: 'Node', name: node },
      }
      await api.createSubresource<Status>(PODS, { namespace, name }, 'binding', binding)
    },
    /** Reads the pod's node from the API server, as the cache may be behind. */
    reread: async (pod: Pod): Promise<void> => pods.remember(await api.get(PODS, refOf(pod))),
    /** Reports in the pod's status why it has no node; writes nothing if the status already has the message. */
    unschedulable: async (pod: Pod, message: string): Promise<void> => {
      const before = pod.status?.conditions
      const after = setCondition<PodCondition>(
        before,
        { type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message },
        clock.nowMs(),
      )
      if (after === before) return
      const { uid = '' } = pod.metadata
      const value = { metadata: { uid }, status: { conditions: after.filter(({ type }) => type === 'PodScheduled') } }
      await api.patch(PODS, refOf(pod), { type: 'strategic', value }, { subresource: 'status' })
    },
  }
}
