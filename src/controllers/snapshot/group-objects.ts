import type {
  VolumeGroupSnapshot,
  VolumeGroupSnapshotClass,
  VolumeGroupSnapshotContent,
} from '../../api/kinds/volume-group-snapshot.ts'
import type {
  VolumeSnapshot,
  VolumeSnapshotContent,
  VolumeSnapshotContentStatus,
} from '../../api/kinds/volume-snapshot.ts'
import { ownerReferenceTo } from '../../api/owner-references.ts'
import { withoutUndefined } from '../../base/without-undefined.ts'
import { findAnnotation } from '../../storage/names.ts'
import {
  CONTENT_FINALIZER,
  DELETION_SECRET_NAME,
  DELETION_SECRET_NAMESPACE,
  GROUP_CONTENT_FINALIZER,
  GROUP_DELETION_SECRET_NAME,
  GROUP_DELETION_SECRET_NAMESPACE,
  GROUP_HANDLE,
  MANAGED_BY,
  SNAPSHOT_AS_SOURCE_FINALIZER,
  SNAPSHOT_BOUND_FINALIZER,
  SNAPSHOT_IN_GROUP_FINALIZER,
} from '../../storage/snapshot-names.ts'
import { resolveSnapshotSecret } from '../../storage/snapshot-secrets.ts'
import { groupContentNameOf } from './group-view.ts'
import type { GroupMember, GroupSource } from './group-view.ts'

// The objects that the snapshot-controller creates for a group. Each is created with its finalizers, which saves a write and leaves no moment without
// protection.

type Created =
  | { readonly kind: 'content'; readonly content: VolumeGroupSnapshotContent }
  | { readonly kind: 'problem'; readonly message: string }

/** The content of a group, with the volumes of its claims. */
export function groupContentFor(
  group: VolumeGroupSnapshot,
  { metadata: { name: className = '' }, driver, deletionPolicy, parameters = {} }: VolumeGroupSnapshotClass,
  sources: readonly GroupSource[],
  node: string | undefined,
): Created {
  const { namespace = '', name = '', uid = '', resourceVersion = '' } = group.metadata
  const contentName = groupContentNameOf(group)
  const secret = resolveSnapshotSecret('group-snapshotter', parameters, {
    word: 'volumegroupsnapshot',
    contentName,
    snapshot: { namespace, name },
  })
  if (secret.kind === 'problem') return secret
  const annotations =
    secret.kind === 'named'
      ? { [GROUP_DELETION_SECRET_NAME]: secret.ref.name, [GROUP_DELETION_SECRET_NAMESPACE]: secret.ref.namespace }
      : undefined
  const content: VolumeGroupSnapshotContent = {
    apiVersion: 'groupsnapshot.storage.k8s.io/v1',
    kind: 'VolumeGroupSnapshotContent',
    metadata: withoutUndefined({
      name: contentName,
      finalizers: [GROUP_CONTENT_FINALIZER],
      annotations,
      labels: node === undefined ? undefined : { [MANAGED_BY]: node },
    }),
    spec: {
      volumeGroupSnapshotRef: { apiVersion: group.apiVersion, kind: group.kind, namespace, name, uid, resourceVersion },
      source: { volumeHandles: sources.flatMap(({ volume }) => volume?.spec.csi?.volumeHandle ?? []) },
      volumeGroupSnapshotClassName: className,
      deletionPolicy,
      driver,
    },
  }
  return { kind: 'content', content }
}

/** The VolumeSnapshot of one member. */
export const memberSnapshotFor = (
  { snapshotName, volume }: GroupMember,
  group: VolumeGroupSnapshot,
  { spec: { deletionPolicy } }: VolumeGroupSnapshotContent,
): VolumeSnapshot => ({
  apiVersion: 'snapshot.storage.k8s.io/v1',
  kind: 'VolumeSnapshot',
  metadata: {
    namespace: group.metadata.namespace ?? '',
    name: snapshotName,
    ownerReferences: [ownerReferenceTo(group)],
    finalizers: [
      SNAPSHOT_IN_GROUP_FINALIZER,
      SNAPSHOT_AS_SOURCE_FINALIZER,
      ...(deletionPolicy === 'Delete' ? [SNAPSHOT_BOUND_FINALIZER] : []),
    ],
  },
  // The volume may be gone by now, but its snapshot exists.
  spec: { source: { persistentVolumeClaimName: volume?.spec.claimRef?.name ?? '' } },
})

/** The content of one member, bound to its VolumeSnapshot from the start. */
export function memberContentFor(
  { info, contentName, snapshot, volume }: GroupMember,
  group: VolumeGroupSnapshotContent,
  passesVolumeMode: boolean,
): VolumeSnapshotContent {
  const { namespace = '', name = '', uid = '' } = snapshot?.metadata ?? {}
  const secretName = findAnnotation(group, GROUP_DELETION_SECRET_NAME)
  const secretNamespace = findAnnotation(group, GROUP_DELETION_SECRET_NAMESPACE)
  const node = group.metadata.labels?.[MANAGED_BY]
  return {
    apiVersion: 'snapshot.storage.k8s.io/v1',
    kind: 'VolumeSnapshotContent',
    metadata: withoutUndefined({
      name: contentName,
      finalizers: [CONTENT_FINALIZER],
      annotations: {
        [GROUP_HANDLE]: group.status?.volumeGroupSnapshotHandle ?? '',
        ...(secretName !== undefined && secretNamespace !== undefined
          ? { [DELETION_SECRET_NAME]: secretName, [DELETION_SECRET_NAMESPACE]: secretNamespace }
          : {}),
      },
      labels: node === undefined ? undefined : { [MANAGED_BY]: node },
    }),
    spec: {
      volumeSnapshotRef: { apiVersion: 'snapshot.storage.k8s.io/v1', kind: 'VolumeSnapshot', namespace, name, uid },
      source: { volumeHandle: info.volumeHandle ?? '' },
      deletionPolicy: group.spec.deletionPolicy,
      driver: group.spec.driver,
      ...(passesVolumeMode && volume?.spec.volumeMode ? { sourceVolumeMode: volume.spec.volumeMode } : {}),
    },
  }
}

/** The driver's response about one member. */
export const memberStatusOf = ({ info }: GroupMember, groupHandle: string): VolumeSnapshotContentStatus =>
  withoutUndefined({
    snapshotHandle: info.snapshotHandle,
    volumeGroupSnapshotHandle: groupHandle,
    creationTime: info.creationTime,
    restoreSize: info.restoreSize,
    readyToUse: info.readyToUse ?? false,
  })
