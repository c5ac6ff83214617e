import type { ObjectSchema, Property, Schema } from '../../src/apiserver/schema/schema.ts'
import type { SchemaTable } from '../../src/apiserver/schema/read-schema-table.ts'
import { apiVersionOf } from '../../src/api/resource-type.ts'
import type { SourceFile } from '../source-file.ts'

/** What the Go types do not say of a field. */
export type FieldRefinement = {
  readonly doc?: string
  /** Left out: as Go writes it; a field that is written even when it is empty is required. */
  readonly required?: boolean
  /** In TypeScript; names of `values.ts` and of the same file may occur. */
  readonly type?: string
}

/** By `FILE.TYPE`, such as `core-v1.PodSpec`. */
export type Refinements = Readonly<
  Record<string, { readonly doc?: string; readonly fields?: Readonly<Record<string, FieldRefinement>> }>
>

export type KindsInput = {
  readonly table: SchemaTable
  /** `apps/v1 Deployment`: what to generate, with every struct it is made of. */
  readonly kinds: readonly string[]
  readonly refinements: Refinements
  /** Exported by the hand-written `values.ts` beside the folder. */
  readonly values: readonly string[]
  /** The folder of the files. */
  readonly folder: string
}

const HEAD = '// Generated from the Go types of Kubernetes by `npm run generate`. Do not edit.\n'
const OBJECT_META = 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta'
const META_MODULE = '../../object.ts'
const VALUES_MODULE = '../values.ts'

/** The object types of these kinds: one file for each group and version. */
export function formatKinds({ table, kinds, refinements, values, folder }: KindsInput): SourceFile[] {
  const apiVersions = new Map(
    table.kinds
      .filter((kind) => kinds.includes(`${apiVersionOf(kind)} ${kind.kind}`))
      .map((kind) => [kind.definition, apiVersionOf(kind)]),
  )
  const unknown = kinds.filter((kind) => !table.kinds.some((known) => `${apiVersionOf(known)} ${known.kind}` === kind))
  if (unknown.length > 0) throw new Error(`the schema table has no ${unknown.join(', ')}`)
  const structs = collectStructs(table, [...apiVersions.keys()])
  const keys = new Set([...structs.keys()].map(keyOf))
  for (const key of Object.keys(refinements)) if (!keys.has(key)) throw new Error(`no type ${key} is generated`)

  const files = new Map<string, string[]>()
  for (const [definition, struct] of [...structs].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const file = fileOf(definition)
    const text = formatStruct(struct, definition, apiVersions.get(definition), refinements[keyOf(definition)])
    files.set(file, [...(files.get(file) ?? []), text])
  }
  return [...files].map(([file, types]) => ({
    path: `${folder}/${file}.ts`,
    text: `${HEAD}${formatImports(file, types.join('\n'), structs, values)}\n${types.join('\n')}`,
  }))
}

/** Every struct that these are made of, by definition. Metadata has a hand-written type. */
function collectStructs(table: SchemaTable, definitions: readonly string[]): Map<string, ObjectSchema> {
  const found = new Map<string, ObjectSchema>()
  const visit = (schema: Schema): void => {
    if (schema.type === 'list') visit(schema.items)
    else if (schema.type === 'map') visit(schema.values)
    else if (schema.type === 'schema-or') visit(schema.schema)
    else if (schema.type === 'object' && schema.name !== undefined && schema.name !== OBJECT_META) {
      if (found.has(schema.name)) return
      found.set(schema.name, schema)
      for (const property of schema.properties.values()) visit(property.schema)
    }
  }
  for (const definition of definitions) {
    const struct = table.findDefinition(definition)
    if (struct) visit(struct)
  }
  return found
}

function formatStruct(
  struct: ObjectSchema,
  definition: string,
  apiVersion: string | undefined,
  { doc, fields = {} }: Refinements[string] = {},
): string {
  for (const name of Object.keys(fields))
    if (!struct.properties.has(name)) throw new Error(`${keyOf(definition)} has no field ${name}`)
  const own = (name: string): FieldRefinement => {
    if (apiVersion === undefined) return fields[name] ?? {}
    if (name === 'apiVersion') return { required: true, type: `'${apiVersion}'` }
    if (name === 'kind') return { required: true, type: `'${nameOf(definition)}'` }
    return name === 'metadata' ? { ...fields[name], required: true } : (fields[name] ?? {})
  }
  const properties = [...struct.properties.values()]
  const isHead = ({ name }: Property): boolean => name === 'apiVersion' || name === 'kind'
  const ordered =
    apiVersion === undefined
      ? properties
      : [...properties.filter(isHead).reverse(), ...properties.filter((property) => !isHead(property))]
  const lines = ordered.flatMap((property) => formatField(property, own(property.name)))
  const body = lines.length === 0 ? 'Readonly<Record<string, never>>' : `{\n${lines.join('\n')}\n}`
  return `${formatDoc(doc, '')}export type ${nameOf(definition)} = ${body}\n`
}

function formatField(property: Property, { doc, required = property.required, type }: FieldRefinement): string[] {
  const name = /^[A-Za-z_$][\w$]*$/.test(property.name) ? property.name : `'${property.name}'`
  const mayBeNull = property.schema.type === 'time' || property.schema.type === 'micro-time'
  const generated = `${typeOf(property.schema)}${mayBeNull && !property.pointer ? ' | null' : ''}`
  const line = `  readonly ${name}${required ? '' : '?'}: ${type ?? generated}`
  return doc === undefined ? [line] : [`  /** ${doc} */`, line]
}

const formatDoc = (doc: string | undefined, indent: string): string =>
  doc === undefined ? '' : `${indent}/** ${doc} */\n`

function typeOf(schema: Schema): string {
  switch (schema.type) {
    case 'object':
      return schema.name === undefined ? 'object' : nameOf(schema.name)
    case 'list':
      return `readonly ${inList(typeOf(schema.items))}[]`
    case 'map':
      return `Readonly<Record<string, ${typeOf(schema.values)}>>`
    case 'schema-or': {
      const name = typeOf(schema.schema)
      const others = { boolean: 'boolean', schemas: `readonly ${name}[]`, strings: 'readonly string[]' }
      return `${name} | ${others[schema.other]}`
    }
    case 'boolean':
      return 'boolean'
    case 'integer':
    case 'number':
      return 'number'
    case 'quantity':
      return 'Quantity'
    case 'int-or-string':
      return 'IntOrString'
    case 'any':
      return 'unknown'
    case 'string':
    case 'bytes':
    case 'time':
    case 'micro-time':
      return 'string'
  }
}

const inList = (type: string): string => (/^readonly |\|/.test(type) ? `(${type})` : type)

function formatImports(
  file: string,
  text: string,
  structs: ReadonlyMap<string, ObjectSchema>,
  values: readonly string[],
): string {
  const words = new Set(text.replaceAll(/\/\*\*.*\*\/|'[^']*'/g, '').match(/\b[A-Z]\w*/g) ?? [])
  const modules = new Map<string, string[]>([
    [META_MODULE, ['ObjectMeta']],
    [VALUES_MODULE, [...values]],
  ])
  for (const definition of structs.keys()) {
    const other = fileOf(definition)
    if (other !== file) modules.set(`./${other}.ts`, [...(modules.get(`./${other}.ts`) ?? []), nameOf(definition)])
  }
  const own = new Set([...structs.keys()].filter((definition) => fileOf(definition) === file).map(nameOf))
  const imports = [...modules].flatMap(([module, names]) => {
    const used = names.filter((name) => words.has(name) && !own.has(name)).sort()
    return used.length === 0 ? [] : [`import type { ${used.join(', ')} } from '${module}'\n`]
  })
  return imports.join('')
}

const nameOf = (definition: string): string => definition.slice(definition.lastIndexOf('.') + 1)

/** `core-v1` for `io.k8s.api.core.v1.Pod`. */
const fileOf = (definition: string): string => definition.split('.').slice(-3, -1).join('-')

const keyOf = (definition: string): string => `${fileOf(definition)}.${nameOf(definition)}`
