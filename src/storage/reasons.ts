import { PERSISTENT_VOLUME_CLAIMS } from '../api/kinds/persistent-volume-claim.ts'
import { PERSISTENT_VOLUMES } from '../api/kinds/persistent-volume.ts'
import { awaiting, because, defineReasons } from '../api/reason.ts'
import type { ReasonIn } from '../api/reason.ts'
import { POD_HANDLES_ANNOTATION } from '../compat/mirror-csi-driver.ts'

/** Why a pod's volume cannot be used. Nodes have further reasons of their own. */
export const REASONS = defineReasons({
  ClaimMissing: (namespace: string, name: string) =>
    because(`persistentvolumeclaim "${name}" not found`, {
      ...awaiting(PERSISTENT_VOLUME_CLAIMS, { namespace, name }),
      cure: 'Create it.',
    }),
  ClaimNotBound: (namespace: string, name: string) =>
    because(`persistentvolumeclaim "${name}" is not bound`, awaiting(PERSISTENT_VOLUME_CLAIMS, { namespace, name })),
  /** The claim is not owned by the pod with the ephemeral volume. */
  ClaimNotOfPod: (namespace: string, name: string, podKey: string) =>
    because(`PVC ${namespace}/${name} was not created for pod ${podKey} (pod is not owner)`, {
      detail: { claim: `${namespace}/${name}` },
      cure: 'Delete the claim, or rename the pod.',
    }),
  VolumeMissing: (volumeName: string) =>
    because(`persistentvolume "${volumeName}" not found`, awaiting(PERSISTENT_VOLUMES, { name: volumeName })),
  VolumeBoundToOther: (volumeName: string) =>
    because(
      `volume "${volumeName}" already bound to a different claim.`,
      awaiting(PERSISTENT_VOLUMES, { name: volumeName }),
    ),
  PodHandlesNotAllowed: (driver: string, podVolumeName: string) =>
    because(`volume "${podVolumeName}" names a volume handle, which driver ${driver} does not allow in pods`, {
      detail: { driver, volume: podVolumeName },
      cure: `Use a claim, or add the lifecycle mode Ephemeral and the annotation ${POD_HANDLES_ANNOTATION}=true to the CSIDriver.`,
    }),
})

export type PodVolumeReason = ReasonIn<typeof REASONS>
