import type { Api } from '../../api/api.ts'
import { PERSISTENT_VOLUME_CLAIMS } from '../../api/kinds/persistent-volume-claim.ts'
import type { PersistentVolumeClaim, PersistentVolumeClaimStatus } from '../../api/kinds/persistent-volume-claim.ts'
import { PERSISTENT_VOLUMES } from '../../api/kinds/persistent-volume.ts'
import type { PersistentVolume, PersistentVolumePhase } from '../../api/kinds/persistent-volume.ts'
import { createMergePatch } from '../../api/merge-patch.ts'
import { refOf } from '../../api/object-key.ts'
import type { KubeObject } from '../../api/object.ts'
import type { ResourceType } from '../../api/resource-type.ts'
import { claimReferenceTo } from '../../storage/claim-reference.ts'
import {
  BETA_STORAGE_PROVISIONER,
  BIND_COMPLETED,
  BOUND_BY_CONTROLLER,
  STORAGE_PROVISIONER,
} from '../../storage/names.ts'

export type BindingWriter = ReturnType<typeof createBindingWriter>

type Change = { readonly metadata?: object; readonly spec?: object; readonly status?: object }

/** Every write of the binder. Each is refused with Conflict when its object is no longer the one that was decided on. */
export function createBindingWriter(api: Api) {
  const patch = async <T extends KubeObject>(type: ResourceType<T>, object: T, change: Change): Promise<void> => {
    const { uid, resourceVersion } = object.metadata
    const value = { ...change, metadata: { uid, resourceVersion, ...change.metadata } }
    await api.patch(type, refOf(object), { type: 'merge', value }, change.status ? { subresource: 'status' } : {})
  }
  const patchClaim = (claim: PersistentVolumeClaim, change: Change): Promise<void> =>
    patch(PERSISTENT_VOLUME_CLAIMS, claim, change)
  const patchVolume = (volume: PersistentVolume, change: Change): Promise<void> =>
    patch(PERSISTENT_VOLUMES, volume, change)

  const byUs = (isChoice: boolean): Record<string, string> => (isChoice ? { [BOUND_BY_CONTROLLER]: 'yes' } : {})
  return {
    reserveVolume: (volume: PersistentVolume, claim: PersistentVolumeClaim, isChoice: boolean) =>
      patchVolume(volume, { metadata: { annotations: byUs(isChoice) }, spec: { claimRef: claimReferenceTo(claim) } }),
    completeClaim: (claim: PersistentVolumeClaim, volume: PersistentVolume, isChoice: boolean) =>
      patchClaim(claim, {
        metadata: { annotations: { ...byUs(isChoice), [BIND_COMPLETED]: 'yes' } },
        spec: { volumeName: volume.metadata.name },
      }),
    setClaimStatus: (claim: PersistentVolumeClaim, status: PersistentVolumeClaimStatus) =>
      patchClaim(claim, { status: createMergePatch(claim.status ?? {}, status) }),
    setClass: (claim: PersistentVolumeClaim, className: string) =>
      patchClaim(claim, { spec: { storageClassName: className } }),
    markForProvisioner: (claim: PersistentVolumeClaim, provisioner: string) =>
      patchClaim(claim, {
        metadata: { annotations: { [STORAGE_PROVISIONER]: provisioner, [BETA_STORAGE_PROVISIONER]: provisioner } },
      }),
    setVolumePhase: (volume: PersistentVolume, phase: PersistentVolumePhase, message: string) =>
      patchVolume(volume, {
        status: {
          phase,
          ...(message === (volume.status?.message ?? '') ? {} : { message: message === '' ? null : message }),
        },
      }),
    unbindVolume: (volume: PersistentVolume, keeps: 'nothing' | 'the name') =>
      patchVolume(
        volume,
        keeps === 'nothing'
          ? { metadata: { annotations: { [BOUND_BY_CONTROLLER]: null } }, spec: { claimRef: null } }
          : { spec: { claimRef: { uid: null, resourceVersion: null } } },
      ),
  }
}
