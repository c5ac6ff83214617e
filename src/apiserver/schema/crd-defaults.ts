import { applyDefaults } from './apply-defaults.ts'
import type { FieldProblem } from './field-problem.ts'
import { copyJson, isJsonObject } from './json.ts'
import type { JsonObject } from './json.ts'
import { normalize } from './normalize.ts'
import type { Schema } from './schema.ts'
import { validateStructure } from './validate-structure.ts'

/** Notes defaults that the schema itself would refuse, or lose a part of. */
export function checkDefaults(schema: Schema, source: JsonObject, field: string, problems: FieldProblem[]): void {
  if (schema.default !== undefined) checkDefault(schema, `${field}.default`, problems)
  if (schema.type === 'object') {
    const sources = isJsonObject(source['properties']) ? source['properties'] : {}
    for (const { name, schema: member } of schema.properties.values()) {
      const inner = sources[name]
      if (isJsonObject(inner)) checkDefaults(member, inner, `${field}.properties[${name}]`, problems)
    }
  } else if (schema.type === 'map' && isJsonObject(source['additionalProperties'])) {
    checkDefaults(schema.values, source['additionalProperties'], `${field}.additionalProperties`, problems)
  } else if (schema.type === 'list' && isJsonObject(source['items'])) {
    checkDefaults(schema.items, source['items'], `${field}.items`, problems)
  }
}

function checkDefault(schema: Schema, field: string, problems: FieldProblem[]): void {
  const value = schema.default
  const { unknownFields } = normalize(schema, value)
  if (unknownFields.length > 0) {
    const detail = `must not have unknown fields: ${unknownFields.join(', ')}`
    problems.push({ field, type: 'FieldValueInvalid', value, detail })
  }
  const filled = copyJson(value)
  applyDefaults(schema, filled)
  for (const problem of validateStructure(schema, filled)) {
    problems.push({ ...problem, field: problem.field === '' ? field : `${field}.${problem.field}` })
  }
}
