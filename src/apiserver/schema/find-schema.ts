import { extendSchemaTable, ALPHA_EXTENSIONS } from '../kinds/alpha-extensions.ts'
import { KUBERNETES_TABLE } from './generated/kubernetes.ts'
import { readSchemaTable } from './read-schema-table.ts'
import type { BuiltInKind } from './read-schema-table.ts'
import type { ObjectSchema } from './schema.ts'

const TABLE = readSchemaTable(extendSchemaTable(KUBERNETES_TABLE, ALPHA_EXTENSIONS))
const DEFINITIONS = new Map(
  TABLE.kinds.map(({ group, version, kind, definition }) => [`${group}/${version}/${kind}`, definition]),
)

// Every group has these kinds in every version.
const EVERYWHERE = new Set(['DeleteOptions', 'Status'])

/** The schema of a built-in kind; undefined for any other kind. */
export function findSchema(group: string, version: string, kind: string): ObjectSchema | undefined {
  const definition =
    DEFINITIONS.get(`${group}/${version}/${kind}`) ??
    (EVERYWHERE.has(kind) ? DEFINITIONS.get(`/v1/${kind}`) : undefined)
  return definition === undefined ? undefined : TABLE.findDefinition(definition)
}

/** The kinds that `findSchema` knows, ordered by group. */
export const BUILT_IN_KINDS: readonly BuiltInKind[] = TABLE.kinds

/** The schema of the metadata that every object has. */
export function objectMetaSchema(): ObjectSchema {
  const schema = TABLE.findDefinition('io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta')
  if (!schema) throw new Error('the schema table has no ObjectMeta')
  return schema
}
