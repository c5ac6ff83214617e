import { ApiError } from '../../api/api-error.ts'
import { parseFieldSelector } from '../../api/field-selector.ts'
import { matchesLabelSelector, parseLabelSelector } from '../../api/label-selector.ts'
import type { KubeObject } from '../../api/object.ts'
import { draftOf } from './drafts.ts'
import type { Draft, KindDefinition } from './kind-definition.ts'
import type { WatchScope } from './watch-hub.ts'

export type SelectorOptions = {
  namespace?: string | undefined
  labelSelector?: string | undefined
  fieldSelector?: string | undefined
}

/** The scope of a list or watch. A single name or node is kept separate, because those can be looked up. */
export function scopeOf(
  kind: KindDefinition,
  { namespace, labelSelector, fieldSelector }: SelectorOptions,
): WatchScope {
  const tests: ((object: KubeObject) => boolean)[] = []
  let weight = 0
  let name: string | undefined
  let nodeName: string | undefined
  for (const { field, operator, value } of parse(fieldSelector, parseFieldSelector)) {
    const read = fieldReader(kind, field)
    if (operator === '=' && field === 'metadata.name' && name === undefined) name = value
    else if (operator === '=' && field === 'spec.nodeName' && nodeName === undefined) nodeName = value
    else weight = tests.push((object) => (read(object) === value) === (operator === '='))
  }
  if (labelSelector) {
    const selector = parse(labelSelector, parseLabelSelector)
    weight += selector.reduce((sum, { values }) => sum + 1 + values.length, 0)
    tests.push((object) => matchesLabelSelector(selector, object.metadata.labels ?? {}))
  }
  return {
    storage: kind.storage,
    ...(namespace ? { namespace } : {}),
    ...(name === undefined ? {} : { name }),
    ...(nodeName === undefined ? {} : { nodeName }),
    ...(tests.length === 0
      ? {}
      : { matches: (object: object) => tests.every((test) => test(object as KubeObject)), weight }),
  }
}

function parse<T>(text: string | undefined, parser: (text: string) => T): T {
  try {
    return parser(text ?? '')
  } catch (cause) {
    throw new ApiError('BadRequest', cause instanceof Error ? cause.message : String(cause), { cause })
  }
}

// Upstream has one text for kinds with fields of their own, and another for those without.
const unknownField = ({ fieldLabels, schema }: KindDefinition, field: string): ApiError => {
  const isPlain = Object.keys(fieldLabels).length === 0 && schema.type === 'object' && schema.name !== undefined
  return new ApiError(
    'BadRequest',
    isPlain
      ? `${JSON.stringify(field)} is not a known field selector: only "metadata.name", "metadata.namespace"`
      : `field label not supported: ${field}`,
  )
}

function fieldReader(kind: KindDefinition, field: string): (object: KubeObject) => string {
  if (field === 'metadata.name') return ({ metadata }) => metadata.name ?? ''
  if (field === 'metadata.namespace' && kind.type.namespaced) return ({ metadata }) => metadata.namespace ?? ''
  const read = Object.hasOwn(kind.fieldLabels, field) ? kind.fieldLabels[field] : undefined
  if (!read) throw unknownField(kind, field)
  const { fromStored } = kind
  // The field labels belong to the requested version; the objects are in their stored form.
  return fromStored ? (object) => read(fromStored(draftOf(object))) : (object) => read(object as unknown as Draft)
}
