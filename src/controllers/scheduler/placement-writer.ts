import type { Api } from '../../api/api.ts'
import { setCondition } from '../../api/conditions.ts'
import type { Binding } from '../../api/kinds/binding.ts'
import { PERSISTENT_VOLUME_CLAIMS } from '../../api/kinds/persistent-volume-claim.ts'
import type { PersistentVolumeClaim } from '../../api/kinds/persistent-volume-claim.ts'
import { PERSISTENT_VOLUMES } from '../../api/kinds/persistent-volume.ts'
import { PODS } from '../../api/kinds/pod.ts'
import type { Pod, PodCondition } from '../../api/kinds/pod.ts'
import { refOf } from '../../api/object-key.ts'
import type { ObjectMeta, Status } from '../../api/object.ts'
import type { Clock } from '../../base/clock.ts'
import type { FollowedKind } from '../../kube/controller/index.ts'
import { claimReferenceTo, isVolumeBoundToClaim } from '../../storage/claim-reference.ts'
import { BOUND_BY_CONTROLLER, SELECTED_NODE } from '../../storage/names.ts'
import type { Match } from './fit-volumes.ts'

/** Every write of the scheduler. */
export interface PlacementWriter {
  /** Keeps the volume for the claim; the binder does the rest. */
  match(match: Match): Promise<void>
  /** Has the claim's volume made for the node. */
  select(claim: PersistentVolumeClaim, node: string): Promise<void>
  place(pod: Pod, node: string): Promise<void>
  /** Asks the server where the pod is by now, as the cache may be late. */
  reread(pod: Pod): Promise<void>
  /** Says in the pod's status why it has no node; writes nothing when it says so already. */
  unschedulable(pod: Pod, message: string): Promise<void>
}

export function createPlacementWriter({
  api,
  clock,
  pods,
}: {
  api: Api
  clock: Clock
  pods: Pick<FollowedKind<Pod>, 'remember'>
}): PlacementWriter {
  return {
    match: async ({ claim, volume }) => {
      // Only what we chose ourselves may be undone by a controller.
      const annotations = isVolumeBoundToClaim(volume, claim) ? {} : { annotations: { [BOUND_BY_CONTROLLER]: 'yes' } }
      const value = {
        metadata: { ...versionOf(volume.metadata), ...annotations },
        spec: { claimRef: claimReferenceTo(claim) },
      }
      await api.patch(PERSISTENT_VOLUMES, refOf(volume), { type: 'merge', value })
    },
    select: async (claim, node) => {
      const value = { metadata: { ...versionOf(claim.metadata), annotations: { [SELECTED_NODE]: node } } }
      await api.patch(PERSISTENT_VOLUME_CLAIMS, refOf(claim), { type: 'merge', value })
    },
    place: async ({ metadata: { namespace = '', name = '', uid = '' } }, node) => {
      const binding: Binding = {
        apiVersion: 'v1',
        kind: 'Binding',
        metadata: { namespace, name, uid },
        target: { kind: 'Node', name: node },
      }
      await api.createSubresource<Status>(PODS, { namespace, name }, 'binding', binding)
    },
    reread: async (pod) => pods.remember(await api.get(PODS, refOf(pod))),
    unschedulable: async (pod, message) => {
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

const versionOf = ({ uid = '', resourceVersion = '' }: ObjectMeta): ObjectMeta => ({ uid, resourceVersion })
