import { deepEqual, equal } from 'node:assert/strict'
import { test } from 'node:test'
import { CreateVolumeRequest, CreateVolumeResponse } from '../../csi/generated/csi/v1/csi.ts'
import { judgeAnswer } from './judge-create-result.ts'

type Given = Parameters<typeof CreateVolumeResponse.fromPartial>[0]
const fromSnapshot = { type: { $case: 'snapshot' as const, value: { snapshotId: 's' } } }
const fromVolume = { type: { $case: 'volume' as const, value: { volumeId: 's' } } }
const otherVolume = { type: { $case: 'volume' as const, value: { volumeId: 't' } } }
const inZoneA = { requisite: [{ segments: { zone: 'a' } }] }
const ask = (more: Parameters<typeof CreateVolumeRequest.fromPartial>[0] = {}) =>
  CreateVolumeRequest.fromPartial({ name: 'n', capacityRange: { requiredBytes: 10n }, ...more })
const check = (request: CreateVolumeRequest, volume: Given['volume']) =>
  judgeAnswer(request, CreateVolumeResponse.fromPartial(volume ? { volume } : {}))
const verdict = (request: CreateVolumeRequest, volume: Given['volume']): unknown => {
  const checked = check(request, volume)
  return checked.kind === 'made' ? checked.warnings.map(({ code }) => code) : `${checked.kind} ${checked.reason.code}`
}

test('S3-59: what the driver returned is taken over', () => {
  const volume = {
    volumeId: 'v',
    capacityBytes: 20n,
    volumeContext: { a: '1' },
    accessibleTopology: [{ segments: { zone: 'a' } }],
  }
  deepEqual(check(ask(), volume), {
    kind: 'made',
    volume: { id: 'v', capacityBytes: 20n, context: { a: '1' }, accessibleTopology: [{ segments: { zone: 'a' } }] },
    warnings: [],
  })
})
test('a size of zero means the size that was asked for', () => {
  const checked = check(ask(), { volumeId: 'v', capacityBytes: 0n })
  equal(checked.kind === 'made' && checked.volume.capacityBytes, 10n)
})

const cases: [behaviour: string, request: CreateVolumeRequest, volume: Given['volume'], verdict: unknown][] = [
  ['a smaller volume is spoiled', ask(), { volumeId: 'v', capacityBytes: 9n }, 'spoiled VolumeTooSmall'],
  ['an answer without a volume tells nothing', ask(), undefined, 'in-doubt VolumeMissingInAnswer'],
  ['an answer without an id tells nothing', ask(), { capacityBytes: 10n }, 'in-doubt VolumeIdMissingInAnswer'],
  [
    'a volume that did not begin with the source is spoiled',
    ask({ volumeContentSource: fromSnapshot }),
    { volumeId: 'v' },
    'spoiled ContentSourceIgnored',
  ],
  [
    'a volume that began with the source is fine',
    ask({ volumeContentSource: fromSnapshot }),
    { volumeId: 'v', contentSource: fromSnapshot },
    [],
  ],
  [
    'a source of another kind is warned of',
    ask({ volumeContentSource: fromSnapshot }),
    { volumeId: 'v', contentSource: fromVolume },
    ['ContentSourceDiffers'],
  ],
  [
    'another source of the same kind is warned of',
    ask({ volumeContentSource: fromVolume }),
    { volumeId: 'v', contentSource: otherVolume },
    ['ContentSourceDiffers'],
  ],
  [
    'a place that was asked for is fine',
    ask({ accessibilityRequirements: inZoneA }),
    { volumeId: 'v', accessibleTopology: [{ segments: { zone: 'a', rack: '1' } }] },
    [],
  ],
  [
    'a place that was not asked for is warned of',
    ask({ accessibilityRequirements: inZoneA }),
    { volumeId: 'v', accessibleTopology: [{ segments: { zone: 'b' } }] },
    ['TopologyNotRequested'],
  ],
  [
    'without a place that was asked for every one is fine',
    ask(),
    { volumeId: 'v', accessibleTopology: [{ segments: { zone: 'b' } }] },
    [],
  ],
]
for (const [behaviour, request, volume, expected] of cases)
  test(behaviour, () => deepEqual(verdict(request, volume), expected))

test('a spoiled volume is named, so that it can be deleted', () => {
  const checked = check(ask(), { volumeId: 'v', capacityBytes: 9n })
  equal(checked.kind === 'spoiled' && checked.volumeId, 'v')
})
