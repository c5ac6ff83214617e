import { PERSISTENT_VOLUME_CLAIMS } from '../../api/kinds/persistent-volume-claim.ts'
import { PERSISTENT_VOLUMES } from '../../api/kinds/persistent-volume.ts'
import { VOLUME_GROUP_SNAPSHOT_CLASSES, VOLUME_GROUP_SNAPSHOT_CONTENTS } from '../../api/kinds/volume-group-snapshot.ts'
import { awaiting, because, defineReasons } from '../../api/reason.ts'
import type { ReasonIn } from '../../api/reason.ts'

type Ref = { readonly namespace: string; readonly name: string }

const awaitingContent = (name: string) => awaiting(VOLUME_GROUP_SNAPSHOT_CONTENTS, { name })
const creation = (text: string): string => `failed to create group snapshot content with error ${text}`

/** Why a VolumeGroupSnapshot is in its current state. */
export const GROUP_REASONS = defineReasons({
  GroupSnapshotReady: 'the group snapshot is ready to use',
  GroupSnapshotBeingTaken: (name: string, driver: string) =>
    because('Waiting for a group snapshot to be created by the CSI driver', {
      ...awaitingContent(name),
      detail: { content: name, driver },
      cure: `If this persists, check that the csi-snapshotter of driver ${driver} is running with the feature gate CSIVolumeGroupSnapshot.`,
    }),
  GroupSnapshotNotStarted: (name: string, driver: string) =>
    because(
      `Waiting for a group snapshot to be created by the CSI driver. No csi-snapshotter of driver ${driver} has started to take it`,
      {
        ...awaitingContent(name),
        detail: { content: name, driver },
        cure: `Check that the csi-snapshotter of driver ${driver} is running with the feature gate CSIVolumeGroupSnapshot, and that the group snapshot class names the right driver.`,
      },
    ),
  GroupSnapshotsDisabled: because(
    'group snapshots are disabled: the feature gate CSIVolumeGroupSnapshot of the snapshot-controller is off',
    { cure: 'Start the snapshot-controller with --feature-gates=CSIVolumeGroupSnapshot=true.' },
  ),
  GroupSourceInvalid: 'Exactly one of Selector and VolumeGroupSnapshotContentName should be specified',
  GroupSelectorInvalid: (problem: string) =>
    because(creation(`the selector is invalid: ${problem}`), {
      cure: 'Create a new group snapshot with a correct selector.',
    }),
  GroupSnapshotClassMissing: (name: string) =>
    because(
      `failed to get group snapshot class with error volumegroupsnapshotclass.groupsnapshot.storage.k8s.io "${name}" not found`,
      { ...awaiting(VOLUME_GROUP_SNAPSHOT_CLASSES, { name }), cure: 'Create it.' },
    ),
  NoDefaultGroupSnapshotClass: (driver: string) =>
    because('Failed to set default group snapshot class with error cannot find default group snapshot class', {
      detail: { driver },
      cure: `Name a VolumeGroupSnapshotClass in a new group snapshot, or mark one of driver ${driver} as the default class.`,
    }),
  SeveralDefaultGroupSnapshotClasses: (names: readonly string[]) =>
    because(
      `Failed to set default group snapshot class with error ${names.length} default snapshot classes were found`,
      { detail: { classes: names.join(', ') }, cure: `Leave the default annotation on one of: ${names.join(', ')}.` },
    ),
  NoClaimsSelected: (selector: string) =>
    because(creation(`label selector ${selector} for group snapshot not applied to any PVC`), {
      cure: 'Label the claims that belong to the group.',
    }),
  GroupClaimNotBound: (ref: Ref) =>
    because(
      creation(`the PVC ${ref.name} is not yet bound to a PV, will not attempt to take a group snapshot`),
      awaiting(PERSISTENT_VOLUME_CLAIMS, ref),
    ),
  GroupClaimLeaving: (ref: Ref) =>
    because(creation(`the PVC ${ref.name} is being deleted`), {
      ...awaiting(PERSISTENT_VOLUME_CLAIMS, ref),
      cure: 'Wait until it is gone, or remove the label that the selector matches.',
    }),
  GroupVolumeMissing: (name: string) =>
    because(
      creation(`failed to retrieve PV ${name} from the API server: not found`),
      awaiting(PERSISTENT_VOLUMES, { name }),
    ),
  GroupVolumeOfOther: (name: string) =>
    because(
      creation(`claim in dataSource not bound or invalid: PV ${name} is bound to another claim`),
      awaiting(PERSISTENT_VOLUMES, { name }),
    ),
  GroupVolumeNotCsi: (name: string) =>
    because(`Cannot snapshot a non-CSI volume: ${name}`, {
      cure: 'Remove the label that the selector matches from its claim.',
    }),
  GroupVolumeOfOtherDriver: (volume: string, driver: string, classDriver: string) =>
    because(`Volume CSI driver (${driver}) mismatch with VolumeGroupSnapshotClass (${classDriver}): ${volume}`, {
      cure: 'All volumes of a group must belong to the driver of the class. Select other claims, or name another class.',
    }),
  GroupOnSeveralNodes: (nodes: readonly string[]) =>
    because(creation(`the volumes are on several nodes: ${nodes.join(', ')}`), {
      cure: 'With distributed snapshotting, all volumes of a group must be on one node.',
    }),
  GroupSecretReferenceInvalid: (message: string) =>
    because(creation(message), {
      cure: 'Create a VolumeGroupSnapshotClass with correct parameters, and a new group snapshot.',
    }),
  GroupContentMissing: (name: string) =>
    because('VolumeGroupSnapshotContent is missing', {
      ...awaitingContent(name),
      cure: `Create VolumeGroupSnapshotContent ${name}, or delete the group snapshot.`,
    }),
  GroupContentMismatch: (name: string, expected: 'pre-provisioned' | 'dynamically provisioned') =>
    because(
      expected === 'pre-provisioned'
        ? 'VolumeGroupSnapshotContent is dynamically provisioned while expecting a pre-provisioned one'
        : `VolumeGroupSnapshotContent ${name} is pre-provisioned while expecting a dynamically provisioned one`,
      awaitingContent(name),
    ),
  GroupContentMisbound: (name: string) =>
    because(`VolumeGroupSnapshotContent [${name}] is bound to a different group snapshot`, awaitingContent(name)),
  GroupSnapshotMisbound: (name: string) =>
    because('VolumeGroupSnapshotContent is not bound to the VolumeGroupSnapshot correctly', awaitingContent(name)),
  MemberBeingRestored: (snapshot: Ref, group: Ref, claim: Ref) =>
    because(
      `Snapshot ${snapshot.namespace}/${snapshot.name} belonging to VolumeGroupSnapshot ${group.namespace}/${group.name} is being used to restore a PVC`,
      {
        ...awaiting(PERSISTENT_VOLUME_CLAIMS, claim),
        cure: `Wait until claim ${claim.namespace}/${claim.name} is bound, or delete it.`,
      },
    ),
  GroupContentStillThere: (name: string, driver: string) =>
    because(`VolumeGroupSnapshotContent ${name} is being deleted`, {
      ...awaitingContent(name),
      cure: `If this persists, check that the csi-snapshotter of driver ${driver} is running with the feature gate CSIVolumeGroupSnapshot.`,
    }),
  GroupReleased: 'the snapshot-controller has nothing more to do',
})

export type GroupReason = ReasonIn<typeof GROUP_REASONS>
