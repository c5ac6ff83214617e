import { PODS } from '../../../api/kinds/pod.ts'
import type { Pod } from '../../../api/kinds/pod.ts'
import { REPLICA_SETS } from '../../../api/kinds/replica-set.ts'
import { REPLICATION_CONTROLLERS } from '../../../api/kinds/replication-controller.ts'
import { selectsLabels } from '../../../api/label-selector.ts'
import type { KubeObject } from '../../../api/object.ts'
import type { ResourceType } from '../../../api/resource-type.ts'
import { count } from '../../../base/options/index.ts'
import type { ConfigOf, OptionTable } from '../../../base/options/index.ts'
import {
  defineController,
  keyIfPresent,
  mergeAsSeen,
  on,
  patchAsSeen,
  startControllers,
} from '../../../kube/controller/index.ts'
import type { ControllerRole, Pass } from '../../../kube/controller/index.ts'
import type { StartRole } from '../../../kube/process/role-world.ts'
import { followMembers } from '../follow-members.ts'
import { ownershipPerformers } from '../ownership-performers.ts'
import { podFromTemplate, podNamePrefix } from '../pod-from-template.ts'
import { podWrites, textOf } from '../pod-performers.ts'
import { isActivePod } from '../pod-state.ts'
import { sortMembers } from '../sort-members.ts'
import { nextReplicaSetStep, replicaStatus } from './next-replica-set-step.ts'
import type { ReplicaFailure, ReplicaSetStep, ReplicaSetView } from './next-replica-set-step.ts'
import { ownerOfController } from './replica-owner.ts'
import type { ReplicaOwner } from './replica-owner.ts'

/** The flags of the ReplicaSet controller. */
export const replicaSetOptions = {
  concurrentReplicasetSyncs: count(5, 'Number of ReplicaSets to process concurrently.', { minimum: 1 }),
} satisfies OptionTable

/** The flags of the ReplicationController controller. */
export const replicationControllerOptions = {
  concurrentRcSyncs: count(5, 'Number of ReplicationControllers to process concurrently.', { minimum: 1 }),
} satisfies OptionTable

/** Keeps as many pods running as a ReplicaSet wants. */
export const startReplicaSet: StartRole<ConfigOf<typeof replicaSetOptions>> = (config, world, signal) =>
  startControllers(world, signal, (role) => [
    defineReplicas(role, {
      type: REPLICA_SETS,
      name: 'replicaset',
      workers: config.concurrentReplicasetSyncs,
      ownerOf: (set) => set,
      countsLeaving: true,
    }),
  ])

/** The same for ReplicationControllers. */
export const startReplicationController: StartRole<ConfigOf<typeof replicationControllerOptions>> = (
  config,
  world,
  signal,
) =>
  startControllers(world, signal, (role) => [
    defineReplicas(role, {
      type: REPLICATION_CONTROLLERS,
      name: 'replicationmanager',
      workers: config.concurrentRcSyncs,
      ownerOf: ownerOfController,
      countsLeaving: false,
    }),
  ])

type ReplicaKind<T extends KubeObject> = {
  readonly type: ResourceType<T>
  readonly name: string
  readonly workers: number
  ownerOf(object: T): ReplicaOwner
  readonly countsLeaving: boolean
}
type ReplicaPass = Pass<ReplicaSetView, ReplicaFailure>

function defineReplicas<T extends KubeObject>(role: ControllerRole, kind: ReplicaKind<T>) {
  const { api, clock, events, follow, createQueue } = role
  const { type, name, workers, ownerOf, countsLeaving } = kind
  const sets = follow(type)
  const pods = followMembers<T, Pod>(role, PODS, {
    owners: sets,
    ownerType: type,
    isSelected: (set, { metadata }) => selectsLabels(ownerOf(set).spec.selector, metadata.labels),
  })
  const writes = podWrites(events, pods)
  // The owner of a view has the metadata of the followed object.
  const followed = (pass: ReplicaPass): T => sets.get(pass.key) ?? (pass.view.seen.set as unknown as T)

  const writeStatus = (pass: ReplicaPass, status: object): Promise<void> =>
    patchAsSeen<KubeObject>(
      api,
      type as ResourceType,
      pass.view.seen.set,
      mergeAsSeen(pass.view.seen.set, { status }),
      {
        subresource: 'status',
      },
    )
  /** Also writes the status: a failure to create pods must not keep it from being seen. */
  const attempt = async (pass: ReplicaPass, failure: ReplicaFailure['reason'], act: () => Promise<void>) => {
    try {
      await act()
      pass.memory = undefined
    } catch (error) {
      pass.memory = { reason: failure, message: textOf(error) }
      const { seen } = pass.view
      const active = pods.membersOf(followed(pass)).filter(isActivePod)
      const { members } = sortMembers(seen.set, active, () => true)
      await writeStatus(pass, replicaStatus({ seen, held: { failure: pass.memory } }, members))
      throw error
    }
  }

  return defineController<ReplicaSetView, ReplicaSetStep, ReplicaFailure>({
    name,
    queue: createQueue({ name, lanes: { default: workers } }),
    watch: [on(sets, keyIfPresent), pods.watch],
    view: (key, { memory: failure }) => {
      const set = sets.get(key)
      if (!set) return undefined
      const seen = { set: ownerOf(set), pods: pods.candidatesOf(set), nowMs: clock.nowMs(), countsLeaving }
      return { seen, held: { failure } }
    },
    decide: nextReplicaSetStep,
    perform: {
      ...ownershipPerformers<ReplicaOwner>(api, type as ResourceType),
      'create-pods': ({ count: missing }, pass) => {
        const { set } = pass.view.seen
        const { metadata, ...pod } = podFromTemplate(set.spec.template, set)
        const made = { ...pod, metadata: { ...metadata, generateName: podNamePrefix(set) } }
        const create = () =>
          writes.create(
            followed(pass),
            Array.from({ length: missing }, () => made),
          )
        return attempt(pass, 'FailedCreate', create)
      },
      'delete-pods': ({ pods: chosen }, pass) =>
        attempt(pass, 'FailedDelete', () => writes.delete(followed(pass), chosen)),
      'write-status': ({ status }, pass) => writeStatus(pass, status),
    },
  })
}
