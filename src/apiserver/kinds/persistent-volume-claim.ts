import { isEqualJson } from '../../api/equal-json.ts'
import { validateQualifiedName } from '../../api/names.ts'
import { compareQuantities } from '../../api/quantity.ts'
import { PERSISTENT_VOLUME_CLAIMS } from '../../api/kinds/persistent-volume-claim.ts'
import type { PersistentVolumeClaim, PersistentVolumeClaimSpec } from '../../api/kinds/persistent-volume-claim.ts'
import type { FieldProblem } from '../core/kind-definition.ts'
import { AGE, NAME, text, wide } from './columns.ts'
import { kindTable } from './define-kind.ts'
import type { Loose } from './loose.ts'
import { formatAccessModes } from './rules/access-modes.ts'
import { applyClaimSpecDefaults, claimSpecProblems, claimSpecWarnings } from './rules/claim-spec.ts'
import { forbidden, immutable, IMMUTABLE, invalid, invalidFor, notSupported, required } from './rules/problems.ts'
import { basicQuantity, equalQuantities } from './rules/quantities.ts'

type Claim = Loose<PersistentVolumeClaim>
type Spec = Loose<PersistentVolumeClaimSpec>

const CLASS_ANNOTATION = 'volume.beta.kubernetes.io/storage-class'
const RESIZE_STATUSES = [
  'ControllerResizeInProgress',
  'ControllerResizeInfeasible',
  'NodeResizeInProgress',
  'NodeResizeInfeasible',
  'NodeResizePending',
]

/** The class of a claim: the old annotation takes precedence over the field. Undefined: the default class. */
export const findClaimClass = ({ metadata, spec }: Claim): string | undefined =>
  metadata?.annotations?.[CLASS_ANNOTATION] ?? spec?.storageClassName

export const PERSISTENT_VOLUME_CLAIM_KIND = kindTable<PersistentVolumeClaim>({
  type: PERSISTENT_VOLUME_CLAIMS,
  shortNames: ['pvc'],
  deleteAnswer: 'object',
  hasStatus: true,
  columns: [
    NAME,
    text('Status', ({ metadata, status }) => (metadata?.deletionTimestamp ? 'Terminating' : (status?.phase ?? ''))),
    text('Volume', ({ spec }) => spec?.volumeName ?? ''),
    text('Capacity', ({ spec, status }) => (spec?.volumeName ? (status?.capacity?.['storage'] ?? '0') : '')),
    text('Access Modes', ({ spec, status }) => (spec?.volumeName ? formatAccessModes(status?.accessModes) : '')),
    text('StorageClass', (object) => findClaimClass(object) ?? ''),
    text('VolumeAttributesClass', ({ spec }) => spec?.volumeAttributesClassName ?? '<unset>'),
    AGE,
    wide('VolumeMode', ({ spec }) => spec?.volumeMode ?? '<unset>'),
  ],

  applyDefaults(object) {
    const status = (object.status ??= {})
    const spec = (object.spec ??= {})
    status.phase ||= 'Pending'
    applyClaimSpecDefaults(spec)
  },

  prepareForCreate(object) {
    object.status = { phase: 'Pending' }
    if (object.spec) settleDataSources(object.spec, {})
  },

  prepareForUpdate({ spec }, { spec: before = {} }) {
    if (spec) settleDataSources(spec, before)
  },

  validate: ({ spec = {} }) => claimSpecProblems('spec', spec),

  validateUpdate(object, old) {
    return [
      ...annotationProblems(object, old),
      ...(isSameButForAllowed(object, old)
        ? []
        : [
            forbidden(
              'spec',
              'spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims',
            ),
          ]),
      ...shrinkProblems(object, old),
      ...immutable('volumeMode', object.spec?.volumeMode, old.spec?.volumeMode),
      ...attributesClassProblems(object, old),
    ]
  },

  validateStatusUpdate({ metadata, spec = {}, status = {} }) {
    return [
      ...(metadata?.resourceVersion ? [] : [required('resourceVersion')]),
      ...((spec.accessModes ?? []).length === 0 ? [required('Spec.accessModes')] : []),
      ...Object.entries(status.capacity ?? {}).flatMap(([name, amount = '']) =>
        basicQuantity(`status.capacity[${name}]`, amount),
      ),
      ...Object.entries(status.allocatedResourceStatuses ?? {}).flatMap(([name, state = '']) => [
        ...resourceKeyProblems('status.allocatedResourceStatuses', name),
        ...(RESIZE_STATUSES.includes(state)
          ? []
          : [notSupported('status.allocatedResourceStatuses', name, RESIZE_STATUSES)]),
      ]),
      ...Object.entries(status.allocatedResources ?? {}).flatMap(([name, amount = '']) => {
        const problems = resourceKeyProblems('status.allocatedResources', name)
        return problems.length > 0 ? problems : basicQuantity(`status.allocatedResources[${name}]`, amount)
      }),
    ]
  },

  warnings({ metadata, spec = {} }) {
    const usesAnnotation = metadata?.annotations?.[CLASS_ANNOTATION] !== undefined
    return [
      ...(usesAnnotation
        ? [`metadata.annotations[${CLASS_ANNOTATION}]: deprecated since v1.8; use "storageClassName" attribute instead`]
        : []),
      ...claimSpecWarnings('spec', spec),
    ]
  },
})

/**
 * Keeps `dataSource` and `dataSourceRef` equal. A `dataSource` of an unsupported kind is dropped, as before `dataSourceRef` existed; other kinds, and
 * other namespaces, are only allowed in `dataSourceRef`.
 */
function settleDataSources(spec: Spec, before: Spec): void {
  const hadSource = before.dataSource !== undefined || before.dataSourceRef !== undefined
  if (!hadSource && spec.dataSourceRef === undefined && !isClaimOrSnapshot(spec.dataSource)) delete spec.dataSource
  const { dataSource, dataSourceRef } = spec
  if (dataSource && !dataSourceRef) spec.dataSourceRef = typedReference(dataSource)
  else if (dataSourceRef && !dataSource && !dataSourceRef.namespace) spec.dataSource = typedReference(dataSourceRef)
}

function isClaimOrSnapshot(source: Spec['dataSource']): boolean {
  const { kind, apiGroup } = source ?? {}
  return (
    (kind === 'PersistentVolumeClaim' && !apiGroup) ||
    (kind === 'VolumeSnapshot' && apiGroup === 'snapshot.storage.k8s.io')
  )
}

type Reference = NonNullable<Spec['dataSource']>

// This type writes an absent group as null.
const typedReference = ({ apiGroup, kind, name }: Reference): Reference =>
  ({ apiGroup: apiGroup ?? null, kind, name }) as Reference

function annotationProblems(object: Claim, old: Claim): FieldProblem[] {
  if (movesClassFromAnnotation(object, old)) return []
  const [value = '', before = ''] = [
    object.metadata?.annotations?.[CLASS_ANNOTATION],
    old.metadata?.annotations?.[CLASS_ANNOTATION],
  ]
  return value === before ? [] : [invalid(`metadata.annotations.${CLASS_ANNOTATION}`, value, IMMUTABLE)]
}

// Migration from the annotation to the field: the field gets the value of the annotation, which may then be removed.
function movesClassFromAnnotation(object: Claim, old: Claim): boolean {
  const before = old.metadata?.annotations?.[CLASS_ANNOTATION]
  const now = object.metadata?.annotations?.[CLASS_ANNOTATION]
  return (
    before !== undefined &&
    old.spec?.storageClassName === undefined &&
    object.spec?.storageClassName === before &&
    (now === undefined || now === before)
  )
}

// A claim without a class may get one later.
function maySetClass(object: Claim, old: Claim): boolean {
  const annotation = old.metadata?.annotations?.[CLASS_ANNOTATION]
  const name = object.spec?.storageClassName
  return (
    name !== undefined && old.spec?.storageClassName === undefined && (annotation === undefined || annotation === name)
  )
}

function isSameButForAllowed(object: Claim, old: Claim): boolean {
  const before: Spec = { ...old.spec }
  const spec: Spec = { ...object.spec }
  const isBound = object.status?.phase === 'Bound'
  if (!before.volumeName) copyMember(before, spec, 'volumeName')
  if (maySetClass(object, old)) delete spec.storageClassName
  if (isBound) copyMember(spec, before, 'volumeAttributesClassName')
  const { resources = {}, ...others } = spec
  const { resources: resourcesBefore = {}, ...othersBefore } = before
  const { requests = {}, limits } = resources
  const storage = resourcesBefore.requests?.['storage']
  const comparable = isBound && storage !== undefined ? { ...requests, storage } : requests
  return (
    equalQuantities(comparable, resourcesBefore.requests) &&
    equalQuantities(limits, resourcesBefore.limits) &&
    isEqualJson(others, othersBefore)
  )
}

function copyMember<Key extends keyof Spec>(to: Spec, from: Spec, key: Key): void {
  if (from[key] === undefined) delete to[key]
  else to[key] = from[key]
}

// A request may be reduced after a failed expansion, but not below the current capacity.
function shrinkProblems(object: Claim, old: Claim): FieldProblem[] {
  const size = object.spec?.resources?.requests?.['storage'] ?? '0'
  const before = old.spec?.resources?.requests?.['storage'] ?? '0'
  const capacity = old.status?.capacity?.['storage'] ?? '0'
  if (compareQuantities(size, before) >= 0 || compareQuantities(size, capacity) > 0) return []
  return [forbidden('spec.resources.requests.storage', 'field can not be less than status.capacity')]
}

function attributesClassProblems(object: Claim, old: Claim): FieldProblem[] {
  const name = object.spec?.volumeAttributesClassName
  if (
    name === old.spec?.volumeAttributesClassName ||
    old.status?.currentVolumeAttributesClassName === undefined ||
    name
  )
    return []
  const wanted = name === undefined ? 'nil' : 'empty string'
  return [
    forbidden(
      'spec.volumeAttributesClassName',
      `update to ${wanted} is forbidden when status.currentVolumeAttributesClassName is not nil`,
    ),
  ]
}

function resourceKeyProblems(field: string, name: string): FieldProblem[] {
  const problems = invalidFor(field, name, validateQualifiedName(name))
  if (problems.length > 0) return problems
  const isNative = !name.includes('/') || name.includes('kubernetes.io/')
  return isNative && name !== 'storage' ? [notSupported(field, name, ['storage'])] : []
}
