import { deepEqual } from 'node:assert/strict'
import { test } from 'node:test'
import type { Taint } from '../../api/kinds/node.ts'
import type { Pod, Toleration } from '../../api/kinds/pod.ts'
import { nextEvictionStep, REASONS } from './next-eviction-step.ts'
import type { EvictionStep } from './next-eviction-step.ts'

const NOW = 1_000_000
const taint = (key: string): Taint => ({ key, effect: 'NoExecute' })
const tolerate = (key: string, tolerationSeconds?: number): Toleration => ({
  key,
  operator: 'Exists',
  effect: 'NoExecute',
  ...(tolerationSeconds === undefined ? {} : { tolerationSeconds }),
})
const podOf = (tolerations?: readonly Toleration[], metadata: object = {}): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'p', namespace: 'default', ...metadata },
  spec: { containers: [], nodeName: 'n1', ...(tolerations ? { tolerations } : {}) },
})

type Given = { tolerations?: Toleration[]; taints?: Taint[]; sinceMs?: number; metadata?: object }
const step = ({ tolerations, taints = [taint('a')], sinceMs, metadata }: Given): EvictionStep =>
  nextEvictionStep({ seen: { pod: podOf(tolerations, metadata), taints }, held: { nowMs: NOW, sinceMs } })

const waiting = (seconds: number, retryInMs: number): EvictionStep => ({
  kind: 'wait',
  reason: REASONS.ToleratedForSeconds(podOf(), seconds),
  retryInMs,
})
const cases: [behaviour: string, given: Given, step: EvictionStep][] = [
  ['a pod without a toleration is evicted', {}, { kind: 'evict' }],
  ['a pod that tolerates another taint is evicted', { tolerations: [tolerate('b')] }, { kind: 'evict' }],
  [
    'a pod that tolerates only one of two taints is evicted',
    { tolerations: [tolerate('a')], taints: [taint('a'), taint('b')] },
    { kind: 'evict' },
  ],
  [
    'a pod that tolerates the taint for ever stays',
    { tolerations: [tolerate('a')] },
    { kind: 'wait', reason: REASONS.Tolerated },
  ],
  [
    'a pod that tolerates the taint for a time gets that time',
    { tolerations: [tolerate('a', 300)] },
    { kind: 'schedule' },
  ],
  ['its time is counted', { tolerations: [tolerate('a', 300)], sinceMs: NOW - 10_500 }, waiting(290, 289_500)],
  ['its last millisecond counts', { tolerations: [tolerate('a', 300)], sinceMs: NOW - 299_999 }, waiting(1, 1)],
  ['seconds are whole', { tolerations: [tolerate('a', 2002)], sinceMs: NOW }, waiting(2002, 2_002_000)],
  ['its time is over', { tolerations: [tolerate('a', 300)], sinceMs: NOW - 300_000 }, { kind: 'evict' }],
  [
    'the shortest time counts',
    {
      tolerations: [tolerate('a', 300), tolerate('b', 60)],
      taints: [taint('a'), taint('b')],
      sinceMs: NOW,
    },
    waiting(60, 60_000),
  ],
  [
    'the first toleration of a taint counts',
    { tolerations: [tolerate('a', 300), tolerate('a', 60)], sinceMs: NOW },
    waiting(300, 300_000),
  ],
  ['a toleration of a moment is one', { tolerations: [tolerate('a', 0.001)], sinceMs: NOW - 0.5 }, waiting(1, 0.5)],
  ['a toleration of 0 s is none', { tolerations: [tolerate('a', 0)] }, { kind: 'evict' }],
  ['the eviction is cancelled when the taints are gone', { taints: [], sinceMs: NOW }, { kind: 'cancel' }],
  [
    'the eviction is cancelled when the pod tolerates the taint for ever',
    { tolerations: [tolerate('a')], sinceMs: NOW - 1 },
    { kind: 'cancel' },
  ],
  [
    'a pod that is being deleted is left alone',
    { metadata: { deletionTimestamp: '2030-01-01T00:00:00Z' } },
    { kind: 'wait', reason: REASONS.PodLeaving },
  ],
]
for (const [behaviour, given, expected] of cases) test(behaviour, () => deepEqual(step(given), expected))

test('every reason says what happens', () =>
  deepEqual(
    [REASONS.Tolerated, REASONS.PodLeaving, REASONS.ToleratedForSeconds(podOf(), 5)],
    [
      { code: 'Tolerated', message: 'the pod tolerates the taints of its node' },
      { code: 'PodLeaving', message: 'the pod is being deleted' },
      {
        code: 'ToleratedForSeconds',
        message: 'the pod is evicted in 5s unless node n1 recovers',
        waitsFor: { kind: 'object', apiVersion: 'v1', kindName: 'Node', name: 'n1' },
      },
    ],
  ))
