import { deepEqual } from 'node:assert/strict'
import { test } from 'node:test'
import type { PersistentVolumeClaim } from '../../api/kinds/persistent-volume-claim.ts'
import type { PersistentVolume } from '../../api/kinds/persistent-volume.ts'
import { claimOf, reservedFor, volumeOf } from '../../testing/objects.ts'
import type { ClaimStep } from './next-claim-step.ts'
import { nextBindStep } from './next-claim-step.ts'
import { REASONS } from './reasons.ts'

const COMPLETED = { annotations: { 'pv.kubernetes.io/bind-completed': 'yes' } }
const status = { phase: 'Bound', accessModes: ['ReadWriteOnce'], capacity: { storage: '1Gi' } } as const
const ours = (more: Parameters<typeof volumeOf>[0] = {}): PersistentVolume =>
  volumeOf({ phase: 'Bound', ...more, spec: { claimRef: reservedFor('c1', 'uid-c1'), ...more.spec } })
const completed = (more: Parameters<typeof claimOf>[0] = {}): PersistentVolumeClaim =>
  claimOf({ metadata: COMPLETED, spec: { volumeName: 'v1' }, ...more })
const large = ours({
  size: '3Gi',
  spec: { volumeAttributesClassName: 'gold' },
  metadata: { annotations: { 'volume.alpha.kubernetes.io/pre-resize-capacity': '2Gi' } },
})

const cases: [behaviour: string, claim: PersistentVolumeClaim, volume: PersistentVolume, step: ClaimStep][] = [
  [
    'a free volume is reserved, by choice',
    claimOf(),
    volumeOf(),
    { kind: 'reserve-volume', volume: volumeOf(), isChoice: true },
  ],
  [
    'a volume that a person reserved gets the uid',
    claimOf(),
    volumeOf({ spec: { claimRef: reservedFor('c1') } }),
    { kind: 'reserve-volume', volume: volumeOf({ spec: { claimRef: reservedFor('c1') } }), isChoice: false },
  ],
  [
    'a reserved volume is marked bound',
    claimOf(),
    ours({ phase: 'Available' }),
    { kind: 'mark-volume-bound', volume: ours({ phase: 'Available' }) },
  ],
  [
    'the claim gets the name of its volume, by choice',
    claimOf(),
    ours(),
    { kind: 'complete-claim', volume: ours(), isChoice: true },
  ],
  [
    'a claim that was marked and names another volume gets the right name',
    completed({ spec: { volumeName: 'v2' } }),
    ours(),
    { kind: 'complete-claim', volume: ours(), isChoice: true },
  ],
  [
    'a claim that names its volume is only marked',
    claimOf({ spec: { volumeName: 'v1' } }),
    ours(),
    { kind: 'complete-claim', volume: ours(), isChoice: false },
  ],
  [
    'the status of the claim comes from the volume',
    completed(),
    ours(),
    { kind: 'mark-claim-bound', volume: ours(), status },
  ],
  [
    'size and attributes class are taken over once, the size from before a resize; the rest of the status stays',
    completed({ status: { phase: 'Pending', currentVolumeAttributesClassName: 'old', conditions: [] } }),
    large,
    {
      kind: 'mark-claim-bound',
      volume: large,
      status: {
        phase: 'Bound',
        accessModes: ['ReadWriteOnce'],
        capacity: { storage: '2Gi' },
        currentVolumeAttributesClassName: 'gold',
        conditions: [],
      },
    },
  ],
  [
    'a former attributes class goes where the volume has none',
    completed({ status: { phase: 'Pending', currentVolumeAttributesClassName: 'old' } }),
    ours(),
    { kind: 'mark-claim-bound', volume: ours(), status },
  ],
  [
    'later only access modes are followed',
    completed({ status: { ...status, accessModes: ['ReadOnlyMany'], capacity: { storage: '5Gi' } } }),
    large,
    { kind: 'mark-claim-bound', volume: large, status: { ...status, capacity: { storage: '5Gi' } } },
  ],
  ['then nothing is left to do', completed({ status }), large, { kind: 'wait', reason: REASONS.Bound('v1') }],
]
for (const [behaviour, claim, volume, step] of cases)
  test(behaviour, () => deepEqual(nextBindStep(claim, volume), step))

test('a claim without a status and a volume without modes, size and status', () => {
  const { status: _noStatus, ...claim } = completed()
  const { status: _noPhase, ...unmarked } = ours()
  deepEqual(nextBindStep(claim, unmarked), { kind: 'mark-volume-bound', volume: unmarked })
  const { capacity: _noSize, accessModes: _noModes, ...spec } = ours().spec
  const bare = { ...ours(), spec }
  deepEqual(nextBindStep(claim, bare), {
    kind: 'mark-claim-bound',
    volume: bare,
    status: { phase: 'Bound', accessModes: [], capacity: {} },
  })
})
