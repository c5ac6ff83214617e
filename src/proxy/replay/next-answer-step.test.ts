import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Json, RecordedCall } from '../recording/recording.ts'
import { nextAnswerStep, NO_ANSWERS } from './next-answer-step.ts'

const call = (number: number, method: string, request: Json, more: Partial<RecordedCall> = {}): RecordedCall => ({
  call: number,
  rpc: `/csi.v1.${method}`,
  startedMs: 0,
  tookMs: 0,
  begins: number * 2,
  ends: number * 2 + 1,
  request,
  reply: { code: 'OK', response: {} },
  ...more,
})
const CALLS = [
  call(1, 'Identity/Probe', {}),
  call(2, 'Controller/CreateVolume', { name: 'a' }, { reply: { code: 'ABORTED' } }),
  call(3, 'Controller/CreateVolume', { name: 'b' }),
  call(4, 'Controller/CreateVolume', { name: 'a' }),
  call(5, 'Node/NodeStageVolume', { volume_id: 'v' }, { fault: { label: 'f', reply: { code: 'INTERNAL' } } }),
  call(6, 'Node/NodeStageVolume', { volume_id: 'v' }),
]

type Asked = [rpc: string, request: Json]
const cases: [behaviour: string, asked: Asked[], answers: (number | string)[]][] = [
  [
    'repeats the answer to a call about the driver',
    [
      ['Probe', {}],
      ['Probe', {}],
    ],
    [1, 1],
  ],
  [
    'gives each name of the cluster a recorded name, and its answers in order',
    [
      ['CreateVolume', { name: 'x' }],
      ['CreateVolume', { name: 'y' }],
      ['CreateVolume', { name: 'x' }],
      ['CreateVolume', { name: 'x' }],
    ],
    [2, 3, 4, 4],
  ],
  ['keeps a name that is recorded', [['CreateVolume', { name: 'b' }]], [3]],
  [
    'has no third volume',
    [
      ['CreateVolume', { name: 'x' }],
      ['CreateVolume', { name: 'y' }],
      ['CreateVolume', { name: 'z' }],
    ],
    [2, 3, 'unknown'],
  ],
  ['plays what the caller saw of a fault', [['NodeStageVolume', { volume_id: 'v' }]], [5]],
  ['does not know another volume', [['NodeStageVolume', { volume_id: 'w' }]], ['unknown']],
  ['undoes what was never done', [['DeleteVolume', { volume_id: 'v' }]], ['nothing-to-undo']],
]

describe('nextAnswerStep', () => {
  for (const [behaviour, asked, answers] of cases)
    test(behaviour, () => {
      let state = NO_ANSWERS
      const seen = asked.map(([rpc, request]) => {
        const step = nextAnswerStep(CALLS, { rpc, request }, state)
        state = step.state
        return step.kind === 'answer' ? step.call.call : step.kind
      })
      assert.deepEqual(seen, answers)
    })
})
