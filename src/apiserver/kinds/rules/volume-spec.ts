import path from 'node:path'
import { validateName } from '../../../api/names.ts'
import type { CSIPersistentVolumeSource, PersistentVolumeSpec } from '../../../api/kinds/persistent-volume.ts'
import type { SecretReference } from '../../../api/kinds/references.ts'
import type { FieldProblem } from '../../core/kind-definition.ts'
import type { Loose } from '../loose.ts'
import { accessModeProblems } from './access-modes.ts'
import { csiDriverNameProblems } from './csi-driver-name.ts'
import { backstepProblems } from './paths.ts'
import { forbidden, invalidFor, notSupported, oneOf, required } from './problems.ts'
import { basicQuantity, positiveQuantity } from './quantities.ts'
import { nodeSelectorProblems } from './selectors.ts'
import { FC, FLOCKER, HOST_PATH, IN_TREE, NFS, volumeSourceProblems, withRequired } from './volume-sources.ts'
import type { SourceRule, VolumeSource } from './volume-sources.ts'

type Spec = Loose<PersistentVolumeSpec>

const RECLAIM_POLICIES = ['Delete', 'Recycle', 'Retain']
const VOLUME_MODES = ['Block', 'Filesystem']
const NOT_INLINE = 'may not be specified in the context of inline volumes'

/** The spec of a PersistentVolume. */
export function volumeSpecProblems(field: string, spec: Spec): FieldProblem[] {
  return [
    ...modeProblems(field, spec),
    ...capacityProblems(`${field}.capacity`, spec.capacity),
    ...(spec.persistentVolumeReclaimPolicy
      ? oneOf(`${field}.persistentVolumeReclaimPolicy`, spec.persistentVolumeReclaimPolicy, RECLAIM_POLICIES)
      : []),
    ...nodeAffinityProblems(`${field}.nodeAffinity`, spec.nodeAffinity),
    ...sourceProblems(field, spec),
    ...(recyclesRoot(spec)
      ? [forbidden(`${field}.persistentVolumeReclaimPolicy`, "may not be 'recycle' for a hostPath mount of '/'")]
      : []),
    ...(spec.storageClassName
      ? invalidFor(`${field}.storageClassName`, spec.storageClassName, validateName('subdomain', spec.storageClassName))
      : []),
    ...oneOf(`${field}.volumeMode`, spec.volumeMode, VOLUME_MODES),
    ...attributesClassProblems(field, spec),
  ]
}

/** The same type inside a VolumeAttachment: it describes an in-line volume of a pod, so fields for binding or provisioning are not allowed. */
export function inlineVolumeSpecProblems(field: string, spec: Spec): FieldProblem[] {
  const { persistentVolumeReclaimPolicy: policy, volumeMode } = spec
  const isForbidden = (member: keyof Spec, isSet: unknown): FieldProblem[] =>
    isSet ? [forbidden(`${field}.${member}`, NOT_INLINE)] : []
  return [
    ...isForbidden('claimRef', spec.claimRef),
    ...isForbidden('capacity', Object.keys(spec.capacity ?? {}).length > 0),
    ...(spec.csi ? [] : [required(`${field}.csi`, 'has to be specified in the context of inline volumes')]),
    ...modeProblems(field, spec),
    ...(policy && policy !== 'Retain'
      ? [forbidden(`${field}.persistentVolumeReclaimPolicy`, 'may only be Retain in the context of inline volumes')]
      : []),
    ...isForbidden('nodeAffinity', spec.nodeAffinity),
    ...sourceProblems(field, spec),
    ...isForbidden('storageClassName', spec.storageClassName),
    ...(volumeMode !== undefined && volumeMode !== 'Filesystem'
      ? [
          forbidden(
            `${field}.volumeMode`,
            'may not specify volumeMode other than Filesystem in the context of inline volumes',
          ),
        ]
      : []),
  ]
}

const modeProblems = (field: string, { accessModes }: Spec): FieldProblem[] => [
  ...((accessModes ?? []).length === 0 ? [required(`${field}.accessModes`)] : []),
  ...accessModeProblems(`${field}.accessModes`, accessModes),
]

function capacityProblems(field: string, capacity: Spec['capacity']): FieldProblem[] {
  const entries = Object.entries(capacity ?? {})
  const isStorageAlone = entries.length === 1 && entries[0]?.[0] === 'storage'
  return [
    ...(entries.length === 0 ? [required(field)] : []),
    ...(isStorageAlone ? [] : [notSupported(field, capacity, ['storage'])]),
    ...entries.flatMap(([name, amount = '']) => [
      ...basicQuantity(`${field}[${name}]`, amount),
      ...positiveQuantity(`${field}[${name}]`, amount),
    ]),
  ]
}

function nodeAffinityProblems(field: string, affinity: Spec['nodeAffinity']): FieldProblem[] {
  if (!affinity) return []
  if (!affinity.required) return [required(`${field}.required`, 'must specify required node constraints')]
  return nodeSelectorProblems(`${field}.required`, affinity.required)
}

const recyclesRoot = ({ hostPath, persistentVolumeReclaimPolicy: policy }: Spec): boolean =>
  policy === 'Recycle' && path.posix.normalize(hostPath?.path ?? '') === '/'

function attributesClassProblems(field: string, { volumeAttributesClassName: name, csi }: Spec): FieldProblem[] {
  if (name === undefined) return []
  const at = `${field}.volumeAttributesClassName`
  return [
    ...(name === ''
      ? [required(at, 'an empty string is disallowed')]
      : invalidFor(at, name, validateName('subdomain', name))),
    ...(csi ? [] : [required(`${field}.csi`, 'has to be specified when using volumeAttributesClassName')]),
  ]
}

const CSI: SourceRule = {
  member: 'csi',
  problems(field, source) {
    const csi = source as Loose<CSIPersistentVolumeSource>
    return [
      ...csiDriverNameProblems(`${field}.driver`, csi.driver),
      ...(csi.volumeHandle ? [] : [required(`${field}.volumeHandle`)]),
      ...secretReferenceProblems(`${field}.controllerPublishSecretRef`, csi.controllerPublishSecretRef),
      ...secretReferenceProblems(`${field}.controllerExpandSecretRef`, csi.controllerExpandSecretRef),
      ...secretReferenceProblems(`${field}.nodePublishSecretRef`, csi.nodePublishSecretRef),
      ...secretReferenceProblems(`${field}.nodeExpandSecretRef`, csi.nodeExpandSecretRef),
    ]
  },
}

function secretReferenceProblems(field: string, reference: Loose<SecretReference> | undefined): FieldProblem[] {
  if (!reference) return []
  const { name, namespace } = reference
  return [
    ...(name ? invalidFor(`${field}.name`, name, validateName('subdomain', name)) : [required(`${field}.name`)]),
    ...(namespace
      ? invalidFor(`${field}.namespace`, namespace, validateName('label', namespace))
      : [required(`${field}.namespace`)]),
  ]
}

const LOCAL: SourceRule = {
  member: 'local',
  problems: (field, source) =>
    typeof source['path'] === 'string' && source['path'] !== ''
      ? backstepProblems(`${field}.path`, source['path'])
      : withRequired('local', ['path']).problems(field, source),
}

// In this order: the first one found counts.
const SOURCES: readonly SourceRule[] = [
  HOST_PATH,
  IN_TREE.gcePersistentDisk,
  IN_TREE.awsElasticBlockStore,
  IN_TREE.glusterfs,
  FLOCKER,
  NFS,
  IN_TREE.rbd,
  IN_TREE.quobyte,
  IN_TREE.cephfs,
  IN_TREE.iscsi,
  IN_TREE.cinder,
  FC,
  IN_TREE.flexVolume,
  IN_TREE.azureFile,
  IN_TREE.vsphereVolume,
  IN_TREE.photonPersistentDisk,
  IN_TREE.portworxVolume,
  IN_TREE.azureDisk,
  IN_TREE.scaleIO,
  LOCAL,
  IN_TREE.storageos,
  CSI,
]

/** The sources of a volume alone, without what else its spec says. */
export const volumeSourceOf = (spec: Spec): VolumeSource =>
  Object.fromEntries(
    SOURCES.flatMap(({ member }) =>
      (spec as VolumeSource)[member] === undefined ? [] : [[member, (spec as VolumeSource)[member]]],
    ),
  )

function sourceProblems(field: string, spec: Spec): FieldProblem[] {
  const problems = volumeSourceProblems(field, spec as VolumeSource, SOURCES)
  const isLocal = Object.keys(volumeSourceOf(spec))[0] === 'local'
  return isLocal && !spec.nodeAffinity
    ? [...problems, required(`${field}.nodeAffinity`, 'Local volume requires node affinity')]
    : problems
}
