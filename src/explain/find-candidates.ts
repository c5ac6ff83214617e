import { CSI_DRIVERS } from '../api/kinds/csi-driver.ts'
import { PERSISTENT_VOLUME_CLAIMS } from '../api/kinds/persistent-volume-claim.ts'
import type { PersistentVolumeClaim } from '../api/kinds/persistent-volume-claim.ts'
import { PERSISTENT_VOLUMES } from '../api/kinds/persistent-volume.ts'
import type { PersistentVolume } from '../api/kinds/persistent-volume.ts'
import { PODS } from '../api/kinds/pod.ts'
import type { Pod } from '../api/kinds/pod.ts'
import { VOLUME_ATTACHMENTS } from '../api/kinds/volume-attachment.ts'
import type { VolumeAttachment } from '../api/kinds/volume-attachment.ts'
import { VOLUME_GROUP_SNAPSHOT_CONTENTS, VOLUME_GROUP_SNAPSHOTS } from '../api/kinds/volume-group-snapshot.ts'
import type { VolumeGroupSnapshot } from '../api/kinds/volume-group-snapshot.ts'
import { VOLUME_SNAPSHOT_CONTENTS, VOLUME_SNAPSHOTS } from '../api/kinds/volume-snapshot.ts'
import type { VolumeSnapshot } from '../api/kinds/volume-snapshot.ts'
import type { KubeObject } from '../api/object.ts'
import { isFinishedPod } from '../storage/pod-claims.ts'
import type { ClusterReader } from './cluster-reader.ts'
import type { Link } from './explanation.ts'
import { findWorkloads } from './find-workloads.ts'

/** What may be waiting, by its own status alone: everything that is obviously ready costs no further reads. */
export type Candidates = {
  readonly claims: readonly PersistentVolumeClaim[]
  readonly snapshots: readonly VolumeSnapshot[]
  readonly groups: readonly VolumeGroupSnapshot[]
  /** VolumeSnapshotContents and VolumeGroupSnapshotContents that are being deleted: the others are explained with their snapshots. */
  readonly contents: readonly KubeObject[]
  readonly attachments: readonly VolumeAttachment[]
  readonly volumes: readonly PersistentVolume[]
  readonly pods: readonly Pod[]
  readonly workloads: readonly KubeObject[]
}

/** `namespace` restricts claims, snapshots, groups and pods to one. */
export async function findCandidates(reader: ClusterReader, namespace?: string): Promise<Candidates> {
  const [pods, claims, snapshots, groups, contents, groupContents, attachments, volumes] = await Promise.all([
    reader.list(PODS, namespace),
    reader.list(PERSISTENT_VOLUME_CLAIMS, namespace),
    reader.list(VOLUME_SNAPSHOTS, namespace),
    reader.list(VOLUME_GROUP_SNAPSHOTS, namespace),
    reader.list(VOLUME_SNAPSHOT_CONTENTS),
    reader.list(VOLUME_GROUP_SNAPSHOT_CONTENTS),
    reader.list(VOLUME_ATTACHMENTS),
    reader.list(PERSISTENT_VOLUMES),
  ])
  return {
    claims: waiting(claims, isReadyClaim),
    snapshots: waiting(snapshots, ({ status }) => status?.readyToUse === true),
    groups: waiting(groups, ({ status }) => status?.readyToUse === true),
    contents: [...waiting(contents, () => true), ...waiting(groupContents, () => true)],
    attachments: waiting(attachments, ({ status }) => status?.attached === true),
    volumes: waiting(volumes, isReadyVolume),
    pods: [...waiting(pods, isReadyPod), ...(await findUnrefreshed(pods ?? [], reader, namespace))],
    workloads: await findWorkloads(reader, namespace),
  }
}

/** Running pods that may have a volume which cannot be refreshed. Without drivers that refresh volumes, nothing more is read. */
async function findUnrefreshed(pods: readonly Pod[], reader: ClusterReader, namespace?: string): Promise<Pod[]> {
  const running = pods.filter((pod) => isReadyPod(pod) && pod.status?.phase === 'Running')
  if (running.length === 0 || reader.nowMs === undefined) return []
  const drivers = (await reader.list(CSI_DRIVERS)) ?? []
  if (!drivers.some(({ spec }) => spec.requiresRepublish)) return []
  const uids = new Set((await reader.eventsWith('FailedMount', namespace)).map((event) => event.involvedObject.uid))
  return running.filter(({ metadata }) => metadata.deletionTimestamp === undefined && uids.has(metadata.uid))
}

const waiting = <T extends KubeObject>(objects: readonly T[] | undefined, isReady: (object: T) => boolean): T[] =>
  (objects ?? []).filter((object) => object.metadata.deletionTimestamp !== undefined || !isReady(object))

/** Those of all kinds, the causes before what depends on them. */
export const allOf = ({
  claims,
  snapshots,
  groups,
  contents,
  attachments,
  volumes,
  pods,
  workloads,
}: Candidates): KubeObject[] => [
  ...claims,
  ...contents,
  ...snapshots,
  ...groups,
  ...attachments,
  ...volumes,
  ...pods,
  ...workloads,
]

export type ExplainObject = (object: KubeObject) => Promise<Link>

// With this many, the answer has enough sentences.
const MOST_EXPLAINED = 50

/** Those of the objects that really are waiting. */
export async function explainWaiting(
  objects: readonly KubeObject[],
  explainObject: ExplainObject,
  reader: ClusterReader,
): Promise<Link[]> {
  const links: Link[] = []
  for (const object of objects.slice(0, MOST_EXPLAINED)) links.push(await explainObject(object))
  const left = objects.length - MOST_EXPLAINED
  if (left > 0) reader.note(`${left} more objects are waiting: only ${MOST_EXPLAINED} were explained`)
  return links.filter(({ status }) => status === 'waits')
}

const isReadyClaim = ({ spec, status }: PersistentVolumeClaim): boolean =>
  status?.phase === 'Bound' &&
  (status.conditions ?? []).length === 0 &&
  status.capacity?.['storage'] === spec.resources?.requests?.['storage'] &&
  (spec.volumeAttributesClassName ?? '') === (status.currentVolumeAttributesClassName ?? '')

// A volume that is retained on purpose is not stuck.
const isReadyVolume = ({ spec, status }: PersistentVolume): boolean =>
  status?.phase === 'Bound' ||
  status?.phase === 'Available' ||
  (status?.phase === 'Released' && spec.persistentVolumeReclaimPolicy === 'Retain')

// A pod without volumes is waiting for something that is not storage.
const isReadyPod = (pod: Pod): boolean =>
  isFinishedPod(pod) || pod.status?.phase === 'Running' || (pod.spec.volumes ?? []).length === 0
