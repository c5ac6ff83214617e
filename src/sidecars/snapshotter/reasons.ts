import { VOLUME_SNAPSHOT_CLASSES } from '../../api/kinds/volume-snapshot.ts'
import { VOLUME_GROUP_SNAPSHOT_CLASSES } from '../../api/kinds/volume-group-snapshot.ts'
import { objectAwaited, reason } from '../../api/reason.ts'
import type { ReasonIn } from '../../api/reason.ts'

type SecretRef = { readonly namespace: string; readonly name: string }

/** Why nothing is happening to a VolumeSnapshotContent at the moment. */
export const REASONS = {
  ready: reason('SnapshotReady', 'the snapshot is ready to use'),
  notReady: reason('SnapshotNotReady', 'the driver has taken the snapshot, but it is not ready to use', {
    cure: 'Wait. The snapshotter asks the driver again automatically.',
  }),
  memberOfGroup: reason('MemberOfGroup', 'the snapshot is taken together with its group'),
  notBound: reason('ContentNotBound', 'the content is not bound to a VolumeSnapshot', {
    cure: 'Create the VolumeSnapshot that spec.volumeSnapshotRef names.',
  }),
  snapshotStillThere: reason('SnapshotStillThere', 'the content is being deleted, but its VolumeSnapshot is not', {
    cure: 'Delete the VolumeSnapshot.',
  }),
  released: reason('Released', 'the snapshotter has nothing more to do for this content'),
  classNotNamed: (content: string) =>
    reason('SnapshotClassNotNamed', `failed to take snapshot ${content} without a snapshot class`),
  classMissing: (name: string) =>
    reason('SnapshotClassMissing', `volumesnapshotclass.snapshot.storage.k8s.io "${name}" not found`, {
      waitsFor: objectAwaited(VOLUME_SNAPSHOT_CLASSES, { name }),
      cure: 'Create it.',
    }),
  parametersInvalid: (message: string) =>
    reason('ParametersInvalid', `failed to remove CSI Parameters of prefixed keys: ${message}`, {
      cure: 'Correct the parameters of the VolumeSnapshotClass.',
    }),
  secretInvalid: (message: string) =>
    reason('SecretReferenceInvalid', message, { cure: 'Correct the parameters of the VolumeSnapshotClass.' }),
  secretMissing: ({ namespace, name }: SecretRef) =>
    reason('SecretMissing', `error getting secret ${name} in namespace ${namespace}: secrets "${name}" not found`, {
      cure: 'Create it, or correct the snapshot class that names it.',
    }),
  secretForbidden: ({ namespace, name }: SecretRef) =>
    reason('SecretForbidden', `the snapshotter may not read secret "${name}" in namespace "${namespace}"`, {
      cure: 'Grant the service account of the snapshotter the verb "get" on secrets in that namespace.',
    }),
  secretNotText: ({ namespace, name }: SecretRef, key: string) =>
    reason('SecretNotText', `key "${key}" of secret "${name}" in namespace "${namespace}" is not valid UTF-8`, {
      cure: 'Store the value as text.',
    }),
  retrying: (error: string) =>
    reason('RetryingSnapshot', error, { cure: 'Check the logs of the driver. The snapshotter retries automatically.' }),
  groupReady: reason('GroupSnapshotReady', 'the group snapshot is ready to use'),
  groupNotBound: reason('GroupContentNotBound', 'the content is not bound to a VolumeGroupSnapshot', {
    cure: 'Create the VolumeGroupSnapshot that spec.volumeGroupSnapshotRef names.',
  }),
  groupStillThere: reason(
    'GroupSnapshotStillThere',
    'the content is being deleted, but its VolumeGroupSnapshot is not',
    { cure: 'Delete the VolumeGroupSnapshot.' },
  ),
  groupsNotSupported: (driver: string) =>
    reason('GroupSnapshotsNotSupported', `CSI driver ${driver} does not support group snapshots`, {
      cure: 'Take a snapshot of each volume, or use a driver with CREATE_DELETE_GET_VOLUME_GROUP_SNAPSHOT.',
    }),
  groupClassNotNamed: (content: string) =>
    reason('GroupSnapshotClassNotNamed', `failed to take group snapshot ${content} without a group snapshot class`),
  groupClassMissing: (name: string) =>
    reason('GroupSnapshotClassMissing', `volumegroupsnapshotclass.groupsnapshot.storage.k8s.io "${name}" not found`, {
      waitsFor: objectAwaited(VOLUME_GROUP_SNAPSHOT_CLASSES, { name }),
      cure: 'Create it.',
    }),
  groupParametersInvalid: (message: string) =>
    reason('GroupParametersInvalid', `failed to remove CSI Parameters of prefixed keys: ${message}`, {
      cure: 'Create a VolumeGroupSnapshotClass with correct parameters, and a new group snapshot.',
    }),
  groupSecretInvalid: (message: string) =>
    reason('GroupSecretReferenceInvalid', message, {
      cure: 'Create a VolumeGroupSnapshotClass with correct parameters, and a new group snapshot.',
    }),
  snapshotNotFound: (handle: string) => reason('SnapshotNotFound', `can not find snapshot for snapshotID ${handle}`),
}

export type SnapshotterReason = ReasonIn<typeof REASONS>
