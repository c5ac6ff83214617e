import { deepEqual, equal } from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { CSIDriver } from '../../api/kinds/csi-driver.ts'
import type { CustomResourceDefinition } from '../../api/kinds/custom-resource-definition.ts'
import { createDefaultDriver } from '../../compat/default-csi-driver.ts'
import { createMirror, POD_HANDLES_ANNOTATION } from '../../compat/mirror-csi-driver.ts'
import { SEED_CRDS, SEED_CSI_DRIVER_CRD } from '../../compat/seed-crds.ts'
import type { SeedCSIDriver, SeedCSIDriverSpec } from '../../compat/seed-csi-driver.ts'
import { findDriverWarnings } from './find-driver-warnings.ts'
import { addLacking, findLacking } from './lacking.ts'
import { nextCrdStep } from './next-crd-step.ts'
import type { CrdView } from './next-crd-step.ts'
import { nextDriverStep } from './next-driver-step.ts'
import type { DriverView } from './next-driver-step.ts'

describe('what a definition lacks', () => {
  const cases: [behaviour: string, has: unknown, wants: unknown, lacking: string | undefined][] = [
    ['nothing, however much more it has', { a: 1, b: [{ name: 'x', c: 2 }, { name: 'y' }] }, { b: [{ name: 'x' }] }, undefined],
    ['a member', { a: {} }, { a: { b: 1 } }, 'a.b'],
    ['another value', { a: 1 }, { a: 2 }, 'a'],
    ['an item, by its name', { a: [{ name: 'x' }] }, { a: [{ name: 'y', b: 1 }] }, 'a[y]'],
    ['a member of an item', { a: [{ name: 'x' }] }, { a: [{ name: 'x', b: 1 }] }, 'a[x].b'],
    ['a rule, by its text', { a: [] }, { a: [{ rule: 'self > 0', message: 'm' }] }, 'a[self > 0]'],
    ['a plain item', { a: ['x'] }, { a: ['y'] }, 'a[y]'],
    ['a whole list', {}, { a: ['y'] }, 'a'],
    ['nothing for an empty object', { a: {} }, { a: {} }, undefined],
  ]
  for (const [behaviour, has, wants, lacking] of cases) {
    test(behaviour, () => {
      equal(findLacking(has, wants), lacking)
      equal(findLacking(addLacking(has, wants), wants), undefined)
    })
  }

  test('is put in, and the rest stays', () =>
    deepEqual(addLacking({ a: [{ name: 'x', mine: 1 }, { name: 'z' }], b: 1 }, { a: [{ name: 'x', c: 2 }, { name: 'y' }], d: [1] }), {
      a: [{ name: 'x', mine: 1, c: 2 }, { name: 'z' }, { name: 'y' }],
      b: 1,
      d: [1],
    }))

  test('two that want different things end with both', () => {
    const [one, other] = [{ a: [{ name: 'x', b: 1 }] }, { a: [{ name: 'y' }], c: { d: 1 } }]
    const both = addLacking(addLacking({}, one), other)
    deepEqual([findLacking(both, one), findLacking(both, other)], [undefined, undefined])
  })
})

describe('a definition', () => {
  const served = { status: { conditions: [{ type: 'Established', status: 'True' as const }], storedVersions: ['v1alpha1'] } }
  const wanted = SEED_CSI_DRIVER_CRD
  const present = (changes: Partial<CustomResourceDefinition> = {}): CustomResourceDefinition => ({ ...wanted, ...served, ...changes })
  const version = wanted.spec.versions[0] ?? { name: '', served: true, storage: true }
  const narrow = { ...wanted.spec, versions: [{ ...version, additionalPrinterColumns: [] }] }
  const foreign = { metadata: { ...wanted.metadata, annotations: { 'api-approved.kubernetes.io': 'unapproved, theirs' } } }
  const wider = { ...wanted.spec, versions: [...wanted.spec.versions, { name: 'v2', served: true, storage: false }] }
  const cases: [behaviour: string, view: Omit<CrdView['seen'], 'wanted'> & { restMs?: number }, step: string][] = [
    ['is made where it is missing', { present: undefined }, 'create'],
    ['is left alone where it is as it should be', { present: present() }, 'wait DefinitionInstalled usable'],
    ['is not used while it is going', { present: present({ metadata: { ...wanted.metadata, deletionTimestamp: '2030-01-01T00:00:00Z' } }) }, 'wait DefinitionBeingDeleted'],
    ['is not used before it is served', { present: { ...present(), status: {} } }, 'wait DefinitionNotServed'],
    ['gets back what it lacks', { present: present({ spec: narrow }) }, 'heal'],
    ['gets it back only once in a while', { present: present({ spec: narrow }), restMs: 1000 }, 'wait DefinitionChangedAgain'],
    ['may have more than it needs', { present: present({ spec: wider }) }, 'wait DefinitionInstalled usable'],
    ['that is foreign is used when it has all', { present: present(foreign) }, 'wait DefinitionInstalled usable'],
    ['that is foreign is not changed', { present: present({ ...foreign, spec: narrow }) }, 'refuse ForeignDefinition'],
    ['of another scope is refused, whoever made it', { present: present({ spec: { ...wanted.spec, scope: 'Namespaced' } }) }, 'refuse ForeignDefinition'],
    ['of another kind is refused', { present: present({ spec: { ...wanted.spec, names: { ...wanted.spec.names, kind: 'Driver' } } }) }, 'refuse ForeignDefinition'],
    ['with objects in a version that is not known is refused', { present: { ...present(), status: { ...served.status, storedVersions: ['v1alpha1', 'v2'] } } }, 'refuse ForeignDefinition'],
  ]
  for (const [behaviour, { present: now, restMs = 0 }, expected] of cases) {
    test(behaviour, () => {
      const step = nextCrdStep({ seen: { wanted, present: now }, held: { restMs } })
      const code = step.kind === 'wait' || step.kind === 'refuse' ? ` ${step.reason.code}` : ''
      equal(`${step.kind}${code}${step.kind === 'wait' && step.usable ? ' usable' : ''}`, expected)
    })
  }

  test('is whole after it was healed', () => {
    const step = nextCrdStep({ seen: { wanted, present: present({ spec: narrow }) } })
    equal(step.kind === 'heal' ? nextCrdStep({ seen: { wanted, present: step.crd } }).kind : step.kind, 'wait')
  })

  test('both know their own approval', () => {
    for (const crd of SEED_CRDS) equal(nextCrdStep({ seen: { wanted: crd, present: { ...crd, ...served } } }).kind, 'wait')
  })
})

describe('a driver', () => {
  const seed = (spec: SeedCSIDriverSpec = {}, nodes = 0): SeedCSIDriver => ({ apiVersion: 'csi.storage.k8s.io/v1alpha1', kind: 'CSIDriver', metadata: { name: 'd' }, spec: { driver: 'd', ...spec }, status: { nodes } })
  const own: CSIDriver = { apiVersion: 'storage.k8s.io/v1', kind: 'CSIDriver', metadata: { name: 'd' }, spec: { attachRequired: true } }
  const leaving = { deletionTimestamp: '2030-01-01T00:00:00Z' }
  const mirror = (spec: SeedCSIDriverSpec = {}): CSIDriver => createMirror(seed(spec))
  const going = (spec: SeedCSIDriverSpec = {}): CSIDriver => ({ ...mirror(spec), metadata: { ...mirror(spec).metadata, ...leaving } })
  const cases: [behaviour: string, seen: Partial<DriverView['seen']>, step: string, held?: Partial<DriverView['held']>][] = [
    ['S1-1: that nobody describes needs nothing', {}, 'wait DriverNotDescribed'],
    ['that somebody describes in today’s words needs nothing', { csiDriver: own }, 'wait DriverNotDescribed'],
    ['H3: has a mirror made of its object', { claims: [seed()] }, 'create'],
    ['H3: with its mirror needs nothing', { claims: [seed()], csiDriver: mirror() }, 'wait MirrorInPlace'],
    ['H3: loses a mirror without an object', { csiDriver: mirror() }, 'remove'],
    ['waits for a mirror that is going', { csiDriver: going() }, 'wait MirrorBeingDeleted'],
    ['makes no second mirror beside one that is going', { claims: [seed({ attachRequired: false })], csiDriver: going() }, 'wait MirrorBeingDeleted'],
    ['H3: has its mirror changed where that is possible', { claims: [seed({ requiresRemount: true })], csiDriver: mirror() }, 'update'],
    ['H3: has its mirror made anew where attach changes', { claims: [seed({ attachRequired: false })], csiDriver: mirror() }, 'remove'],
    ['has its mirror made anew where lifecycle modes change', { claims: [seed({ volumeLifecycleModes: ['Ephemeral'] })], csiDriver: mirror() }, 'remove'],
    ['cares nothing for the order of modes', { claims: [seed({ volumeLifecycleModes: ['Persistent', 'Ephemeral'] })], csiDriver: mirror({ volumeLifecycleModes: ['Ephemeral', 'Persistent'] }) }, 'wait MirrorInPlace'],
    ['H12: keeps an object that somebody made', { claims: [seed({ attachRequired: false })], csiDriver: own }, 'wait DriverHasOwnObject'],
    ['H3: has the cluster’s own object make way', { claims: [seed()], csiDriver: createDefaultDriver('d') }, 'remove'],
    ['H3: keeps the cluster’s own object once somebody has changed it', { claims: [seed()], csiDriver: { ...createDefaultDriver('d'), spec: { ...createDefaultDriver('d').spec, podInfoOnMount: false } } }, 'wait DriverHasOwnObject'],
    ['S1-28: keeps the cluster’s own object where nobody describes it', { csiDriver: createDefaultDriver('d') }, 'wait DriverNotDescribed'],
    ['is not tried again where the server refused', { claims: [seed()] }, 'wait MirrorRefused', { refused: true }],
    ['is not fought over', { claims: [seed({ attachRequired: false })], csiDriver: mirror() }, 'wait MirrorChangedJustNow', { mirrorRestMs: 10 }],
    ['has its nodes counted', { claims: [seed()], csiDriver: mirror(), nodes: 2 }, 'count'],
    ['has its nodes counted beside an object that somebody made', { claims: [seed()], csiDriver: own, nodes: 2 }, 'count'],
    ['has its nodes counted seldom', { claims: [seed()], csiDriver: mirror(), nodes: 2 }, 'wait NodesCountedJustNow', { statusRestMs: 10 }],
  ]
  for (const [behaviour, seen, expected, held] of cases) {
    test(behaviour, () => {
      const step = nextDriverStep({ seen: { driver: 'd', claims: [], csiDriver: undefined, nodes: 0, ...seen }, ...(held ? { held: { refused: false, statusRestMs: 0, mirrorRestMs: 0, ...held } } : {}) })
      equal(step.kind === 'wait' ? `wait ${step.reason.code}` : step.kind, expected)
    })
  }

  const warnings: [behaviour: string, seen: Partial<DriverView['seen']>, codes: string[]][] = [
    ['with a mirror is not warned', { claims: [seed({ attachRequired: false })], csiDriver: mirror({ attachRequired: false }) }, []],
    ['is not warned of what its object leaves open', { claims: [seed()], csiDriver: { ...own, spec: { attachRequired: false, podInfoOnMount: true } } }, []],
    ['H3: is warned where somebody’s own object says otherwise', { claims: [seed({ skipAttach: true })], csiDriver: own }, ['OwnObjectDecides']],
    ['H40: is warned where its own object does not let pods name handles', { claims: [{ ...seed(), metadata: { name: 'd', annotations: { [POD_HANDLES_ANNOTATION]: 'true' } } }], csiDriver: own }, ['OwnObjectDecides']],
    ['H2: is warned of an unknown version', { claims: [seed({ podInfoOnMountVersion: 'v0' })] }, ['UnknownPodInfoVersion']],
    ['H63: is warned of an audience that can not be read', { claims: [seed({ serviceAccountTokens: [{ audience: [1] }] })] }, ['UnreadableAudience']],
    ['H5: is warned of a second object', { claims: [seed(), { ...seed({ driver: 'd' }), metadata: { name: 'e' } }] }, ['DriverDescribedTwice']],
  ]
  for (const [behaviour, seen, codes] of warnings) {
    test(behaviour, () => deepEqual(findDriverWarnings({ driver: 'd', claims: [], csiDriver: undefined, ...seen }).map(({ reason }) => reason.code), codes))
  }
})
