import { validateAnnotations, validateLabels, validateName, validateQualifiedName } from '../../api/names.ts'
import type { ObjectMeta } from '../../api/object.ts'
import { metaOf } from './drafts.ts'
import type { Draft, FieldProblem, KindDefinition } from './kind-definition.ts'

/** Problems with an object's metadata, regardless of its kind. */
export function validateMetadata(kind: KindDefinition, draft: Draft): FieldProblem[] {
  const meta = metaOf(draft)
  return [...nameProblems(kind, meta), ...mapProblems(meta), ...finalizerProblems(meta), ...ownerProblems(meta)]
}

function nameProblems(kind: KindDefinition, { name, generateName }: ObjectMeta): FieldProblem[] {
  if (!name) {
    const detail = 'name or generateName is required'
    return [{ field: 'metadata.name', type: 'FieldValueRequired', detail }]
  }
  const problems = validateName(kind.name, name).map((detail): FieldProblem => ({
    field: 'metadata.name',
    type: 'FieldValueInvalid',
    value: name,
    detail,
  }))
  if (generateName) {
    // A base may end differently than a complete name: the random part follows.
    const details = validateName(kind.name, generateName, { isPrefix: true })
    problems.push(
      ...details.map((detail): FieldProblem => ({
        field: 'metadata.generateName',
        type: 'FieldValueInvalid',
        value: generateName,
        detail,
      })),
    )
  }
  return problems
}

function mapProblems({ labels, annotations }: ObjectMeta): FieldProblem[] {
  return [
    ...validateLabels(labels ?? {}).map(({ value, detail }): FieldProblem => ({
      field: 'metadata.labels',
      type: 'FieldValueInvalid',
      value,
      detail,
    })),
    ...validateAnnotations(annotations ?? {}).map(({ value, detail }): FieldProblem =>
      value === undefined
        ? { field: 'metadata.annotations', type: 'FieldValueTooLong', detail }
        : { field: 'metadata.annotations', type: 'FieldValueInvalid', value, detail },
    ),
  ]
}

function finalizerProblems({ finalizers = [] }: ObjectMeta): FieldProblem[] {
  return finalizers.flatMap((finalizer, index) =>
    validateQualifiedName(finalizer).map((detail): FieldProblem => ({
      field: `metadata.finalizers[${index}]`,
      type: 'FieldValueInvalid',
      value: finalizer,
      detail,
    })),
  )
}

function ownerProblems({ ownerReferences = [] }: ObjectMeta): FieldProblem[] {
  const problems: FieldProblem[] = []
  for (const [index, owner] of ownerReferences.entries()) {
    for (const member of ['apiVersion', 'kind', 'name', 'uid'] as const) {
      if (!owner[member])
        problems.push({
          field: `metadata.ownerReferences[${index}].${member}`,
          type: 'FieldValueInvalid',
          value: '',
          detail: 'must not be empty',
        })
    }
  }
  const controllers = ownerReferences.filter(({ controller }) => controller)
  if (controllers.length > 1) {
    const detail = `Only one reference can have Controller set to true. Found "true" in references for ${controllers[0]?.name} and ${controllers[1]?.name}`
    problems.push({ field: 'metadata.ownerReferences', type: 'FieldValueInvalid', value: ownerReferences, detail })
  }
  return problems
}

/** Changes of metadata that an update must not make. */
export function validateMetadataUpdate(draft: Draft, old: Draft): FieldProblem[] {
  const { finalizers = [], deletionTimestamp } = metaOf(draft)
  const before = new Set(metaOf(old).finalizers ?? [])
  const added = finalizers.filter((finalizer) => !before.has(finalizer))
  if (deletionTimestamp === undefined || added.length === 0) return []
  const list = added.map((finalizer) => JSON.stringify(finalizer)).join(', ')
  const detail = `no new finalizers can be added if the object is being deleted, found new finalizers []string{${list}}`
  return [{ field: 'metadata.finalizers', type: 'FieldValueForbidden', detail }]
}
