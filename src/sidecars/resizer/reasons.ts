import { awaiting, because, defineReasons } from '../../api/reason.ts'
import type { ReasonIn } from '../../api/reason.ts'
import { PERSISTENT_VOLUMES } from '../../api/kinds/persistent-volume.ts'
import { VOLUME_ATTRIBUTES_CLASSES } from '../../api/kinds/volume-attributes-class.ts'
import { secretReason } from '../../storage/secret-reason.ts'
import type { SecretRef, UnreadableSecret } from '../../storage/secret-reason.ts'

/** Why a claim is not being expanded or modified at the moment. */
export const REASONS = defineReasons({
  NotBound: 'the claim is not bound to a volume',
  VolumeMissing: (name: string) =>
    because(`persistentvolume "${name}" not found`, awaiting(PERSISTENT_VOLUMES, { name })),
  VolumeOfOther: (name: string) =>
    because(`persistentvolume "${name}" is not bound to this claim`, awaiting(PERSISTENT_VOLUMES, { name })),
  LargeEnough: 'the volume has the requested size',
  NodeResizePending: (size: string) =>
    because('Waiting for user to (re-)start a pod to finish file system resize of volume on node', {
      detail: { size },
      cure: 'If a pod is using the volume, check the logs of the kubelet or node agent on its node.',
    }),
  VolumeInUse: (claim: string, driver: string, pods: readonly string[]) =>
    because(
      `Unable to expand ${claim} because CSI driver ${driver} only supports offline expansion and volume is currently in-use`,
      { detail: { pods: pods.join(', ') }, cure: `Delete the pods that use the claim: ${pods.join(', ')}.` },
    ),
  RetryingExpansion: (error: string) =>
    because(error, { cure: 'Check the logs of the driver. The resizer retries automatically.' }),
  ExpansionInfeasible: (error: string) =>
    because(error, { cure: 'Request a smaller size, which must be larger than the current capacity.' }),
  AnswerTooSmall: (bytes: bigint, wanted: bigint) =>
    `the driver answered that the volume has ${bytes} bytes, but ${wanted} were requested`,
  AccessModesUnclear: (modes: string) =>
    `access modes ${modes} of the volume cannot be combined in one CSI access mode`,
  Secret: (secret: UnreadableSecret, ref: SecretRef) => secretReason(secret, ref, 'resizer'),
  ModifyInfeasible: (error: string) => because(error, { cure: 'Choose another VolumeAttributesClass in the claim.' }),
  Modified: 'the volume has the requested VolumeAttributesClass',
  ModifyCanceled: 'the claim no longer requests a VolumeAttributesClass',
  VolumeAttributesClassMissing: (name: string) =>
    because(`VAC "${name}" does not exist`, {
      ...awaiting(VOLUME_ATTRIBUTES_CLASSES, { name }),
      cure: 'Create it, or choose another VolumeAttributesClass in the claim.',
    }),
  VolumeAttributesClassOfOther: (name: string, driver: string) =>
    because(`VAC "${name}" is for CSI driver "${driver}"`, {
      ...awaiting(VOLUME_ATTRIBUTES_CLASSES, { name }),
      cure: 'Choose a VolumeAttributesClass of the driver of the volume.',
    }),
})

export type ResizerReason = ReasonIn<typeof REASONS>
