import { deepEqual, equal, ok } from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { run } from '../../scripts/run.ts'
import { ENUMS, MESSAGES, SERVICES } from '../../src/csi/generated/message-table.ts'
import type { MessageField } from '../../src/csi/generated/message-table.ts'
import { buildPeer } from './peers.ts'

type Descriptor = { messages: Record<string, MessageField[]>; enums: typeof ENUMS; services: typeof SERVICES }

// From a design of its own that no released package carries.
const OURS_ALONE = 'csiregistration.'

// What CSI 1.12 had and 1.13 removed, with the numbers that 1.13 reserves. Drivers up to 1.12 still send it.
const CONDITION = 'csi.v1.VolumeCondition'
const conditionField = (alpha: boolean): MessageField => ({
  name: 'volume_condition',
  jsonName: 'volumeCondition',
  number: 2,
  type: 'message',
  typeName: CONDITION,
  ...(alpha ? { alpha: true } : {}),
})
const REMOVED_FIELDS: Readonly<Record<string, MessageField>> = {
  'csi.v1.ListVolumesResponse.VolumeStatus': conditionField(true),
  'csi.v1.ControllerGetVolumeResponse.VolumeStatus': conditionField(false),
  'csi.v1.NodeGetVolumeStatsResponse': conditionField(true),
}
const REMOVED_MESSAGES: Readonly<Record<string, MessageField[]>> = {
  [CONDITION]: [
    { name: 'abnormal', jsonName: 'abnormal', number: 1, type: 'bool' },
    { name: 'message', jsonName: 'message', number: 2, type: 'string' },
  ],
}
const REMOVED_VALUES: typeof ENUMS = {
  'csi.v1.ControllerServiceCapability.RPC.Type': { 11: 'VOLUME_CONDITION' },
  'csi.v1.NodeServiceCapability.RPC.Type': { 4: 'VOLUME_CONDITION' },
}

describe('our CSI definitions equal the specification’s descriptor, field by field', () => {
  let released: Descriptor
  before(async () => {
    const { code, stdout, stderr } = await run(await buildPeer('dump-descriptor'), [])
    equal(code, 0, stderr)
    released = JSON.parse(stdout) as Descriptor
  })

  test('every message, with the name, number, type and markings of each field', () => {
    ok(Object.keys(released.messages).length > 80)
    const messages = Object.entries(renameOneofs(released.messages)).map(([name, fields]) => {
      const removed = REMOVED_FIELDS[name]
      return [name, removed ? [...fields, removed] : fields]
    })
    compare(MESSAGES, { ...Object.fromEntries(messages), ...REMOVED_MESSAGES })
  })

  test('every enum, with the name and number of each value', () => {
    ok(Object.keys(released.enums).length > 5)
    const enums = Object.entries(released.enums).map(([name, values]) => [name, { ...values, ...REMOVED_VALUES[name] }])
    compare(ENUMS, Object.fromEntries(enums))
  })

  test('every service, with the messages and streaming of each call', () => {
    ok(Object.keys(released.services).length > 5)
    compare(SERVICES, released.services)
  })

  test('what we keep of CSI 1.12 takes no name or number of the released version', () => {
    for (const [name, { number }] of Object.entries(REMOVED_FIELDS))
      ok(
        released.messages[name]?.every((field) => field.number !== number && field.name !== 'volume_condition'),
        name,
      )
    for (const [name, values] of Object.entries(REMOVED_VALUES))
      for (const number of Object.keys(values)) equal(released.enums[name]?.[Number(number)], undefined, name)
    equal(released.messages[CONDITION], undefined)
  })

  test('the markings compared include secrets, alpha fields, oneofs, maps and streams', () => {
    const fields = Object.values(released.messages).flat()
    ok(fields.filter(({ secret }) => secret).length > 10)
    ok(fields.some(({ alpha }) => alpha))
    ok(fields.some(({ oneof }) => oneof))
    ok(fields.some(({ type }) => type === 'map'))
    ok(
      Object.values(released.services)
        .flat()
        .some(({ serverStreaming }) => serverStreaming),
    )
  })
})

/** Name by name, so that a failure shows the one that differs and not the whole table. */
function compare(ours: Readonly<Record<string, unknown>>, theirs: Readonly<Record<string, unknown>>): void {
  const names = Object.keys(ours).filter((name) => !name.startsWith(OURS_ALONE))
  deepEqual(names.sort(), Object.keys(theirs).sort())
  for (const name of names) deepEqual([name, sortMembers(ours[name])], [name, sortMembers(theirs[name])])
}

// Our table writes a oneof as our types do.
function renameOneofs(messages: Descriptor['messages']): Descriptor['messages'] {
  return Object.fromEntries(Object.entries(messages).map(([name, fields]) => [name, fields.map(renameOneof)]))
}

function renameOneof(field: MessageField): MessageField {
  return field.oneof === undefined
    ? field
    : { ...field, oneof: field.oneof.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()) }
}

// The order of fields in a file means nothing.
function sortMembers(value: unknown): unknown {
  if (!Array.isArray(value)) return value
  return (value as { name: string }[]).toSorted((left, right) => (left.name < right.name ? -1 : 1))
}
