import type { NormalizeRun } from './normalize-run.ts'
import { normalizeTyped } from './normalize-typed.ts'
import { prune } from './prune.ts'
import type { Schema } from './schema.ts'

export type Normalized = {
  /** Shares nothing with the input. */
  readonly value: unknown
  /** Paths of the members that were dropped because the schema has none of that name: `spec.containers[0].foo`. At most 100. */
  readonly unknownFields: readonly string[]
  /** Why the input is no value of this kind at all, as Go's decoder words it. The first says enough; the value is then worth nothing. */
  readonly problems: readonly string[]
}

/**
 * The value in the one form in which it is stored. Built-in kinds come out as Go's types would write them again: null is absence, an
 * empty value is left out or always written as the type has it, quantities, times and base64 are canonical, members stand in the
 * order of the type and keys of maps are sorted. Of custom resources only what the schema does not know is dropped, and null where it
 * stands for nothing: their types are checked by `validateStructure`.
 */
export function normalize(schema: Schema, value: unknown): Normalized {
  const run: NormalizeRun = { unknownFields: [], problems: [], path: [], owner: '' }
  const isStruct = schema.type === 'object' && schema.name !== undefined
  const normal = isStruct ? normalizeTyped(run, schema, value) : prune(run, schema, value)
  return { value: normal, unknownFields: run.unknownFields, problems: run.problems }
}
