import { deepEqual, ok } from 'node:assert/strict'
import { test } from 'node:test'
import type { PersistentVolumeClaim } from '../../api/kinds/persistent-volume-claim.ts'
import { claimOf, volumeOf } from '../../testing/objects.ts'
import { nextExpansionStep } from './next-expansion-step.ts'
import type { ExpansionStep } from './next-expansion-step.ts'
import { REASONS } from './reasons.ts'

const bound = (size: string, capacity?: string, metadata = {}): PersistentVolumeClaim =>
  claimOf({
    size,
    metadata,
    spec: { volumeName: 'v1' },
    status: { phase: 'Bound', ...(capacity === undefined ? {} : { capacity: { storage: capacity } }) },
  })

const waits: [behaviour: string, claim: PersistentVolumeClaim, step: ExpansionStep][] = [
  ['a claim with what it asks for is large enough', bound('1Gi', '1Gi'), { kind: 'wait', reason: REASONS.LargeEnough }],
  [
    'a claim with more than it asks for is large enough',
    bound('1Gi', '2Gi'),
    { kind: 'wait', reason: REASONS.LargeEnough },
  ],
  ['a claim that is not bound is not expanded', claimOf({ size: '2Gi' }), { kind: 'wait', reason: REASONS.NotBound }],
  [
    'a claim that is not bound counts as that, whatever its size',
    claimOf({ size: '1Gi', status: { phase: 'Lost', capacity: { storage: '1Gi' } } }),
    { kind: 'wait', reason: REASONS.NotBound },
  ],
  [
    'a claim that is leaving is not expanded',
    bound('2Gi', '1Gi', { deletionTimestamp: '2030-01-01T00:00:00Z' }),
    { kind: 'wait', reason: REASONS.NotBound },
  ],
]
for (const [behaviour, claim, step] of waits)
  test(behaviour, () => deepEqual(nextExpansionStep({ seen: { claim } }), step))

function handedOver(claim: PersistentVolumeClaim, volume?: ReturnType<typeof volumeOf>): object {
  const step = nextExpansionStep({ seen: { claim, ...(volume ? { volume } : {}) } })
  const { cure, ...reason } = step.reason
  ok(cure)
  return { ...step, reason }
}

test('a claim that asks for more is handed over to the resizer of its driver, with both sizes', () => {
  const detail = { wanted: '2Gi', present: '1Gi', driver: 'test.holdfast.dev' }
  deepEqual(handedOver(bound('2Gi', '1Gi'), volumeOf()), {
    kind: 'hand-over',
    reason: {
      code: 'ExternalExpanding',
      message: 'waiting for an external controller to expand this PVC from 1Gi to 2Gi',
      waitsFor: { kind: 'actor', name: 'the resizer of test.holdfast.dev' },
      detail,
    },
  })
})

test('without a driver, no resizer can be named; a volume without a size has none', () => {
  const detail = { wanted: '1Gi', present: '0' }
  deepEqual(handedOver(bound('1Gi')), {
    kind: 'hand-over',
    reason: {
      code: 'ExternalExpanding',
      message: 'waiting for an external controller to expand this PVC from 0 to 1Gi',
      waitsFor: { kind: 'actor', name: 'a resizer for this volume type' },
      detail,
    },
  })
})
