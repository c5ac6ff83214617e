import { applyDefaults } from './apply-defaults.ts'
import type { CostMeter } from './cost-meter.ts'
import type { FieldProblem } from './field-problem.ts'
import { copyJson, isJsonObject } from './json.ts'
import type { JsonObject } from './json.ts'
import { normalize } from './normalize.ts'
import type { Schema } from './schema.ts'
import { validateStructure } from './validate-structure.ts'

type Check = { readonly problems: FieldProblem[]; readonly meter: CostMeter }

/** Reports defaults that the schema itself would reject or prune. */
export function checkDefaults(schema: Schema, source: JsonObject, field: string, check: Check): void {
  if (schema.default !== undefined) checkDefault(schema, `${field}.default`, check)
  if (schema.type === 'object') {
    const sources = isJsonObject(source['properties']) ? source['properties'] : {}
    for (const { name, schema: member } of schema.properties.values()) {
      const inner = sources[name]
      if (isJsonObject(inner)) checkDefaults(member, inner, `${field}.properties[${name}]`, check)
    }
  } else if (schema.type === 'map' && isJsonObject(source['additionalProperties'])) {
    checkDefaults(schema.values, source['additionalProperties'], `${field}.additionalProperties`, check)
  } else if (schema.type === 'list' && isJsonObject(source['items'])) {
    checkDefaults(schema.items, source['items'], `${field}.items`, check)
  }
}

function checkDefault(schema: Schema, field: string, { problems, meter }: Check): void {
  const value = schema.default
  const { unknownFields } = normalize(schema, value)
  if (unknownFields.length > 0) {
    const detail = `must not have unknown fields: ${unknownFields.join(', ')}`
    problems.push({ field, type: 'FieldValueInvalid', value, detail })
  }
  const filled = copyJson(value)
  applyDefaults(schema, filled)
  for (const problem of validateStructure(schema, filled, undefined, meter)) {
    problems.push({ ...problem, field: problem.field === '' ? field : `${field}.${problem.field}` })
  }
}
