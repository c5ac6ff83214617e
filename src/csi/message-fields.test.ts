import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { VolumeCapability } from './generated/csi/v1/csi.ts'
import { fieldsOf, itemsOf } from './message-fields.ts'

const namesOf = (messageName: string, message: unknown): string[] =>
  Array.from(fieldsOf(messageName, message), ([{ name }]) => name)

describe('fieldsOf', () => {
  it('puts the chosen member of a oneof in its place, and leaves the others out', () => {
    const capability = VolumeCapability.fromPartial({
      accessType: { $case: 'block', value: {} },
      accessMode: { mode: 1 },
    })
    assert.deepEqual(namesOf('csi.v1.VolumeCapability', capability), ['block', 'access_mode'])
    assert.deepEqual(namesOf('csi.v1.VolumeCapability', VolumeCapability.fromPartial({})), [])
  })

  it('takes a message that is absent, half made, or of an unknown kind', () => {
    assert.deepEqual(namesOf('csi.v1.Volume', undefined), [])
    assert.deepEqual(namesOf('csi.v1.Volume', { volumeId: 'v' }), ['volume_id'])
    assert.deepEqual(namesOf('csi.v1.Nothing', { volumeId: 'v' }), [])
  })
})

describe('itemsOf', () => {
  it('is the list of a repeated field, and a list of one otherwise', () => {
    const field = { name: 'a', jsonName: 'a', number: 1, type: 'string' } as const
    assert.deepEqual(itemsOf({ ...field, repeated: true }, ['x', 'y']), ['x', 'y'])
    assert.deepEqual(itemsOf(field, 'x'), ['x'])
  })
})
