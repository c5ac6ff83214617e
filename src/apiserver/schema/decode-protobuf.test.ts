import { deepEqual, match, throws } from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import fc from 'fast-check'
import { parseApiVersion } from '../../api/resource-type.ts'
import { decodeProtobuf } from './decode-protobuf.ts'
import { findSchema } from './find-schema.ts'
import { normalize } from './normalize.ts'
import { ProtobufError } from './protobuf-reader.ts'
import { ProtobufWriter } from './protobuf-writer.ts'
import type { ObjectSchema } from './schema.ts'

// What Kubernetes' own types wrote, and the JSON that the same types write.
type Recorded = { name: string; hex: string; value: unknown }
const recorded = JSON.parse(readFileSync(join(import.meta.dirname, 'testdata', 'protobuf.json'), 'utf8')) as Recorded[]

const schemaOf = (apiVersion: string, kind: string): ObjectSchema | undefined => {
  const { group, version } = parseApiVersion(apiVersion)
  return findSchema(group, version, kind)
}

for (const { name, hex, value } of recorded) {
  test(`reads ${name}`, () => {
    const decoded = decodeProtobuf(Buffer.from(hex, 'hex'), schemaOf)
    const schema = schemaOf(decoded.apiVersion, decoded.kind)
    deepEqual(schema && normalize(schema, decoded.value), { value, unknownFields: [], problems: [] })
  })
}

const hexOf = (name: string): Buffer => Buffer.from(recorded.find((item) => item.name === name)?.hex ?? '', 'hex')

test('tells a zero that was set from one that protobuf always writes', () => {
  const { value } = decodeProtobuf(
    hexOf('a pod with pointers to zero, ports by number and by name, and a token'),
    schemaOf,
  )
  const { spec } = normalize(schemaOf('v1', 'Pod') as ObjectSchema, value).value as { spec: Record<string, unknown> }
  deepEqual(
    [spec['terminationGracePeriodSeconds'], spec['enableServiceLinks'], spec['hostNetwork']],
    [0, false, undefined],
  )
})

test('refuses what is not in the envelope', () => {
  throws(() => decodeProtobuf(Buffer.from('{"kind":"Pod"}'), schemaOf), /expected prefix \[107 56 115 0\]/)
})

test('refuses a kind that it does not know', () => {
  throws(
    () => decodeProtobuf(hexOf('an attachment'), () => undefined),
    /no protobuf for kind "VolumeAttachment" in "storage.k8s.io\/v1"/,
  )
})

test('refuses a body that ends too early, and never fails otherwise', () => {
  const whole = hexOf('a volume with its source between its own fields')
  throws(() => decodeProtobuf(whole.subarray(0, -1), schemaOf), ProtobufError)
  fc.assert(
    fc.property(fc.nat(whole.length - 1), fc.nat(255), (at, byte) => {
      const broken = Buffer.from(whole)
      broken[at] = byte
      try {
        decodeProtobuf(broken, schemaOf)
      } catch (error) {
        if (!(error instanceof ProtobufError)) throw error
      }
    }),
  )
})

const headOf = (apiVersion: string, kind: string): ProtobufWriter =>
  new ProtobufWriter().message(1, (typeMeta) => typeMeta.text(1, apiVersion).text(2, kind))
const MAGIC = Buffer.from('k8s\0')

test('refuses messages in messages without end', () => {
  const nest = (writer: ProtobufWriter, [number, ...inner]: readonly number[]): void => {
    if (number !== undefined) writer.message(number, (next) => nest(next, inner))
  }
  // The spec, its versions, a schema, then `not`, which is a schema itself.
  const nested = (levels: number): Uint8Array => {
    const head = headOf('apiextensions.k8s.io/v1', 'CustomResourceDefinition')
    nest(head, [2, 2, 7, 4, 1, ...Array.from({ length: levels }, () => 28)])
    return Buffer.concat([MAGIC, head.finish()])
  }
  match(JSON.stringify(decodeProtobuf(nested(100), schemaOf).value), /("not":\{){100}/)
  throws(() => decodeProtobuf(nested(2000), schemaOf), /exceeded max depth/)
})

test('skips fields of newer versions', () => {
  const newer = Buffer.from([0xfa, 0x3f, 0x02, 0x08, 0x01, 0x80, 0x40, 0x05]) // 1023: a message, 1024: a number
  const raw = Buffer.concat([Buffer.from([0x0a, 0x03, 0x0a, 0x01, 0x78]), newer])
  const body = Buffer.concat([MAGIC, headOf('v1', 'ConfigMap').finish(), Buffer.from([0x12, raw.length]), raw])
  deepEqual(decodeProtobuf(body, schemaOf).value, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'x' } })
})

test('refuses a number that a double cannot hold', () => {
  const generation = Buffer.from([0x38, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f])
  const raw = Buffer.concat([Buffer.from([0x0a, generation.length]), generation])
  const body = Buffer.concat([MAGIC, headOf('v1', 'ConfigMap').finish(), Buffer.from([0x12, raw.length]), raw])
  throws(() => decodeProtobuf(body, schemaOf), /number 9223372036854775807 cannot be kept exactly/)
})

test('refuses a message of too many values, packed or not', () => {
  const bodyOf = (apiVersion: string, kind: string, raw: Uint8Array): Uint8Array =>
    Buffer.concat([MAGIC, headOf(apiVersion, kind).finish(), Buffer.from([0x12]), varintOf(raw.length), raw])
  const message = (tag: number, content: Uint8Array): Uint8Array =>
    Buffer.concat([Buffer.from([tag]), varintOf(content.length), content])
  const finalizers = Buffer.alloc(2 * 50_001, Buffer.from([0x72, 0x00]))
  throws(
    () => decodeProtobuf(bodyOf('v1', 'ConfigMap', message(0x0a, finalizers)), schemaOf),
    /more than 50000 fields and list items/,
  )
  // spec.securityContext.supplementalGroups of a pod: one field of many numbers.
  const groups = message(0x22, Buffer.alloc(50_001, 1))
  throws(
    () => decodeProtobuf(bodyOf('v1', 'Pod', message(0x12, message(0x72, groups))), schemaOf),
    /more than 50000 fields and list items/,
  )
})

const varintOf = (value: number): Uint8Array =>
  value < 128 ? Buffer.from([value]) : Buffer.concat([Buffer.from([(value & 127) | 128]), varintOf(value >>> 7)])
