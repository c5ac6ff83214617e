import { deepEqual, equal } from 'node:assert/strict'
import { test } from 'node:test'
import { CODES } from '../../csi/codes.ts'
import type { Code } from '../../csi/codes.ts'
import { CsiError } from '../../csi/csi-error.ts'
import { CreateVolumeRequest } from '../../csi/generated/csi/v1/csi.ts'
import { judgeAnswer, judgeError } from './judge-create-result.ts'
import { REASONS } from './reasons.ts'

const placed = { selectedNode: 'n1', topology: true }
const judge = (code: Code | undefined, where = placed) =>
  judgeError(where, new CsiError(code, 'no', { rpc: 'CreateVolume' }))

const IN_DOUBT: readonly Code[] = ['CANCELLED', 'DEADLINE_EXCEEDED', 'ABORTED', 'UNAVAILABLE', 'OK']
for (const code of CODES) {
  const expected = IN_DOUBT.includes(code) ? 'in-doubt' : code === 'RESOURCE_EXHAUSTED' ? 'reschedule' : 'failed'
  test(`${code} of CreateVolume is ${expected}`, () => equal(judge(code).kind, expected))
}
test('an error without a status is in doubt', () => equal(judge(undefined).kind, 'in-doubt'))
test('no room is a failure when there is no other place to go', () => {
  equal(judge('RESOURCE_EXHAUSTED', { selectedNode: '', topology: true }).kind, 'failed')
  equal(judge('RESOURCE_EXHAUSTED', { selectedNode: 'n1', topology: false }).kind, 'failed')
})
test('only an invalid argument is infeasible', () => {
  deepEqual(
    CODES.filter((code) => {
      const result = judge(code)
      return result.kind === 'failed' && result.isInfeasible
    }),
    ['INVALID_ARGUMENT'],
  )
})
test('the reason tells the code as other programs print it', () => {
  deepEqual(judge('DEADLINE_EXCEEDED'), {
    kind: 'in-doubt',
    reason: REASONS.CreateVolumeFailed('DeadlineExceeded', 'no'),
  })
})

const request = CreateVolumeRequest.fromPartial({ name: 'n' })
test('an answer that names no volume is in doubt', () =>
  equal(judgeAnswer(request, { volume: undefined }).kind, 'in-doubt'))
test('an answer that names one is made', () => {
  const volume = {
    volumeId: 'v',
    capacityBytes: 0n,
    volumeContext: {},
    contentSource: undefined,
    accessibleTopology: [],
  }
  equal(judgeAnswer(request, { volume }).kind, 'made')
})
