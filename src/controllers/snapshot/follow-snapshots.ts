import { NODES } from '../../api/kinds/node.ts'
import { PERSISTENT_VOLUME_CLAIMS } from '../../api/kinds/persistent-volume-claim.ts'
import type { PersistentVolumeClaim } from '../../api/kinds/persistent-volume-claim.ts'
import { PERSISTENT_VOLUMES } from '../../api/kinds/persistent-volume.ts'
import type { PersistentVolume } from '../../api/kinds/persistent-volume.ts'
import {
  VOLUME_GROUP_SNAPSHOT_CLASSES,
  VOLUME_GROUP_SNAPSHOT_CONTENTS,
  VOLUME_GROUP_SNAPSHOTS,
} from '../../api/kinds/volume-group-snapshot.ts'
import { VOLUME_SNAPSHOT_CLASSES, VOLUME_SNAPSHOT_CONTENTS, VOLUME_SNAPSHOTS } from '../../api/kinds/volume-snapshot.ts'
import { matchesNodeSelector } from '../../api/node-selector.ts'
import { keyOf, keyOfRef } from '../../api/object-key.ts'
import type { KubeObject } from '../../api/object.ts'
import { isOwnedBy } from '../../api/owner-references.ts'
import type { ControllerRole } from '../../kube/controller/index.ts'
import { findAnnotation } from '../../storage/names.ts'
import { DEFAULT_GROUP_SNAPSHOT_CLASS, DEFAULT_SNAPSHOT_CLASS } from '../../storage/snapshot-names.ts'
import type { GroupSources } from './group-view.ts'
import { groupContentNameOf } from './group-view.ts'
import { claimResource } from './snapshot-controller.ts'
import { contentNameOf, groupRefOf } from './snapshot-view.ts'
import type { SnapshotSources } from './snapshot-view.ts'

export const BY_CLAIM = 'snapshot/claim'
export const BY_CONTENT = 'snapshot/content'
export const BY_CLASS = 'snapshot/class'
export const BY_SOURCE = 'snapshot/source'
export const BY_GROUP = 'snapshot/group'
export const BY_GROUP_HANDLE = 'snapshot/group-handle'
export const BY_NAMESPACE = 'snapshot/namespace'
export const BY_VOLUME = 'snapshot/volume'

export type FollowedSnapshots = ReturnType<typeof followSnapshots>
export type FollowedGroups = ReturnType<typeof followGroups>

/** What the controllers of single snapshots watch. */
export function followSnapshots({ follow }: ControllerRole) {
  const snapshots = follow(VOLUME_SNAPSHOTS, {
    indexes: {
      [BY_CLAIM]: (snapshot) => (snapshot.spec.source.persistentVolumeClaimName ? [claimResource(snapshot)] : []),
      [BY_CONTENT]: (snapshot) => [contentNameOf(snapshot)],
      [BY_CLASS]: ({ spec }) => [spec.volumeSnapshotClassName ?? ''],
      [BY_GROUP]: (snapshot) => {
        const name = groupRefOf(snapshot)?.name
        return name === undefined ? [] : [keyOfRef({ namespace: snapshot.metadata.namespace ?? '', name })]
      },
    },
  })
  const contents = follow(VOLUME_SNAPSHOT_CONTENTS, {
    indexes: {
      [BY_GROUP_HANDLE]: ({ spec, status }) => handleKeys(spec.driver, status?.volumeGroupSnapshotHandle),
    },
  })
  const classes = follow(VOLUME_SNAPSHOT_CLASSES)
  const claims = follow(PERSISTENT_VOLUME_CLAIMS, {
    indexes: { [BY_SOURCE]: sourceSnapshotsOf, [BY_NAMESPACE]: ({ metadata }) => [metadata.namespace ?? ''] },
  })
  const volumes = follow(PERSISTENT_VOLUMES, {
    indexes: { [BY_VOLUME]: ({ spec: { csi } }) => (csi ? [handleKey(csi.driver, csi.volumeHandle)] : []) },
  })
  return { snapshots, contents, classes, claims, volumes }
}

/** What the controllers of group snapshots watch in addition. */
export function followGroups({ follow }: ControllerRole) {
  const groups = follow(VOLUME_GROUP_SNAPSHOTS, {
    indexes: {
      [BY_CONTENT]: (group) => [groupContentNameOf(group)],
      [BY_CLASS]: ({ spec }) => [spec.volumeGroupSnapshotClassName ?? ''],
      [BY_NAMESPACE]: ({ metadata }) => [metadata.namespace ?? ''],
    },
  })
  const groupContents = follow(VOLUME_GROUP_SNAPSHOT_CONTENTS, {
    indexes: {
      [BY_GROUP_HANDLE]: ({ spec, status }) => handleKeys(spec.driver, status?.volumeGroupSnapshotHandle),
      [BY_VOLUME]: ({ spec }) => (spec.source.volumeHandles ?? []).map((handle) => handleKey(spec.driver, handle)),
    },
  })
  const groupClasses = follow(VOLUME_GROUP_SNAPSHOT_CLASSES)
  return { groups, groupContents, groupClasses }
}

/** With distributed snapshotting: the first node in the affinity of a volume. */
export function followNodes({ follow }: ControllerRole): (volume: PersistentVolume) => string | undefined {
  const nodes = follow(NODES)
  return ({ spec: { nodeAffinity } }) => {
    const { required } = nodeAffinity ?? {}
    if (!required) return undefined
    const matching = Array.from(nodes.all()).filter((node) => matchesNodeSelector(required, node))
    return matching.map(({ metadata }) => metadata.name ?? '').toSorted()[0]
  }
}

export function snapshotSourcesOf(
  { snapshots, contents, classes, claims, volumes }: FollowedSnapshots,
  followed: FollowedGroups | undefined,
): SnapshotSources {
  return {
    snapshot: (key) => snapshots.get(key),
    content: (name) => contents.get(name),
    snapshotClass: (name) => classes.get(name),
    defaultClasses: () => defaultsIn(classes.all(), DEFAULT_SNAPSHOT_CLASS),
    claim: (key) => claims.get(key),
    volume: (name) => volumes.get(name),
    claimsFrom: (key) => claims.byIndex(BY_SOURCE, key),
    group: (key) => followed?.groups.get(key),
    groupContentOf: (driver, handle) => followed?.groupContents.byIndex(BY_GROUP_HANDLE, handleKey(driver, handle))[0],
  }
}

export function groupSourcesOf(
  { snapshots, contents, claims, volumes }: FollowedSnapshots,
  { groups, groupContents, groupClasses }: FollowedGroups,
): GroupSources {
  return {
    group: (key) => groups.get(key),
    groupContent: (name) => groupContents.get(name),
    groupClass: (name) => groupClasses.get(name),
    defaultGroupClasses: () => defaultsIn(groupClasses.all(), DEFAULT_GROUP_SNAPSHOT_CLASS),
    claimsIn: (namespace) => claims.byIndex(BY_NAMESPACE, namespace),
    volume: (name) => volumes.get(name),
    volumeOfHandle: (driver, handle) => volumes.byIndex(BY_VOLUME, handleKey(driver, handle))[0],
    snapshot: (key) => snapshots.get(key),
    content: (name) => contents.get(name),
    snapshotsOf: (group) => snapshots.byIndex(BY_GROUP, keyOf(group)).filter((snapshot) => isOwnedBy(snapshot, group)),
    claimsFrom: (key) => claims.byIndex(BY_SOURCE, key),
  }
}

/** Volumes and group snapshots of different drivers may have the same handle. */
export const handleKey = (driver: string, handle: string): string => `${driver}^${handle}`
const handleKeys = (driver: string, handle: string | undefined): string[] =>
  handle === undefined ? [] : [handleKey(driver, handle)]

const defaultsIn = <T extends KubeObject>(classes: Iterable<T>, annotation: string): T[] =>
  Array.from(classes).filter((each) => findAnnotation(each, annotation) === 'true')

/** The snapshot that a claim is restored from, as a key. */
function sourceSnapshotsOf({ metadata, spec }: PersistentVolumeClaim): string[] {
  const source = spec.dataSourceRef ?? spec.dataSource
  if (source?.kind !== 'VolumeSnapshot' || source.apiGroup !== 'snapshot.storage.k8s.io') return []
  const namespace = spec.dataSourceRef?.namespace ?? metadata.namespace ?? ''
  return [keyOfRef({ namespace, name: source.name })]
}
