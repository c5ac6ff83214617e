import type {
  CSIPersistentVolumeSource,
  PersistentVolume,
  PersistentVolumeSpec,
} from '../../api/kinds/persistent-volume.ts'
import type { VolumeAttachment } from '../../api/kinds/volume-attachment.ts'
import type { Reason } from '../../api/reason.ts'
import { withoutReservedAttributes } from '../../storage/in-line-volume.ts'
import { REASONS } from './reasons.ts'
import type { SecretRef } from './target.ts'

/** The volume that an attachment means, wherever that is written. */
export type Source = {
  readonly spec: PersistentVolumeSpec
  readonly csi: CSIPersistentVolumeSource
  readonly secretRef?: SecretRef
  /** Set for a volume of its own, which has to be kept while it is attached. An in-line source is part of the attachment. */
  readonly volume?: PersistentVolume
}

export type ResolvedSource = { readonly source: Source } | { readonly problem: Reason }

export function resolveSource(
  { spec: { source } }: VolumeAttachment,
  volume: PersistentVolume | undefined,
): ResolvedSource {
  const { persistentVolumeName: name, inlineVolumeSpec } = source
  const given = [name, inlineVolumeSpec].filter((member) => member !== undefined)
  if (given.length !== 1) return { problem: REASONS.sourceUnclear }
  if (inlineVolumeSpec) return fromSpec(inlineVolumeSpec)
  if (!volume) return { problem: REASONS.volumeMissing(name ?? '') }
  return fromSpec(volume.spec, volume)
}

function fromSpec(spec: PersistentVolumeSpec, volume?: PersistentVolume): ResolvedSource {
  const { csi } = spec
  if (!csi) return { problem: REASONS.noCsiSource }
  if (!csi.volumeHandle) return { problem: REASONS.handleMissing }
  const { name, namespace } = csi.controllerPublishSecretRef ?? {}
  const wantsSecret = csi.controllerPublishSecretRef !== undefined
  if (wantsSecret && (!name || !namespace)) return { problem: REASONS.secretUnclear }
  const clean =
    volume || !csi.volumeAttributes
      ? csi
      : { ...csi, volumeAttributes: withoutReservedAttributes(csi.volumeAttributes) }
  return {
    source: {
      spec,
      csi: clean,
      ...(name && namespace ? { secretRef: { namespace, name } } : {}),
      ...(volume ? { volume } : {}),
    },
  }
}
