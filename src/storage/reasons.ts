import { PERSISTENT_VOLUME_CLAIMS } from '../api/kinds/persistent-volume-claim.ts'
import { PERSISTENT_VOLUMES } from '../api/kinds/persistent-volume.ts'
import { objectAwaited, reason } from '../api/reason.ts'
import type { ReasonIn } from '../api/reason.ts'
import { POD_HANDLES_ANNOTATION } from '../compat/mirror-csi-driver.ts'

/** Why a pod's volume cannot be used. Nodes have further reasons of their own. */
export const REASONS = {
  claimMissing: (namespace: string, name: string) =>
    reason('ClaimMissing', `persistentvolumeclaim "${name}" not found`, {
      waitsFor: objectAwaited(PERSISTENT_VOLUME_CLAIMS, { namespace, name }),
      cure: 'Create it.',
    }),
  claimNotBound: (namespace: string, name: string) =>
    reason('ClaimNotBound', `persistentvolumeclaim "${name}" is not bound`, {
      waitsFor: objectAwaited(PERSISTENT_VOLUME_CLAIMS, { namespace, name }),
    }),
  /** The claim is not owned by the pod with the ephemeral volume. */
  claimOfOther: (namespace: string, name: string, podKey: string) =>
    reason('ClaimNotOfPod', `PVC ${namespace}/${name} was not created for pod ${podKey} (pod is not owner)`, {
      detail: { claim: `${namespace}/${name}` },
      cure: 'Delete the claim, or rename the pod.',
    }),
  volumeMissing: (volumeName: string) =>
    reason('VolumeMissing', `persistentvolume "${volumeName}" not found`, {
      waitsFor: objectAwaited(PERSISTENT_VOLUMES, { name: volumeName }),
    }),
  volumeBoundToOther: (volumeName: string) =>
    reason('VolumeBoundToOther', `volume "${volumeName}" already bound to a different claim.`, {
      waitsFor: objectAwaited(PERSISTENT_VOLUMES, { name: volumeName }),
    }),
  podHandles: (driver: string, podVolumeName: string) =>
    reason(
      'PodHandlesNotAllowed',
      `volume "${podVolumeName}" names a volume handle, which driver ${driver} does not allow in pods`,
      {
        detail: { driver, volume: podVolumeName },
        cure: `Use a claim, or add the lifecycle mode Ephemeral and the annotation ${POD_HANDLES_ANNOTATION}=true to the CSIDriver.`,
      },
    ),
}

export type PodVolumeReason = ReasonIn<typeof REASONS>
