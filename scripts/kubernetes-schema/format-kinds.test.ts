import { deepEqual, equal, match, throws } from 'node:assert/strict'
import { test } from 'node:test'
import { readSchemaTable } from '../../src/apiserver/schema/read-schema-table.ts'
import { formatKinds } from './format-kinds.ts'
import type { KindsInput } from './format-kinds.ts'

const META = 'io.k8s.apimachinery.pkg.apis.meta.v1'
const TABLE = `kind demo v1 Gadget io.k8s.api.demo.v1.Gadget
kind demo v1 Unused io.k8s.api.demo.v1.Unused

io.k8s.api.demo.v1.Gadget
~ 0 ${META}.TypeMeta
metadata 1 ${META}.ObjectMeta
spec 2 GadgetSpec

io.k8s.api.demo.v1.GadgetSpec
size 1 quantity always
color 2 string
parts 3 []Part
labels 4 {}[]string
seenAt 5 time
startedAt 6 *time
x-odd 7 int-or-string
selector 8 *${META}.Selector

io.k8s.api.demo.v1.Part
name 1 string always

io.k8s.api.demo.v1.Unused
~ 0 ${META}.TypeMeta

${META}.ObjectMeta
name 1 string

${META}.Selector
term 1 string

${META}.TypeMeta
kind 1 string
apiVersion 2 string
`

const format = (more: Partial<KindsInput> = {}): Map<string, string> => {
  const files = formatKinds({
    table: readSchemaTable(TABLE),
    kinds: ['demo/v1 Gadget'],
    refinements: {},
    values: ['Quantity', 'IntOrString', 'Color'],
    folder: 'out',
    ...more,
  })
  return new Map(files.map(({ path, text }) => [path, text]))
}

test('a kind and the structs it is made of become types, in one file for each group', () => {
  const files = format()
  deepEqual([...files.keys()], ['out/demo-v1.ts', 'out/meta-v1.ts'])
  equal(
    files.get('out/demo-v1.ts'),
    `// Generated from the Go types of Kubernetes by \`npm run generate\`. Do not edit.
import type { ObjectMeta } from '../../object.ts'
import type { IntOrString, Quantity } from '../values.ts'
import type { Selector } from './meta-v1.ts'

export type Gadget = {
  readonly apiVersion: 'demo/v1'
  readonly kind: 'Gadget'
  readonly metadata: ObjectMeta
  readonly spec?: GadgetSpec
}

export type GadgetSpec = {
  readonly size: Quantity
  readonly color?: string
  readonly parts?: readonly Part[]
  readonly labels?: Readonly<Record<string, readonly string[]>>
  readonly seenAt?: string | null
  readonly startedAt?: string
  readonly 'x-odd'?: IntOrString
  readonly selector?: Selector
}

export type Part = {
  readonly name: string
}
`,
  )
})

test('refinements add what Go does not say', () => {
  const text = format({
    refinements: {
      'demo-v1.Gadget': { doc: 'A gadget.', fields: { spec: { required: true } } },
      'demo-v1.GadgetSpec': { fields: { color: { type: "Color | 'none'", doc: 'Default red.' } } },
    },
  }).get('out/demo-v1.ts')
  match(text ?? '', /\/\*\* A gadget\. \*\/\nexport type Gadget/)
  match(text ?? '', /readonly spec: GadgetSpec/)
  match(text ?? '', / {2}\/\*\* Default red\. \*\/\n {2}readonly color\?: Color \| 'none'/)
  match(text ?? '', /import type \{ Color, IntOrString, Quantity \}/)
})

test('a kind, type or field that does not exist is an error', () => {
  throws(() => format({ kinds: ['demo/v1 Gizmo'] }), /the schema table has no demo\/v1 Gizmo/)
  throws(() => format({ refinements: { 'demo-v1.Gizmo': {} } }), /no type demo-v1\.Gizmo is generated/)
  throws(() => format({ refinements: { 'demo-v1.Part': { fields: { size: {} } } } }), /demo-v1\.Part has no field size/)
})
