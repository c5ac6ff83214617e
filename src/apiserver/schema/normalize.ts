import type { NormalizeRun } from './normalize-run.ts'
import { normalizeTyped } from './normalize-typed.ts'
import { prune } from './prune.ts'
import type { Schema } from './schema.ts'

export type Normalized = {
  /** Shares nothing with the input. */
  readonly value: unknown
  /** Paths of the members that were dropped because the schema has none of that name: `spec.containers[0].foo`. At most 100. */
  readonly unknownFields: readonly string[]
  /** Why the input is not a value of this kind at all, with the message of Go's decoder. The first problem is enough; the value is then unusable. */
  readonly problems: readonly string[]
}

/**
 * The value in the canonical form in which it is stored. Built-in kinds are written as Go's types would write them: null means absent, an empty value
 * is omitted or always written depending on the type, quantities, times and base64 are canonical, members are in the order of the type, and keys of
 * maps are sorted. In custom resources, only unknown fields are dropped, and null where the schema does not allow it: their types are checked by
 * `validateStructure`.
 */
export function normalize(schema: Schema, value: unknown): Normalized {
  const run: NormalizeRun = { unknownFields: [], problems: [], path: [], owner: '' }
  const isStruct = schema.type === 'object' && schema.name !== undefined
  const normal = isStruct ? normalizeTyped(run, schema, value) : prune(run, schema, value)
  return { value: normal, unknownFields: run.unknownFields, problems: run.problems }
}
