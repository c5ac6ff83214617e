import { PERSISTENT_VOLUME_CLAIMS } from '../../api/kinds/persistent-volume-claim.ts'
import type { PersistentVolumeClaim } from '../../api/kinds/persistent-volume-claim.ts'
import { PERSISTENT_VOLUMES } from '../../api/kinds/persistent-volume.ts'
import type { ObjectReference } from '../../api/kinds/references.ts'
import { STORAGE_CLASSES } from '../../api/kinds/storage-class.ts'
import { objectAwaited, reason } from '../../api/reason.ts'
import type { ReasonIn } from '../../api/reason.ts'
import { clearClaimRef } from '../../storage/claim-reference.ts'
import type { Misfit } from '../../storage/find-misfit.ts'
import { BIND_COMPLETED } from '../../storage/names.ts'

export type BinderReason = ReasonIn<typeof REASONS>

const provisionerAwaited = (name: string) => ({ kind: 'actor', name: `provisioner ${name}` }) as const
const keyOf = ({ namespace = '', name = '' }: ObjectReference): string => `${namespace}/${name}`

/** Upstream's message for each reason why a volume does not satisfy a claim. */
const MISFITS: Readonly<Record<Misfit['what'], string>> = {
  deletion: 'the volume is marked for deletion',
  size: 'requested PV is too small',
  storageClass: 'storageClassName does not match',
  volumeAttributesClass: 'volumeAttributesClassName does not match',
  volumeMode: 'incompatible volumeMode',
  accessModes: 'incompatible accessMode',
}
const misfitDetail = ({ what: differs, wanted, found }: Misfit) => ({ differs, wanted, found })
const formatMisfit = ({ what, wanted, found }: Misfit): string =>
  `${MISFITS[what]} (the claim requests ${wanted || 'none'}, the volume has ${found || 'none'})`

/** Why a claim or a volume is in its state. Messages begin with those of the PersistentVolume controller of Kubernetes. */
export const REASONS = {
  bound: (volumeName: string) =>
    reason('Bound', `the claim is bound to volume "${volumeName}"`, { detail: { volume: volumeName } }),
  claimLeaving: reason('ClaimLeaving', 'the claim is being deleted', { cure: 'Create a new claim.' }),
  volumeMissing: (volumeName: string) =>
    reason('VolumeMissing', `persistentvolume "${volumeName}" not found`, {
      waitsFor: objectAwaited(PERSISTENT_VOLUMES, { name: volumeName }),
      cure: 'Create it, or create a claim that names another volume.',
    }),
  volumeUnconfirmed: (volumeName: string) =>
    reason('VolumeUnconfirmed', `the API server has volume "${volumeName}", and the cache does not show it yet`),
  volumeMismatch: (volumeName: string, misfit: Misfit) =>
    reason('VolumeMismatch', `Cannot bind to requested volume "${volumeName}": ${formatMisfit(misfit)}`, {
      detail: { volume: volumeName, ...misfitDetail(misfit) },
      cure: 'Create a claim that names another volume, or change the volume.',
    }),
  volumeTaken: (volumeName: string, owner: ObjectReference) =>
    reason('VolumeTaken', `volume "${volumeName}" already bound to a different claim.`, {
      waitsFor: objectAwaited(PERSISTENT_VOLUMES, { name: volumeName }),
      detail: { claimedBy: keyOf(owner) },
      cure: `It belongs to claim ${keyOf(owner)}. Create a claim that names another volume.`,
    }),
  volumeOfFormer: (volumeName: string, owner: ObjectReference) =>
    reason('VolumeTaken', `volume "${volumeName}" already bound to a different claim.`, {
      waitsFor: objectAwaited(PERSISTENT_VOLUMES, { name: volumeName }),
      detail: { claimedBy: keyOf(owner), formerUid: owner.uid ?? '' },
      cure: `It was retained for an earlier claim ${keyOf(owner)}, which has been deleted. To bind it to this claim with the data of the earlier one, run: ${clearClaimRef(volumeName)}.`,
    }),
  waitForFirstConsumer: (className: string) =>
    reason('WaitForFirstConsumer', 'waiting for first consumer to be created before binding', {
      waitsFor: { kind: 'actor', name: 'the first pod that uses the claim' },
      detail: { storageClass: className },
      cure: 'Create a pod that uses the claim.',
    }),
  waitForPodScheduled: (names: readonly string[]) =>
    reason(
      'WaitForPodScheduled',
      `waiting for ${names.length > 1 ? 'pods' : 'pod'} ${names.join(',')} to be scheduled`,
      {
        waitsFor: { kind: 'actor', name: 'the scheduler' },
        detail: { pods: names.join(', ') },
        cure: "If this persists, check the pod's events.",
      },
    ),
  classMissing: (className: string) =>
    reason('StorageClassMissing', `storageclass.storage.k8s.io "${className}" not found`, {
      waitsFor: objectAwaited(STORAGE_CLASSES, { name: className }),
      cure: 'Create it, or create a volume of that class.',
    }),
  nobodyProvisions: (className: string, provisioner: string) =>
    reason('NobodyProvisions', `no volume plugin matched name: ${provisioner}`, {
      detail: { storageClass: className, provisioner },
      cure: `Create a volume of storage class "${className}", or use a class with a CSI provisioner.`,
    }),
  provisioning: (provisioner: string) =>
    reason(
      'ExternalProvisioning',
      `Waiting for a volume to be created either by the external provisioner '${provisioner}' or manually by the system administrator.`,
      {
        waitsFor: provisionerAwaited(provisioner),
        cure: 'If volume creation is delayed, please verify that the provisioner is running and correctly registered.',
      },
    ),
  nothingFits: reason('NothingFits', 'no persistent volumes available for this claim and no storage class is set', {
    cure: 'Create a volume that fits, or name a storage class with a provisioner in a new claim.',
  }),
  volumeNameLost: reason(
    'VolumeNameLost',
    'Bound claim has lost reference to PersistentVolume. Data on the volume is lost!',
    { cure: 'spec.volumeName was removed from the bound claim. Create a new claim that names the volume.' },
  ),
  volumeLost: (volumeName: string) =>
    reason('VolumeLost', 'Bound claim has lost its PersistentVolume. Data on the volume is lost!', {
      detail: { volume: volumeName },
      cure: 'If the storage backend still has it, recreate the PersistentVolume with a claimRef to the claim.',
    }),
  misboundToFormer: (volumeName: string, owner: ObjectReference) =>
    reason('ClaimMisbound', 'Two claims are bound to the same volume, this one is bound incorrectly', {
      detail: { volume: volumeName, boundTo: keyOf(owner), formerUid: owner.uid ?? '' },
      cure: `Volume "${volumeName}" was retained for an earlier claim ${keyOf(owner)}, which has been deleted. Delete this claim, run: ${clearClaimRef(volumeName)}, and create the claim again without the annotation ${BIND_COMPLETED}.`,
    }),
  misbound: (volumeName: string, owner: ObjectReference) =>
    reason('ClaimMisbound', 'Two claims are bound to the same volume, this one is bound incorrectly', {
      detail: { volume: volumeName, boundTo: keyOf(owner) },
      cure: `Volume "${volumeName}" belongs to claim ${keyOf(owner)}. Create a new claim.`,
    }),

  available: reason('Available', 'the volume is available'),
  reserved: (ref: ObjectReference) =>
    reason('Reserved', `the volume is reserved for claim ${keyOf(ref)}`, {
      waitsFor: objectAwaited(PERSISTENT_VOLUME_CLAIMS, ref),
    }),
  claimBinds: (ref: ObjectReference) =>
    reason('BindingUnderWay', `claim ${keyOf(ref)} is being bound to the volume`, {
      waitsFor: objectAwaited(PERSISTENT_VOLUME_CLAIMS, ref),
    }),
  claimMismatch: (volumeName: string, { metadata }: PersistentVolumeClaim, misfit: Misfit) =>
    reason(
      'VolumeMismatch',
      `Cannot bind PersistentVolume "${volumeName}" to requested PersistentVolumeClaim "${metadata.name}" due to ${formatMisfit(misfit)}`,
      {
        detail: { claim: keyOf(metadata), ...misfitDetail(misfit) },
        cure: 'Create a claim or a volume that fits the other.',
      },
    ),
  released: (ref: ObjectReference) =>
    reason('Released', `claim ${keyOf(ref)} has been deleted`, { detail: { claim: keyOf(ref) } }),
  notNeeded: (ref: ObjectReference) =>
    reason('NotNeeded', `claim ${keyOf(ref)} is bound to another volume`, { detail: { claim: keyOf(ref) } }),
  migrated: (driver: string) =>
    reason('Migrated', `the volume has been migrated to CSI driver ${driver}, whose provisioner deletes it`, {
      waitsFor: provisionerAwaited(driver),
    }),
  retained: reason('Retained', 'the claim has been deleted, and the reclaim policy of the volume is Retain', {
    cure: 'Save the data you need. Then delete the volume, or remove its claimRef to make it available again.',
  }),
  deleting: (provisioner: string) =>
    reason('DeletionUnderWay', `waiting for provisioner ${provisioner} to delete the volume`, {
      waitsFor: provisionerAwaited(provisioner),
    }),
  nobodyDeletes: (volumeName: string) =>
    reason(
      'NobodyDeletes',
      `error getting deleter volume plugin for volume "${volumeName}": no deletable volume plugin matched`,
      {
        cure: 'No provisioner can delete this volume type. Delete the volume manually, or set its reclaim policy to Retain.',
      },
    ),
  recycleRefused: reason('RecycleRefused', 'No recycler plugin found for the volume!', {
    cure: 'Recycling is not supported. Set the reclaim policy to Retain or Delete.',
  }),
  policyUnknown: (policy: string) =>
    reason('ReclaimPolicyUnknown', `Volume has unrecognized PersistentVolumeReclaimPolicy "${policy}"`, {
      detail: { policy },
      cure: 'Set the reclaim policy to Retain or Delete.',
    }),
}
