import type { Api } from '../../api/api.ts'
import { PERSISTENT_VOLUME_CLAIMS } from '../../api/kinds/persistent-volume-claim.ts'
import type { PersistentVolumeClaim, PersistentVolumeClaimStatus } from '../../api/kinds/persistent-volume-claim.ts'
import { PERSISTENT_VOLUMES } from '../../api/kinds/persistent-volume.ts'
import type { PersistentVolume, PersistentVolumePhase } from '../../api/kinds/persistent-volume.ts'
import { createMergePatch } from '../../api/merge-patch.ts'
import { refOf } from '../../api/object-key.ts'
import type { KubeObject } from '../../api/object.ts'
import type { ResourceType } from '../../api/resource-type.ts'
import type { Clock } from '../../base/clock.ts'
import { within } from '../../kube/within.ts'
import { claimReferenceTo } from '../../volumes/claim-reference.ts'
import { BETA_STORAGE_PROVISIONER, BIND_COMPLETED, BOUND_BY_CONTROLLER, STORAGE_PROVISIONER } from '../../volumes/names.ts'

/** Every write of the binder. Each is refused with Conflict when the object is no longer the one that was decided on. */
export interface BindingWriter {
  reserveVolume(volume: PersistentVolume, claim: PersistentVolumeClaim, isChoice: boolean, signal: AbortSignal): Promise<void>
  completeClaim(claim: PersistentVolumeClaim, volume: PersistentVolume, isChoice: boolean, signal: AbortSignal): Promise<void>
  setClaimStatus(claim: PersistentVolumeClaim, status: PersistentVolumeClaimStatus, signal: AbortSignal): Promise<void>
  setClass(claim: PersistentVolumeClaim, className: string, signal: AbortSignal): Promise<void>
  markForProvisioner(claim: PersistentVolumeClaim, provisioner: string, signal: AbortSignal): Promise<void>
  setVolumePhase(volume: PersistentVolume, phase: PersistentVolumePhase, message: string, signal: AbortSignal): Promise<void>
  unbindVolume(volume: PersistentVolume, keeps: 'nothing' | 'the name', signal: AbortSignal): Promise<void>
}

export type WriterParts = {
  readonly api: Api
  readonly clock: Clock
  rememberClaim(claim: PersistentVolumeClaim): void
  rememberVolume(volume: PersistentVolume): void
}

type Change = { readonly metadata?: object; readonly spec?: object; readonly status?: object }

export function createBindingWriter({ api, clock, rememberClaim, rememberVolume }: WriterParts): BindingWriter {
  const patch = <T extends KubeObject>(type: ResourceType<T>, object: T, change: Change, signal: AbortSignal): Promise<T> => {
    const { uid, resourceVersion } = object.metadata
    const value = { ...change, metadata: { uid, resourceVersion, ...change.metadata } }
    const subresource = change.status ? { subresource: 'status' } : {}
    return within(clock, signal, (until) => api.patch(type, refOf(object), { type: 'merge', value }, { signal: until, ...subresource }))
  }
  const patchClaim = async (claim: PersistentVolumeClaim, change: Change, signal: AbortSignal): Promise<void> =>
    rememberClaim(await patch(PERSISTENT_VOLUME_CLAIMS, claim, change, signal))
  const patchVolume = async (volume: PersistentVolume, change: Change, signal: AbortSignal): Promise<void> =>
    rememberVolume(await patch(PERSISTENT_VOLUMES, volume, change, signal))

  const byUs = (isChoice: boolean): Record<string, string> => (isChoice ? { [BOUND_BY_CONTROLLER]: 'yes' } : {})
  return {
    reserveVolume: (volume, claim, isChoice, signal) =>
      patchVolume(volume, { metadata: { annotations: byUs(isChoice) }, spec: { claimRef: claimReferenceTo(claim) } }, signal),
    completeClaim: (claim, volume, isChoice, signal) =>
      patchClaim(claim, { metadata: { annotations: { ...byUs(isChoice), [BIND_COMPLETED]: 'yes' } }, spec: { volumeName: volume.metadata.name } }, signal),
    setClaimStatus: (claim, status, signal) => patchClaim(claim, { status: createMergePatch(claim.status ?? {}, status) }, signal),
    setClass: (claim, className, signal) => patchClaim(claim, { spec: { storageClassName: className } }, signal),
    markForProvisioner: (claim, provisioner, signal) =>
      patchClaim(claim, { metadata: { annotations: { [STORAGE_PROVISIONER]: provisioner, [BETA_STORAGE_PROVISIONER]: provisioner } } }, signal),
    setVolumePhase: (volume, phase, message, signal) =>
      patchVolume(volume, { status: { phase, ...(message === (volume.status?.message ?? '') ? {} : { message: message === '' ? null : message }) } }, signal),
    unbindVolume: (volume, keeps, signal) =>
      patchVolume(
        volume,
        keeps === 'nothing'
          ? { metadata: { annotations: { [BOUND_BY_CONTROLLER]: null } }, spec: { claimRef: null } }
          : { spec: { claimRef: { uid: null, resourceVersion: null } } },
        signal,
      ),
  }
}
