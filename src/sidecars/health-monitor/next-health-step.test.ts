import { deepEqual } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { claimOf, reservedFor, volumeOf } from '../../testing/objects.ts'
import type { HealthView } from './health-view.ts'
import { readHealthView } from './health-view.ts'
import { nextHealthStep } from './next-health-step.ts'
import type { HealthStep } from './next-health-step.ts'
import { REASONS } from './reasons.ts'

const CLAIM = claimOf({ spec: { volumeName: 'v1' } })
const VOLUME = volumeOf({ spec: { claimRef: reservedFor('c1', 'uid-c1') } })
const NOW = 10_000_000
const HALF_AN_HOUR = 1_800_000
const ABNORMAL = { kind: 'abnormal', message: 'bad disk' } as const
const NORMAL = { kind: 'normal' } as const
const UNLISTED = { kind: 'unlisted' } as const
const told = (message = 'bad disk', agoMs = 1000) => ({ message, atMs: NOW - agoMs })
const ASK: HealthStep = { kind: 'ask', handle: 'v1' }
const tellAbnormal: HealthStep = { kind: 'tell-abnormal', claim: CLAIM, message: 'bad disk' }
const tellNormal: HealthStep = { kind: 'tell-normal', claim: CLAIM }
const wait = (reason: Extract<HealthStep, { kind: 'wait' }>['reason'], retryInMs?: number): HealthStep => ({
  kind: 'wait',
  reason,
  ...(retryInMs === undefined ? {} : { retryInMs }),
})

const cases: [behaviour: string, held: Partial<HealthView['held']>, step: HealthStep][] = [
  ['waits until the driver has said something', {}, wait(REASONS.HealthUnknown)],
  ['waits while the volume is well', { finding: NORMAL }, wait(REASONS.VolumeConditionNormal)],
  [
    'waits while the list of abnormal volumes does not name it',
    { finding: UNLISTED },
    wait(REASONS.VolumeConditionNormal),
  ],
  ['reports an abnormal volume', { finding: ABNORMAL }, tellAbnormal],
  ['does not repeat it', { finding: ABNORMAL, told: told() }, wait(REASONS.VolumeConditionAbnormal('bad disk'))],
  ['reports another message', { finding: ABNORMAL, told: told('slow') }, tellAbnormal],
  [
    'does not repeat it as long as the event is there',
    { finding: ABNORMAL, told: told('bad disk', HALF_AN_HOUR - 1) },
    wait(REASONS.VolumeConditionAbnormal('bad disk')),
  ],
  ['repeats it before the event expires', { finding: ABNORMAL, told: told('bad disk', HALF_AN_HOUR) }, tellAbnormal],
  [
    'waits for the next list if an event is from a clock that is ahead',
    { finding: ABNORMAL, told: told('bad disk', -1000) },
    wait(REASONS.VolumeConditionAbnormal('bad disk')),
  ],
  ['reports recovery', { finding: NORMAL, told: told() }, tellNormal],
  ['asks for an abnormal volume that the list no longer names', { finding: UNLISTED, told: told() }, ASK],
  ['keeps what was told while nothing is known', { told: told() }, wait(REASONS.HealthUnknown)],
  ['asks when it is the turn of the volume', { askInMs: 0 }, ASK],
  ['asks before it reports what it knows', { askInMs: -1, finding: ABNORMAL }, ASK],
  ['does not ask before', { askInMs: 1 }, wait(REASONS.HealthUnknown, 1)],
  ['waits for the turn of the volume', { askInMs: 700 }, wait(REASONS.HealthUnknown, 700)],
  ['reports what it knows before that', { askInMs: 700, finding: ABNORMAL }, tellAbnormal],
  [
    'waits for its turn once it is reported',
    { askInMs: 700, finding: ABNORMAL, told: told() },
    wait(REASONS.VolumeConditionAbnormal('bad disk'), 700),
  ],
  ['waits for its turn if it is well', { askInMs: 700, finding: NORMAL }, wait(REASONS.VolumeConditionNormal, 700)],
]

describe('the next step for a volume', () => {
  for (const [behaviour, held, step] of cases)
    test(behaviour, () =>
      deepEqual(nextHealthStep({ seen: { volume: VOLUME, claim: CLAIM }, held: { nowMs: NOW, ...held } }), step),
    )
  test('a volume without a claim is neither asked for nor reported', () =>
    deepEqual(
      nextHealthStep({ seen: { volume: VOLUME }, held: { nowMs: NOW, askInMs: 0, finding: ABNORMAL } }),
      wait(REASONS.NotBound(reservedFor('c1'))),
    ))
})

describe('the view of a volume', () => {
  const read = (volume = VOLUME, claim = CLAIM, driver = 'test.holdfast.dev') =>
    readHealthView(volume, (key) => (key === 'default/c1' ? claim : undefined), driver)
  test('has the claim that it is bound to', () => deepEqual(read(), { volume: VOLUME, claim: CLAIM }))
  test('is that of this driver only', () => deepEqual(read(VOLUME, CLAIM, 'other'), undefined))
  test('ends when the volume is being deleted', () => {
    const metadata = { ...VOLUME.metadata, deletionTimestamp: '2030-01-01T00:00:00Z' }
    deepEqual(read({ ...VOLUME, metadata }), undefined)
  })
  test('has no claim of the same name that is another one', () => {
    const other = claimOf({ uid: 'other', spec: { volumeName: 'v1' } })
    deepEqual(read(VOLUME, other), { volume: VOLUME })
  })
  test('has no claim that does not name the volume', () =>
    deepEqual(read(VOLUME, claimOf({ spec: { volumeName: 'v2' } })), { volume: VOLUME }))
  test('is empty for a volume that no claim was ever given', () => deepEqual(read(volumeOf()), undefined))
})
