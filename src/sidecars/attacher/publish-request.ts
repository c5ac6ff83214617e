import type {
  CSIPersistentVolumeSource,
  PersistentVolume,
  PersistentVolumeSpec,
} from '../../api/kinds/persistent-volume.ts'
import type { VolumeAttachment } from '../../api/kinds/volume-attachment.ts'
import type { VolumeCapability } from '../../csi/generated/csi/v1/csi.ts'
import { withoutReservedAttributes } from '../../storage/in-line-volume.ts'
import { volumeCapabilityOf } from '../../storage/volume-capability.ts'
import type { CapabilityRules } from '../../storage/volume-capability.ts'
import { REASONS } from './reasons.ts'
import type { AttacherReason } from './reasons.ts'
import { createTarget } from '../attach-target.ts'
import type { SecretRef } from '../../storage/secret-reason.ts'
import type { Target } from '../attach-target.ts'

/** The volume of an attachment: a PersistentVolume, or an inline source. */
export type Source = {
  readonly spec: PersistentVolumeSpec
  readonly csi: CSIPersistentVolumeSource
  readonly secretRef: SecretRef | undefined
  /** The PersistentVolume, which must exist while it is attached. Undefined for an inline source, which is part of the attachment. */
  readonly volume: PersistentVolume | undefined
}

export type ResolvedSource =
  | { readonly source: Source; readonly problem?: undefined }
  | { readonly source?: undefined; readonly problem: AttacherReason }

/** The parts that depend on the driver and on the configuration, not on the volume. */
export type PublishRules = CapabilityRules & {
  /** The driver supports `readonly`. */
  readonly publishReadonly: boolean
}

/** ControllerPublishVolume without the secrets, which are read when the call is made. */
export type PublishRequest = Target & {
  readonly volumeCapability: VolumeCapability
  readonly readonly: boolean
  readonly volumeContext: Readonly<Record<string, string>>
}

export function resolveSource(attachment: VolumeAttachment, volume: PersistentVolume | undefined): ResolvedSource {
  const { persistentVolumeName: name, inlineVolumeSpec } = attachment.spec.source
  if (inlineVolumeSpec && name !== undefined)
    return { problem: REASONS.SourceUnclear('both InlineCSIVolumeSource and') }
  if (inlineVolumeSpec) return fromSpec(inlineVolumeSpec)
  if (name === undefined) return { problem: REASONS.SourceUnclear('neither InlineCSIVolumeSource nor') }
  return volume ? fromSpec(volume.spec, volume) : { problem: REASONS.VolumeMissing(name) }
}

function fromSpec(spec: PersistentVolumeSpec, volume?: PersistentVolume): ResolvedSource {
  const { csi } = spec
  if (!csi) return { problem: REASONS.NoCSISource }
  if (!csi.volumeHandle) return { problem: REASONS.VolumeHandleMissing }
  const { name, namespace } = csi.controllerPublishSecretRef ?? {}
  const secretRef = name && namespace ? { namespace, name } : undefined
  if (csi.controllerPublishSecretRef && !secretRef) return { problem: REASONS.SecretUnclear }
  const { volumeAttributes } = csi
  const clean =
    volume || !volumeAttributes ? csi : { ...csi, volumeAttributes: withoutReservedAttributes(volumeAttributes) }
  return { source: { spec, csi: clean, secretRef, volume } }
}

/** Undefined for access modes that cannot be combined. */
export function createPublishRequest(source: Source, nodeId: string, rules: PublishRules): PublishRequest | undefined {
  const { spec, csi, secretRef } = source
  const volumeCapability = volumeCapabilityOf({ ...spec, csi }, rules)
  if (!volumeCapability) return undefined
  return {
    ...createTarget(csi.volumeHandle, nodeId, secretRef),
    volumeCapability,
    readonly: rules.publishReadonly && (csi.readOnly ?? false),
    volumeContext: csi.volumeAttributes ?? {},
  }
}
