import type { ListSchema, ObjectSchema, Property, Schema } from './schema.ts'

export type BuiltInKind = {
  readonly group: string
  readonly version: string
  readonly kind: string
  readonly definition: string
}

/** Built-in kinds and their structs. A struct is parsed on first use. */
export type SchemaTable = {
  readonly kinds: readonly BuiltInKind[]
  /** By its OpenAPI name. */
  findDefinition(name: string): ObjectSchema | undefined
}

/**
 * Reads the generated table: lines `kind GROUP VERSION KIND DEFINITION`, then blocks separated by empty lines. A block has a line with the
 * definition's name (and `atomic`), then one line per field: `NAME NUMBER TYPE FLAG…`.
 *
 * A field named `~` is an inlined struct. A type is prefixed with `*` for a pointer, `[]` for a list, `{}` for a map; structs of the same package are
 * named without it. Flags: `always` and `omitzero` (how an empty value is written), `optional` (although always written), `patch=` and `key=`
 * (strategic merge), `list=` (`atomic`, `set`, `map:KEYS`), `atomic`, `granular` (although its struct is atomic).
 */
export function readSchemaTable(text: string): SchemaTable {
  const [head = '', ...blocks] = text.trimEnd().split('\n\n')
  const kinds = head.split('\n').map((line): BuiltInKind => {
    const [, group = '', version = '', kind = '', definition = ''] = line.split(' ')
    return { group: group === '-' ? '' : group, version, kind, definition }
  })
  const sources = new Map(blocks.map((block) => [/^\S+/.exec(block)?.[0] ?? '', block]))
  const known = new Map<string, ObjectSchema>()

  const findDefinition = (name: string): ObjectSchema | undefined => {
    const found = known.get(name)
    if (found) return found
    const source = sources.get(name)
    return source === undefined ? undefined : readStruct(name, source)
  }

  const mustFind = (name: string): ObjectSchema => {
    const found = findDefinition(name)
    if (!found) throw new Error(`the schema table has no ${name}`)
    return found
  }

  const readStruct = (name: string, source: string): ObjectSchema => {
    const [title = '', ...lines] = source.split('\n')
    const properties = new Map<string, Property>()
    const numbered = new Map<number, Property | { inlined: ObjectSchema }>()
    const always: Property[] = []
    const isAtomic = title.endsWith(' atomic')
    const struct: ObjectSchema = {
      type: 'object',
      name,
      properties,
      always,
      numbered,
      ...(isAtomic && { atomic: true }),
    }
    known.set(name, struct) // before its fields: JSON schemas contain JSON schemas
    const add = (property: Property): void => {
      properties.set(property.name, property)
      if (property.whenEmpty !== 'omit') always.push(property)
    }
    for (const line of lines) {
      const words = line.split(' ')
      const [field = '', digits = '', type = ''] = words
      if (field === '~') {
        const inlined = mustFind(type)
        for (const property of inlined.properties.values()) add({ ...property, index: properties.size })
        if (digits !== '0') numbered.set(Number(digits), { inlined })
        continue
      }
      const property = readProperty(words, name, properties.size)
      add(property)
      if (property.number !== 0) numbered.set(property.number, property)
    }
    return struct
  }

  const readProperty = (words: readonly string[], owner: string, index: number): Property => {
    const [name = '', number = '', fullType = '', ...flags] = words
    const valueOf = (flag: string): string | undefined =>
      flags.find((item) => item.startsWith(`${flag}=`))?.slice(flag.length + 1)
    const pointer = fullType.startsWith('*')
    const declared = readType(pointer ? fullType.slice(1) : fullType, owner, valueOf('list'), flags.includes('atomic'))
    const schema = flags.includes('granular') && declared.type === 'object' ? asGranular(declared) : declared
    const always = flags.includes('always')
    const strategies = valueOf('patch')?.split(',') ?? []
    const patchStrategy = strategies.find((item) => item === 'merge' || item === 'replace')
    const mergeKey = valueOf('key')
    return {
      name,
      schema,
      index,
      number: Number(number),
      pointer,
      whenEmpty: pointer ? (always ? 'null' : 'omit') : whenEmpty(schema, always, flags.includes('omitzero')),
      required: always && !flags.includes('optional'),
      ...(patchStrategy && { patchStrategy }),
      ...(mergeKey !== undefined && { mergeKey }),
      ...(strategies.includes('retainKeys') && { retainKeys: true }),
    }
  }

  const readType = (type: string, owner: string, list: string | undefined, atomic: boolean): Schema => {
    if (type.startsWith('*')) return readType(type.slice(1), owner, undefined, false)
    if (type.startsWith('[]'))
      return { type: 'list', items: readType(type.slice(2), owner, undefined, false), ...readListType(list) }
    if (type.startsWith('{}')) {
      return { type: 'map', values: readType(type.slice(2), owner, undefined, false), ...(atomic && { atomic: true }) }
    }
    const plain = PLAIN_TYPES[type]
    if (plain) return plain
    const other = SCHEMA_OR[type]
    if (other) return { type: 'schema-or', other, schema: mustFind(`${packageOf(owner)}.JSONSchemaProps`) }
    const struct = mustFind(type.includes('.') ? type : `${packageOf(owner)}.${type}`)
    return atomic && !struct.atomic ? { ...struct, atomic: true } : struct
  }

  return { kinds, findDefinition }
}

const STRING_LIST: ListSchema = { type: 'list', items: { type: 'string' }, listType: 'atomic', keys: [], wrapped: true }

const PLAIN_TYPES: Readonly<Record<string, Schema>> = {
  string: { type: 'string' },
  bool: { type: 'boolean' },
  int32: { type: 'integer', bits: 32 },
  int64: { type: 'integer', bits: 64 },
  float64: { type: 'number' },
  bytes: { type: 'bytes' },
  quantity: { type: 'quantity' },
  time: { type: 'time' },
  'micro-time': { type: 'micro-time' },
  'int-or-string': { type: 'int-or-string' },
  raw: { type: 'any' },
  fields: { type: 'any' },
  json: { type: 'any' },
  'string-list': STRING_LIST,
}

const SCHEMA_OR: Readonly<Record<string, 'boolean' | 'schemas' | 'strings'>> = {
  'schema-or-bool': 'boolean',
  'schema-or-schemas': 'schemas',
  'schema-or-strings': 'strings',
}

function readListType(text = 'atomic'): Pick<ListSchema, 'listType' | 'keys'> {
  const [type = '', keys = ''] = text.split(':')
  if (type !== 'atomic' && type !== 'set' && type !== 'map') throw new Error(`no list type: ${text}`)
  return { listType: type, keys: keys === '' ? [] : keys.split(',') }
}

// `omitempty` has no effect on a struct, which Go always writes. Times, quantities and raw JSON are structs.
function whenEmpty(schema: Schema, always: boolean, omitZero: boolean): Property['whenEmpty'] {
  if (omitZero) return 'omit'
  switch (schema.type) {
    case 'object':
    case 'quantity':
    case 'int-or-string':
      return 'zero'
    case 'time':
    case 'micro-time':
    case 'any':
    case 'schema-or':
      return 'null'
    case 'list':
    case 'map':
    case 'bytes':
      return always ? 'null' : 'omit'
    default:
      return always ? 'zero' : 'omit'
  }
}

// The struct is atomic in other places.
function asGranular({ atomic: _atomic, ...struct }: ObjectSchema): ObjectSchema {
  return struct
}

const packageOf = (definition: string): string => definition.slice(0, definition.lastIndexOf('.'))
