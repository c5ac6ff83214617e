import { isAlreadyExists } from '../../../api/api-error.ts'
import { DEPLOYMENTS } from '../../../api/kinds/deployment.ts'
import type { Deployment } from '../../../api/kinds/deployment.ts'
import { PODS } from '../../../api/kinds/pod.ts'
import type { Pod } from '../../../api/kinds/pod.ts'
import { REPLICA_SETS } from '../../../api/kinds/replica-set.ts'
import type { ReplicaSet } from '../../../api/kinds/replica-set.ts'
import { selectsLabels } from '../../../api/label-selector.ts'
import { keyOfRef, refOf } from '../../../api/object-key.ts'
import { findControllerReference, isControlledBy } from '../../../api/owner-references.ts'
import { count } from '../../../base/options/index.ts'
import type { ConfigOf, OptionTable } from '../../../base/options/index.ts'
import {
  after,
  CACHE_BEHIND_MS,
  defineController,
  deleteAsSeen,
  keyIfPresent,
  mergeAsSeen,
  on,
  patchAsSeen,
  startControllers,
} from '../../../kube/controller/index.ts'
import type { ControllerRole, StepOutcome } from '../../../kube/controller/index.ts'
import type { StartRole } from '../../../kube/process/role-world.ts'
import { adopt, release } from '../change-owner.ts'
import { followMembers } from '../follow-members.ts'
import { textOf } from '../pod-performers.ts'
import { nameOf } from '../revisions.ts'
import { progressOf } from './deployment-status.ts'
import { nextDeploymentStep } from './next-deployment-step.ts'
import type { DeploymentStep, DeploymentView } from './next-deployment-step.ts'
import { hasSameTemplate, REVISION, sizeAnnotations, sizeOf } from './rollout.ts'

/** The flags of the Deployment controller. */
export const deploymentOptions = {
  concurrentDeploymentSyncs: count(5, 'Number of Deployments to process concurrently.', { minimum: 1 }),
} satisfies OptionTable

type DeploymentConfig = ConfigOf<typeof deploymentOptions>

/** Creates and scales the ReplicaSets of Deployments. */
export const startDeployment: StartRole<DeploymentConfig> = (config, world, signal) =>
  startControllers(world, signal, (role) => [defineDeployment(config, role)])

function defineDeployment({ concurrentDeploymentSyncs }: DeploymentConfig, role: ControllerRole) {
  const { clock, follow, createQueue } = role
  const deployments = follow(DEPLOYMENTS)
  const sets = followMembers<Deployment, ReplicaSet>(role, REPLICA_SETS, {
    owners: deployments,
    ownerType: DEPLOYMENTS,
    isSelected: ({ spec }, { metadata }) => selectsLabels(spec.selector, metadata.labels),
  })
  const pods = followMembers<ReplicaSet, Pod>(role, PODS, {
    owners: sets.kind,
    ownerType: REPLICA_SETS,
    isSelected: () => false,
  })
  // A Deployment that recreates its pods waits until the last old one is gone.
  const deploymentOf = ({ metadata }: Pod): string | undefined => {
    const { namespace = '' } = metadata
    const { kind, name = '' } = findControllerReference({ metadata }) ?? {}
    const set = kind === 'ReplicaSet' ? sets.kind.get(keyOfRef({ namespace, name })) : undefined
    const owner = set && findControllerReference(set)
    return owner?.kind === 'Deployment' ? keyOfRef({ namespace, name: owner.name }) : undefined
  }
  return defineController<DeploymentView, DeploymentStep>({
    name: 'deployment',
    queue: createQueue({ name: 'deployment', lanes: { default: concurrentDeploymentSyncs } }),
    watch: [
      on(deployments, keyIfPresent),
      sets.watch,
      on(pods.kind, ({ before, after: now }) => (before && !now ? deploymentOf(before) : undefined)),
    ],
    view: (key) => {
      const set = deployments.get(key)
      if (!set) return undefined
      return { seen: { set, sets: sets.candidatesOf(set), podsOf: pods.membersOf, nowMs: clock.nowMs() } }
    },
    decide: nextDeploymentStep,
    perform: {
      ...setPerformers(role),
      'create-set': async ({ set }, { view }) => createSet(role, view.seen.set, { set, create: sets.create }),
    },
  })
}

type PassOf = { readonly view: DeploymentView }
type StepOf<Kind> = Extract<DeploymentStep, { kind: Kind }>

const setPerformers = ({ api, events }: ControllerRole) => ({
  'adopt-sets': async ({ sets }: StepOf<'adopt-sets'>, { view }: PassOf): Promise<StepOutcome> => {
    const owner = { type: DEPLOYMENTS, object: view.seen.set }
    return (await adopt(api, owner, { type: REPLICA_SETS, objects: sets })) ? undefined : after(CACHE_BEHIND_MS)
  },
  'release-sets': ({ sets }: StepOf<'release-sets'>, { view }: PassOf) =>
    release(api, view.seen.set, { type: REPLICA_SETS, objects: sets }),
  'update-set': ({ set, annotations, minReadySeconds }: StepOf<'update-set'>) =>
    patchAsSeen(api, REPLICA_SETS, set, mergeAsSeen(set, { metadata: { annotations }, spec: { minReadySeconds } })),
  'scale-sets': async ({ scales }: StepOf<'scale-sets'>, { view: { seen } }: PassOf) => {
    for (const { set, replicas } of scales) {
      const change = { metadata: { annotations: sizeAnnotations(seen.set) }, spec: { replicas } }
      await patchAsSeen(api, REPLICA_SETS, set, mergeAsSeen(set, change))
      if (replicas !== sizeOf(set)) {
        const direction = replicas > sizeOf(set) ? 'up' : 'down'
        const text = `Scaled ${direction} replica set ${nameOf(set)} from ${sizeOf(set)} to ${replicas}`
        events.record(seen.set, 'Normal', 'ScalingReplicaSet', text)
      }
    }
  },
  'delete-sets': async ({ sets }: StepOf<'delete-sets'>): Promise<StepOutcome> => {
    for (const set of sets) await deleteAsSeen(api, REPLICA_SETS, set)
    // The cache shows them until the watch reports their deletion.
    return after(CACHE_BEHIND_MS)
  },
  'write-status': ({ status, revision }: StepOf<'write-status'>, { view: { seen } }: PassOf) => {
    const metadata = revision === undefined ? {} : { annotations: { [REVISION]: revision } }
    const patch = mergeAsSeen(seen.set, { metadata, status })
    return patchAsSeen(api, DEPLOYMENTS, seen.set, patch, { subresource: 'status' })
  },
})

type Creation = { readonly set: ReplicaSet; create(owner: Deployment, set: ReplicaSet): Promise<ReplicaSet> }

/** The name is derived from the template: if it is in use for another one, the count of collisions makes the next name differ. */
async function createSet(
  { api, clock, events }: ControllerRole,
  deployment: Deployment,
  { set, create }: Creation,
): Promise<StepOutcome> {
  const name = nameOf(set)
  const writeStatus = (status: object, metadata: object = {}): Promise<void> =>
    patchAsSeen(api, DEPLOYMENTS, deployment, mergeAsSeen(deployment, { metadata, status }), { subresource: 'status' })
  try {
    await create(deployment, set)
  } catch (error) {
    if (isAlreadyExists(error)) {
      const present = await api.get(REPLICA_SETS, refOf(set))
      if (isControlledBy(present, deployment) && hasSameTemplate(present, set)) return after(CACHE_BEHIND_MS)
      await writeStatus({ collisionCount: (deployment.status?.collisionCount ?? 0) + 1 })
      return undefined
    }
    const message = `Failed to create new replica set "${name}": ${textOf(error)}`
    const failed = { status: 'False', reason: 'ReplicaSetCreateError', message } as const
    await writeStatus({ conditions: progressOf(deployment, failed, clock.nowMs()) })
    events.record(deployment, 'Warning', 'ReplicaSetCreateError', message)
    throw error
  }
  if (sizeOf(set) > 0)
    events.record(deployment, 'Normal', 'ScalingReplicaSet', `Scaled up replica set ${name} from 0 to ${sizeOf(set)}`)
  const created = {
    status: 'True',
    reason: 'NewReplicaSetCreated',
    message: `Created new replica set "${name}"`,
  } as const
  const annotations = { [REVISION]: set.metadata.annotations?.[REVISION] }
  await writeStatus({ conditions: progressOf(deployment, created, clock.nowMs()) }, { annotations })
  return undefined
}
