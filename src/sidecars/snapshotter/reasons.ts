import { VOLUME_SNAPSHOT_CLASSES } from '../../api/kinds/volume-snapshot.ts'
import { VOLUME_GROUP_SNAPSHOT_CLASSES } from '../../api/kinds/volume-group-snapshot.ts'
import { awaiting, because, defineReasons } from '../../api/reason.ts'
import type { ReasonIn } from '../../api/reason.ts'

type SecretRef = { readonly namespace: string; readonly name: string }

/** Why nothing is happening to a VolumeSnapshotContent at the moment. */
export const REASONS = defineReasons({
  SnapshotReady: 'the snapshot is ready to use',
  SnapshotNotReady: because('the driver has taken the snapshot, but it is not ready to use', {
    cure: 'Wait. The snapshotter asks the driver again automatically.',
  }),
  MemberOfGroup: 'the snapshot is taken together with its group',
  ContentNotBound: because('the content is not bound to a VolumeSnapshot', {
    cure: 'Create the VolumeSnapshot that spec.volumeSnapshotRef names.',
  }),
  SnapshotStillThere: because('the content is being deleted, but its VolumeSnapshot is not', {
    cure: 'Delete the VolumeSnapshot.',
  }),
  Released: 'the snapshotter has nothing more to do for this content',
  SnapshotClassNotNamed: (content: string) => `failed to take snapshot ${content} without a snapshot class`,
  SnapshotClassMissing: (name: string) =>
    because(`volumesnapshotclass.snapshot.storage.k8s.io "${name}" not found`, {
      ...awaiting(VOLUME_SNAPSHOT_CLASSES, { name }),
      cure: 'Create it.',
    }),
  ParametersInvalid: (message: string) =>
    because(`failed to remove CSI Parameters of prefixed keys: ${message}`, {
      cure: 'Correct the parameters of the VolumeSnapshotClass.',
    }),
  SecretReferenceInvalid: (message: string) =>
    because(message, { cure: 'Correct the parameters of the VolumeSnapshotClass.' }),
  SecretMissing: ({ namespace, name }: SecretRef) =>
    because(`error getting secret ${name} in namespace ${namespace}: secrets "${name}" not found`, {
      cure: 'Create it, or correct the snapshot class that names it.',
    }),
  SecretForbidden: ({ namespace, name }: SecretRef) =>
    because(`the snapshotter may not read secret "${name}" in namespace "${namespace}"`, {
      cure: 'Grant the service account of the snapshotter the verb "get" on secrets in that namespace.',
    }),
  SecretNotText: ({ namespace, name }: SecretRef, key: string) =>
    because(`key "${key}" of secret "${name}" in namespace "${namespace}" is not valid UTF-8`, {
      cure: 'Store the value as text.',
    }),
  RetryingSnapshot: (error: string) =>
    because(error, { cure: 'Check the logs of the driver. The snapshotter retries automatically.' }),
  GroupSnapshotReady: 'the group snapshot is ready to use',
  GroupContentNotBound: because('the content is not bound to a VolumeGroupSnapshot', {
    cure: 'Create the VolumeGroupSnapshot that spec.volumeGroupSnapshotRef names.',
  }),
  GroupSnapshotStillThere: because('the content is being deleted, but its VolumeGroupSnapshot is not', {
    cure: 'Delete the VolumeGroupSnapshot.',
  }),
  GroupSnapshotsNotSupported: (driver: string) =>
    because(`CSI driver ${driver} does not support group snapshots`, {
      cure: 'Take a snapshot of each volume, or use a driver with CREATE_DELETE_GET_VOLUME_GROUP_SNAPSHOT.',
    }),
  GroupSnapshotClassNotNamed: (content: string) =>
    `failed to take group snapshot ${content} without a group snapshot class`,
  GroupSnapshotClassMissing: (name: string) =>
    because(`volumegroupsnapshotclass.groupsnapshot.storage.k8s.io "${name}" not found`, {
      ...awaiting(VOLUME_GROUP_SNAPSHOT_CLASSES, { name }),
      cure: 'Create it.',
    }),
  GroupParametersInvalid: (message: string) =>
    because(`failed to remove CSI Parameters of prefixed keys: ${message}`, {
      cure: 'Create a VolumeGroupSnapshotClass with correct parameters, and a new group snapshot.',
    }),
  GroupSecretReferenceInvalid: (message: string) =>
    because(message, { cure: 'Create a VolumeGroupSnapshotClass with correct parameters, and a new group snapshot.' }),
  SnapshotNotFound: (handle: string) => `can not find snapshot for snapshotID ${handle}`,
})

export type SnapshotterReason = ReasonIn<typeof REASONS>
