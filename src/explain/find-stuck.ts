import type { Api } from '../api/api.ts'
import { PERSISTENT_VOLUME_CLAIMS } from '../api/kinds/persistent-volume-claim.ts'
import type { PersistentVolumeClaim } from '../api/kinds/persistent-volume-claim.ts'
import { PERSISTENT_VOLUMES } from '../api/kinds/persistent-volume.ts'
import type { PersistentVolume } from '../api/kinds/persistent-volume.ts'
import { PODS } from '../api/kinds/pod.ts'
import type { Pod } from '../api/kinds/pod.ts'
import { VOLUME_ATTACHMENTS } from '../api/kinds/volume-attachment.ts'
import type { VolumeAttachment } from '../api/kinds/volume-attachment.ts'
import { VOLUME_SNAPSHOTS } from '../api/kinds/volume-snapshot.ts'
import type { VolumeSnapshot } from '../api/kinds/volume-snapshot.ts'
import { formatRef } from '../api/object-key.ts'
import type { KubeObject } from '../api/object.ts'
import { isFinishedPod } from '../storage/pod-claims.ts'
import { createClusterReader } from './cluster-reader.ts'
import type { ClusterReader } from './cluster-reader.ts'
import { explainTarget } from './explain.ts'
import type { Link, ObjectId } from './explanation.ts'
import { formatSentence } from './format-sentence.ts'
import { pathToCause } from './links.ts'
import type { Target } from './parse-target.ts'
import type { WhyReason } from './why-reason.ts'

/** Objects that are waiting for the same thing. */
export type StuckGroup = {
  /** The sentence about the object nearest to the cause. */
  readonly sentence: string
  readonly cause?: WhyReason
  /** The object nearest to the cause first. */
  readonly objects: readonly StuckObject[]
}

export type StuckObject = { readonly object: ObjectId; readonly state: string; readonly sentence: string }

export type Stuck = {
  /** The largest group first. */
  readonly groups: readonly StuckGroup[]
  /** What could not be read, and why: something stuck may be missing here. */
  readonly unseen: readonly string[]
}

/** With more waiting objects than this, the first ones are explained and the answer says so. */
export const MOST_EXPLAINED = 500

/** Every pod, claim, volume, attachment and snapshot that is waiting, grouped by cause. `namespace` restricts it to one; default all. */
export async function findStuck({
  api,
  namespace,
  signal,
}: {
  readonly api: Api
  readonly namespace?: string | undefined
  readonly signal: AbortSignal
}): Promise<Stuck> {
  const reader = createClusterReader(api, signal)
  const candidates = await findCandidates(reader, namespace)
  const explained: Waiting[] = []
  for (const { kind, object } of candidates.slice(0, MOST_EXPLAINED)) {
    const { name = '', namespace: own = '' } = object.metadata
    const chain = await explainTarget({ kind, name }, own, reader)
    const path = pathToCause(chain)
    const cause = path.at(-1)
    if (cause) explained.push({ chain, cause, distance: path.length })
  }
  const groups = Map.groupBy(explained, ({ cause }) => groupKeyOf(cause))
  const left = candidates.length - MOST_EXPLAINED
  return {
    groups: [...groups.values()].map(toGroup).sort((one, other) => other.objects.length - one.objects.length),
    unseen: [
      ...reader.unseen(),
      ...(left > 0 ? [`${left} more objects are waiting: only ${MOST_EXPLAINED} were explained`] : []),
    ],
  }
}

type Waiting = {
  readonly chain: Link
  readonly cause: Link
  readonly distance: number
}

// The same object with another code is another problem: a class that does not exist is not a class without a provisioner.
const groupKeyOf = ({ object, reason }: Link): string => `${formatRef(object.kind, object)} ${reason?.code ?? ''}`

function toGroup(waiting: readonly Waiting[]): StuckGroup {
  const [nearest, ...others] = [...waiting].sort((one, other) => one.distance - other.distance)
  const reason = nearest?.cause.reason
  return {
    sentence: nearest ? formatSentence(nearest.chain) : '',
    ...(reason ? { cause: reason } : {}),
    objects: [nearest, ...others].flatMap((each) =>
      each ? [{ object: each.chain.object, state: each.chain.state, sentence: formatSentence(each.chain) }] : [],
    ),
  }
}

type Candidate = { readonly kind: Target['kind']; readonly object: KubeObject }

/** What may be waiting, by its own status alone: everything that is obviously ready costs no further reads. */
async function findCandidates(reader: ClusterReader, namespace: string | undefined): Promise<readonly Candidate[]> {
  const [pods, claims, snapshots, attachments, volumes] = await Promise.all([
    reader.list(PODS, namespace),
    reader.list(PERSISTENT_VOLUME_CLAIMS, namespace),
    reader.list(VOLUME_SNAPSHOTS, namespace),
    reader.list(VOLUME_ATTACHMENTS),
    reader.list(PERSISTENT_VOLUMES),
  ])
  const of = <T extends KubeObject>(
    kind: Target['kind'],
    objects: readonly T[] | undefined,
    isReady: (object: T) => boolean,
  ): Candidate[] =>
    (objects ?? []).filter((object) => isLeaving(object) || !isReady(object)).map((object) => ({ kind, object }))
  return [
    ...of('PersistentVolumeClaim', claims, isReadyClaim),
    ...of('VolumeSnapshot', snapshots, isReadySnapshot),
    ...of('VolumeAttachment', attachments, ({ status }: VolumeAttachment) => status?.attached === true),
    ...of('PersistentVolume', volumes, isReadyVolume),
    ...of('Pod', pods, isReadyPod),
  ]
}

const isLeaving = ({ metadata }: KubeObject): boolean => metadata.deletionTimestamp !== undefined

const isReadyClaim = ({ spec, status }: PersistentVolumeClaim): boolean =>
  status?.phase === 'Bound' &&
  (status.conditions ?? []).length === 0 &&
  status.capacity?.['storage'] === spec.resources?.requests?.['storage'] &&
  (spec.volumeAttributesClassName ?? '') === (status.currentVolumeAttributesClassName ?? '')

const isReadySnapshot = ({ status }: VolumeSnapshot): boolean => status?.readyToUse === true

// A volume that is retained on purpose is not stuck.
const isReadyVolume = ({ spec, status }: PersistentVolume): boolean =>
  status?.phase === 'Bound' ||
  status?.phase === 'Available' ||
  (status?.phase === 'Released' && spec.persistentVolumeReclaimPolicy === 'Retain')

// A pod without volumes is waiting for something that is not storage.
const isReadyPod = (pod: Pod): boolean =>
  isFinishedPod(pod) || pod.status?.phase === 'Running' || (pod.spec.volumes ?? []).length === 0
