import type { AttachmentStep } from '../controllers/attach-detach/next-attachment-step.ts'
import type { ClaimStep } from '../controllers/binder/next-claim-step.ts'
import type { VolumeStep } from '../controllers/binder/next-volume-step.ts'
import type { EphemeralStep } from '../controllers/ephemeral/next-ephemeral-step.ts'
import type { ExpansionStep } from '../controllers/expansion/next-expansion-step.ts'
import type { ClaimProtectionStep } from '../controllers/protection/next-protection-step.ts'
import type { PlacementStep } from '../controllers/scheduler/next-placement-step.ts'
import type { GroupStep } from '../controllers/snapshot/next-group-step.ts'
import type { SnapshotStep } from '../controllers/snapshot/next-snapshot-step.ts'
import type { DaemonSetStep } from '../controllers/workloads/daemon-set/next-daemon-set-step.ts'
import type { DeploymentStep } from '../controllers/workloads/deployment/next-deployment-step.ts'
import type { JobStep } from '../controllers/workloads/job/next-job-step.ts'
import type { ReplicaSetStep } from '../controllers/workloads/replica-set/next-replica-set-step.ts'
import type { StatefulSetStep } from '../controllers/workloads/stateful-set/next-stateful-set-step.ts'
import type { MountStep } from '../node/volumes/mount-view.ts'
import type { AttachStep } from '../sidecars/attacher/next-attach-step.ts'
import type { ProvisionStep } from '../sidecars/provisioner/next-provision-step.ts'
import type { ExpandStep } from '../sidecars/resizer/next-expand-step.ts'
import type { GroupContentStep } from '../sidecars/snapshotter/next-group-content-step.ts'
import type { ContentStep } from '../sidecars/snapshotter/next-content-step.ts'
import type { Reason } from '../api/reason.ts'
import type { ResolvedVolume } from '../storage/resolve-pod-volume.ts'
import type { OwnReason } from './reasons.ts'
import type { ScopeReason } from './scope-reasons.ts'

type CodeIn<Step> = Step extends { readonly reason: Reason<infer Code> } ? Code : never

/** Every code that a component's decision can have. */
type PartCode = CodeIn<
  | AttachmentStep
  | AttachStep
  | ClaimProtectionStep
  | ClaimStep
  | ContentStep
  | DaemonSetStep
  | DeploymentStep
  | EphemeralStep
  | ExpandStep
  | GroupContentStep
  | GroupStep
  | ExpansionStep
  | JobStep
  | MountStep
  | PlacementStep
  | ProvisionStep
  | ReplicaSetStep
  | ResolvedVolume
  | SnapshotStep
  | StatefulSetStep
  | VolumeStep
>

/** Of a part, or our own. Comparing with any other code breaks the build. */
export type WhyCode = PartCode | OwnReason['code'] | ScopeReason['code']
export type WhyReason = Reason<WhyCode>

const ANOTHER_SOURCE = 'Create it, or use another data source in a new claim.'
const CHECK_CONTROLLERS = 'If this persists, check that the controllers are running.'
const FREE_A_NODE = 'Delete pods, or add nodes.'

// What to do if the component itself does not say.
const CURES: Partial<Readonly<Record<WhyCode, string>>> = {
  AttributesClassNotFound: 'Create it, or name another VolumeAttributesClass in a new claim.',
  ClaimMissing: 'Create it.',
  ContentMisbound:
    'Name another VolumeSnapshotContent in a new snapshot, or correct spec.volumeSnapshotRef of the content.',
  ContentMismatch: 'Name another VolumeSnapshotContent in a new snapshot.',
  GroupContentMisbound:
    'Name another VolumeGroupSnapshotContent in a new group snapshot, or correct spec.volumeGroupSnapshotRef of the content.',
  GroupContentMismatch: 'Name another VolumeGroupSnapshotContent in a new group snapshot.',
  EphemeralClaimMissing: CHECK_CONTROLLERS,
  PopulatorExpected: 'Check that the populator is running.',
  ResourceShort: FREE_A_NODE,
  SecretMissing: 'Create it.',
  SelectedNodeGone:
    'The scheduler had selected this node. Check that the provisioner is running: it lets the scheduler select another one.',
  SnapshotClassNotNamed: 'Set spec.volumeSnapshotClassName of the VolumeSnapshotContent.',
  SnapshotContentNotFound: 'Use another data source in a new claim.',
  SnapshotMisbound: 'Delete the snapshot. Its VolumeSnapshotContent belongs to another one.',
  SnapshotNotFound: ANOTHER_SOURCE,
  SourceInvalid: 'Set one of them in a new snapshot.',
  SourceClaimNotBound: 'Find out why the source claim is not bound.',
  SourceClaimNotFound: ANOTHER_SOURCE,
  StillReportedAttached: CHECK_CONTROLLERS,
  TooManyPods: FREE_A_NODE,
  Unschedulable: 'Remove what keeps the pod off one of the nodes.',
  VolumeInUse: 'Check why the volume is not unmounted: see the events of the pods that were running there.',
  VolumeMissing: 'Create the PersistentVolume again.',
}

export const cureOf = ({ code, cure }: WhyReason): string | undefined => cure ?? CURES[code]

// Nothing is wrong: a component has not acted yet.
const MAY_PASS: ReadonlySet<WhyCode> = new Set<WhyCode>([
  'AwaitingAttach',
  'AwaitingAttachment',
  'AwaitingDeletion',
  'AwaitingDetach',
  'AwaitingGroupSnapshot',
  'AwaitingModify',
  'AwaitingMount',
  'AwaitingPodEnd',
  'AwaitingScheduler',
  'AwaitingSnapshotController',
  'AwaitingSnapshotter',
  'ExternalProvisioning',
  'FinalizerToBeRemoved',
  'GoneInAMoment',
  'NotBoundYet',
  'NotReportedAttached',
])

/** Whether the wait may well end without anybody's help. */
export const mayPass = (reason: WhyReason | undefined): boolean => reason !== undefined && MAY_PASS.has(reason.code)

const FACTS = ['claim', 'class', 'volume', 'driver']

/** Upstream's messages rarely name the objects that they are about: those follow in parentheses. */
export function withFacts<R extends Reason>(reason: R): R {
  const { message = '', detail = {} } = reason
  const facts = Object.entries(detail).filter(([name, value]) => FACTS.includes(name) && !message.includes(value))
  if (facts.length === 0) return reason
  return { ...reason, message: `${message} (${facts.map(([name, value]) => `${name} ${value}`).join(', ')})` }
}
