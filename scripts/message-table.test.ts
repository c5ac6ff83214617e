import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { test } from 'node:test'
import * as csi from '../src/csi/generated/csi/v1/csi.ts'
import * as csiRegistration from '../src/csi/generated/csiregistration/api.ts'
import { ENUMS, MESSAGES } from '../src/csi/generated/message-table.ts'
import * as pluginRegistration from '../src/csi/generated/pluginregistration/api.ts'
import { formatMessageTable } from './message-table.ts'

// Generated messages by package, as far as the comparison needs them.
type Modules = Readonly<Record<string, { create?(base: object): object }>>
const MODULES: readonly [string, Modules][] = [
  ['csi.v1.', csi as unknown as Modules],
  ['csiregistration.', csiRegistration as unknown as Modules],
  ['pluginregistration.', pluginRegistration as unknown as Modules],
]
const generatedOf = (fullName: string): unknown => {
  for (const [prefix, exports] of MODULES)
    if (fullName.startsWith(prefix)) return exports[fullName.slice(prefix.length).replaceAll('.', '_')]
  return undefined
}

test('the table names every field as the generated types do', () => {
  for (const [fullName, fields] of Object.entries(MESSAGES)) {
    const message = generatedOf(fullName) as Modules[string] | undefined
    ok(message?.create, fullName)
    const members = new Set(fields.map(({ jsonName, oneof }) => oneof ?? jsonName))
    deepEqual([fullName, Object.keys(message.create({})).sort()], [fullName, [...members].sort()])
  }
})

test('the table has every value of the generated enums', () => {
  for (const [fullName, values] of Object.entries(ENUMS)) {
    const swapped = Object.fromEntries(Object.entries(values).map(([number, name]) => [name, Number(number)]))
    deepEqual([fullName, generatedOf(fullName)], [fullName, swapped])
  }
})

test('the table has an entry for each message type of ours that a field refers to', () => {
  for (const { type, typeName = '' } of Object.values(MESSAGES).flat()) {
    if (type === 'message' && !typeName.startsWith('google.protobuf.')) ok(MESSAGES[typeName], typeName)
    if (type === 'enum') ok(ENUMS[typeName], typeName)
  }
})

const image = {
  file: [
    { package: 'google.protobuf', messageType: [{ name: 'Any' }] },
    {
      package: 'csi.v1',
      messageType: [
        {
          name: 'B',
          oneofDecl: [{ name: 'the_kind' }, { name: '_size' }],
          nestedType: [
            {
              name: 'LabelsEntry',
              options: { mapEntry: true },
              field: [
                { name: 'key', jsonName: 'key', number: 1, type: 'TYPE_STRING' },
                { name: 'value', jsonName: 'value', number: 2, type: 'TYPE_MESSAGE', typeName: '.csi.v1.A' },
              ],
            },
          ],
          field: [
            {
              name: 'a_list',
              jsonName: 'aList',
              number: 1,
              label: 'LABEL_REPEATED',
              type: 'TYPE_MESSAGE',
              typeName: '.csi.v1.A',
            },
            {
              name: 'labels',
              jsonName: 'labels',
              number: 2,
              label: 'LABEL_REPEATED',
              type: 'TYPE_MESSAGE',
              typeName: '.csi.v1.B.LabelsEntry',
            },
            {
              name: 'key',
              jsonName: 'key',
              number: 3,
              type: 'TYPE_STRING',
              oneofIndex: 0,
              options: { '[csi.v1.csi_secret]': true },
            },
            {
              name: 'size',
              jsonName: 'size',
              number: 4,
              type: 'TYPE_INT64',
              oneofIndex: 1,
              proto3Optional: true,
              options: { '[csi.v1.alpha_field]': true },
            },
          ],
        },
        { name: 'A', enumType: [{ name: 'Mode', value: [{ name: 'UNKNOWN' }, { name: 'FAST', number: 3 }] }] },
      ],
      service: [
        {
          name: 'S',
          method: [{ name: 'Get', inputType: '.csi.v1.A', outputType: '.csi.v1.B', serverStreaming: true }],
        },
      ],
    },
  ],
}

test('the table is written from a descriptor, sorted, with maps, oneofs and markings resolved', () => {
  const text = formatMessageTable(image)
  equal(
    text.slice(text.indexOf('/** Fields by')),
    `/** Fields by the full name of the message, in the order of the .proto file. */
export const MESSAGES: Readonly<Record<string, readonly MessageField[]>> = {
  'csi.v1.A': [],
  'csi.v1.B': [
    { name: 'a_list', jsonName: 'aList', number: 1, type: 'message', typeName: 'csi.v1.A', repeated: true },
    { name: 'labels', jsonName: 'labels', number: 2, type: 'map', typeName: 'csi.v1.A', keyType: 'string', valueType: 'message' },
    { name: 'key', jsonName: 'key', number: 3, type: 'string', oneof: 'theKind', secret: true },
    { name: 'size', jsonName: 'size', number: 4, type: 'int64', optional: true, alpha: true },
  ],
}

/** Value names by number, by the full name of the enum. */
export const ENUMS: Readonly<Record<string, Readonly<Record<number, string>>>> = {
  'csi.v1.A.Mode': {
    0: 'UNKNOWN',
    3: 'FAST',
  },
}

/** Calls by the full name of the service. */
export const SERVICES: Readonly<Record<string, readonly ServiceMethod[]>> = {
  'csi.v1.S': [
    { name: 'Get', request: 'csi.v1.A', response: 'csi.v1.B', serverStreaming: true },
  ],
}
`,
  )
  match(text, /^\/\/ Made by/)
})
