import { PERSISTENT_VOLUME_CLAIMS } from '../../api/kinds/persistent-volume-claim.ts'
import { PERSISTENT_VOLUMES } from '../../api/kinds/persistent-volume.ts'
import { VOLUME_GROUP_SNAPSHOT_CLASSES, VOLUME_GROUP_SNAPSHOT_CONTENTS } from '../../api/kinds/volume-group-snapshot.ts'
import { objectAwaited, reason } from '../../api/reason.ts'
import type { ReasonIn } from '../../api/reason.ts'

type Ref = { readonly namespace: string; readonly name: string }

const content = (name: string) => objectAwaited(VOLUME_GROUP_SNAPSHOT_CONTENTS, { name })
const creation = (text: string): string => `failed to create group snapshot content with error ${text}`

/** Why a VolumeGroupSnapshot is in its current state. */
export const GROUP_REASONS = {
  ready: reason('GroupSnapshotReady', 'the group snapshot is ready to use'),
  creating: (name: string, driver: string) =>
    reason('GroupSnapshotBeingTaken', 'Waiting for a group snapshot to be created by the CSI driver', {
      waitsFor: content(name),
      detail: { content: name, driver },
      cure: `If this persists, check that the csi-snapshotter of driver ${driver} is running with the feature gate CSIVolumeGroupSnapshot.`,
    }),
  notStarted: (name: string, driver: string) =>
    reason(
      'GroupSnapshotNotStarted',
      `Waiting for a group snapshot to be created by the CSI driver. No csi-snapshotter of driver ${driver} has started to take it`,
      {
        waitsFor: content(name),
        detail: { content: name, driver },
        cure: `Check that the csi-snapshotter of driver ${driver} is running with the feature gate CSIVolumeGroupSnapshot, and that the group snapshot class names the right driver.`,
      },
    ),
  gateOff: reason(
    'GroupSnapshotsDisabled',
    'group snapshots are disabled: the feature gate CSIVolumeGroupSnapshot of the snapshot-controller is off',
    { cure: 'Start the snapshot-controller with --feature-gates=CSIVolumeGroupSnapshot=true.' },
  ),
  notOneSource: reason(
    'GroupSourceInvalid',
    'Exactly one of Selector and VolumeGroupSnapshotContentName should be specified',
  ),
  selectorInvalid: (problem: string) =>
    reason('GroupSelectorInvalid', creation(`the selector is invalid: ${problem}`), {
      cure: 'Create a new group snapshot with a correct selector.',
    }),
  classMissing: (name: string) =>
    reason(
      'GroupSnapshotClassMissing',
      `failed to get group snapshot class with error volumegroupsnapshotclass.groupsnapshot.storage.k8s.io "${name}" not found`,
      { waitsFor: objectAwaited(VOLUME_GROUP_SNAPSHOT_CLASSES, { name }), cure: 'Create it.' },
    ),
  noDefaultClass: (driver: string) =>
    reason(
      'NoDefaultGroupSnapshotClass',
      'Failed to set default group snapshot class with error cannot find default group snapshot class',
      {
        detail: { driver },
        cure: `Name a VolumeGroupSnapshotClass in a new group snapshot, or mark one of driver ${driver} as the default class.`,
      },
    ),
  severalDefaultClasses: (names: readonly string[]) =>
    reason(
      'SeveralDefaultGroupSnapshotClasses',
      `Failed to set default group snapshot class with error ${names.length} default snapshot classes were found`,
      { detail: { classes: names.join(', ') }, cure: `Leave the default annotation on one of: ${names.join(', ')}.` },
    ),
  noClaims: (selector: string) =>
    reason('NoClaimsSelected', creation(`label selector ${selector} for group snapshot not applied to any PVC`), {
      cure: 'Label the claims that belong to the group.',
    }),
  claimNotBound: (ref: Ref) =>
    reason(
      'GroupClaimNotBound',
      creation(`the PVC ${ref.name} is not yet bound to a PV, will not attempt to take a group snapshot`),
      { waitsFor: objectAwaited(PERSISTENT_VOLUME_CLAIMS, ref) },
    ),
  claimLeaving: (ref: Ref) =>
    reason('GroupClaimLeaving', creation(`the PVC ${ref.name} is being deleted`), {
      waitsFor: objectAwaited(PERSISTENT_VOLUME_CLAIMS, ref),
      cure: 'Wait until it is gone, or remove the label that the selector matches.',
    }),
  volumeMissing: (name: string) =>
    reason('GroupVolumeMissing', creation(`failed to retrieve PV ${name} from the API server: not found`), {
      waitsFor: objectAwaited(PERSISTENT_VOLUMES, { name }),
    }),
  volumeOfOther: (name: string) =>
    reason(
      'GroupVolumeOfOther',
      creation(`claim in dataSource not bound or invalid: PV ${name} is bound to another claim`),
      {
        waitsFor: objectAwaited(PERSISTENT_VOLUMES, { name }),
      },
    ),
  volumeNotCsi: (name: string) =>
    reason('GroupVolumeNotCsi', `Cannot snapshot a non-CSI volume: ${name}`, {
      cure: 'Remove the label that the selector matches from its claim.',
    }),
  volumeOfOtherDriver: (volume: string, driver: string, classDriver: string) =>
    reason(
      'GroupVolumeOfOtherDriver',
      `Volume CSI driver (${driver}) mismatch with VolumeGroupSnapshotClass (${classDriver}): ${volume}`,
      {
        cure: 'All volumes of a group must belong to the driver of the class. Select other claims, or name another class.',
      },
    ),
  volumesOnSeveralNodes: (nodes: readonly string[]) =>
    reason('GroupOnSeveralNodes', creation(`the volumes are on several nodes: ${nodes.join(', ')}`), {
      cure: 'With distributed snapshotting, all volumes of a group must be on one node.',
    }),
  secretInvalid: (message: string) =>
    reason('GroupSecretReferenceInvalid', creation(message), {
      cure: 'Create a VolumeGroupSnapshotClass with correct parameters, and a new group snapshot.',
    }),
  contentMissing: (name: string) =>
    reason('GroupContentMissing', 'VolumeGroupSnapshotContent is missing', {
      waitsFor: content(name),
      cure: `Create VolumeGroupSnapshotContent ${name}, or delete the group snapshot.`,
    }),
  contentMismatch: (name: string, expected: 'pre-provisioned' | 'dynamically provisioned') =>
    reason(
      'GroupContentMismatch',
      expected === 'pre-provisioned'
        ? 'VolumeGroupSnapshotContent is dynamically provisioned while expecting a pre-provisioned one'
        : `VolumeGroupSnapshotContent ${name} is pre-provisioned while expecting a dynamically provisioned one`,
      { waitsFor: content(name) },
    ),
  contentMisbound: (name: string) =>
    reason('GroupContentMisbound', `VolumeGroupSnapshotContent [${name}] is bound to a different group snapshot`, {
      waitsFor: content(name),
    }),
  boundWrongly: (name: string) =>
    reason('GroupSnapshotMisbound', 'VolumeGroupSnapshotContent is not bound to the VolumeGroupSnapshot correctly', {
      waitsFor: content(name),
    }),
  beingRestored: (snapshot: Ref, group: Ref, claim: Ref) =>
    reason(
      'MemberBeingRestored',
      `Snapshot ${snapshot.namespace}/${snapshot.name} belonging to VolumeGroupSnapshot ${group.namespace}/${group.name} is being used to restore a PVC`,
      {
        waitsFor: objectAwaited(PERSISTENT_VOLUME_CLAIMS, claim),
        cure: `Wait until claim ${claim.namespace}/${claim.name} is bound, or delete it.`,
      },
    ),
  contentStillThere: (name: string, driver: string) =>
    reason('GroupContentStillThere', `VolumeGroupSnapshotContent ${name} is being deleted`, {
      waitsFor: content(name),
      cure: `If this persists, check that the csi-snapshotter of driver ${driver} is running with the feature gate CSIVolumeGroupSnapshot.`,
    }),
  released: reason('GroupReleased', 'the snapshot-controller has nothing more to do'),
}

export type GroupReason = ReasonIn<typeof GROUP_REASONS>
