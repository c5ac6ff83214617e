import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Fault } from './fault.ts'
import { nextFaultStep } from './next-fault-step.ts'
import type { FaultCall, FaultCount } from './next-fault-step.ts'

const fault = (members: Partial<Fault> = {}): Fault => ({
  label: 'f',
  rpcs: undefined,
  volume: undefined,
  skip: 0,
  times: 10,
  probability: 1,
  delayMs: 0,
  action: { kind: 'error', code: 'ABORTED', message: '' },
  ...members,
})
const call = (members: Partial<FaultCall> = {}): FaultCall => ({
  rpc: 'CreateVolume',
  isKnown: true,
  subjects: [],
  ...members,
})
const matched = (count: number, applied = 0): FaultCount => ({ matched: count, applied })

type Given = { faults: Fault[]; call?: FaultCall; counts?: FaultCount[]; draws?: number[] }
const cases: [behaviour: string, given: Given, chosen: number | undefined, counts: FaultCount[]][] = [
  ['applies to every call', { faults: [fault()] }, 0, [matched(1, 1)]],
  ['passes other calls', { faults: [fault({ rpcs: new Set(['Probe']) })] }, undefined, [matched(0)]],
  ['finds its call', { faults: [fault({ rpcs: new Set(['CreateVolume']) })] }, 0, [matched(1, 1)]],
  ['passes calls about nothing', { faults: [fault({ volume: /^a$/ })] }, undefined, [matched(0)]],
  [
    'finds a volume among the subjects',
    { faults: [fault({ volume: /^a$/ })], call: call({ subjects: ['b', 'a'] }) },
    0,
    [matched(1, 1)],
  ],
  ['counts the calls that it skips', { faults: [fault({ skip: 2 })], counts: [matched(1)] }, undefined, [matched(2)]],
  ['applies after those that it skips', { faults: [fault({ skip: 2 })], counts: [matched(2)] }, 0, [matched(3, 1)]],
  ['is exhausted', { faults: [fault({ times: 2 })], counts: [matched(2, 2)] }, undefined, [matched(3, 2)]],
  ['applies by chance', { faults: [fault({ probability: 0.5 })], draws: [0.49] }, 0, [matched(1, 1)]],
  ['does not apply by chance', { faults: [fault({ probability: 0.5 })], draws: [0.5] }, undefined, [matched(1)]],
  ['hides the call from later faults', { faults: [fault(), fault()] }, 0, [matched(1, 1), matched(0)]],
  [
    'leaves the call to the next fault if it does not apply',
    { faults: [fault({ skip: 5 }), fault()] },
    1,
    [matched(1), matched(1, 1)],
  ],
  [
    'does not alter what cannot be read',
    { faults: [fault({ action: { kind: 'alter', changes: {} } })], call: call({ isKnown: false }) },
    undefined,
    [matched(0)],
  ],
  [
    'does not cut after a call that cannot be read',
    { faults: [fault({ action: { kind: 'cut', when: 'after' } })], call: call({ isKnown: false }) },
    undefined,
    [matched(0)],
  ],
  [
    'cuts before a call that cannot be read',
    { faults: [fault({ action: { kind: 'cut', when: 'before' } })], call: call({ isKnown: false }) },
    0,
    [matched(1, 1)],
  ],
  [
    'delays a call that cannot be read',
    { faults: [fault({ action: { kind: 'none' }, delayMs: 1 })], call: call({ isKnown: false }) },
    0,
    [matched(1, 1)],
  ],
  ['fails a call that cannot be read', { faults: [fault()], call: call({ isKnown: false }) }, 0, [matched(1, 1)]],
]

describe('nextFaultStep', () => {
  for (const [behaviour, { faults, call: given = call(), counts = [], draws = [] }, chosen, after] of cases)
    test(behaviour, () => {
      const step = nextFaultStep({
        call: given,
        faults,
        counts,
        draw: (index) => draws[index] ?? assert.fail('no draw'),
      })
      assert.equal(step.fault, chosen === undefined ? undefined : faults[chosen])
      assert.deepEqual(step.counts, after)
    })
})
