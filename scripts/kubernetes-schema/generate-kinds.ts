import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ALPHA_EXTENSIONS, extendSchemaTable } from '../../src/apiserver/kinds/alpha-extensions.ts'
import { KUBERNETES_TABLE } from '../../src/apiserver/schema/generated/kubernetes.ts'
import { readSchemaTable } from '../../src/apiserver/schema/read-schema-table.ts'
import { ROOT } from '../run.ts'
import type { SourceFile } from '../source-file.ts'
import { formatKinds } from './format-kinds.ts'
import { GENERATED_KINDS, REFINEMENTS } from './refinements.ts'

export const KINDS_FOLDER = 'src/api/kinds/generated'
const VALUES = 'src/api/kinds/values.ts'

/** The object types as the checked-in schema table and the refinements make them: needs no Go. */
export function generateKinds(): SourceFile[] {
  const values = [...readFileSync(join(ROOT, VALUES), 'utf8').matchAll(/^export type (\w+)/gm)].map(
    ([, name = '']) => name,
  )
  return formatKinds({
    table: readSchemaTable(extendSchemaTable(KUBERNETES_TABLE, ALPHA_EXTENSIONS)),
    kinds: GENERATED_KINDS,
    refinements: REFINEMENTS,
    values,
    folder: KINDS_FOLDER,
  })
}
