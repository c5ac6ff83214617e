import { isJsonObject, setMember } from './json.ts'
import type { JsonObject } from './json.ts'
import { isDamage, ProtobufError, ProtobufReader } from './protobuf-reader.ts'
import type { WireType } from './protobuf-reader.ts'
import { MOST_BODY_VALUES, tooManyValues } from './value-limits.ts'
import type { MapSchema, ObjectSchema, Property, Schema, SchemaOrSchema } from './schema.ts'

const MAGIC = Buffer.from('k8s\0', 'latin1')

export type ProtobufObject = { readonly apiVersion: string; readonly kind: string; readonly value: JsonObject }

/**
 * Decodes an object from Kubernetes' protobuf format to the equivalent JSON; `normalize` then drops the zero values that protobuf always writes.
 * `findSchema` returns the schema of the object's kind. Throws a `ProtobufError`, also for a kind without protobuf.
 */
export function decodeProtobuf(
  bytes: Uint8Array,
  findSchema: (apiVersion: string, kind: string) => Schema | undefined,
): ProtobufObject {
  try {
    const { apiVersion, kind, raw } = readEnvelope(bytes)
    const schema = findSchema(apiVersion, kind)
    if (schema?.type !== 'object' || schema.name === undefined) {
      throw new ProtobufError(`no protobuf for kind ${JSON.stringify(kind)} in ${JSON.stringify(apiVersion)}`)
    }
    const value = readMessage(schema, ProtobufReader.of(raw))
    return { apiVersion, kind, value: { apiVersion, kind, ...value } }
  } catch (error) {
    throw isDamage(error) ? new ProtobufError(error.message, { cause: error }) : error
  }
}

function readEnvelope(bytes: Uint8Array): { apiVersion: string; kind: string; raw: Uint8Array } {
  if (!MAGIC.equals(bytes.subarray(0, MAGIC.length))) {
    throw new ProtobufError('provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]')
  }
  const reader = ProtobufReader.of(bytes.subarray(MAGIC.length))
  const envelope = { apiVersion: '', kind: '', raw: EMPTY }
  while (!reader.isAtEnd) {
    const { number, wireType } = reader.tag()
    if (number === 1 && wireType === 'bytes') Object.assign(envelope, readTypeMeta(reader.message()))
    else if (number === 2 && wireType === 'bytes') envelope.raw = reader.bytes()
    else reader.skip(wireType)
  }
  return envelope
}

const EMPTY: Uint8Array = new Uint8Array()

function readTypeMeta(reader: ProtobufReader): { apiVersion?: string; kind?: string } {
  const meta: { apiVersion?: string; kind?: string } = {}
  while (!reader.isAtEnd) {
    const { number, wireType } = reader.tag()
    if (number === 1 && wireType === 'bytes') meta.apiVersion = reader.text()
    else if (number === 2 && wireType === 'bytes') meta.kind = reader.text()
    else reader.skip(wireType)
  }
  return meta
}

function readMessage(schema: ObjectSchema, reader: ProtobufReader, output: JsonObject = {}): JsonObject {
  while (!reader.isAtEnd) {
    const { number, wireType } = reader.tag()
    const field = schema.numbered.get(number)
    if (field === undefined) reader.skip(wireType)
    else if ('inlined' in field) readMessage(field.inlined, reader.message(), output)
    else readField(field, wireType, reader, output)
  }
  return output
}

function readField({ name, schema }: Property, wireType: WireType, reader: ProtobufReader, output: JsonObject): void {
  if (schema.type === 'list' && !schema.wrapped) {
    const list = Array.isArray(output[name]) ? (output[name] as unknown[]) : []
    output[name] = list
    // Newer encoders pack numbers.
    if (wireType === 'bytes' && schema.items.type === 'integer') {
      const packed = reader.message()
      while (!packed.isAtEnd) {
        if (list.length >= MOST_BODY_VALUES) throw tooManyValues(MOST_BODY_VALUES)
        list.push(packed.integer())
      }
    } else list.push(readValue(schema.items, wireType, reader))
  } else if (schema.type === 'map') {
    const map = isJsonObject(output[name]) ? output[name] : {}
    output[name] = map
    readEntry(schema, reader.message(), map)
  } else output[name] = readValue(schema, wireType, reader)
}

function readEntry({ values }: MapSchema, reader: ProtobufReader, output: JsonObject): void {
  let key = ''
  let value: unknown = null
  while (!reader.isAtEnd) {
    const { number, wireType } = reader.tag()
    if (number === 1) key = reader.text()
    else if (number === 2) value = readValue(values, wireType, reader)
    else reader.skip(wireType)
  }
  setMember(output, key, value)
}

function readValue(schema: Schema, wireType: WireType, reader: ProtobufReader): unknown {
  if (wireType !== expectedWireType(schema)) throw new ProtobufError(`wrong wire type ${wireType} for ${schema.type}`)
  switch (schema.type) {
    case 'string':
      return reader.text()
    case 'boolean':
      return reader.integer() !== 0
    case 'integer':
      return schema.bits === 32 ? reader.integer() | 0 : reader.integer()
    case 'number':
      return reader.double()
    case 'bytes':
      return reader.bytes().toString('base64')
    case 'object':
      return readMessage(schema, reader.message())
    case 'quantity':
      return readFields(reader.message(), { 1: 'text' })[1] ?? '0'
    case 'time':
      return readTime(reader.message(), 0)
    case 'micro-time':
      return readTime(reader.message(), 6)
    case 'int-or-string':
      return readIntOrString(reader.message())
    case 'any':
      return readRawJson(reader.message())
    case 'schema-or':
      return readSchemaOr(schema, reader.message())
    case 'list':
      return readItems(schema.items, reader.message())
    case 'map':
      throw new ProtobufError('a map inside a list or map has no protobuf')
  }
}

function expectedWireType(schema: Schema): WireType {
  switch (schema.type) {
    case 'boolean':
    case 'integer':
      return 'varint'
    case 'number':
      return 'fixed64'
    default:
      return 'bytes'
  }
}

// A small message: the types of the fields to read, by number.
type Fields = Readonly<Record<number, 'text' | 'integer'>>

function readFields(reader: ProtobufReader, fields: Fields): Record<number, string | number> {
  const found: Record<number, string | number> = {}
  while (!reader.isAtEnd) {
    const { number, wireType } = reader.tag()
    const type = fields[number]
    if (type === 'text' && wireType === 'bytes') found[number] = reader.text()
    else if (type === 'integer' && wireType === 'varint') found[number] = reader.integer()
    else reader.skip(wireType)
  }
  return found
}

// The zero time is an empty message.
function readTime(reader: ProtobufReader, digits: 0 | 6): string | null {
  if (reader.isAtEnd) return null
  const { 1: seconds = 0, 2: nanos = 0 } = readFields(reader, { 1: 'integer', 2: 'integer' })
  const time = new Date(Number(seconds) * 1000)
  if (Number.isNaN(time.getTime())) throw new ProtobufError(`${seconds} seconds are no time`)
  const whole = time.toISOString().replace(/\.\d+Z$/, '')
  return digits === 0 ? `${whole}Z` : `${whole}.${String(Math.floor(Number(nanos) / 1000)).padStart(6, '0')}Z`
}

function readIntOrString(reader: ProtobufReader): string | number {
  const { 1: type = 0, 2: integer = 0, 3: text = '' } = readFields(reader, { 1: 'integer', 2: 'integer', 3: 'text' })
  return type === 0 ? integer : text
}

function readRawJson(reader: ProtobufReader): unknown {
  const text = readFields(reader, { 1: 'text' })[1] ?? ''
  if (text === '') return null
  try {
    return JSON.parse(String(text))
  } catch (cause) {
    throw new ProtobufError(`raw JSON is expected inside: ${(cause as Error).message}`) // JSON.parse throws only errors
  }
}

function readItems(items: Schema, reader: ProtobufReader): unknown[] {
  const list: unknown[] = []
  while (!reader.isAtEnd) {
    const { number, wireType } = reader.tag()
    if (number === 1) list.push(readValue(items, wireType, reader))
    else reader.skip(wireType)
  }
  return list
}

function readSchemaOr({ schema, other }: SchemaOrSchema, reader: ProtobufReader): unknown {
  const list: unknown[] = []
  let isAllowed = false
  let found: JsonObject | undefined
  while (!reader.isAtEnd) {
    const { number, wireType } = reader.tag()
    if (other === 'boolean' && number === 1 && wireType === 'varint') isAllowed = reader.integer() !== 0
    else if (wireType === 'bytes' && number === (other === 'boolean' ? 2 : 1))
      found = readMessage(schema, reader.message())
    else if (wireType === 'bytes' && number === 2)
      list.push(other === 'strings' ? reader.text() : readMessage(schema, reader.message()))
    else reader.skip(wireType)
  }
  return found ?? (other === 'boolean' ? isAllowed : list)
}
