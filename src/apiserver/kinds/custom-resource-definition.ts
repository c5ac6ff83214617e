import { hasCondition } from '../../api/conditions.ts'
import { validateDns1035Label, validateDnsSubdomain } from '../../api/names.ts'
import type { Condition } from '../../api/kinds/condition.ts'
import { CUSTOM_RESOURCE_DEFINITIONS } from '../../api/kinds/custom-resource-definition.ts'
import type {
  CustomResourceDefinition,
  CustomResourceDefinitionSpec,
} from '../../api/kinds/custom-resource-definition.ts'
import { isEqualJson } from '../../api/equal-json.ts'
import type { FieldProblem } from '../core/kind-definition.ts'
import { DEFINITION_BUDGET } from '../schema/cost-budgets.ts'
import { CostMeter } from '../schema/cost-meter.ts'
import { schemaFromCrd } from '../schema/schema-from-crd.ts'
import { CREATED_AT, NAME } from './columns.ts'
import { kindTable } from './define-kind.ts'
import type { Loose } from './loose.ts'
import { columnProblems, scaleProblems } from './rules/printed-and-scaled.ts'
import { immutable, invalid, notSupported, required } from './rules/problems.ts'

type Spec = Loose<CustomResourceDefinitionSpec>

/** Keeps a definition until its objects are gone. */
export const CLEANUP_FINALIZER = 'customresourcecleanup.apiextensions.k8s.io'

const APPROVAL_ANNOTATION = 'api-approved.kubernetes.io'
const PRESERVE = 'x-kubernetes-preserve-unknown-fields'
const SEE = 'see https://github.com/kubernetes/enhancements/pull/1111'

export const CUSTOM_RESOURCE_DEFINITION_KIND = kindTable<CustomResourceDefinition>({
  type: CUSTOM_RESOURCE_DEFINITIONS,
  hasManyValues: true,
  shortNames: ['crd', 'crds'],
  categories: ['api-extensions'],
  unconditionalUpdate: false,
  generation: 'spec',
  hasStatus: true,
  statusKeepsMetadata: true,
  columns: [NAME, CREATED_AT],

  applyDefaults(object) {
    const spec = (object.spec ??= {})
    const names = (spec.names ??= {})
    if (names.kind) {
      names.singular ||= names.kind.toLowerCase()
      names.listKind ||= `${names.kind}List`
    }
    spec.conversion ??= { strategy: 'None' }
    const status = (object.status ??= {})
    const stored = storageVersionOf(spec)
    if ((status.storedVersions ?? []).length === 0 && stored !== undefined) status.storedVersions = [stored]
  },

  prepareForCreate(object) {
    const stored = storageVersionOf(object.spec ?? {})
    const status = (object.status ??= {})
    status.storedVersions = stored === undefined ? [] : [stored]
  },

  prepareForUpdate: keepStoredVersion,

  prepareForDelete(object) {
    const metadata = (object.metadata ??= {})
    const finalizers = metadata.finalizers ?? []
    if (!finalizers.includes(CLEANUP_FINALIZER)) metadata.finalizers = [...finalizers, CLEANUP_FINALIZER]
  },

  validate({ metadata, spec = {}, status }, old) {
    const { names = {}, group = '' } = spec
    const isNamed = metadata?.name === `${names.plural ?? ''}.${group}`
    return [
      ...(isNamed ? [] : [invalid('metadata.name', metadata?.name ?? '', 'must be spec.names.plural+"."+spec.group')]),
      ...groupProblems(group),
      ...scopeProblems(spec.scope),
      ...versionProblems(spec),
      ...schemaProblems(spec, old?.spec),
      ...nameProblems(names),
      ...storedVersionProblems(status?.storedVersions ?? [], spec),
      ...approvalProblems(metadata, group),
      ...(spec.preserveUnknownFields
        ? [
            invalid(
              'spec.preserveUnknownFields',
              true,
              `cannot set to true, set ${PRESERVE} to true in spec.versions[*].schema instead`,
            ),
          ]
        : []),
    ]
  },

  validateUpdate({ spec = {} }, { spec: before = {}, status }) {
    // The schema ensures that conditions have a type and a status.
    const isEstablished = hasCondition((status?.conditions ?? []) as readonly Condition[], 'Established')
    return [
      ...(isEstablished ? immutable('spec.scope', spec.scope, before.scope) : []),
      ...(isEstablished ? immutable('spec.names.kind', spec.names?.kind, before.names?.kind) : []),
      ...immutable('spec.group', spec.group, before.group),
      ...immutable('spec.names.plural', spec.names?.plural, before.names?.plural),
    ]
  },

  validateStatusUpdate: ({ spec = {}, status }) => storedVersionProblems(status?.storedVersions ?? [], spec),
})

const storageVersionOf = ({ versions }: Spec): string | undefined =>
  (versions ?? []).find(({ storage }) => storage)?.name

// The new storage version is added to the versions in which objects may be stored.
function keepStoredVersion(object: Loose<CustomResourceDefinition>): void {
  const stored = storageVersionOf(object.spec ?? {})
  const status = object.status
  if (stored === undefined || !status) return
  const versions = status.storedVersions ?? []
  if (!versions.includes(stored)) object.status = { ...status, storedVersions: [...versions, stored] }
}

function groupProblems(group: string): FieldProblem[] {
  if (group === '') return [required('spec.group')]
  const details = validateDnsSubdomain(group)
  if (details.length > 0) return [invalid('spec.group', group, details.join(','))]
  return group.includes('.') ? [] : [invalid('spec.group', group, 'should be a domain with at least one dot')]
}

function scopeProblems(scope: string | undefined): FieldProblem[] {
  if (!scope) return [required('spec.scope')]
  return scope === 'Cluster' || scope === 'Namespaced'
    ? []
    : [notSupported('spec.scope', scope, ['Cluster', 'Namespaced'])]
}

function versionProblems({ versions }: Spec): FieldProblem[] {
  const given = versions ?? []
  const names = given.map(({ name = '' }) => name)
  return [
    ...given.flatMap(({ name = '', schema, additionalPrinterColumns, subresources }, index) => {
      const at = `spec.versions[${index}]`
      const details = validateDns1035Label(name)
      return [
        ...(schema?.openAPIV3Schema ? [] : [required(`${at}.schema.openAPIV3Schema`)]),
        ...(details.length > 0 ? [invalid(`${at}.name`, name, details.join(','))] : []),
        ...scaleProblems(`${at}.subresources.scale`, subresources?.scale),
        ...columnProblems(`${at}.additionalPrinterColumns`, additionalPrinterColumns),
      ]
    }),
    ...(new Set(names).size === names.length
      ? []
      : [invalid('spec.versions', given, 'must contain unique version names')]),
    ...(given.filter(({ storage }) => storage).length === 1
      ? []
      : [invalid('spec.versions', given, 'must have exactly one version marked as storage version')]),
  ]
}

// A schema that was accepted before, perhaps under other rules, stays accepted.
function schemaProblems({ versions }: Spec, before: Spec | undefined): FieldProblem[] {
  const meter = new CostMeter(DEFINITION_BUDGET)
  return (versions ?? []).flatMap(({ name, schema }, index) => {
    const known = before?.versions?.find((version) => version.name === name)?.schema
    if (!schema?.openAPIV3Schema || (known && isEqualJson(known, schema))) return []
    return schemaFromCrd(schema.openAPIV3Schema, `spec.versions[${index}].schema.openAPIV3Schema`, meter).problems
  })
}

function nameProblems(names: NonNullable<Spec['names']>): FieldProblem[] {
  const members = ['plural', 'singular', 'kind', 'listKind'] as const
  const missing = members.filter((member) => !names[member]).map((member) => required(`spec.names.${member}`))
  const named = (member: string, name: string | undefined): FieldProblem[] => {
    const details = name === undefined ? [] : validateDns1035Label(name)
    return details.length === 0 ? [] : [invalid(`spec.names.${member}`, name, details.join(','))]
  }
  const mixedCase = (member: 'kind' | 'listKind'): FieldProblem[] => {
    const details = names[member] ? validateDns1035Label(names[member].toLowerCase()) : []
    if (details.length === 0) return []
    return [
      invalid(
        `spec.names.${member}`,
        names[member],
        `may have mixed case, but should otherwise match: ${details.join(',')}`,
      ),
    ]
  }
  return [
    ...missing,
    ...named('plural', names.plural || undefined),
    ...named('singular', names.singular || undefined),
    ...mixedCase('kind'),
    ...mixedCase('listKind'),
    ...(names.shortNames ?? []).flatMap((name, index) => named(`shortNames[${index}]`, name)),
    ...(names.kind && names.kind === names.listKind
      ? [invalid('spec.names.listKind', names.listKind, 'kind and listKind may not be the same')]
      : []),
    ...(names.categories ?? []).flatMap((name, index) => named(`categories[${index}]`, name)),
  ]
}

function storedVersionProblems(stored: readonly string[], { versions }: Spec): FieldProblem[] {
  const field = 'status.storedVersions'
  if (stored.length === 0) return [invalid(field, stored, 'must have at least one stored version')]
  const names = (versions ?? []).map(({ name }) => name)
  const current = storageVersionOf({ versions })
  return [
    ...(current !== undefined && !stored.includes(current)
      ? [invalid(field, stored, `must have the storage version ${current}`)]
      : []),
    ...stored.flatMap((name, index) =>
      names.includes(name) ? [] : [invalid(`${field}[${index}]`, name, missingVersion(name))],
    ),
  ]
}

const missingVersion = (name: string): string =>
  `missing from spec.versions; ${name} was previously a storage version, and must remain in spec.versions until a storage migration ` +
  `ensures no data remains persisted in ${name} and removes ${name} from status.storedVersions`

// Groups of the Kubernetes community need an API approval annotation.
function approvalProblems(metadata: Loose<CustomResourceDefinition>['metadata'], group: string): FieldProblem[] {
  const isProtected = ['k8s.io', 'kubernetes.io'].some((domain) => group === domain || group.endsWith(`.${domain}`))
  if (!isProtected) return []
  const field = `metadata.annotations[${APPROVAL_ANNOTATION}]`
  const approval = metadata?.annotations?.[APPROVAL_ANNOTATION] ?? ''
  const rule = `protected groups must have approval annotation "${APPROVAL_ANNOTATION}"`
  if (approval === '') return [required(field, `${rule}, ${SEE}`)]
  if (approval.startsWith('unapproved') || isUrl(approval)) return []
  return [invalid(field, approval, `${rule} with either a URL or a reason starting with "unapproved", ${SEE}`)]
}

function isUrl(text: string): boolean {
  const url = URL.parse(text)
  return url !== null && url.host !== ''
}
