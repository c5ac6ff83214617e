import { PERSISTENT_VOLUME_CLAIMS } from '../../api/kinds/persistent-volume-claim.ts'
import { PERSISTENT_VOLUMES } from '../../api/kinds/persistent-volume.ts'
import { VOLUME_GROUP_SNAPSHOTS } from '../../api/kinds/volume-group-snapshot.ts'
import { VOLUME_SNAPSHOT_CLASSES, VOLUME_SNAPSHOT_CONTENTS } from '../../api/kinds/volume-snapshot.ts'
import { objectAwaited, reason } from '../../api/reason.ts'
import type { ReasonIn } from '../../api/reason.ts'

type ClaimRef = { readonly namespace: string; readonly name: string }

const content = (name: string) => objectAwaited(VOLUME_SNAPSHOT_CONTENTS, { name })

/** Why a VolumeSnapshot or its content is in its current state. */
export const REASONS = {
  ready: reason('SnapshotReady', 'the snapshot is ready to use'),
  creating: (name: string, driver: string) =>
    reason('SnapshotBeingTaken', 'Waiting for a snapshot to be created by the CSI driver', {
      waitsFor: content(name),
      detail: { content: name, driver },
      cure: `If this persists, check that the csi-snapshotter of driver ${driver} is running.`,
    }),
  notStarted: (name: string, driver: string) =>
    reason(
      'SnapshotNotStarted',
      `Waiting for a snapshot to be created by the CSI driver. No csi-snapshotter of driver ${driver} has started to take it`,
      {
        waitsFor: content(name),
        detail: { content: name, driver },
        cure: `Check that the csi-snapshotter of driver ${driver} is running, and that the snapshot class names the right driver.`,
      },
    ),
  notOneSource: reason(
    'SourceInvalid',
    'exactly one of PersistentVolumeClaimName and VolumeSnapshotContentName should be specified',
  ),
  classMissing: (name: string) =>
    reason(
      'SnapshotClassMissing',
      `Failed to get snapshot class with error volumesnapshotclass.snapshot.storage.k8s.io "${name}" not found`,
      { waitsFor: objectAwaited(VOLUME_SNAPSHOT_CLASSES, { name }), cure: 'Create it.' },
    ),
  noDefaultClass: (driver: string) =>
    reason(
      'NoDefaultSnapshotClass',
      'Failed to set default snapshot class with error cannot find default snapshot class',
      {
        detail: { driver },
        cure: `Name a VolumeSnapshotClass in a new snapshot, or mark one of driver ${driver} as the default class.`,
      },
    ),
  severalDefaultClasses: (names: readonly string[]) =>
    reason(
      'SeveralDefaultSnapshotClasses',
      `Failed to set default snapshot class with error ${names.length} default snapshot classes were found`,
      { detail: { classes: names.join(', ') }, cure: `Leave the default annotation on one of: ${names.join(', ')}.` },
    ),
  classOfOther: (name: string, driver: string, volumeDriver: string) =>
    reason(
      'SnapshotClassOfOther',
      `snapshot class "${name}" is for CSI driver "${driver}", but the volume belongs to CSI driver "${volumeDriver}"`,
      { cure: 'Name a snapshot class of the driver of the volume in a new snapshot.' },
    ),
  secretInvalid: (message: string) =>
    reason('SecretReferenceInvalid', `failed to get name and namespace template from params: ${message}`, {
      cure: 'Correct the parameters of the VolumeSnapshotClass.',
    }),
  claimMissing: (ref: ClaimRef) =>
    reason('ClaimMissing', `persistentvolumeclaim "${ref.name}" not found`, {
      waitsFor: objectAwaited(PERSISTENT_VOLUME_CLAIMS, ref),
      cure: 'Create it, or delete the snapshot.',
    }),
  claimNotBound: (ref: ClaimRef) =>
    reason('ClaimNotBound', `the PVC ${ref.name} is not yet bound to a PV, will not attempt to take a snapshot`, {
      waitsFor: objectAwaited(PERSISTENT_VOLUME_CLAIMS, ref),
    }),
  claimLeaving: (ref: ClaimRef) =>
    reason('ClaimLeaving', `cannot add finalizer on claim [${ref.name}] for snapshot: claim is being deleted`, {
      waitsFor: objectAwaited(PERSISTENT_VOLUME_CLAIMS, ref),
      cure: 'Delete the snapshot, or take it of another claim.',
    }),
  volumeMissing: (name: string) =>
    reason('VolumeMissing', `persistentvolume "${name}" not found`, {
      waitsFor: objectAwaited(PERSISTENT_VOLUMES, { name }),
    }),
  volumeOfOther: (name: string) =>
    reason('VolumeOfOther', `persistentvolume "${name}" is not bound to the claim`, {
      waitsFor: objectAwaited(PERSISTENT_VOLUMES, { name }),
    }),
  volumeNotCsi: (name: string) =>
    reason('VolumeNotCsi', `cannot find CSI PersistentVolumeSource for volume ${name}`, {
      cure: 'Only volumes of CSI drivers have snapshots.',
    }),
  contentMissing: (name: string) =>
    reason('ContentMissing', 'VolumeSnapshotContent is missing', {
      waitsFor: content(name),
      cure: `Create VolumeSnapshotContent ${name}, or delete the snapshot.`,
    }),
  contentMismatch: (name: string, expected: 'pre-provisioned' | 'dynamically provisioned') =>
    reason(
      'ContentMismatch',
      expected === 'pre-provisioned'
        ? 'VolumeSnapshotContent is dynamically provisioned while expecting a pre-provisioned one'
        : `VolumeSnapshotContent ${name} is pre-provisioned while expecting a dynamically provisioned one`,
      { waitsFor: content(name) },
    ),
  contentMisbound: (name: string) =>
    reason('ContentMisbound', `VolumeSnapshotContent [${name}] is bound to a different snapshot`, {
      waitsFor: content(name),
    }),
  boundWrongly: (name: string) =>
    reason('SnapshotMisbound', 'VolumeSnapshotContent is not bound to the VolumeSnapshot correctly', {
      waitsFor: content(name),
    }),
  beingRestored: (ref: ClaimRef) =>
    reason('BeingRestored', 'Snapshot is being used to restore a PVC', {
      waitsFor: objectAwaited(PERSISTENT_VOLUME_CLAIMS, ref),
      cure: `Wait until claim ${ref.namespace}/${ref.name} is bound, or delete it.`,
    }),
  contentStillThere: (name: string, driver: string) =>
    reason('ContentStillThere', `VolumeSnapshotContent ${name} is being deleted`, {
      waitsFor: content(name),
      cure: `If this persists, check that the csi-snapshotter of driver ${driver} is running.`,
    }),
  memberWithoutContent: (name: string) =>
    reason('MemberWithoutContent', 'Waiting for the group snapshot to create the content of this member', {
      waitsFor: content(name),
    }),
  memberOfGroup: (snapshot: ClaimRef, group: string) =>
    reason(
      'SnapshotInGroup',
      `deletion of the individual volume snapshot ${snapshot.namespace}/${snapshot.name} is not allowed as it belongs to group snapshot ${snapshot.namespace}/${group}. Deleting the group snapshot will trigger the deletion of all the individual volume snapshots that are part of the group`,
      {
        waitsFor: objectAwaited(VOLUME_GROUP_SNAPSHOTS, { namespace: snapshot.namespace, name: group }),
        cure: `Delete VolumeGroupSnapshot ${group}.`,
      },
    ),
  released: reason('Released', 'the snapshot-controller has nothing more to do'),
}

export type SnapshotReason = ReasonIn<typeof REASONS>
