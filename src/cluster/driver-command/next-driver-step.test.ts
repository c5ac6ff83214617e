import { deepEqual } from 'node:assert/strict'
import { test } from 'node:test'
import { delayAfter, nextDriverStep } from './next-driver-step.ts'
import type { DriverProcessView, DriverStep } from './next-driver-step.ts'

const view = (more: Partial<DriverProcessView> = {}): DriverProcessView => ({
  nowMs: 10_000,
  process: { kind: 'running' },
  files: 'same',
  ...more,
})
const ended = (agoMs: number, failures: number): DriverProcessView['process'] => ({
  kind: 'ended',
  atMs: 10_000 - agoMs,
  failures,
})

const cases: [behaviour: string, view: DriverProcessView, step: DriverStep][] = [
  ['starts a driver that was never started', view({ process: { kind: 'none' } }), { kind: 'start' }],
  ['leaves a running driver alone', view(), { kind: 'wait' }],
  ['restarts a running driver whose files have changed', view({ files: 'changed' }), { kind: 'restart' }],
  ['waits until the files are complete', view({ files: 'settling' }), { kind: 'wait' }],
  [
    'does not start a program that is being written',
    view({ files: 'settling', process: ended(60_000, 1) }),
    { kind: 'wait' },
  ],
  ['waits before it starts a dead driver again', view({ process: ended(100, 1) }), { kind: 'wait', forMs: 400 }],
  ['starts a dead driver again after the delay', view({ process: ended(500, 1) }), { kind: 'start' }],
  ['waits longer after each failure', view({ process: ended(500, 3) }), { kind: 'wait', forMs: 1500 }],
  [
    'starts a dead driver at once when its files have changed',
    view({ process: ended(1, 9), files: 'changed' }),
    { kind: 'start' },
  ],
]
for (const [behaviour, given, step] of cases) test(behaviour, () => deepEqual(nextDriverStep(given), step))

test('the delay has a limit', () => deepEqual(delayAfter(99), 10_000))
