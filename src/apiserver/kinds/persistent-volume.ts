import { isEqualJson } from '../../api/equal-json.ts'
import { formatTimestamp } from '../../api/timestamps.ts'
import { PERSISTENT_VOLUMES } from '../../api/kinds/persistent-volume.ts'
import type { PersistentVolume } from '../../api/kinds/persistent-volume.ts'
import type { FieldProblem } from '../core/kind-definition.ts'
import { AGE, NAME, text, wide } from './columns.ts'
import { kindTable } from './define-kind.ts'
import type { Loose } from './loose.ts'
import { formatAccessModes } from './rules/access-modes.ts'
import { nodeSelectorTermWarnings, SUCCESSORS } from './rules/deprecated-labels.ts'
import { applyVolumeSourceDefaults } from './rules/volume-source-defaults.ts'
import { forbidden, immutable, IMMUTABLE, invalid, required } from './rules/problems.ts'
import { volumeSourceOf, volumeSpecProblems } from './rules/volume-spec.ts'

type Draft = Loose<PersistentVolume>
type NodeAffinity = NonNullable<Draft['spec']>['nodeAffinity']

const CLASS_ANNOTATION = 'volume.beta.kubernetes.io/storage-class'
const MOUNT_OPTIONS_ANNOTATION = 'volume.beta.kubernetes.io/mount-options'

// The annotation is supported for these only; others have the field.
const TAKE_MOUNT_OPTIONS_ANNOTATION = [
  'gcePersistentDisk',
  'awsElasticBlockStore',
  'glusterfs',
  'nfs',
  'rbd',
  'quobyte',
  'iscsi',
  'cinder',
  'cephfs',
  'azureFile',
  'vsphereVolume',
  'azureDisk',
  'photonPersistentDisk',
]

const DEPRECATED_SOURCES: Readonly<Record<string, string>> = {
  cephfs: 'spec.cephfs: deprecated in v1.28, non-functional in v1.31+',
  photonPersistentDisk: 'spec.photonPersistentDisk: deprecated in v1.11, non-functional in v1.16+',
  scaleIO: 'spec.scaleIO: deprecated in v1.16, non-functional in v1.22+',
  storageos: 'spec.storageOS: deprecated in v1.22, non-functional in v1.25+',
  glusterfs: 'spec.glusterfs: deprecated in v1.25, non-functional in v1.26+',
  rbd: 'spec.rbd: deprecated in v1.28, non-functional in v1.31+',
}

export const PERSISTENT_VOLUME_KIND = kindTable<PersistentVolume>({
  type: PERSISTENT_VOLUMES,
  shortNames: ['pv'],
  deleteAnswer: 'object',
  hasStatus: true,
  columns: [
    NAME,
    text('Capacity', ({ spec }) => spec?.capacity?.['storage'] ?? '0'),
    text('Access Modes', ({ spec }) => formatAccessModes(spec?.accessModes)),
    text('Reclaim Policy', ({ spec }) => spec?.persistentVolumeReclaimPolicy ?? ''),
    text('Status', ({ metadata, status }) => (metadata?.deletionTimestamp ? 'Terminating' : (status?.phase ?? ''))),
    text('Claim', ({ spec }) => (spec?.claimRef ? `${spec.claimRef.namespace ?? ''}/${spec.claimRef.name ?? ''}` : '')),
    text(
      'StorageClass',
      ({ metadata, spec }) => metadata?.annotations?.[CLASS_ANNOTATION] ?? spec?.storageClassName ?? '',
    ),
    text('VolumeAttributesClass', ({ spec }) => spec?.volumeAttributesClassName ?? '<unset>'),
    text('Reason', ({ status }) => status?.reason ?? ''),
    AGE,
    wide('VolumeMode', ({ spec }) => spec?.volumeMode ?? '<unset>'),
  ],

  applyDefaults(object) {
    const status = (object.status ??= {})
    const spec = (object.spec ??= {})
    status.phase ||= 'Pending'
    spec.persistentVolumeReclaimPolicy ||= 'Retain'
    spec.volumeMode ??= 'Filesystem'
    applyVolumeSourceDefaults(spec)
  },

  prepareForCreate(object, nowMs) {
    object.status = { phase: 'Pending', lastPhaseTransitionTime: formatTimestamp(nowMs) }
  },

  // The server sets the time of the last phase transition, unless the client does.
  prepareForStatusUpdate({ status }, { status: before }, nowMs) {
    if (!status) return
    const isSamePhase = status.phase === before?.phase
    if (isSamePhase && status.lastPhaseTransitionTime === undefined) {
      if (before?.lastPhaseTransitionTime !== undefined) status.lastPhaseTransitionTime = before.lastPhaseTransitionTime
    } else if (
      !isSamePhase &&
      (status.lastPhaseTransitionTime ?? before?.lastPhaseTransitionTime) === before?.lastPhaseTransitionTime
    ) {
      status.lastPhaseTransitionTime = formatTimestamp(nowMs)
    }
  },

  validate(object) {
    return [...volumeSpecProblems('spec', object.spec ?? {}), ...mountOptionProblems(object)]
  },

  validateUpdate({ spec = {} }, { spec: before = {} }) {
    return [
      ...(isEqualJson(fixedSource(spec, before), volumeSourceOf(before))
        ? []
        : [forbidden('spec.persistentvolumesource', 'spec.persistentvolumesource is immutable after creation')]),
      ...immutable('volumeMode', spec.volumeMode, before.volumeMode),
      ...nodeAffinityProblems(spec.nodeAffinity, before.nodeAffinity),
      ...(before.volumeAttributesClassName !== undefined && spec.volumeAttributesClassName === undefined
        ? [forbidden('spec.volumeAttributesClassName', 'update from non-nil value to nil is forbidden')]
        : []),
    ]
  },

  validateStatusUpdate: ({ metadata }) => (metadata?.resourceVersion ? [] : [required('resourceVersion')]),

  warnings({ metadata, spec = {} }) {
    const annotations = metadata?.annotations ?? {}
    return [
      ...(CLASS_ANNOTATION in annotations
        ? [`metadata.annotations[${CLASS_ANNOTATION}]: deprecated since v1.8; use "storageClassName" attribute instead`]
        : []),
      ...(MOUNT_OPTIONS_ANNOTATION in annotations
        ? [
            `metadata.annotations[${MOUNT_OPTIONS_ANNOTATION}]: deprecated since v1.31; use "mountOptions" attribute instead`,
          ]
        : []),
      ...(spec.persistentVolumeReclaimPolicy === 'Recycle'
        ? [
            'spec.persistentVolumeReclaimPolicy: The Recycle reclaim policy is deprecated. Instead, the recommended approach is to use dynamic provisioning.',
          ]
        : []),
      ...(spec.nodeAffinity?.required?.nodeSelectorTerms ?? []).flatMap((term, index) =>
        nodeSelectorTermWarnings(`spec.nodeAffinity.required.nodeSelectorTerms[${index}]`, term),
      ),
      ...Object.keys(volumeSourceOf(spec)).flatMap((member) => DEPRECATED_SOURCES[member] ?? []),
    ]
  },
})

// The expansion secret may be added later to a volume that has none.
function fixedSource(spec: NonNullable<Draft['spec']>, before: NonNullable<Draft['spec']>): object {
  const source = volumeSourceOf(spec)
  if (!spec.csi || !before.csi || before.csi.controllerExpandSecretRef !== undefined) return source
  const { controllerExpandSecretRef: _added, ...csi } = spec.csi
  return { ...source, csi }
}

// Immutable once set, except that a deprecated label may be replaced with its successor.
function nodeAffinityProblems(affinity: NodeAffinity, before: NodeAffinity): FieldProblem[] {
  if (before === undefined || isEqualJson(affinity, withSuccessors(before, affinity))) return []
  return [invalid('nodeAffinity', affinity, `${IMMUTABLE}, except for updating from beta label to GA`)]
}

function withSuccessors(before: NonNullable<NodeAffinity>, affinity: NodeAffinity): NodeAffinity {
  const renamed = structuredClone(before)
  for (const [index, term] of (renamed.required?.nodeSelectorTerms ?? []).entries()) {
    const wanted = affinity?.required?.nodeSelectorTerms?.[index]
    for (const list of ['matchExpressions', 'matchFields'] as const) {
      for (const [position, requirement] of (term[list] ?? []).entries()) {
        const key = wanted?.[list]?.[position]?.key
        if (requirement.key !== undefined && key !== undefined && SUCCESSORS[requirement.key] === key)
          requirement.key = key
      }
    }
  }
  return renamed
}

function mountOptionProblems({ metadata, spec = {} }: Draft): FieldProblem[] {
  if (metadata?.annotations?.[MOUNT_OPTIONS_ANNOTATION] === undefined) return []
  if (Object.keys(volumeSourceOf(spec)).some((member) => TAKE_MOUNT_OPTIONS_ANNOTATION.includes(member))) return []
  return [
    forbidden(`metadata.annotations.${MOUNT_OPTIONS_ANNOTATION}`, 'may not specify mount options for this volume type'),
  ]
}
