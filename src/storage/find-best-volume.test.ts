import { equal, ok, throws } from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { PersistentVolumeClaim } from '../api/kinds/persistent-volume-claim.ts'
import type { AccessMode, PersistentVolume } from '../api/kinds/persistent-volume.ts'
import { selectsLabels } from '../api/label-selector.ts'
import { SelectorError } from '../api/selector-error.ts'
import { compareQuantities } from '../api/quantity.ts'
import { isVolumeBoundToClaim } from './claim-reference.ts'
import { findBestVolume, isCandidate } from './find-best-volume.ts'
import type { MatchOptions } from './find-best-volume.ts'
import { classNameOf } from './names.ts'
import { capacityOf, requestedSizeOf } from './requested-size.ts'
import { claimOf, reservedFor, volumeOf } from '../testing/objects.ts'
import { createVolumeStock } from './volume-stock.ts'

const findName = (
  claim: PersistentVolumeClaim,
  volumes: PersistentVolume[],
  options?: MatchOptions,
): string | undefined => findBestVolume(claim, createVolumeStock(volumes), options)?.metadata.name

const cases: [
  behaviour: string,
  claim: PersistentVolumeClaim,
  volumes: PersistentVolume[],
  found: string | undefined,
][] = [
  [
    'takes the smallest that is large enough',
    claimOf({ size: '2Gi' }),
    [volumeOf({ name: 'a', size: '5Gi' }), volumeOf({ name: 'b', size: '3Gi' }), volumeOf({ name: 'c', size: '1Gi' })],
    'b',
  ],
  [
    'takes a volume of exactly the size, however it is written',
    claimOf({ size: '1024Mi' }),
    [volumeOf({ name: 'a', size: '2Gi' }), volumeOf({ name: 'b', size: '1Gi' })],
    'b',
  ],
  ['looks at fractions of a byte', claimOf({ size: '1500m' }), [volumeOf({ name: 'a', size: '1200m' })], undefined],
  [
    'copes with sizes that no disk has',
    claimOf({ size: '10E' }),
    [volumeOf({ name: 'a', size: '1Gi' }), volumeOf({ name: 'b', size: '20E' })],
    'b',
  ],
  [
    'prefers few access modes to small size',
    claimOf(),
    [
      volumeOf({ name: 'a', size: '1Gi', modes: ['ReadWriteOnce', 'ReadOnlyMany'] }),
      volumeOf({ name: 'b', size: '9Gi' }),
    ],
    'b',
  ],
  ['needs all access modes', claimOf({ modes: ['ReadWriteOnce', 'ReadOnlyMany'] }), [volumeOf()], undefined],
  [
    'a claim for one pod needs a volume that can be had so',
    claimOf({ modes: ['ReadWriteOncePod'] }),
    [volumeOf({ name: 'a' }), volumeOf({ name: 'b', size: '2Gi', modes: ['ReadWriteOncePod'] })],
    'b',
  ],
  [
    'a volume for one pod is none for many',
    claimOf({ modes: ['ReadWriteOnce'] }),
    [volumeOf({ modes: ['ReadWriteOncePod'] })],
    undefined,
  ],
  [
    'keeps block and filesystem apart',
    claimOf({ spec: { volumeMode: 'Block' } }),
    [volumeOf({ name: 'a' }), volumeOf({ name: 'b', spec: { volumeMode: 'Block' } })],
    'b',
  ],
  [
    'keeps classes apart',
    claimOf({ spec: { storageClassName: 'fast' } }),
    [volumeOf({ name: 'a' }), volumeOf({ name: 'b', spec: { storageClassName: 'fast' } })],
    'b',
  ],
  [
    'no class and the empty class are the same',
    claimOf({ spec: { storageClassName: '' } }),
    [volumeOf({ spec: { storageClassName: '' } })],
    'v1',
  ],
  [
    'knows the old annotation of the class',
    claimOf({ spec: { storageClassName: 'fast' } }),
    [volumeOf({ metadata: { annotations: { 'volume.beta.kubernetes.io/storage-class': 'fast' } } })],
    'v1',
  ],
  [
    'keeps attributes classes apart',
    claimOf({ spec: { volumeAttributesClassName: 'gold' } }),
    [volumeOf({ name: 'a' }), volumeOf({ name: 'b', spec: { volumeAttributesClassName: 'gold' } })],
    'b',
  ],
  [
    'looks at labels',
    claimOf({ spec: { selector: { matchLabels: { disk: 'ssd' } } } }),
    [volumeOf({ name: 'a' }), volumeOf({ name: 'b', metadata: { name: 'b', labels: { disk: 'ssd' } } })],
    'b',
  ],
  ['an empty selector takes any labels', claimOf({ spec: { selector: {} } }), [volumeOf()], 'v1'],
  [
    'leaves volumes alone that are not available',
    claimOf(),
    [
      volumeOf({ name: 'a', phase: 'Pending' }),
      volumeOf({ name: 'b', phase: 'Released' }),
      volumeOf({ name: 'c', phase: 'Failed' }),
    ],
    undefined,
  ],
  [
    'leaves volumes alone that are being deleted',
    claimOf(),
    [volumeOf({ metadata: { deletionTimestamp: '2026-01-01T00:00:00Z', name: 'v1' } })],
    undefined,
  ],
  [
    'leaves volumes alone that name another claim',
    claimOf(),
    [volumeOf({ spec: { claimRef: reservedFor('c2') } })],
    undefined,
  ],
  [
    'leaves volumes alone that name a claim of another namespace',
    claimOf(),
    [volumeOf({ spec: { claimRef: { ...reservedFor('c1'), namespace: 'other' } } })],
    undefined,
  ],
  [
    'leaves volumes alone that name a former claim of this name',
    claimOf(),
    [volumeOf({ spec: { claimRef: reservedFor('c1', 'uid-former') } })],
    undefined,
  ],
  [
    'takes what is reserved for it first, also if it is large and of another class',
    claimOf(),
    [
      volumeOf({ name: 'a' }),
      volumeOf({
        name: 'b',
        size: '9Gi',
        phase: 'Pending',
        spec: { storageClassName: 'slow', claimRef: reservedFor('c1') },
      }),
    ],
    'b',
  ],
  [
    'takes what is reserved for it first, also with more access modes',
    claimOf(),
    [
      volumeOf({ name: 'a' }),
      volumeOf({ name: 'b', modes: ['ReadWriteOnce', 'ReadWriteMany'], spec: { claimRef: reservedFor('c1') } }),
    ],
    'b',
  ],
  [
    'ends a binding that was begun before anything else',
    claimOf(),
    [
      volumeOf({ name: 'a', spec: { claimRef: reservedFor('c1') } }),
      volumeOf({ name: 'b', size: '9Gi', spec: { claimRef: reservedFor('c1', 'uid-c1') } }),
    ],
    'b',
  ],
  [
    'what is reserved has to be large enough all the same',
    claimOf({ size: '2Gi' }),
    [volumeOf({ spec: { claimRef: reservedFor('c1') } })],
    undefined,
  ],
  [
    'what is reserved has to have the volume mode all the same',
    claimOf({ spec: { volumeMode: 'Block' } }),
    [volumeOf({ spec: { claimRef: reservedFor('c1') } })],
    undefined,
  ],
  [
    'takes what is free when what is reserved does not fit',
    claimOf({ size: '2Gi' }),
    [volumeOf({ name: 'a', spec: { claimRef: reservedFor('c1') } }), volumeOf({ name: 'b', size: '3Gi' })],
    'b',
  ],
  ['of two alike takes the first by name', claimOf(), [volumeOf({ name: 'b' }), volumeOf({ name: 'a' })], 'a'],
]
for (const [behaviour, claim, volumes, found] of cases)
  test(`S3-61: ${behaviour}`, () => equal(findName(claim, volumes), found))

test('S3-64: the scheduler takes only what its node reaches, and nothing else where something is reserved', () => {
  const isReachable = ({ metadata }: PersistentVolume): boolean => metadata.name !== 'a'
  equal(findName(claimOf(), [volumeOf({ name: 'a' }), volumeOf({ name: 'b', size: '2Gi' })], { isReachable }), 'b')
  equal(
    findName(claimOf(), [volumeOf({ name: 'a', spec: { claimRef: reservedFor('c1') } }), volumeOf({ name: 'b' })], {
      isReachable,
    }),
    undefined,
  )
})
test('S3-64: a claim that waits for its pod gets only what is reserved', () => {
  equal(findName(claimOf(), [volumeOf()], { reservedOnly: true }), undefined)
  equal(findName(claimOf(), [volumeOf({ spec: { claimRef: reservedFor('c1') } })], { reservedOnly: true }), 'v1')
})
test('leaves out what somebody else is about to get, but not what is reserved', () => {
  equal(
    findName(claimOf(), [volumeOf({ name: 'a' }), volumeOf({ name: 'b' })], {
      isTaken: ({ metadata }) => metadata.name === 'a',
    }),
    'b',
  )
  equal(findName(claimOf(), [volumeOf({ spec: { claimRef: reservedFor('c1') } })], { isTaken: () => true }), 'v1')
})
test('a selector that makes no sense is an error of its own', () => {
  const selector = { matchExpressions: [{ key: 'a', operator: 'In' as const, values: [] }] }
  throws(() => findName(claimOf({ spec: { selector } }), [volumeOf()]), SelectorError)
})
test('a stock forgets what is taken out, and knows only the newest of a volume', () => {
  const stock = createVolumeStock([volumeOf({ name: 'a' }), volumeOf({ name: 'b', size: '2Gi' })])
  stock.put(volumeOf({ name: 'a', size: '3Gi' }))
  equal(findBestVolume(claimOf(), stock)?.metadata.name, 'b')
  stock.remove('b')
  equal(findBestVolume(claimOf(), stock)?.metadata.name, 'a')
  stock.put(volumeOf({ name: 'a', size: '3Gi', spec: { claimRef: reservedFor('c2') } }))
  equal(findBestVolume(claimOf(), stock), undefined)
  equal(findBestVolume(claimOf({ name: 'c2' }), stock)?.metadata.name, 'a')
  stock.remove('a')
  stock.remove('never there')
  equal(findBestVolume(claimOf({ name: 'c2' }), stock), undefined)
})

const MODES: readonly AccessMode[] = ['ReadWriteOnce', 'ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOncePod']
const anyModes = fc.subarray([...MODES], { minLength: 1 })
const anyShape = {
  size: fc.integer({ min: 1, max: 6 }).map((size) => `${size}Gi`),
  modes: anyModes,
  volumeMode: fc.constantFrom('Filesystem', 'Block'),
  storageClassName: fc.constantFrom('', 'fast'),
} as const
const anyLabels = fc.constantFrom({}, { disk: 'ssd' }, { disk: 'tape' })
const anyClaim = fc
  .record({
    ...anyShape,
    name: fc.constantFrom('c1', 'c2'),
    selector: fc.constantFrom(undefined, { matchLabels: { disk: 'ssd' } }),
  })
  .map(({ name, size, modes, volumeMode, storageClassName, selector }) =>
    claimOf({ name, size, modes, spec: { volumeMode, storageClassName, ...(selector ? { selector } : {}) } }),
  )
const anyVolumes = fc
  .array(
    fc.record({
      ...anyShape,
      labels: anyLabels,
      phase: fc.constantFrom('Available', 'Available', 'Available', 'Pending', 'Released'),
      claimRef: fc.constantFrom(undefined, undefined, undefined, reservedFor('c1'), reservedFor('c2', 'uid-c2')),
    }),
    { maxLength: 12 },
  )
  .map((list) =>
    list.map(({ size, modes, volumeMode, storageClassName, labels, phase, claimRef }, index) =>
      volumeOf({
        name: `v${index}`,
        size,
        modes,
        phase,
        metadata: { name: `v${index}`, labels },
        spec: { volumeMode, storageClassName, ...(claimRef ? { claimRef } : {}) },
      }),
    ),
  )

/** Every volume that the claim may get, found by checking all of them. */
function allowed(claim: PersistentVolumeClaim, volumes: PersistentVolume[]): PersistentVolume[] {
  const fits = volumes.filter(
    (volume) =>
      compareQuantities(capacityOf(volume), requestedSizeOf(claim)) >= 0 &&
      volume.spec.volumeMode === claim.spec.volumeMode &&
      (claim.spec.accessModes ?? []).every((mode) => volume.spec.accessModes?.includes(mode)),
  )
  const reserved = fits.filter((volume) => isVolumeBoundToClaim(volume, claim))
  if (reserved.length > 0) return reserved
  return fits.filter(
    (volume) =>
      !volume.spec.claimRef &&
      volume.status?.phase === 'Available' &&
      classNameOf(volume) === classNameOf(claim) &&
      (!claim.spec.selector || selectsLabels(claim.spec.selector, volume.metadata.labels)),
  )
}

test('S3-61: whatever the claim and the volumes, none is found that is too small or does not fit, and one is found when there is one', () => {
  fc.assert(
    fc.property(anyClaim, anyVolumes, (claim, volumes) => {
      const found = findBestVolume(claim, createVolumeStock(volumes))
      const all = allowed(claim, volumes)
      equal(found !== undefined, all.length > 0)
      if (found) ok(all.includes(found))
    }),
    { numRuns: 1000 },
  )
})
test('S3-61: no other volume with as few access modes is smaller', () => {
  fc.assert(
    fc.property(anyClaim, anyVolumes, (claim, volumes) => {
      const found = findBestVolume(claim, createVolumeStock(volumes))
      if (!found || found.spec.claimRef) return
      const modes = found.spec.accessModes?.length ?? 0
      const rivals = allowed(claim, volumes)
      ok(rivals.every(({ spec }) => (spec.accessModes?.length ?? 0) >= modes))
      const sameSet = rivals.filter(
        ({ spec }) => [...(spec.accessModes ?? [])].sort().join() === [...(found.spec.accessModes ?? [])].sort().join(),
      )
      ok(sameSet.every((volume) => compareQuantities(capacityOf(volume), capacityOf(found)) >= 0))
    }),
    { numRuns: 1000 },
  )
})
test('a free volume is a candidate exactly when it would be taken were it the only one', () => {
  fc.assert(
    fc.property(anyClaim, anyVolumes, (claim, volumes) => {
      for (const volume of volumes.filter(({ spec, status }) => !spec.claimRef && status?.phase === 'Available')) {
        equal(isCandidate(claim, volume), findBestVolume(claim, createVolumeStock([volume])) === volume)
      }
    }),
  )
})
