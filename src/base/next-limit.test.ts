import { deepEqual, equal } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { firstLimit, nextLimit } from './next-limit.ts'
import type { LimitEvent, LimitRules, LimitState } from './next-limit.ts'

const rules: LimitRules = { start: 10, floor: 1, ceiling: 40, restMs: 1000 }
const state = (more: Partial<LimitState> = {}): LimitState => ({
  limit: 10,
  trial: undefined,
  next: 'up',
  nextTrialMs: 0,
  shrunkAtMs: -1,
  ...more,
})
const measured = (perSecond: number, nowMs = 500): LimitEvent => ({ kind: 'measured', perSecond, nowMs })
const overloaded = (startedMs: number, nowMs = 500): LimitEvent => ({ kind: 'overloaded', startedMs, nowMs })
const at = (limit: number, perSecond: number) => ({ proven: { limit, perSecond } })

test('is not below its floor, however overloaded the other side is', () => {
  equal(nextLimit(state({ limit: 5 }), overloaded(100), { ...rules, floor: 4 }).limit, 4)
  equal(nextLimit(state({ limit: 2 }), overloaded(100), { ...rules, floor: 4 }).limit, 2)
})

test('starts where it is told, and never above the ceiling', () => {
  equal(firstLimit(rules).limit, 10)
  equal(firstLimit({ ...rules, ceiling: 3 }).limit, 3)
})

describe('the next limit', () => {
  const cases: [behaviour: string, given: LimitState, event: LimitEvent, next: Partial<LimitState>][] = [
    ['is tried as soon as something is known', state(), measured(100), { limit: 15, trial: 'up', ...at(10, 100) }],
    [
      'is raised again when the last raise was of use',
      state({ limit: 15, trial: 'up', ...at(10, 100) }),
      measured(111),
      { limit: 22, trial: 'up', ...at(15, 111) },
    ],
    [
      'is the former one when the raise was of no use',
      state({ limit: 15, trial: 'up', ...at(10, 100) }),
      measured(109),
      { limit: 10, trial: undefined, nextTrialMs: 1500, ...at(10, 100) },
    ],
    [
      'stays until the rest is over',
      state({ nextTrialMs: 501, ...at(10, 100) }),
      measured(100),
      { limit: 10, trial: undefined },
    ],
    [
      'is tried again after the rest',
      state({ nextTrialMs: 500, ...at(10, 100) }),
      measured(100),
      { limit: 15, trial: 'up' },
    ],
    [
      'ends at the ceiling',
      state({ limit: 30, trial: 'up', ...at(22, 100) }),
      measured(200),
      { limit: 40, trial: 'up' },
    ],
    [
      'stays at the ceiling',
      state({ limit: 40, trial: 'up', ...at(30, 100) }),
      measured(200),
      { limit: 40, trial: undefined, ...at(40, 200) },
    ],
    ['grows by one at least', state({ limit: 1 }), measured(10), { limit: 2 }],
    [
      'takes the mean of what it sees',
      state({ nextTrialMs: 900, ...at(10, 100) }),
      measured(60),
      { limit: 10, ...at(10, 80) },
    ],
    [
      'is lower when answers take much longer',
      state({ limit: 40, ...at(40, 100) }),
      measured(49),
      { limit: 30, nextTrialMs: 1500, ...at(30, 49) },
    ],
    [
      'is not below the start because answers take longer',
      state({ ...at(10, 100) }),
      measured(10),
      { limit: 10, ...at(10, 10) },
    ],
    [
      'is not above a lower one because answers take longer',
      state({ limit: 4, ...at(4, 100) }),
      measured(10),
      { limit: 4 },
    ],
    [
      'is tried lower after a raise that was of no use',
      state({ limit: 33, trial: 'up', ...at(22, 100) }),
      measured(100),
      { limit: 22, trial: undefined, next: 'down' },
    ],
    [
      'is lower when that does no harm',
      state({ limit: 22, trial: 'down', next: 'down', ...at(30, 100) }),
      measured(95),
      { limit: 16, trial: 'down', ...at(22, 95) },
    ],
    [
      'is the former one when a lower one does harm',
      state({ limit: 22, trial: 'down', next: 'down', ...at(30, 100) }),
      measured(94),
      { limit: 30, trial: undefined, next: 'up', ...at(30, 100) },
    ],
    [
      'is not tried below the start',
      state({ next: 'down', ...at(10, 100) }),
      measured(100),
      { limit: 10, trial: undefined, next: 'up', nextTrialMs: 1500 },
    ],
    [
      'is half when the other side is overloaded',
      state({ limit: 9, ...at(9, 100) }),
      overloaded(100),
      { limit: 4, trial: undefined, proven: undefined, nextTrialMs: 1500, shrunkAtMs: 500 },
    ],
    ['is one at least', state({ limit: 1 }), overloaded(100), { limit: 1 }],
    [
      'is halved once for calls that were under way together',
      state({ limit: 4, shrunkAtMs: 400 }),
      overloaded(400),
      { limit: 4, shrunkAtMs: 400 },
    ],
    ['is halved again for a later call', state({ limit: 4, shrunkAtMs: 400 }), overloaded(401), { limit: 2 }],
  ]
  for (const [behaviour, given, event, expected] of cases)
    test(behaviour, () => {
      const next = nextLimit(given, event, rules)
      deepEqual(Object.fromEntries(Object.keys(expected).map((key) => [key, next[key as keyof LimitState]])), expected)
    })
})
