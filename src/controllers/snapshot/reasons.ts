import { PERSISTENT_VOLUME_CLAIMS } from '../../api/kinds/persistent-volume-claim.ts'
import { PERSISTENT_VOLUMES } from '../../api/kinds/persistent-volume.ts'
import { VOLUME_GROUP_SNAPSHOTS } from '../../api/kinds/volume-group-snapshot.ts'
import { VOLUME_SNAPSHOT_CLASSES, VOLUME_SNAPSHOT_CONTENTS } from '../../api/kinds/volume-snapshot.ts'
import { awaiting, because, defineReasons } from '../../api/reason.ts'
import type { ReasonIn } from '../../api/reason.ts'

type ClaimRef = { readonly namespace: string; readonly name: string }

const awaitingContent = (name: string) => awaiting(VOLUME_SNAPSHOT_CONTENTS, { name })

/** Why a VolumeSnapshot or its content is in its current state. */
export const REASONS = defineReasons({
  SnapshotReady: 'the snapshot is ready to use',
  SnapshotBeingTaken: (name: string, driver: string) =>
    because('Waiting for a snapshot to be created by the CSI driver', {
      ...awaitingContent(name),
      detail: { content: name, driver },
      cure: `If this persists, check that the csi-snapshotter of driver ${driver} is running.`,
    }),
  SnapshotNotStarted: (name: string, driver: string) =>
    because(
      `Waiting for a snapshot to be created by the CSI driver. No csi-snapshotter of driver ${driver} has started to take it`,
      {
        ...awaitingContent(name),
        detail: { content: name, driver },
        cure: `Check that the csi-snapshotter of driver ${driver} is running, and that the snapshot class names the right driver.`,
      },
    ),
  SourceInvalid: 'exactly one of PersistentVolumeClaimName and VolumeSnapshotContentName should be specified',
  SnapshotClassMissing: (name: string) =>
    because(`Failed to get snapshot class with error volumesnapshotclass.snapshot.storage.k8s.io "${name}" not found`, {
      ...awaiting(VOLUME_SNAPSHOT_CLASSES, { name }),
      cure: 'Create it.',
    }),
  NoDefaultSnapshotClass: (driver: string) =>
    because('Failed to set default snapshot class with error cannot find default snapshot class', {
      detail: { driver },
      cure: `Name a VolumeSnapshotClass in a new snapshot, or mark one of driver ${driver} as the default class.`,
    }),
  SeveralDefaultSnapshotClasses: (names: readonly string[]) =>
    because(`Failed to set default snapshot class with error ${names.length} default snapshot classes were found`, {
      detail: { classes: names.join(', ') },
      cure: `Leave the default annotation on one of: ${names.join(', ')}.`,
    }),
  SnapshotClassOfOther: (name: string, driver: string, volumeDriver: string) =>
    because(
      `snapshot class "${name}" is for CSI driver "${driver}", but the volume belongs to CSI driver "${volumeDriver}"`,
      { cure: 'Name a snapshot class of the driver of the volume in a new snapshot.' },
    ),
  SecretReferenceInvalid: (message: string) =>
    because(`failed to get name and namespace template from params: ${message}`, {
      cure: 'Correct the parameters of the VolumeSnapshotClass.',
    }),
  ClaimMissing: (ref: ClaimRef) =>
    because(`persistentvolumeclaim "${ref.name}" not found`, {
      ...awaiting(PERSISTENT_VOLUME_CLAIMS, ref),
      cure: 'Create it, or delete the snapshot.',
    }),
  ClaimNotBound: (ref: ClaimRef) =>
    because(
      `the PVC ${ref.name} is not yet bound to a PV, will not attempt to take a snapshot`,
      awaiting(PERSISTENT_VOLUME_CLAIMS, ref),
    ),
  ClaimLeaving: (ref: ClaimRef) =>
    because(`cannot add finalizer on claim [${ref.name}] for snapshot: claim is being deleted`, {
      ...awaiting(PERSISTENT_VOLUME_CLAIMS, ref),
      cure: 'Delete the snapshot, or take it of another claim.',
    }),
  VolumeMissing: (name: string) =>
    because(`persistentvolume "${name}" not found`, awaiting(PERSISTENT_VOLUMES, { name })),
  VolumeOfOther: (name: string) =>
    because(`persistentvolume "${name}" is not bound to the claim`, awaiting(PERSISTENT_VOLUMES, { name })),
  VolumeNotCsi: (name: string) =>
    because(`cannot find CSI PersistentVolumeSource for volume ${name}`, {
      cure: 'Only volumes of CSI drivers have snapshots.',
    }),
  ContentMissing: (name: string) =>
    because('VolumeSnapshotContent is missing', {
      ...awaitingContent(name),
      cure: `Create VolumeSnapshotContent ${name}, or delete the snapshot.`,
    }),
  ContentMismatch: (name: string, expected: 'pre-provisioned' | 'dynamically provisioned') =>
    because(
      expected === 'pre-provisioned'
        ? 'VolumeSnapshotContent is dynamically provisioned while expecting a pre-provisioned one'
        : `VolumeSnapshotContent ${name} is pre-provisioned while expecting a dynamically provisioned one`,
      awaitingContent(name),
    ),
  ContentMisbound: (name: string) =>
    because(`VolumeSnapshotContent [${name}] is bound to a different snapshot`, awaitingContent(name)),
  SnapshotMisbound: (name: string) =>
    because('VolumeSnapshotContent is not bound to the VolumeSnapshot correctly', awaitingContent(name)),
  BeingRestored: (ref: ClaimRef) =>
    because('Snapshot is being used to restore a PVC', {
      ...awaiting(PERSISTENT_VOLUME_CLAIMS, ref),
      cure: `Wait until claim ${ref.namespace}/${ref.name} is bound, or delete it.`,
    }),
  ContentStillThere: (name: string, driver: string) =>
    because(`VolumeSnapshotContent ${name} is being deleted`, {
      ...awaitingContent(name),
      cure: `If this persists, check that the csi-snapshotter of driver ${driver} is running.`,
    }),
  MemberWithoutContent: (name: string) =>
    because('Waiting for the group snapshot to create the content of this member', awaitingContent(name)),
  SnapshotInGroup: (snapshot: ClaimRef, group: string) =>
    because(
      `deletion of the individual volume snapshot ${snapshot.namespace}/${snapshot.name} is not allowed as it belongs to group snapshot ${snapshot.namespace}/${group}. Deleting the group snapshot will trigger the deletion of all the individual volume snapshots that are part of the group`,
      {
        ...awaiting(VOLUME_GROUP_SNAPSHOTS, { namespace: snapshot.namespace, name: group }),
        cure: `Delete VolumeGroupSnapshot ${group}.`,
      },
    ),
  Released: 'the snapshot-controller has nothing more to do',
})

export type SnapshotReason = ReasonIn<typeof REASONS>
