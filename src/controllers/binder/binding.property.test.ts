import { equal, ok } from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { PersistentVolumeClaim } from '../../api/kinds/persistent-volume-claim.ts'
import type { AccessMode, PersistentVolume } from '../../api/kinds/persistent-volume.ts'
import { compareQuantities } from '../../api/quantity.ts'
import { claimReferenceTo } from '../../storage/claim-reference.ts'
import { findBestVolume } from '../../storage/find-best-volume.ts'
import { BIND_COMPLETED, BOUND_BY_CONTROLLER, hasAnnotation } from '../../storage/names.ts'
import { capacityOf, requestedSizeOf } from '../../storage/requested-size.ts'
import { claimOf, reservedFor, volumeOf } from '../../testing/objects.ts'
import { createVolumeStock } from '../../storage/volume-stock.ts'
import type { ClaimView } from './claim-view.ts'
import { nextClaimStep } from './next-claim-step.ts'
import type { ClaimStep } from './next-claim-step.ts'
import { nextVolumeStep } from './next-volume-step.ts'

// The decisions alone, in any order and on any stale view: all that keeps them in order is that a write is refused when its object changed.

type Model = { claims: Map<string, PersistentVolumeClaim>; volumes: Map<string, PersistentVolume>; version: number }

const versioned = <T extends PersistentVolumeClaim | PersistentVolume>(model: Model, object: T): T => ({
  ...object,
  metadata: { ...object.metadata, resourceVersion: String(++model.version) },
})
const isCurrent = <T extends PersistentVolumeClaim | PersistentVolume>(map: Map<string, T>, object: T): boolean =>
  map.get(object.metadata.name ?? '')?.metadata.resourceVersion === object.metadata.resourceVersion
const annotate = <T extends PersistentVolumeClaim | PersistentVolume>(object: T, key: string): T => ({
  ...object,
  metadata: { ...object.metadata, annotations: { ...object.metadata.annotations, [key]: 'yes' } },
})

function writeVolume(model: Model, before: PersistentVolume, after: PersistentVolume): void {
  if (isCurrent(model.volumes, before)) model.volumes.set(before.metadata.name ?? '', versioned(model, after))
}
function writeClaim(model: Model, before: PersistentVolumeClaim, after: PersistentVolumeClaim): void {
  if (isCurrent(model.claims, before)) model.claims.set(before.metadata.name ?? '', versioned(model, after))
}

function lookAt(model: Model, name: string): ClaimView['seen'] | undefined {
  const claim = model.claims.get(name)
  if (!claim) return undefined
  const volume = model.volumes.get(claim.spec.volumeName ?? '')
  const match = claim.spec.volumeName ? undefined : findBestVolume(claim, createVolumeStock(model.volumes.values()))
  return { claim, ...(volume ? { volume } : {}), ...(match ? { match } : {}) }
}

function performClaimStep(model: Model, claim: PersistentVolumeClaim, step: ClaimStep): void {
  switch (step.kind) {
    case 'reserve-volume': {
      const reserved = { ...step.volume, spec: { ...step.volume.spec, claimRef: claimReferenceTo(claim) } }
      return writeVolume(model, step.volume, step.isChoice ? annotate(reserved, BOUND_BY_CONTROLLER) : reserved)
    }
    case 'mark-volume-bound':
      return writeVolume(model, step.volume, { ...step.volume, status: { phase: 'Bound' } })
    case 'complete-claim': {
      const completed = annotate(
        { ...claim, spec: { ...claim.spec, volumeName: step.volume.metadata.name ?? '' } },
        BIND_COMPLETED,
      )
      return writeClaim(model, claim, step.isChoice ? annotate(completed, BOUND_BY_CONTROLLER) : completed)
    }
    case 'mark-claim-bound':
      return writeClaim(model, claim, { ...claim, status: step.status })
    default:
      return undefined
  }
}

function performVolumeStep(model: Model, name: string): void {
  const volume = model.volumes.get(name)
  if (!volume) return
  const claim = model.claims.get(volume.spec.claimRef?.name ?? '')
  const step = nextVolumeStep({ seen: { volume, ...(claim ? { claim } : {}) } })
  if (step.kind === 'set-phase') writeVolume(model, volume, { ...volume, status: { phase: step.phase } })
  if (step.kind !== 'unbind') return
  const { claimRef: _former, ...spec } = volume.spec
  writeVolume(
    model,
    volume,
    step.keeps === 'nothing'
      ? { ...volume, spec }
      : { ...volume, spec: { ...spec, claimRef: reservedFor(volume.spec.claimRef?.name ?? '') } },
  )
}

function assertSound({ claims, volumes }: Model): void {
  const holders = [...claims.values()].filter((claim) => hasAnnotation(claim, BIND_COMPLETED))
  equal(new Set(holders.map(({ spec }) => spec.volumeName)).size, holders.length, 'a volume is bound to two claims')
  for (const claim of holders) {
    const volume = volumes.get(claim.spec.volumeName ?? '')
    ok(volume && compareQuantities(capacityOf(volume), requestedSizeOf(claim)) >= 0, 'a claim has a smaller volume')
    equal(volume.spec.claimRef?.uid, claim.metadata.uid, 'a claim has a volume that does not name it')
  }
}

const NAMES = ['1', '2', '3', '4']
const anySize = fc.constantFrom('1Gi', '2Gi', '3Gi')
const anyModes = fc.constantFrom<AccessMode[]>(['ReadWriteOnce'], ['ReadWriteOnce'], ['ReadWriteOnce', 'ReadWriteMany'])
const anyAct = fc.oneof(
  { weight: 3, arbitrary: fc.record({ act: fc.constant('look' as const), name: fc.constantFrom(...NAMES) }) },
  { weight: 6, arbitrary: fc.record({ act: fc.constant('claim' as const), name: fc.constantFrom(...NAMES) }) },
  { weight: 3, arbitrary: fc.record({ act: fc.constant('volume' as const), name: fc.constantFrom(...NAMES) }) },
)

test('S3-61: on whatever old views it is decided and in whatever order, no volume is bound to two claims and no claim to a smaller volume', () => {
  const property = fc.property(
    fc.array(fc.record({ size: anySize, modes: anyModes }), { minLength: NAMES.length, maxLength: NAMES.length }),
    fc.array(
      fc.record({
        size: anySize,
        modes: anyModes,
        reserved: fc.option(fc.constantFrom(...NAMES), { nil: undefined, freq: 4 }),
      }),
      { minLength: NAMES.length, maxLength: NAMES.length },
    ),
    fc.array(anyAct, { minLength: 10, maxLength: 80 }),
    (claims, volumes, acts) => {
      const model: Model = { claims: new Map(), volumes: new Map(), version: 0 }
      for (const [index, parts] of claims.entries())
        model.claims.set(`c${NAMES[index]}`, versioned(model, claimOf({ ...parts, name: `c${NAMES[index]}` })))
      for (const [index, { reserved, ...parts }] of volumes.entries()) {
        const spec = reserved ? { claimRef: reservedFor(`c${reserved}`) } : {}
        model.volumes.set(`v${NAMES[index]}`, versioned(model, volumeOf({ ...parts, name: `v${NAMES[index]}`, spec })))
      }
      const views = new Map<string, ClaimView['seen'] | undefined>()
      for (const { act, name } of acts) {
        if (act === 'look') views.set(name, lookAt(model, `c${name}`))
        else if (act === 'volume') performVolumeStep(model, `v${name}`)
        else {
          const seen = views.get(name) ?? lookAt(model, `c${name}`)
          if (seen) performClaimStep(model, seen.claim, nextClaimStep({ seen }))
          views.delete(name)
        }
        assertSound(model)
      }
      // Left alone, it comes to rest, and nobody waits for what is there.
      for (let turn = 0; turn < 40; turn++) {
        for (const name of NAMES) {
          const seen = lookAt(model, `c${name}`)
          if (seen) performClaimStep(model, seen.claim, nextClaimStep({ seen }))
          performVolumeStep(model, `v${name}`)
          assertSound(model)
        }
      }
      for (const claim of model.claims.values()) {
        if (claim.status?.phase !== 'Bound')
          equal(
            findBestVolume(claim, createVolumeStock(model.volumes.values())),
            undefined,
            'a claim waits while there is a volume for it',
          )
      }
    },
  )
  fc.assert(property, { numRuns: 500 })
})
