import type { VolumeSnapshotContent } from '../../api/kinds/volume-snapshot.ts'
import { formatObject, keyOf, keyOfRef } from '../../api/object-key.ts'
import type { KubeObject } from '../../api/object.ts'
import type { DriverSide } from './read-driver-side.ts'
import { isLeaving, isMissing, nameOf, sharedBy } from './known-objects.ts'
import type { Leak } from './leak.ts'
import type { ClusterSide } from './read-cluster-side.ts'

/** Snapshots that only one side knows, and objects whose other half is gone. */
export function findSnapshotLeaks({ snapshots: listed }: DriverSide, cluster: ClusterSide): Leak[] {
  const { driverName } = cluster
  const contents = cluster.contents.filter(({ spec }) => spec.driver === driverName)
  const known = new Set([...contents.map(handleOf), ...memberHandles(cluster)])
  const snapshots = byKey(cluster.snapshots)
  return [
    ...[...(listed ?? [])]
      .filter(([handle]) => !known.has(handle))
      .map(([handle, { sizeBytes }]): Leak => ({ kind: 'snapshot-without-object', handle, sizeBytes })),
    ...contents
      .filter((content) => listed && handleOf(content) !== '' && !listed.has(handleOf(content)) && !isLeaving(content))
      .map((content): Leak => ({
        kind: 'object-without-snapshot',
        handle: handleOf(content),
        object: formatObject(content),
      })),
    ...sharedBy(contents, handleOf).map(({ key, objects }): Leak => ({
      kind: 'contents-share-snapshot',
      handle: key,
      object: objects.map(formatObject).sort().join(', '),
    })),
    ...contents
      .filter((content) => hasLost(content, snapshots, content.spec.volumeSnapshotRef))
      .map((content): Leak => ({
        kind: content.spec.deletionPolicy === 'Retain' ? 'retained-content' : 'content-without-snapshot',
        ...(handleOf(content) === '' ? {} : { handle: handleOf(content) }),
        object: formatObject(content),
      })),
    ...snapshotsWithoutContent(cluster),
    ...groupLeaks(cluster),
  ]
}

const handleOf = ({ spec, status }: VolumeSnapshotContent): string =>
  status?.snapshotHandle ?? spec.source.snapshotHandle ?? ''

/** The snapshots of groups, also before they have contents of their own. */
const memberHandles = ({ groupContents, driverName }: ClusterSide): string[] =>
  groupContents
    .filter(({ spec }) => spec.driver === driverName)
    .flatMap(({ spec, status }) => [
      ...(spec.source.groupSnapshotHandles?.volumeSnapshotHandles ?? []),
      ...(status?.volumeSnapshotInfoList ?? []).flatMap(({ snapshotHandle }) => snapshotHandle ?? []),
    ])

const byKey = (objects: readonly KubeObject[]): ReadonlyMap<string, KubeObject> =>
  new Map(objects.map((object) => [keyOf(object), object]))

type Ref = { readonly namespace?: string; readonly name?: string; readonly uid?: string }

// Without a uid it was written by a person, and its other half may be created later.
const hasLost = (
  object: KubeObject,
  others: ReadonlyMap<string, KubeObject>,
  { namespace, name = '', uid }: Ref,
): boolean =>
  !isLeaving(object) &&
  uid !== undefined &&
  uid !== '' &&
  isMissing(others, keyOfRef({ name, ...(namespace ? { namespace } : {}) }), uid)

function snapshotsWithoutContent({ snapshots, contents, snapshotClasses, driverName }: ClusterSide): Leak[] {
  const present = new Set(contents.map(nameOf))
  const classes = new Set(snapshotClasses.filter(({ driver }) => driver === driverName).map(nameOf))
  return snapshots
    .filter(({ spec }) => classes.has(spec.volumeSnapshotClassName ?? ''))
    .filter((snapshot) => !isLeaving(snapshot) && isUnserved(snapshot.status?.boundVolumeSnapshotContentName, present))
    .map((snapshot): Leak => ({ kind: 'snapshot-without-content', object: formatObject(snapshot) }))
}

const isUnserved = (name: string | undefined, present: ReadonlySet<string>): boolean =>
  name !== undefined && name !== '' && !present.has(name)

function groupLeaks({ groups, groupContents, driverName }: ClusterSide): Leak[] {
  const present = byKey(groups)
  const names = new Set(groupContents.map(nameOf))
  return [
    ...groupContents
      .filter(({ spec }) => spec.driver === driverName)
      .filter((content) => hasLost(content, present, content.spec.volumeGroupSnapshotRef))
      .map((content): Leak => ({ kind: 'group-content-without-group', object: formatObject(content) })),
    // The driver of a group is only in its content: a group that has lost it is reported for every driver.
    ...groups
      .filter((group) => !isLeaving(group) && isUnserved(group.status?.boundVolumeGroupSnapshotContentName, names))
      .map((group): Leak => ({ kind: 'group-without-content', object: formatObject(group) })),
  ]
}
