import { objectMetaSchema } from './find-schema.ts'
import { copyJson, isJsonObject, setMember, sortedKeys } from './json.ts'
import type { JsonObject } from './json.ts'
import { reportUnknown } from './normalize-run.ts'
import type { NormalizeRun } from './normalize-run.ts'
import { normalizeTyped } from './normalize-typed.ts'
import type { ObjectSchema, Schema } from './schema.ts'

/**
 * A copy of a custom resource, or of a part of one, without unknown members, and without null where the schema does not allow it. Values of the wrong
 * type are kept, so that validation reports them.
 */
export function prune(run: NormalizeRun, schema: Schema, value: unknown): unknown {
  switch (schema.type) {
    case 'object':
      return isJsonObject(value) ? pruneObject(run, schema, value) : copyJson(value)
    case 'map':
      return isJsonObject(value) ? pruneMembers(run, value, () => schema.values) : copyJson(value)
    case 'list':
      return Array.isArray(value)
        ? value.map((item, index) => pruneAt(run, index, schema.items, item))
        : copyJson(value)
    default:
      return copyJson(value)
  }
}

function pruneObject(run: NormalizeRun, schema: ObjectSchema, input: JsonObject): JsonObject {
  return pruneMembers(run, input, (key) => {
    if (schema.embedded && key === 'metadata') return objectMetaSchema()
    const known = schema.properties.get(key)?.schema
    if (known) return known
    if (schema.preserveUnknown) return ANYTHING
    reportUnknown(run, key)
    return undefined
  })
}

const ANYTHING: Schema = { type: 'any', nullable: true }

function pruneMembers(run: NormalizeRun, input: JsonObject, schemaOf: (key: string) => Schema | undefined): JsonObject {
  const output: JsonObject = {}
  for (const key of sortedKeys(input)) {
    const value = input[key]
    const schema = value === undefined ? undefined : schemaOf(key)
    if (schema === undefined) continue
    if (value === null && !schema.nullable && schema.default === undefined) continue
    const normal = pruneAt(run, key, schema, value)
    if (normal !== undefined) setMember(output, key, normal)
  }
  return output
}

function pruneAt(run: NormalizeRun, step: string | number, schema: Schema, value: unknown): unknown {
  run.path.push(step)
  const isStruct = schema.type === 'object' && schema.name !== undefined
  if (isStruct) run.owner = schema.name
  const normal = isStruct ? normalizeTyped(run, schema, value) : prune(run, schema, value)
  run.path.pop()
  return normal
}
