// What the protobuf codec of the API server costs: reading recorded objects, beside reading them as JSON, and writing the OpenAPI document.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseApiVersion } from '../src/api/resource-type.ts'
import { builtInKinds } from '../src/apiserver/kinds/index.ts'
import { decodeProtobuf } from '../src/apiserver/schema/decode-protobuf.ts'
import { findSchema } from '../src/apiserver/schema/find-schema.ts'
import { DESCRIPTIONS } from '../src/apiserver/schema/generated/descriptions.ts'
import { openApiV2Document } from '../src/apiserver/schema/openapi-v2.ts'
import { readDescriptions } from '../src/apiserver/schema/read-descriptions.ts'

const ROUNDS = 9
const REPEATS = 1500
const TESTDATA = join(import.meta.dirname, '../src/apiserver/schema/testdata/protobuf.json')

type Recorded = { readonly hex: string; readonly value: unknown }

const recorded = JSON.parse(readFileSync(TESTDATA, 'utf8')) as Recorded[]
const binaries = recorded.map(({ hex }) => Buffer.from(hex, 'hex'))
const texts = recorded.map(({ value }) => JSON.stringify(value))

const schemaOf = (apiVersion: string, kind: string) => {
  const { group, version } = parseApiVersion(apiVersion)
  return findSchema(group, version, kind)
}

/** Median CPU time of one run, in microseconds. */
function measure(runs: number, act: () => void): number {
  act()
  const times = Array.from({ length: ROUNDS }, () => {
    const before = process.cpuUsage()
    for (let run = 0; run < runs; run++) act()
    const { user, system } = process.cpuUsage(before)
    return (user + system) / runs
  })
  return times.toSorted((a, b) => a - b)[ROUNDS >> 1] ?? 0
}

const print = (what: string, value: number, unit: string): void =>
  void process.stdout.write(`${what.padEnd(36)}${value.toFixed(1).padStart(8)} ${unit}\n`)

const decodeAll = (): void => {
  for (const bytes of binaries) decodeProtobuf(bytes, schemaOf)
}
const parseAll = (): void => {
  for (const text of texts) JSON.parse(text)
}
const kinds = builtInKinds().flatMap(({ type, schema }) => (schema.type === 'object' ? [{ ...type, schema }] : []))
const descriptions = readDescriptions(DESCRIPTIONS)

print('object from protobuf', measure(REPEATS, decodeAll) / binaries.length, 'µs')
print('the same object by JSON.parse', measure(REPEATS, parseAll) / texts.length, 'µs')
print(
  'OpenAPI 2 document to protobuf',
  measure(1, () => void openApiV2Document(kinds, 'v1.36.0', descriptions)) / 1000,
  'ms',
)
