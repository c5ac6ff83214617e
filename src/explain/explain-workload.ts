import { findCondition } from '../api/conditions.ts'
import { isHoldfastNode } from '../api/holdfast-node.ts'
import { CONTROLLER_REVISIONS } from '../api/kinds/controller-revision.ts'
import { DAEMON_SETS } from '../api/kinds/daemon-set.ts'
import { DEPLOYMENTS } from '../api/kinds/deployment.ts'
import type { Deployment } from '../api/kinds/deployment.ts'
import { JOBS } from '../api/kinds/job.ts'
import { NODES } from '../api/kinds/node.ts'
import { PERSISTENT_VOLUME_CLAIMS } from '../api/kinds/persistent-volume-claim.ts'
import { PODS } from '../api/kinds/pod.ts'
import { REPLICA_SETS } from '../api/kinds/replica-set.ts'
import { STATEFUL_SETS } from '../api/kinds/stateful-set.ts'
import type { KubeObject, ObjectRef } from '../api/object.ts'
import { findControllerReference } from '../api/owner-references.ts'
import type { ResourceType } from '../api/resource-type.ts'
import { findTimestamp } from '../api/timestamps.ts'
import { nextDaemonSetStep } from '../controllers/workloads/daemon-set/next-daemon-set-step.ts'
import type { DaemonSetStep } from '../controllers/workloads/daemon-set/next-daemon-set-step.ts'
import { nextDeploymentStep } from '../controllers/workloads/deployment/next-deployment-step.ts'
import type { DeploymentStep } from '../controllers/workloads/deployment/next-deployment-step.ts'
import { nextJobStep } from '../controllers/workloads/job/next-job-step.ts'
import type { JobStep } from '../controllers/workloads/job/next-job-step.ts'
import { nextReplicaSetStep } from '../controllers/workloads/replica-set/next-replica-set-step.ts'
import type { ReplicaSetStep } from '../controllers/workloads/replica-set/next-replica-set-step.ts'
import { nextStatefulSetStep } from '../controllers/workloads/stateful-set/next-stateful-set-step.ts'
import type { StatefulSetStep } from '../controllers/workloads/stateful-set/next-stateful-set-step.ts'
import type { ClusterReader } from './cluster-reader.ts'
import { explainClaim } from './explain-claim.ts'
import { explainPod, podState } from './explain-pod.ts'
import type { Link } from './explanation.ts'
import { absentLink, blockedLink, idOf, idOfAwaited, readyLink, unseenLink, waitingLink } from './links.ts'
import { REASONS } from './reasons.ts'
import type { WhyCode, WhyReason } from './why-reason.ts'

export type WorkloadKind = 'StatefulSet' | 'Deployment' | 'ReplicaSet' | 'DaemonSet' | 'Job'
type WorkloadStep = StatefulSetStep | DeploymentStep | ReplicaSetStep | DaemonSetStep | JobStep

/** Why pods of a workload are missing or not ready: what its controller decides, and the chain of the pod or claim that it is waiting for. */
export async function explainWorkload(kind: WorkloadKind, ref: ObjectRef, reader: ClusterReader): Promise<Link> {
  const object = { kind, ...ref }
  const found = await reader.get(TYPES[kind] as ResourceType, ref)
  if (found.kind === 'absent') return absentLink(object)
  if (found.kind === 'unseen') return unseenLink(object)
  const workload = found.object
  const step = await nextDecisive(kind, workload, reader)
  const [id, isLeaving] = [idOf(workload), workload.metadata.deletionTimestamp !== undefined]
  const state = isLeaving ? 'Terminating' : 'not ready'
  if (step.kind !== 'wait') return waitingLink(id, state, await reasonForDelay(workload, reader), { isLeaving })
  const reason: WhyReason = step.reason
  if (READY.has(reason.code)) return readyLink(id, readyState(workload), { reason })
  const { waitsFor } = reason
  if (waitsFor?.kind !== 'object' || reason.code === 'NoContainers')
    return waitingLink(id, state, reason, { isLeaving })
  const below = await explainAwaited(
    waitsFor.kindName,
    { namespace: waitsFor.namespace ?? '', name: waitsFor.name },
    reader,
  )
  if (below?.status === 'waits') return blockedLink(id, state, [below], { isLeaving })
  // The controller says more than the object that it is waiting for.
  if (reason.code === 'PodsRunning') return readyLink(id, 'running', { reason })
  return blockedLink(id, state, [waitingLink(idOfAwaited(waitsFor), below?.state ?? 'present', reason)], { isLeaving })
}

type AnyStatus = {
  readonly conditions?: readonly {
    readonly type: string
    readonly status: 'True' | 'False' | 'Unknown'
    readonly message?: string
  }[]
  readonly readyReplicas?: number
  readonly replicas?: number
  readonly numberReady?: number
  readonly desiredNumberScheduled?: number
}
// Only fields that some of the kinds have.
const statusOf = (workload: KubeObject): AnyStatus => (workload as { readonly status?: AnyStatus }).status ?? {}

/** How a Job has ended, or `2/2` pods that are ready. */
function readyState(workload: KubeObject): string {
  const { conditions = [], readyReplicas, replicas, numberReady, desiredNumberScheduled } = statusOf(workload)
  const end = conditions.find(({ type, status }) => status === 'True' && (type === 'Complete' || type === 'Failed'))
  return end?.type ?? `${readyReplicas ?? numberReady ?? 0}/${replicas ?? desiredNumberScheduled ?? 0}`
}

const TYPES = {
  StatefulSet: STATEFUL_SETS,
  Deployment: DEPLOYMENTS,
  ReplicaSet: REPLICA_SETS,
  DaemonSet: DAEMON_SETS,
  Job: JOBS,
}
const READY: ReadonlySet<WhyCode> = new Set<WhyCode>(['Complete', 'Finished'])

/** Later than every time in the cluster: what only needs time counts as done. */
const LATER_MS = Date.UTC(9998, 0, 1)

/** The first decision that is more than writing a status: the status may be older than what is read here. */
async function nextDecisive(kind: WorkloadKind, workload: KubeObject, reader: ClusterReader): Promise<WorkloadStep> {
  const decide = await readDecision(kind, workload, reader)
  const step = decide(workload)
  return step.kind === 'write-status' ? decide({ ...workload, status: step.status } as KubeObject) : step
}

/** What the controller of the kind would decide about this state of the workload. */
async function readDecision(
  kind: WorkloadKind,
  workload: KubeObject,
  reader: ClusterReader,
): Promise<(workload: KubeObject) => WorkloadStep> {
  const { namespace = '' } = workload.metadata
  const candidates = async <T extends KubeObject>(type: ResourceType<T>): Promise<T[]> =>
    ((await reader.list(type, namespace)) ?? []).filter((object) => {
      const controller = findControllerReference(object)
      return !controller || controller.uid === workload.metadata.uid
    })
  const pods = await candidates(PODS)
  const nowMs = LATER_MS
  // Every decision gets an object of its own kind: the one that was read as that kind.
  const view = <T>(set: KubeObject) => ({ set: set as unknown as T, pods, nowMs })
  switch (kind) {
    case 'StatefulSet': {
      const revisions = await candidates(CONTROLLER_REVISIONS)
      const claims = (await reader.list(PERSISTENT_VOLUME_CLAIMS, namespace)) ?? []
      const findClaim = (name: string) => claims.find(({ metadata }) => metadata.name === name)
      return (set) => nextStatefulSetStep({ seen: { ...view(set), revisions, findClaim } })
    }
    case 'Deployment': {
      const sets = await candidates(REPLICA_SETS)
      const all = (await reader.list(PODS, namespace)) ?? []
      const podsOf = ({ metadata }: KubeObject) =>
        all.filter((pod) => findControllerReference(pod)?.uid === metadata.uid)
      return (set) => nextDeploymentStep({ seen: { ...view<Deployment>(set), sets, podsOf } })
    }
    case 'ReplicaSet':
      return (set) => nextReplicaSetStep({ seen: { ...view(set), countsLeaving: true } })
    case 'DaemonSet': {
      const revisions = await candidates(CONTROLLER_REVISIONS)
      const nodes = (await reader.list(NODES)) ?? []
      return (set) => nextDaemonSetStep({ seen: { ...view(set), revisions, nodes } })
    }
    case 'Job': {
      const idle = ((await reader.list(NODES)) ?? []).filter(isHoldfastNode)
      const idleNodes = new Set(idle.map(({ metadata }) => metadata.name ?? ''))
      const startedMs = findTimestamp((workload as { status?: { startTime?: string } }).status?.startTime)
      return (set) => nextJobStep({ seen: { ...view(set), idleNodes, nowMs: startedMs ?? 0 } })
    }
  }
}

/** What a workload is waiting for; undefined for a kind that is not explained. */
async function explainAwaited(kindName: string, ref: ObjectRef, reader: ClusterReader): Promise<Link | undefined> {
  if (kindName === 'Pod') {
    const link = await explainPod(ref, reader)
    const found = await reader.get(PODS, ref)
    return found.kind === 'found' && link.status === 'ready' ? { ...link, state: podState(found.object) } : link
  }
  if (kindName === 'PersistentVolumeClaim') return explainClaim(ref, { reader })
  return kindName === 'ReplicaSet' ? explainWorkload(kindName, ref, reader) : undefined
}

/** The controller has something to do and has not done it: the server may have rejected it. */
async function reasonForDelay(workload: KubeObject, reader: ClusterReader): Promise<WhyReason> {
  const failure = findCondition(statusOf(workload).conditions, 'ReplicaFailure')
  const events = (await reader.eventsOf(idOf(workload))).filter(({ reason }) => reason === 'FailedCreate')
  const newest = events.toSorted((one, other) => timeOf(one).localeCompare(timeOf(other))).at(-1)
  const message = failure?.message ?? newest?.message
  return message === undefined ? REASONS.awaitingWorkloadController(workload.kind) : REASONS.podsNotCreated(message)
}

const timeOf = ({ lastTimestamp, eventTime }: { lastTimestamp?: string | null; eventTime?: string | null }): string =>
  lastTimestamp ?? eventTime ?? ''
