import { deepEqual } from 'node:assert/strict'
import { test } from 'node:test'
import { NodeServiceCapability_RPC_Type as Capability } from '../../csi/generated/csi/v1/csi.ts'
import { nextStatsStep } from './next-stats-step.ts'
import type { StatsView } from './stats-view.ts'

const view = (more: Partial<StatsView> = {}): StatsView => ({
  isMounted: true,
  isRegistered: true,
  capabilities: new Set([Capability.GET_VOLUME_STATS]),
  nowMs: 100,
  dueAtMs: 100,
  ...more,
})
const HEALTH = new Set([Capability.GET_VOLUME_HEALTH])
const BOTH = new Set([Capability.GET_VOLUME_STATS, Capability.GET_VOLUME_HEALTH])
const waits = (code: string, retryInMs?: number) => ({ kind: 'wait', code, ...(retryInMs ? { retryInMs } : {}) })

const cases: [behaviour: string, view: StatsView, step: object][] = [
  ['measures when it is due', view(), { kind: 'measure', withUsage: true, withHealth: false }],
  ['asks for health alone', view({ capabilities: HEALTH }), { kind: 'measure', withUsage: false, withHealth: true }],
  ['asks for both', view({ capabilities: BOTH }), { kind: 'measure', withUsage: true, withHealth: true }],
  ['waits until it is due', view({ dueAtMs: 130 }), waits('StatsMeasured', 30)],
  ['plans the first time', view({ dueAtMs: undefined }), { kind: 'plan' }],
  [
    'plans before the driver was asked what it can do',
    view({ capabilities: undefined, dueAtMs: undefined }),
    { kind: 'plan' },
  ],
  ['asks a driver what it can do, when it is due', view({ capabilities: undefined }), { kind: 'probe' }],
  ['does not ask before it is due', view({ capabilities: undefined, dueAtMs: 101 }), waits('StatsMeasured', 1)],
  ['waits for a volume that is not mounted', view({ isMounted: false }), waits('NotMounted')],
  ['waits for a driver that is not registered', view({ isRegistered: false }), waits('DriverNotRegistered')],
  [
    'leaves a driver alone that reports nothing',
    view({ capabilities: new Set(), dueAtMs: undefined }),
    waits('StatsNotReported'),
  ],
]
for (const [behaviour, given, expected] of cases)
  test(`stats: ${behaviour}`, () => {
    const step = nextStatsStep(given)
    deepEqual(step.kind === 'wait' ? waits(step.reason.code, step.retryInMs) : step, expected)
  })
