import { copyJson, isJsonObject, setMember } from './json.ts'
import type { Schema } from './schema.ts'

/**
 * Fills in, in place, the defaults of a custom resource's schema, also inside defaults. Null counts as absent where the schema does not allow null.
 */
export function applyDefaults(schema: Schema, value: unknown): void {
  if (schema.type === 'object' && isJsonObject(value)) {
    for (const { name, schema: member } of schema.properties.values()) {
      const current = Object.hasOwn(value, name) ? value[name] : undefined
      if (isMissing(member, current) && member.default !== undefined) setMember(value, name, copyJson(member.default))
      if (Object.hasOwn(value, name)) applyDefaults(member, value[name])
    }
  } else if (schema.type === 'map' && isJsonObject(value)) {
    for (const key of Object.keys(value)) {
      if (isMissing(schema.values, value[key]) && schema.values.default !== undefined)
        setMember(value, key, copyJson(schema.values.default))
      applyDefaults(schema.values, value[key])
    }
  } else if (schema.type === 'list' && Array.isArray(value)) {
    for (const [index, item] of value.entries()) {
      if (isMissing(schema.items, item) && schema.items.default !== undefined)
        value[index] = copyJson(schema.items.default)
      applyDefaults(schema.items, value[index])
    }
  }
}

const isMissing = (schema: Schema, value: unknown): boolean =>
  value === undefined || (value === null && !schema.nullable)
