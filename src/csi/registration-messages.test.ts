import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { BinaryWriter } from '@bufbuild/protobuf/wire'
import { CSIDriverInfo, CSIDriverOptions } from './generated/csiregistration/api.ts'
import { MESSAGES } from './generated/message-table.ts'

const FLAG = 'requires_publish_pod'
const namesOf = (message: string): string[] => (MESSAGES[message] ?? []).map(({ name }) => name)

describe('what a registrar says about pods', () => {
  it('S0-19: is plain protobuf on the wire', () => {
    const bytes = CSIDriverInfo.encode(
      CSIDriverInfo.fromPartial({ csiEndpoint: '/a', options: { requiresPublishPod: true } }),
    ).finish()
    assert.deepEqual([...bytes], [0x0a, 2, 0x2f, 0x61, 0x12, 2, 0x08, 1])
  })

  it('S0-21: is no part of PluginInfo, which other plugins use too', () => {
    assert.deepEqual(namesOf('pluginregistration.PluginInfo'), ['type', 'name', 'endpoint', 'supported_versions'])
    assert.deepEqual(namesOf('csiregistration.CSIDriverOptions'), [FLAG])
  })

  it('S0-22: is no part of CSI, which knows neither pods nor service accounts', () => {
    const fields = Object.entries(MESSAGES).flatMap(([message, list]) => list.map(({ name }) => `${message}.${name}`))
    const csi = fields.filter((field) => field.startsWith('csi.v1.'))
    assert.ok(csi.length > 100)
    assert.deepEqual(
      csi.filter((field) => /pod|service_?account/i.test(field)),
      [],
    )
  })

  it('S0-23: may grow: what is not known is passed over, and what is not set is not written', () => {
    const options = new BinaryWriter()
      .uint32(8)
      .bool(true)
      .uint32(9 << 3)
      .bool(true)
      .finish()
    const info = new BinaryWriter()
      .uint32(10)
      .string('/a')
      .uint32(18)
      .bytes(options)
      .uint32((7 << 3) | 2)
      .string('later')
      .finish()
    assert.deepEqual(CSIDriverInfo.decode(info), { csiEndpoint: '/a', options: { requiresPublishPod: true } })
    assert.equal(CSIDriverInfo.encode(CSIDriverInfo.fromPartial({})).finish().length, 0)
    assert.equal(CSIDriverOptions.encode({ requiresPublishPod: false }).finish().length, 0)
  })
})
