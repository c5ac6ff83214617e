import { PERSISTENT_VOLUME_CLAIMS } from '../../api/kinds/persistent-volume-claim.ts'
import type { PersistentVolumeClaim } from '../../api/kinds/persistent-volume-claim.ts'
import { PERSISTENT_VOLUMES } from '../../api/kinds/persistent-volume.ts'
import type { ObjectReference } from '../../api/kinds/references.ts'
import { STORAGE_CLASSES } from '../../api/kinds/storage-class.ts'
import { awaiting, awaitingActor, because, defineReasons, reason } from '../../api/reason.ts'
import type { ReasonIn } from '../../api/reason.ts'
import { clearClaimRef } from '../../storage/claim-reference.ts'
import type { Misfit } from '../../storage/find-misfit.ts'

export type BinderReason = ReasonIn<typeof REASONS>

const awaitingProvisioner = (name: string) => awaitingActor(`provisioner ${name}`)
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
export const REASONS = defineReasons({
  Bound: (volumeName: string) =>
    because(`the claim is bound to volume "${volumeName}"`, { detail: { volume: volumeName } }),
  ClaimLeaving: because('the claim is being deleted', { cure: 'Create a new claim.' }),
  VolumeMissing: (volumeName: string) =>
    because(`persistentvolume "${volumeName}" not found`, {
      ...awaiting(PERSISTENT_VOLUMES, { name: volumeName }),
      cure: 'Create it, or create a claim that names another volume.',
    }),
  VolumeUnconfirmed: (volumeName: string) =>
    `the API server has volume "${volumeName}", and the cache does not show it yet`,
  VolumeMismatch: (volumeName: string, misfit: Misfit) =>
    because(`Cannot bind to requested volume "${volumeName}": ${formatMisfit(misfit)}`, {
      detail: { volume: volumeName, ...misfitDetail(misfit) },
      cure: 'Create a claim that names another volume, or change the volume.',
    }),
  VolumeTaken: (volumeName: string, owner: ObjectReference) =>
    because(`volume "${volumeName}" already bound to a different claim.`, {
      ...awaiting(PERSISTENT_VOLUMES, { name: volumeName }),
      detail: { claimedBy: keyOf(owner) },
      cure: `It belongs to claim ${keyOf(owner)}. Create a claim that names another volume.`,
    }),
  VolumeOfFormer: (volumeName: string, owner: ObjectReference) =>
    reason('VolumeTaken', `volume "${volumeName}" already bound to a different claim.`, {
      ...awaiting(PERSISTENT_VOLUMES, { name: volumeName }),
      detail: { claimedBy: keyOf(owner), formerUid: owner.uid ?? '' },
      cure: `It was retained for an earlier claim ${keyOf(owner)}, which has been deleted. To bind it to this claim with the data of the earlier one, run: ${clearClaimRef(volumeName)}.`,
    }),
  WaitForFirstConsumer: (className: string) =>
    because('waiting for first consumer to be created before binding', {
      ...awaitingActor('the first pod that uses the claim'),
      detail: { storageClass: className },
      cure: 'Create a pod that uses the claim.',
    }),
  WaitForPodScheduled: (names: readonly string[]) =>
    because(`waiting for ${names.length > 1 ? 'pods' : 'pod'} ${names.join(',')} to be scheduled`, {
      ...awaitingActor('the scheduler'),
      detail: { pods: names.join(', ') },
      cure: "If this persists, check the pod's events.",
    }),
  StorageClassMissing: (className: string) =>
    because(`storageclass.storage.k8s.io "${className}" not found`, {
      ...awaiting(STORAGE_CLASSES, { name: className }),
      cure: 'Create it, or create a volume of that class.',
    }),
  NobodyProvisions: (className: string, provisioner: string) =>
    because(`no volume plugin matched name: ${provisioner}`, {
      detail: { storageClass: className, provisioner },
      cure: `Create a volume of storage class "${className}", or use a class with a CSI provisioner.`,
    }),
  ExternalProvisioning: (provisioner: string) =>
    because(
      `Waiting for a volume to be created either by the external provisioner '${provisioner}' or manually by the system administrator.`,
      {
        ...awaitingProvisioner(provisioner),
        cure: 'If volume creation is delayed, please verify that the provisioner is running and correctly registered.',
      },
    ),
  NothingFits: because('no persistent volumes available for this claim and no storage class is set', {
    cure: 'Create a volume that fits, or name a storage class with a provisioner in a new claim.',
  }),
  VolumeNameLost: because('Bound claim has lost reference to PersistentVolume. Data on the volume is lost!', {
    cure: 'spec.volumeName was removed from the bound claim. Create a new claim that names the volume.',
  }),
  VolumeLost: (volumeName: string) =>
    because('Bound claim has lost its PersistentVolume. Data on the volume is lost!', {
      detail: { volume: volumeName },
      cure: 'If the storage backend still has it, recreate the PersistentVolume with a claimRef to the claim.',
    }),
  ClaimMisbound: (volumeName: string, owner: ObjectReference) =>
    because('Two claims are bound to the same volume, this one is bound incorrectly', {
      detail: { volume: volumeName, boundTo: keyOf(owner) },
      cure: `Volume "${volumeName}" belongs to claim ${keyOf(owner)}. Create a new claim.`,
    }),
  ClaimMisboundToFormer: (volumeName: string, owner: ObjectReference) =>
    reason('ClaimMisbound', 'Two claims are bound to the same volume, this one is bound incorrectly', {
      detail: { volume: volumeName, boundTo: keyOf(owner), formerUid: owner.uid ?? '' },
      cure: `Volume "${volumeName}" was retained for an earlier claim ${keyOf(owner)}, which has been deleted. To bind it to this claim with the data of the earlier one, run: ${clearClaimRef(volumeName)}.`,
    }),

  Available: 'the volume is available',
  Reserved: (ref: ObjectReference) =>
    because(`the volume is reserved for claim ${keyOf(ref)}`, awaiting(PERSISTENT_VOLUME_CLAIMS, ref)),
  BindingUnderWay: (ref: ObjectReference) =>
    because(`claim ${keyOf(ref)} is being bound to the volume`, awaiting(PERSISTENT_VOLUME_CLAIMS, ref)),
  ClaimMismatch: (volumeName: string, { metadata }: PersistentVolumeClaim, misfit: Misfit) =>
    reason(
      'VolumeMismatch',
      `Cannot bind PersistentVolume "${volumeName}" to requested PersistentVolumeClaim "${metadata.name}" due to ${formatMisfit(misfit)}`,
      {
        detail: { claim: keyOf(metadata), ...misfitDetail(misfit) },
        cure: 'Create a claim or a volume that fits the other.',
      },
    ),
  Released: (ref: ObjectReference) =>
    because(`claim ${keyOf(ref)} has been deleted`, { detail: { claim: keyOf(ref) } }),
  NotNeeded: (ref: ObjectReference) =>
    because(`claim ${keyOf(ref)} is bound to another volume`, { detail: { claim: keyOf(ref) } }),
  Migrated: (driver: string) =>
    because(
      `the volume has been migrated to CSI driver ${driver}, whose provisioner deletes it`,
      awaitingProvisioner(driver),
    ),
  Retained: because('the claim has been deleted, and the reclaim policy of the volume is Retain', {
    cure: 'Save the data you need. Then delete the volume, or remove its claimRef to make it available again.',
  }),
  DeletionUnderWay: (provisioner: string) =>
    because(`waiting for provisioner ${provisioner} to delete the volume`, awaitingProvisioner(provisioner)),
  NobodyDeletes: (volumeName: string) =>
    because(`error getting deleter volume plugin for volume "${volumeName}": no deletable volume plugin matched`, {
      cure: 'No provisioner can delete this volume type. Delete the volume manually, or set its reclaim policy to Retain.',
    }),
  RecycleRefused: because('No recycler plugin found for the volume!', {
    cure: 'Recycling is not supported. Set the reclaim policy to Retain or Delete.',
  }),
  ReclaimPolicyUnknown: (policy: string) =>
    because(`Volume has unrecognized PersistentVolumeReclaimPolicy "${policy}"`, {
      detail: { policy },
      cure: 'Set the reclaim policy to Retain or Delete.',
    }),
})
