import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { parsePrintableMessage } from './parse-printable-message.ts'
import { printableMessage } from './printable-message.ts'
import { CSI_RPCS } from './rpc.ts'
import { VALID_CALLS } from './testing/valid-calls.ts'

describe('parsePrintableMessage', () => {
  for (const [method, valid] of Object.entries(VALID_CALLS))
    it(`reads what printableMessage writes: ${method}`, () => {
      const rpc = CSI_RPCS.get(method)
      assert.ok(rpc)
      const answers: readonly object[] = 'answers' in valid ? valid.answers : [valid.answer]
      const messages = [
        [rpc.requestName, rpc.requestType, valid.request],
        ...answers.map((answer) => [rpc.responseName, rpc.responseType, answer]),
      ] as [string, typeof rpc.requestType, object][]
      for (const [name, type, members] of messages) {
        const message: unknown = type.fromPartial(members)
        const printed: unknown = JSON.parse(JSON.stringify(printableMessage(name, message, { showSecrets: true })))
        assert.deepEqual(type.fromPartial(parsePrintableMessage(name, printed)), message)
      }
    })

  const wrong: [string, string, unknown, RegExp][] = [
    [
      'a field that does not exist',
      'csi.v1.CreateVolumeRequest',
      { nam: 'a' },
      /^nam: CreateVolumeRequest has no field "nam"; did you mean name\?$/,
    ],
    ['a list that is none', 'csi.v1.ListVolumesResponse', { entries: {} }, /^entries: expected a list$/],
    ['an item in a list', 'csi.v1.ListVolumesResponse', { entries: [1] }, /^entries\[0\]: expected an object$/],
    [
      'an enum',
      'csi.v1.VolumeCapability',
      { access_mode: { mode: 'X' } },
      /^access_mode\.mode: expected one of UNKNOWN, /,
    ],
    ['a time', 'csi.v1.Snapshot', { creation_time: 'now' }, /^creation_time: expected a time/],
    ['a map', 'csi.v1.CreateVolumeRequest', { secrets: { a: 1 } }, /^secrets\.a: expected a string$/],
    ['a truth', 'csi.v1.ProbeResponse', { ready: 1 }, /^ready: expected true or false$/],
  ]
  for (const [what, name, json, message] of wrong)
    it(`refuses ${what}`, () => assert.throws(() => parsePrintableMessage(name, json), { message }))
})
