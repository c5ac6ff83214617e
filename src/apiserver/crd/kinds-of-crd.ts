import { formatExactJson } from '../../api/exact-json.ts'
import type {
  CustomResourceColumnDefinition,
  CustomResourceDefinition,
  CustomResourceDefinitionVersion,
} from '../../api/kinds/custom-resource-definition.ts'
import type { Column, Draft, FieldProblem, KindDefinition, Verb } from '../core/kind-definition.ts'
import { formatAge } from '../kinds/human-duration.ts'
import { applyDefaults } from '../schema/apply-defaults.ts'
import type { Schema } from '../schema/schema.ts'
import { schemaFromStoredCrd } from '../schema/schema-from-crd.ts'
import { validateStructure } from '../schema/validate-structure.ts'
import { formatScalar, parseJsonPath } from './json-path.ts'

type ScaleSubresource = NonNullable<NonNullable<CustomResourceDefinitionVersion['subresources']>['scale']>

const VERBS: readonly Verb[] = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch']
const READ_AND_CHANGE = { verbs: ['get', 'patch', 'update'] } as const

/** The kinds of a CRD: one for each served version, all with the same objects. */
export function kindsOfCrd(crd: CustomResourceDefinition): KindDefinition[] {
  const storedVersion = crd.spec.versions.find(({ storage }) => storage)?.name ?? ''
  return crd.spec.versions.filter(({ served }) => served).map((version) => kindOfVersion(crd, version, storedVersion))
}

function kindOfVersion(
  { metadata, spec, status }: CustomResourceDefinition,
  version: CustomResourceDefinitionVersion,
  storedVersion: string,
): KindDefinition {
  const { group } = spec
  // Other CRDs may have taken the requested names meanwhile.
  const names = status?.acceptedNames ?? spec.names
  const hasStatus = version.subresources?.status !== undefined
  // The definition was validated when it was stored.
  const schema = schemaFromStoredCrd(version.schema?.openAPIV3Schema)
  const scalePaths = version.subresources?.scale && scalePathsOf(version.subresources.scale)
  const validate = (object: Draft, old?: Draft): FieldProblem[] => [
    ...validateStructure(schema, object, old),
    ...replicaProblems(object, scalePaths?.specReplicas),
  ]
  const validateStatus = (object: Draft, old?: Draft): FieldProblem[] => [
    ...validateStructure(schema, object, old),
    ...replicaProblems(object, scalePaths?.statusReplicas),
  ]
  const { deprecated, deprecationWarning } = version
  // Objects stored under this schema already have its defaults. A property named `default` only costs time.
  const isFilledOnRead =
    (spec.versions.length > 1 || (metadata.generation ?? 0) > 1) &&
    formatExactJson(version.schema ?? {}).includes('"default":')
  const warning = deprecationWarning ?? `${group}/${version.name} ${names.kind} is deprecated`
  return {
    type: {
      group,
      version: version.name,
      kind: names.kind,
      plural: names.plural,
      namespaced: spec.scope === 'Namespaced',
    },
    listKind: names.listKind ?? `${names.kind}List`,
    singular: names.singular ?? names.kind.toLowerCase(),
    shortNames: names.shortNames ?? [],
    categories: names.categories ?? [],
    storage: `${group}/${names.plural}`,
    storedApiVersion: `${group}/${storedVersion}`,
    schema,
    verbs: VERBS,
    subresources: {
      ...(hasStatus ? { status: READ_AND_CHANGE } : {}),
      ...(version.subresources?.scale
        ? { scale: { ...READ_AND_CHANGE, kind: { group: 'autoscaling', version: 'v1', kind: 'Scale' } } }
        : {}),
    },
    name: 'subdomain',
    unconditionalUpdate: false,
    createOnUpdate: false,
    generation: 'all-but-status',
    deleteAnswer: 'status',
    hasStatus,
    statusKeepsMetadata: true,
    fieldLabels: Object.fromEntries(
      (version.selectableFields ?? []).map(({ jsonPath }) => [jsonPath.replace(/^\./, ''), fieldReader(jsonPath)]),
    ),
    columns: columnsOf(version.additionalPrinterColumns ?? [AGE_COLUMN]),
    applyDefaults: (object) => applyDefaults(schema, object),
    ...(isFilledOnRead ? { fromStored: (object: Draft) => withDefaults(schema, object) } : {}),
    ...(scalePaths ? { scalePaths } : {}),
    ...(hasStatus ? { prepareForCreate: (object: Draft) => void delete object['status'] } : {}),
    validate,
    validateStatusUpdate: validateStatus,
    ...(deprecated ? { warnings: () => [warning] } : {}),
  }
}

function withDefaults(schema: Schema, object: Draft): Draft {
  applyDefaults(schema, object)
  return object
}

// These paths consist of members only, without array notation.
const membersOf = (path: string): string[] => path.split('.').filter((member) => member !== '')

function scalePathsOf({
  specReplicasPath,
  statusReplicasPath,
  labelSelectorPath,
}: ScaleSubresource): NonNullable<KindDefinition['scalePaths']> {
  const selector = labelSelectorPath ? { selector: membersOf(labelSelectorPath) } : {}
  return { specReplicas: membersOf(specReplicasPath), statusReplicas: membersOf(statusReplicasPath), ...selector }
}

function replicaProblems(object: Draft, path: readonly string[] | undefined): FieldProblem[] {
  const value = path?.reduce<unknown>((parent, member) => (parent as Draft | null | undefined)?.[member], object)
  if (!path || typeof value !== 'number' || value >= 0) return []
  const detail = 'should be a non-negative integer'
  return [{ field: `.${path.join('.')}`, type: 'FieldValueInvalid', value, detail }]
}

const AGE_COLUMN: CustomResourceColumnDefinition = {
  name: 'Age',
  type: 'date',
  jsonPath: '.metadata.creationTimestamp',
}

function columnsOf(definitions: readonly CustomResourceColumnDefinition[]): Column[] {
  const name: Column = {
    name: 'Name',
    type: 'string',
    format: 'name',
    cell: (object) => (object['metadata'] as { name?: string }).name ?? '',
  }
  return [name, ...definitions.map(columnOf)]
}

function columnOf({ name, type, format, priority, jsonPath }: CustomResourceColumnDefinition): Column {
  const read = parseJsonPath(jsonPath) ?? (() => undefined)
  const cell = (object: Draft, nowMs: number): unknown => {
    const value = read(object)
    if (type === 'date') return typeof value === 'string' ? formatAge(value, nowMs) : '<unknown>'
    return typeof value === 'object' && value !== null ? formatExactJson(value) : value
  }
  return {
    name,
    // Dates are shown as ages, which are text.
    type: type === 'date' ? 'string' : (type as Column['type']),
    ...(format ? { format } : {}),
    ...(priority ? { priority } : {}),
    cell,
  }
}

function fieldReader(jsonPath: string): (object: Draft) => string {
  const read = parseJsonPath(jsonPath) ?? (() => undefined)
  return (object) => formatScalar(read(object))
}
