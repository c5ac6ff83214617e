import { objectAwaited, reason } from '../../api/reason.ts'
import type { ReasonIn } from '../../api/reason.ts'
import { PERSISTENT_VOLUMES } from '../../api/kinds/persistent-volume.ts'
import { VOLUME_ATTRIBUTES_CLASSES } from '../../api/kinds/volume-attributes-class.ts'
import { secretReason } from '../../storage/secret-reason.ts'
import type { SecretRef, UnreadableSecret } from '../../storage/secret-reason.ts'

/** Why a claim is not being expanded or modified at the moment. */
export const REASONS = {
  notBound: reason('NotBound', 'the claim is not bound to a volume'),
  volumeMissing: (name: string) =>
    reason('VolumeMissing', `persistentvolume "${name}" not found`, {
      waitsFor: objectAwaited(PERSISTENT_VOLUMES, { name }),
    }),
  volumeOfOther: (name: string) =>
    reason('VolumeOfOther', `persistentvolume "${name}" is not bound to this claim`, {
      waitsFor: objectAwaited(PERSISTENT_VOLUMES, { name }),
    }),
  largeEnough: reason('LargeEnough', 'the volume has the requested size'),
  nodeResizePending: (size: string) =>
    reason('NodeResizePending', 'Waiting for user to (re-)start a pod to finish file system resize of volume on node', {
      detail: { size },
      cure: 'If a pod is using the volume, check the logs of the kubelet or node agent on its node.',
    }),
  inUse: (claim: string, driver: string, pods: readonly string[]) =>
    reason(
      'VolumeInUse',
      `Unable to expand ${claim} because CSI driver ${driver} only supports offline expansion and volume is currently in-use`,
      { detail: { pods: pods.join(', ') }, cure: `Delete the pods that use the claim: ${pods.join(', ')}.` },
    ),
  retrying: (error: string) =>
    reason('RetryingExpansion', error, { cure: 'Check the logs of the driver. The resizer retries automatically.' }),
  infeasible: (error: string) =>
    reason('ExpansionInfeasible', error, {
      cure: 'Request a smaller size, which must be larger than the current capacity.',
    }),
  answerTooSmall: (bytes: bigint, wanted: bigint) =>
    reason('AnswerTooSmall', `the driver answered that the volume has ${bytes} bytes, but ${wanted} were requested`),
  accessModesUnclear: (modes: string) =>
    reason('AccessModesUnclear', `access modes ${modes} of the volume cannot be combined in one CSI access mode`),
  secret: (secret: UnreadableSecret, ref: SecretRef) => secretReason(secret, ref, 'resizer'),
  modifyInfeasible: (error: string) =>
    reason('ModifyInfeasible', error, { cure: 'Choose another VolumeAttributesClass in the claim.' }),
  modified: reason('Modified', 'the volume has the requested VolumeAttributesClass'),
  modifyCanceled: reason('ModifyCanceled', 'the claim no longer requests a VolumeAttributesClass'),
  classMissing: (name: string) =>
    reason('VolumeAttributesClassMissing', `VAC "${name}" does not exist`, {
      waitsFor: objectAwaited(VOLUME_ATTRIBUTES_CLASSES, { name }),
      cure: 'Create it, or choose another VolumeAttributesClass in the claim.',
    }),
  classOfOther: (name: string, driver: string) =>
    reason('VolumeAttributesClassOfOther', `VAC "${name}" is for CSI driver "${driver}"`, {
      waitsFor: objectAwaited(VOLUME_ATTRIBUTES_CLASSES, { name }),
      cure: 'Choose a VolumeAttributesClass of the driver of the volume.',
    }),
}

export type ResizerReason = ReasonIn<typeof REASONS>
