import { DAEMON_SETS } from '../api/kinds/daemon-set.ts'
import type { DaemonSet } from '../api/kinds/daemon-set.ts'
import { DEPLOYMENTS } from '../api/kinds/deployment.ts'
import type { Deployment } from '../api/kinds/deployment.ts'
import { JOBS } from '../api/kinds/job.ts'
import type { Job } from '../api/kinds/job.ts'
import { REPLICA_SETS } from '../api/kinds/replica-set.ts'
import type { ReplicaSet } from '../api/kinds/replica-set.ts'
import { STATEFUL_SETS } from '../api/kinds/stateful-set.ts'
import type { StatefulSet } from '../api/kinds/stateful-set.ts'
import type { KubeObject } from '../api/object.ts'
import type { ClusterReader } from './cluster-reader.ts'

/** Workloads whose status says that pods are missing or not ready. */
export async function findWorkloads(reader: ClusterReader, namespace?: string): Promise<readonly KubeObject[]> {
  const [statefulSets, deployments, replicaSets, daemonSets, jobs] = await Promise.all([
    reader.list(STATEFUL_SETS, namespace),
    reader.list(DEPLOYMENTS, namespace),
    reader.list(REPLICA_SETS, namespace),
    reader.list(DAEMON_SETS, namespace),
    reader.list(JOBS, namespace),
  ])
  return [
    ...(statefulSets ?? []).filter((set) => isLeaving(set) || !isReadySet(set)),
    ...(deployments ?? []).filter((set) => isLeaving(set) || !isReadySet(set)),
    // That of a Deployment is explained with it.
    ...(replicaSets ?? []).filter((set) => isIndependent(set) && (isLeaving(set) || !isReadySet(set))),
    ...(daemonSets ?? []).filter((set) => isLeaving(set) || !isReadyDaemonSet(set)),
    ...(jobs ?? []).filter((job) => isLeaving(job) || !isReadyJob(job)),
  ]
}

const isLeaving = ({ metadata }: KubeObject): boolean => metadata.deletionTimestamp !== undefined

const isIndependent = ({ metadata }: KubeObject): boolean =>
  !metadata.ownerReferences?.some(({ controller }) => controller)

const isReadySet = ({ spec, status }: StatefulSet | Deployment | ReplicaSet): boolean =>
  (status?.readyReplicas ?? 0) >= (spec.replicas ?? 1)

const isReadyDaemonSet = ({ metadata, status }: DaemonSet): boolean =>
  status?.observedGeneration === metadata.generation &&
  (status?.numberReady ?? 0) >= (status?.desiredNumberScheduled ?? 0)

// One whose pods are running is not stuck.
const isReadyJob = ({ spec, status }: Job): boolean =>
  spec.suspend === true ||
  (status?.conditions ?? []).some(
    ({ type, status: is }) => is === 'True' && (type === 'Complete' || type === 'Failed'),
  ) ||
  ((status?.active ?? 0) > 0 && (status?.ready ?? 0) >= (status?.active ?? 0))
