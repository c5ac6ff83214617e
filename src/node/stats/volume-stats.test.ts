import { deepEqual, equal, throws } from 'node:assert/strict'
import { test } from 'node:test'
import { VolumeHealthErrorType, VolumeUsage_Unit as Unit } from '../../csi/generated/csi/v1/csi.ts'
import { conditionProblem, healthProblem, usageOf } from './volume-stats.ts'

const NOTHING = { capacityBytes: 0n, availableBytes: 0n, usedBytes: 0n, inodes: 0n, inodesFree: 0n, inodesUsed: 0n }
const bytes = { unit: Unit.BYTES, total: 9n, available: 4n, used: 5n }

test('stats: bytes and inodes are told apart, and what is missing is 0', () => {
  deepEqual(
    usageOf({ volumeCondition: undefined, usage: [{ unit: Unit.INODES, total: 3n, available: 1n, used: 2n }, bytes] }),
    {
      capacityBytes: 9n,
      availableBytes: 4n,
      usedBytes: 5n,
      inodes: 3n,
      inodesFree: 1n,
      inodesUsed: 2n,
    },
  )
  deepEqual(usageOf({ volumeCondition: undefined, usage: [bytes] }), {
    ...NOTHING,
    capacityBytes: 9n,
    availableBytes: 4n,
    usedBytes: 5n,
  })
  deepEqual(usageOf({ volumeCondition: undefined, usage: [{ ...bytes, unit: Unit.UNKNOWN }] }), NOTHING)
})

test('stats: less than nothing is no size', () => {
  deepEqual(
    usageOf({ volumeCondition: undefined, usage: [{ unit: Unit.BYTES, total: -1n, available: -2n, used: -3n }] }),
    NOTHING,
  )
})

test('stats: an answer without usage is an error, as with the kubelet', () => {
  throws(() => usageOf({ volumeCondition: undefined, usage: [] }), /failed to get usage from response\. usage is nil/)
})

test('stats: the condition of CSI 1.12', () => {
  equal(conditionProblem({ usage: [], volumeCondition: undefined }), undefined)
  equal(conditionProblem({ usage: [], volumeCondition: { abnormal: false, message: 'well' } }), '')
  equal(conditionProblem({ usage: [], volumeCondition: { abnormal: true, message: 'worn' } }), 'worn')
  equal(conditionProblem({ usage: [], volumeCondition: { abnormal: true, message: '' } }), 'the volume is abnormal')
})

test('stats: the health of CSI 1.13, with every problem', () => {
  const entry = (reason: string, message: string) => ({ status: VolumeHealthErrorType.DEGRADED, reason, message })
  const health = (...healthStatuses: ReturnType<typeof entry>[]) =>
    healthProblem({ volumeHealth: { volumeId: 'v', healthStatuses } })
  equal(healthProblem({ volumeHealth: undefined }), '')
  equal(health(), '')
  equal(health(entry('Worn', 'replace it')), 'Worn: replace it')
  equal(health(entry('Worn', ''), entry('', 'slow'), entry('', '')), 'Worn; slow; the volume is abnormal')
})
