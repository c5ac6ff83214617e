import type { Api } from '../../api/api.ts'
import { PERSISTENT_VOLUME_CLAIMS } from '../../api/kinds/persistent-volume-claim.ts'
import type { PersistentVolumeClaim, PersistentVolumeClaimStatus } from '../../api/kinds/persistent-volume-claim.ts'
import { PERSISTENT_VOLUMES } from '../../api/kinds/persistent-volume.ts'
import type { PersistentVolume, PersistentVolumePhase } from '../../api/kinds/persistent-volume.ts'
import { createMergePatch } from '../../api/merge-patch.ts'
import { refOf } from '../../api/object-key.ts'
import type { KubeObject } from '../../api/object.ts'
import type { ResourceType } from '../../api/resource-type.ts'
import { mergeAsSeen } from '../../kube/controller/index.ts'

type Change = Parameters<typeof mergeAsSeen>[1]

/** The writes of the binder. Each is rejected with Conflict if its object has changed since the decision. */
export function createBindingWriter(api: Api) {
  const patch = async <T extends KubeObject>(type: ResourceType<T>, object: T, change: Change): Promise<void> => {
    const options = change.status ? { subresource: 'status' } : {}
    await api.patch(type, refOf(object), mergeAsSeen(object, change), options)
  }
  const patchClaim = (claim: PersistentVolumeClaim, change: Change) => patch(PERSISTENT_VOLUME_CLAIMS, claim, change)
  const patchVolume = (volume: PersistentVolume, change: Change) => patch(PERSISTENT_VOLUMES, volume, change)
  return {
    patchClaim,
    patchVolume,
    setClaimStatus: (claim: PersistentVolumeClaim, status: PersistentVolumeClaimStatus) =>
      patchClaim(claim, { status: createMergePatch(claim.status ?? {}, status) }),
    setVolumePhase: (volume: PersistentVolume, phase: PersistentVolumePhase, message = '') =>
      patchVolume(volume, {
        status: { phase, ...(message === (volume.status?.message ?? '') ? {} : { message: message || null }) },
      }),
  }
}
