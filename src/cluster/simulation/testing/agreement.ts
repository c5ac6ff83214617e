import type { Api } from '../../../api/api.ts'
import { PERSISTENT_VOLUME_CLAIMS } from '../../../api/kinds/persistent-volume-claim.ts'
import type { PersistentVolumeClaim } from '../../../api/kinds/persistent-volume-claim.ts'
import { PERSISTENT_VOLUMES } from '../../../api/kinds/persistent-volume.ts'
import type { PersistentVolume } from '../../../api/kinds/persistent-volume.ts'
import { PODS } from '../../../api/kinds/pod.ts'
import { VOLUME_GROUP_SNAPSHOTS } from '../../../api/kinds/volume-group-snapshot.ts'
import { VOLUME_SNAPSHOT_CONTENTS, VOLUME_SNAPSHOTS } from '../../../api/kinds/volume-snapshot.ts'
import type { VolumeSnapshotContent } from '../../../api/kinds/volume-snapshot.ts'
import { quantityToBytes } from '../../../api/quantity.ts'
import { capacityOf, requestedSizeOf } from '../../../storage/requested-size.ts'
import type { ClusterWorld } from './describe-world.ts'
import type { Judge } from './judge.ts'
import { ATTRIBUTES, GROUPED } from './user-changes.ts'

/** Claims whose volume is not as they request it, or of which claim, volume and driver say different things. */
export async function disagreements({ api, judge, lookAtDriver }: ClusterWorld): Promise<string[]> {
  const volumes = (await api.list(PERSISTENT_VOLUMES)).items
  const { sizes } = await lookAtDriver()
  const used = await claimsOfRunningPods(api)
  const found: string[] = []
  for (const claim of (await api.list(PERSISTENT_VOLUME_CLAIMS)).items) {
    const volume = volumes.find(({ metadata }) => metadata.name === claim.spec.volumeName)
    if (claim.metadata.deletionTimestamp || claim.status?.phase !== 'Bound' || !volume) continue
    const facts = [
      ...sizeProblems(claim, volume, sizes.get(volume.spec.csi?.volumeHandle ?? ''), used),
      ...attributeProblems(claim, volume, judge),
    ]
    if (facts.length > 0) found.push(`${claim.metadata.name}: ${facts.join('; ')}: ${JSON.stringify(claim.status)}`)
  }
  return found
}

function sizeProblems(
  claim: PersistentVolumeClaim,
  volume: PersistentVolume,
  driverBytes: bigint | undefined,
  used: ReadonlySet<string>,
): string[] {
  const { capacity, allocatedResources, allocatedResourceStatuses, conditions = [] } = claim.status ?? {}
  const made = quantityToBytes(capacityOf(volume))
  const shown = quantityToBytes(capacity?.['storage'] ?? '0')
  // Without a pod no node expands the volume.
  const awaitsPod =
    allocatedResourceStatuses?.['storage'] === 'NodeResizePending' && !used.has(claim.metadata.name ?? '')
  // A request that was made since then has to wait until the node has finished the one before.
  const due = awaitsPod ? (allocatedResources?.['storage'] ?? '0') : requestedSizeOf(claim)
  const wanted = quantityToBytes(due)
  return [
    ...(made >= wanted ? [] : [`requests ${wanted} bytes, the volume has ${made}`]),
    ...(driverBytes === made ? [] : [`the volume has ${made} bytes, the driver says ${driverBytes}`]),
    ...(shown === made || awaitsPod ? [] : [`the volume has ${made} bytes, the claim says ${shown}`]),
    ...(allocatedResourceStatuses === undefined || awaitsPod ? [] : ['a resize status is left']),
    ...conditions
      .filter(({ type }) => !(awaitsPod && ['Resizing', 'FileSystemResizePending'].includes(type)))
      .map(({ type }) => `the condition ${type} is left`),
  ]
}

function attributeProblems({ spec, status }: PersistentVolumeClaim, volume: PersistentVolume, judge: Judge): string[] {
  const wanted = spec.volumeAttributesClassName ?? ''
  const shown = status?.currentVolumeAttributesClassName ?? ''
  const made = volume.spec.volumeAttributesClassName ?? ''
  const [asked, applied] = [ATTRIBUTES[wanted] ?? {}, judge.attributesOf(volume.spec.csi?.volumeHandle ?? '')]
  return [
    ...(wanted === shown && wanted === made ? [] : [`requests '${wanted}', shows '${shown}', the volume is '${made}'`]),
    ...(JSON.stringify(asked) === JSON.stringify(applied) ? [] : [`the driver applied ${JSON.stringify(applied)}`]),
    ...(status?.modifyVolumeStatus ? ['a modify status is left'] : []),
  ]
}

async function claimsOfRunningPods(api: Api): Promise<ReadonlySet<string>> {
  const running = (await api.list(PODS)).items.filter(({ status }) => status?.phase === 'Running')
  return new Set(
    running.flatMap(({ spec }) =>
      (spec.volumes ?? []).flatMap(({ persistentVolumeClaim: claim }) => (claim ? [claim.claimName] : [])),
    ),
  )
}

/** Snapshots that could be ready and are not, and those that only the cluster or only the driver knows. */
export async function snapshotProblems({ api, lookAtDriver }: ClusterWorld): Promise<string[]> {
  const snapshots = (await api.list(VOLUME_SNAPSHOTS)).items
  const contents = (await api.list(VOLUME_SNAPSHOT_CONTENTS)).items
  const claims = (await api.list(PERSISTENT_VOLUME_CLAIMS)).items
  const canBeTaken = (name: string | undefined): boolean =>
    claims.some(
      ({ metadata, status }) =>
        metadata.name === name && metadata.deletionTimestamp === undefined && status?.phase === 'Bound',
    )
  const restoring = new Set(
    claims.filter(({ status }) => status?.phase === 'Pending').map(({ spec }) => spec.dataSource?.name),
  )
  const unready = snapshots.filter(({ metadata, spec, status }) =>
    metadata.deletionTimestamp === undefined
      ? status?.readyToUse !== true && canBeTaken(spec.source.persistentVolumeClaimName)
      : !restoring.has(metadata.name),
  )
  const grouped = claims.filter(({ metadata }) => GROUPED.includes(metadata.name ?? ''))
  const canBeGrouped = grouped.length > 0 && grouped.every(({ metadata }) => canBeTaken(metadata.name))
  const groups = (await api.list(VOLUME_GROUP_SNAPSHOTS)).items.filter(({ metadata, status }) =>
    metadata.deletionTimestamp === undefined ? status?.readyToUse !== true && canBeGrouped : true,
  )
  const known = contents.map(({ status }) => status?.snapshotHandle ?? 'none')
  const { snapshots: present } = await lookAtDriver()
  const orphans = contents.filter(
    ({ spec }) =>
      spec.deletionPolicy === 'Delete' &&
      !snapshots.some(({ metadata }) => metadata.uid === spec.volumeSnapshotRef.uid),
  )
  return [
    ...[...groups, ...unready].map(
      ({ metadata, status }) => `${metadata.name} is not ready or not gone: ${JSON.stringify(status)}`,
    ),
    ...present.filter((id) => !known.includes(id)).map((id) => `the driver has ${id}, which no content names`),
    ...known.filter((id) => !present.includes(id)).map((id) => `a content names ${id}, which the driver does not have`),
    ...orphans.map(({ metadata }) => `${metadata.name} has lost its snapshot`),
  ]
}

/** Remembers every content with policy Retain that the driver has a snapshot for. */
export function createRetainedWatch(api: Api) {
  const seen = new Map<string, string>()
  const retained = async (): Promise<VolumeSnapshotContent[]> =>
    (await api.list(VOLUME_SNAPSHOT_CONTENTS)).items.filter(({ spec }) => spec.deletionPolicy === 'Retain')
  return {
    async look(): Promise<void> {
      for (const { metadata, status } of await retained())
        if (status?.snapshotHandle) seen.set(metadata.name ?? '', status.snapshotHandle)
    },
    async missing(): Promise<string[]> {
      const present = new Set((await retained()).map(({ status }) => status?.snapshotHandle))
      return [...seen].filter(([, handle]) => !present.has(handle)).map(([name]) => name)
    },
  }
}
