import type { Api } from '../../api/api.ts'
import { setCondition } from '../../api/conditions.ts'
import type { Binding } from '../../api/kinds/binding.ts'
import { PERSISTENT_VOLUME_CLAIMS } from '../../api/kinds/persistent-volume-claim.ts'
import type { PersistentVolumeClaim } from '../../api/kinds/persistent-volume-claim.ts'
import { PERSISTENT_VOLUMES } from '../../api/kinds/persistent-volume.ts'
import { PODS } from '../../api/kinds/pod.ts'
import type { Pod, PodCondition } from '../../api/kinds/pod.ts'
import { keyOf, refOf } from '../../api/object-key.ts'
import type { KubeObject, ObjectMeta, Status } from '../../api/object.ts'
import type { Clock } from '../../base/clock.ts'
import { within } from '../../kube/within.ts'
import { claimReferenceTo, isVolumeBoundToClaim } from '../../volumes/claim-reference.ts'
import { BOUND_BY_CONTROLLER, SELECTED_NODE } from '../../volumes/names.ts'
import type { ClusterState, Table } from './cluster-state.ts'
import type { Match } from './fit-volumes.ts'

/** Every write of the scheduler. What the server answers is known at once. */
export interface PlacementWriter {
  /** Keeps the volume for the claim; the binder does the rest. */
  match(match: Match, signal: AbortSignal): Promise<void>
  /** Has the claim's volume made for the node. */
  select(claim: PersistentVolumeClaim, node: string, signal: AbortSignal): Promise<void>
  place(pod: Pod, node: string, signal: AbortSignal): Promise<void>
  /** Asks the server where the pod is by now, as the cache may be late. */
  reread(pod: Pod, signal: AbortSignal): Promise<void>
  /** Says in the pod's status why it has no node; writes nothing when it says so already. */
  unschedulable(pod: Pod, message: string, signal: AbortSignal): Promise<void>
}

export function createPlacementWriter({ api, clock, state }: { api: Api; clock: Clock; state: ClusterState }): PlacementWriter {
  // Gone from the table: that was told after the write, however late its answer comes.
  const remember = <T extends KubeObject>(table: Table<T>, object: T): void => {
    if (table.get(keyOf(object))) table.put(object)
  }
  return {
    match: async ({ claim, volume }, signal) => {
      // Only what we chose ourselves may be undone by a controller.
      const annotations = isVolumeBoundToClaim(volume, claim) ? {} : { annotations: { [BOUND_BY_CONTROLLER]: 'yes' } }
      const value = { metadata: { ...versionOf(volume.metadata), ...annotations }, spec: { claimRef: claimReferenceTo(claim) } }
      remember(state.volumes, await within(clock, signal, (until) => api.patch(PERSISTENT_VOLUMES, refOf(volume), { type: 'merge', value }, { signal: until })))
    },
    select: async (claim, node, signal) => {
      const value = { metadata: { ...versionOf(claim.metadata), annotations: { [SELECTED_NODE]: node } } }
      remember(state.claims, await within(clock, signal, (until) => api.patch(PERSISTENT_VOLUME_CLAIMS, refOf(claim), { type: 'merge', value }, { signal: until })))
    },
    place: async ({ metadata: { namespace = '', name = '', uid = '' } }, node, signal) => {
      const binding: Binding = { apiVersion: 'v1', kind: 'Binding', metadata: { namespace, name, uid }, target: { kind: 'Node', name: node } }
      await within(clock, signal, (until) => api.createSubresource<Status>(PODS, { namespace, name }, 'binding', binding, { signal: until }))
    },
    reread: async (pod, signal) => remember(state.pods, await within(clock, signal, (until) => api.get(PODS, refOf(pod), { signal: until }))),
    unschedulable: async (pod, message, signal) => {
      const before = pod.status?.conditions
      const after = setCondition<PodCondition>(before, { type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message }, clock.nowMs())
      if (after === before) return
      const { uid = '' } = pod.metadata
      const value = { metadata: { uid }, status: { conditions: after.filter(({ type }) => type === 'PodScheduled') } }
      remember(state.pods, await within(clock, signal, (until) => api.patch(PODS, refOf(pod), { type: 'strategic', value }, { signal: until, subresource: 'status' })))
    },
  }
}

const versionOf = ({ uid = '', resourceVersion = '' }: ObjectMeta): ObjectMeta => ({ uid, resourceVersion })
