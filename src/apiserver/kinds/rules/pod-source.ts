import { isEqualJson } from '../../../api/equal-json.ts'
import type { PersistentVolumeSpec } from '../../../api/kinds/persistent-volume.ts'
import type { CSIVolumeSource } from '../../../api/kinds/pod.ts'
import type { VolumeAttachment } from '../../../api/kinds/volume-attachment.ts'
import { validateName } from '../../../api/names.ts'
import { inLineHandle, inLineVolumeSpec } from '../../../storage/in-line-volume.ts'
import type { FieldProblem } from '../../core/kind-definition.ts'
import type { Loose } from '../loose.ts'
import { CSI_OF_POD } from './pod-volumes.ts'
import { forbidden, invalidFor, required } from './problems.ts'
import type { VolumeSource } from './volume-sources.ts'

/**
 * On a VolumeAttachment: the namespace of the pod whose volume it attaches, because a pod's source names its secrets without a namespace. It is not
 * an attribute of the volume: the author of the pod writes those, and could access secrets of others.
 */
export const POD_NAMESPACE_ANNOTATION = 'csi.holdfast.dev/pod-namespace'

const NAMESPACE_FIELD = `metadata.annotations[${POD_NAMESPACE_ANNOTATION}]`

/** Problems with `spec.source.volumeSource`, the source of a pod's volume as in the design document about in-line volumes. */
export function podSourceProblems({ metadata, spec }: Loose<VolumeAttachment>): FieldProblem[] {
  const field = 'spec.source.volumeSource'
  const source = (spec?.source?.volumeSource ?? {}) as VolumeSource
  const others = Object.keys(source).filter(
    (member) => member !== 'csi' && source[member] !== undefined && source[member] !== null,
  )
  const problems = others.map((member) => forbidden(`${field}.${member}`, 'only csi is supported'))
  const csi = source['csi'] as CSIVolumeSource | undefined
  if (!csi) return [...problems, required(`${field}.csi`, 'has to be specified in the context of inline volumes')]
  const namespace = metadata?.annotations?.[POD_NAMESPACE_ANNOTATION]
  return [
    ...problems,
    ...CSI_OF_POD.problems(`${field}.csi`, source['csi'] as VolumeSource),
    ...(inLineHandle(csi) === undefined ? [required(`${field}.csi.volumeHandle`)] : []),
    ...(namespace === undefined && namesSecrets(csi)
      ? [required(NAMESPACE_FIELD, "must name the namespace of the pod, which is also that of the volume's secrets")]
      : []),
    ...(namespace === undefined ? [] : invalidFor(NAMESPACE_FIELD, namespace, validateName('label', namespace))),
  ]
}

/** Stores a pod's source in the current form: with the namespace of its secrets, it is sufficient for detaching when the pod is gone. */
export function translatePodSource(object: Loose<VolumeAttachment>): void {
  const source = object.spec?.source
  if (!source?.volumeSource || podSourceProblems(object).length > 0) return
  const translated = specOf(
    source.volumeSource.csi as CSIVolumeSource,
    object.metadata?.annotations?.[POD_NAMESPACE_ANNOTATION],
  )
  // A client that applies its manifest again sends both.
  if (source.inlineVolumeSpec !== undefined && !isEqualJson(source.inlineVolumeSpec, translated)) return
  source.inlineVolumeSpec = translated as Loose<PersistentVolumeSpec>
  delete source.volumeSource
}

const specOf = (csi: CSIVolumeSource, namespace = '') => inLineVolumeSpec(csi, inLineHandle(csi) ?? '', namespace)

function namesSecrets(csi: CSIVolumeSource): boolean {
  const { controllerPublishSecretRef, nodeStageSecretRef, nodePublishSecretRef } = specOf(csi).csi
  return [controllerPublishSecretRef, nodeStageSecretRef, nodePublishSecretRef].some(
    (reference) => reference !== undefined,
  )
}
