import type { PersistentVolumeClaim } from '../../api/kinds/persistent-volume-claim.ts'
import type { ObjectReference } from '../../api/kinds/references.ts'
import type { Reason } from '../../api/reason.ts'
import type { Misfit } from '../../storage/find-misfit.ts'

const volume = (name: string) => ({ kind: 'object', apiVersion: 'v1', kindName: 'PersistentVolume', name }) as const
const claim = ({ namespace = '', name = '' }: { namespace?: string; name?: string }) =>
  ({ kind: 'object', apiVersion: 'v1', kindName: 'PersistentVolumeClaim', namespace, name }) as const
const storageClass = (name: string) =>
  ({ kind: 'object', apiVersion: 'storage.k8s.io/v1', kindName: 'StorageClass', name }) as const

/** Why a claim or a volume stands where it stands. */
export const REASONS = {
  bound: (name: string): Reason => ({ code: 'Bound', detail: { volume: name } }),
  claimLeaving: { code: 'ClaimLeaving', cure: 'The claim is being deleted: make a new one' },
  volumeMissing: (name: string): Reason => ({ code: 'VolumeMissing', waitsFor: volume(name) }),
  volumeMismatch: (name: string, { what, wanted, found }: Misfit): Reason => ({
    code: 'VolumeMismatch',
    detail: { volume: name, differs: what, wanted, found },
    cure: 'Name another volume, or change one of the two',
  }),
  volumeTaken: (name: string, { namespace = '', name: taker = '' }: ObjectReference): Reason => ({
    code: 'VolumeTaken',
    waitsFor: volume(name),
    detail: { claimedBy: `${namespace}/${taker}` },
    cure: 'Name another volume',
  }),
  waitForFirstConsumer: (className: string): Reason => ({
    code: 'WaitForFirstConsumer',
    waitsFor: { kind: 'actor', name: 'the first pod that uses the claim' },
    detail: { storageClass: className },
  }),
  waitForPodScheduled: (names: readonly string[]): Reason => ({
    code: 'WaitForPodScheduled',
    waitsFor: { kind: 'actor', name: 'the scheduler' },
    detail: { pods: names.join(', ') },
  }),
  classMissing: (name: string): Reason => ({
    code: 'StorageClassMissing',
    waitsFor: storageClass(name),
    cure: 'Make the class, or a volume of it',
  }),
  nobodyProvisions: (className: string, provisioner: string): Reason => ({
    code: 'NobodyProvisions',
    detail: { storageClass: className, provisioner },
    cure: 'Make a volume of the class by hand, or use a class with a CSI provisioner',
  }),
  provisioning: (provisioner: string): Reason => ({
    code: 'ExternalProvisioning',
    waitsFor: { kind: 'actor', name: `provisioner ${provisioner}` },
    cure: 'If it takes long, see that the provisioner runs; a volume made by hand serves as well',
  }),
  nothingFits: { code: 'NothingFits', cure: 'Make a volume that fits, or name a class that has a provisioner' },
  volumeNameLost: {
    code: 'VolumeNameLost',
    cure: 'Somebody took the volume out of the bound claim; its data can no longer be reached through it',
  },
  volumeLost: (name: string): Reason => ({
    code: 'VolumeLost',
    detail: { volume: name },
    cure: 'The volume of the bound claim is gone, and its data with it',
  }),
  misbound: (name: string, { namespace = '', name: other = '' }: ObjectReference): Reason => ({
    code: 'ClaimMisbound',
    detail: { volume: name, boundTo: `${namespace}/${other}` },
    cure: 'The volume belongs to another claim: make a new claim',
  }),

  available: { code: 'Available' },
  reserved: (ref: ObjectReference): Reason => ({ code: 'Reserved', waitsFor: claim(ref) }),
  claimBinds: (ref: ObjectReference): Reason => ({ code: 'BindingUnderWay', waitsFor: claim(ref) }),
  claimMismatch: ({ metadata }: PersistentVolumeClaim, { what, wanted, found }: Misfit): Reason => ({
    code: 'VolumeMismatch',
    detail: { claim: `${metadata.namespace}/${metadata.name}`, differs: what, wanted, found },
    cure: 'The volume names a claim that it does not fit',
  }),
  released: (ref: ObjectReference): Reason => ({ code: 'Released', detail: { claim: `${ref.namespace}/${ref.name}` } }),
  notNeeded: (ref: ObjectReference): Reason => ({
    code: 'NotNeeded',
    detail: { claim: `${ref.namespace}/${ref.name}` },
  }),
  migrated: (driver: string): Reason => ({
    code: 'Migrated',
    waitsFor: { kind: 'actor', name: `provisioner ${driver}` },
  }),
  retained: {
    code: 'Retained',
    cure: 'Save what is needed; then delete the volume, or remove its claimRef to have it used again',
  },
  deleting: (provisioner: string): Reason => ({
    code: 'DeletionUnderWay',
    waitsFor: { kind: 'actor', name: `provisioner ${provisioner}` },
  }),
  nobodyDeletes: {
    code: 'NobodyDeletes',
    cure: 'Nobody is known who could delete this kind of volume: delete it by hand, or set its reclaim policy to Retain',
  },
  recycleRefused: {
    code: 'RecycleRefused',
    cure: 'Volumes are not recycled: set the reclaim policy to Retain or Delete',
  },
  policyUnknown: (policy: string): Reason => ({
    code: 'ReclaimPolicyUnknown',
    detail: { policy },
    cure: 'Set the reclaim policy to Retain or Delete',
  }),
} as const satisfies Record<string, Reason | ((...args: never[]) => Reason)>
