import { deepEqual, equal } from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { CSIDriver } from '../../api/kinds/csi-driver.ts'
import type { CustomResourceDefinition } from '../../api/kinds/custom-resource-definition.ts'
import { ALPHA_CRDS, ALPHA_CSI_DRIVER_CRD } from '../../compat/alpha-crds.ts'
import type { AlphaCSIDriver, AlphaCSIDriverSpec } from '../../compat/alpha-csi-driver.ts'
import { createMirror, MIRROR_ANNOTATION, POD_HANDLES_ANNOTATION } from '../../compat/mirror-csi-driver.ts'
import { createDefaultDriver } from '../../storage/default-csi-driver.ts'
import { addLacking, findLacking, nextCrdStep } from './next-crd-step.ts'
import type { CrdView } from './next-crd-step.ts'
import { findDriverWarnings, nextDriverStep } from './next-driver-step.ts'
import type { DriverView } from './next-driver-step.ts'
import { REASONS } from './reasons.ts'

describe('what a definition lacks', () => {
  const cases: [behaviour: string, has: unknown, wants: unknown, lacking: string | undefined][] = [
    [
      'nothing, however much more it has',
      { a: 1, b: [{ name: 'x', c: 2 }, { name: 'y' }] },
      { b: [{ name: 'x' }] },
      undefined,
    ],
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
    deepEqual(
      addLacking(
        { a: [{ name: 'x', mine: 1 }, { name: 'z' }], b: 1 },
        { a: [{ name: 'x', c: 2 }, { name: 'y' }], d: [1] },
      ),
      {
        a: [{ name: 'x', mine: 1, c: 2 }, { name: 'z' }, { name: 'y' }],
        b: 1,
        d: [1],
      },
    ))

  test('two that want different things end with both', () => {
    const [one, other] = [{ a: [{ name: 'x', b: 1 }] }, { a: [{ name: 'y' }], c: { d: 1 } }]
    const both = addLacking(addLacking({}, one), other)
    deepEqual([findLacking(both, one), findLacking(both, other)], [undefined, undefined])
  })
})

describe('a definition', () => {
  const served = {
    status: { conditions: [{ type: 'Established', status: 'True' as const }], storedVersions: ['v1alpha1'] },
  }
  const wanted = ALPHA_CSI_DRIVER_CRD
  const present = (changes: Partial<CustomResourceDefinition> = {}): CustomResourceDefinition => ({
    ...wanted,
    ...served,
    ...changes,
  })
  const version = wanted.spec.versions[0] ?? { name: '', served: true, storage: true }
  const narrow = { ...wanted.spec, versions: [{ ...version, additionalPrinterColumns: [] }] }
  const foreign = {
    metadata: { ...wanted.metadata, annotations: { 'api-approved.kubernetes.io': 'unapproved, theirs' } },
  }
  const wider = { ...wanted.spec, versions: [...wanted.spec.versions, { name: 'v2', served: true, storage: false }] }
  const cases: [behaviour: string, view: Omit<CrdView['seen'], 'wanted'> & { restMs?: number }, step: string][] = [
    ['is made where it is missing', { present: undefined }, 'create'],
    ['is left alone where it is as it should be', { present: present() }, 'wait DefinitionInstalled usable'],
    [
      'is not used while it is going',
      { present: present({ metadata: { ...wanted.metadata, deletionTimestamp: '2030-01-01T00:00:00Z' } }) },
      'wait DefinitionBeingDeleted',
    ],
    ['is not used before it is served', { present: { ...present(), status: {} } }, 'wait DefinitionNotServed'],
    ['gets back what it lacks', { present: present({ spec: narrow }) }, 'heal'],
    [
      'gets it back only once in a while',
      { present: present({ spec: narrow }), restMs: 1000 },
      'wait DefinitionChangedAgain',
    ],
    ['may have more than it needs', { present: present({ spec: wider }) }, 'wait DefinitionInstalled usable'],
    ['that is foreign is used when it has all', { present: present(foreign) }, 'wait DefinitionInstalled usable'],
    ['that is foreign is not changed', { present: present({ ...foreign, spec: narrow }) }, 'refuse ForeignDefinition'],
    [
      'of another scope is refused, whoever made it',
      { present: present({ spec: { ...wanted.spec, scope: 'Namespaced' } }) },
      'refuse ForeignDefinition',
    ],
    [
      'of another kind is refused',
      { present: present({ spec: { ...wanted.spec, names: { ...wanted.spec.names, kind: 'Driver' } } }) },
      'refuse ForeignDefinition',
    ],
    [
      'with objects in a version that is not known is refused',
      { present: { ...present(), status: { ...served.status, storedVersions: ['v1alpha1', 'v2'] } } },
      'refuse ForeignDefinition',
    ],
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
    for (const crd of ALPHA_CRDS)
      equal(nextCrdStep({ seen: { wanted: crd, present: { ...crd, ...served } } }).kind, 'wait')
  })
})

describe('a driver', () => {
  const alpha = (spec: AlphaCSIDriverSpec = {}, nodes = 0): AlphaCSIDriver => ({
    apiVersion: 'csi.storage.k8s.io/v1alpha1',
    kind: 'CSIDriver',
    metadata: { name: 'd' },
    spec: { driver: 'd', ...spec },
    status: { nodes },
  })
  const own: CSIDriver = {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'CSIDriver',
    metadata: { name: 'd' },
    spec: { attachRequired: true },
  }
  const leaving = { deletionTimestamp: '2030-01-01T00:00:00Z' }
  const mirror = (spec: AlphaCSIDriverSpec = {}): CSIDriver => createMirror(alpha(spec))
  const going = (spec: AlphaCSIDriverSpec = {}): CSIDriver => ({
    ...mirror(spec),
    metadata: { ...mirror(spec).metadata, ...leaving },
  })
  const cases: [
    behaviour: string,
    seen: Partial<DriverView['seen']>,
    step: string,
    held?: Partial<DriverView['held']>,
  ][] = [
    ['S1-1: that nobody describes needs nothing', {}, 'wait DriverNotDescribed'],
    ['that somebody describes in today’s words needs nothing', { csiDriver: own }, 'wait DriverNotDescribed'],
    ['H3: has a mirror made of its object', { claims: [alpha()] }, 'create'],
    ['H3: with its mirror needs nothing', { claims: [alpha()], csiDriver: mirror() }, 'wait MirrorInPlace'],
    ['H3: loses a mirror without an object', { csiDriver: mirror() }, 'remove'],
    ['waits for a mirror that is going', { csiDriver: going() }, 'wait MirrorBeingDeleted'],
    [
      'makes no second mirror beside one that is going',
      { claims: [alpha({ attachRequired: false })], csiDriver: going() },
      'wait MirrorBeingDeleted',
    ],
    [
      'H3: has its mirror changed where that is possible',
      { claims: [alpha({ requiresRemount: true })], csiDriver: mirror() },
      'update',
    ],
    [
      'H3: has its mirror made anew where attach changes',
      { claims: [alpha({ attachRequired: false })], csiDriver: mirror() },
      'remove',
    ],
    [
      'has its mirror made anew where lifecycle modes change',
      { claims: [alpha({ volumeLifecycleModes: ['Ephemeral'] })], csiDriver: mirror() },
      'remove',
    ],
    [
      'cares nothing for the order of modes',
      {
        claims: [alpha({ volumeLifecycleModes: ['Persistent', 'Ephemeral'] })],
        csiDriver: mirror({ volumeLifecycleModes: ['Ephemeral', 'Persistent'] }),
      },
      'wait MirrorInPlace',
    ],
    [
      'H12: keeps an object that somebody made',
      { claims: [alpha({ attachRequired: false })], csiDriver: own },
      'wait DriverHasOwnObject',
    ],
    ['H3: has the cluster’s own object make way', { claims: [alpha()], csiDriver: createDefaultDriver('d') }, 'remove'],
    [
      'H3: keeps the cluster’s own object once somebody has changed it',
      {
        claims: [alpha()],
        csiDriver: { ...createDefaultDriver('d'), spec: { ...createDefaultDriver('d').spec, podInfoOnMount: false } },
      },
      'wait DriverHasOwnObject',
    ],
    [
      'S1-28: keeps the cluster’s own object where nobody describes it',
      { csiDriver: createDefaultDriver('d') },
      'wait DriverNotDescribed',
    ],
    ['is not tried again where the server refused', { claims: [alpha()] }, 'wait MirrorRefused', { refused: true }],
    [
      'is not fought over',
      { claims: [alpha({ attachRequired: false })], csiDriver: mirror() },
      'wait MirrorChangedJustNow',
      { mirrorRestMs: 10 },
    ],
    ['has its nodes counted', { claims: [alpha()], csiDriver: mirror(), nodes: 2 }, 'count'],
    [
      'has its nodes counted beside an object that somebody made',
      { claims: [alpha()], csiDriver: own, nodes: 2 },
      'count',
    ],
    [
      'has its nodes counted seldom',
      { claims: [alpha()], csiDriver: mirror(), nodes: 2 },
      'wait NodesCountedJustNow',
      { statusRestMs: 10 },
    ],
  ]
  for (const [behaviour, seen, expected, held] of cases) {
    test(behaviour, () => {
      const step = nextDriverStep({
        seen: { driver: 'd', claims: [], csiDriver: undefined, nodes: 0, ...seen },
        ...(held ? { held: { refused: false, statusRestMs: 0, mirrorRestMs: 0, ...held } } : {}),
      })
      equal(step.kind === 'wait' ? `wait ${step.reason.code}` : step.kind, expected)
    })
  }

  const warnings: [behaviour: string, seen: Partial<DriverView['seen']>, codes: string[]][] = [
    [
      'with a mirror is not warned',
      { claims: [alpha({ attachRequired: false })], csiDriver: mirror({ attachRequired: false }) },
      [],
    ],
    [
      'is not warned of what its object leaves open',
      { claims: [alpha()], csiDriver: { ...own, spec: { attachRequired: false, podInfoOnMount: true } } },
      [],
    ],
    [
      'H3: is warned where somebody’s own object says otherwise',
      { claims: [alpha({ skipAttach: true })], csiDriver: own },
      ['OwnObjectDecides'],
    ],
    [
      'H40: is warned where its own object does not let pods name handles',
      {
        claims: [{ ...alpha(), metadata: { name: 'd', annotations: { [POD_HANDLES_ANNOTATION]: 'true' } } }],
        csiDriver: own,
      },
      ['OwnObjectDecides'],
    ],
    [
      'H2: is warned of an unknown version',
      { claims: [alpha({ podInfoOnMountVersion: 'v0' })] },
      ['UnknownPodInfoVersion'],
    ],
    [
      'H63: is warned of an audience that can not be read',
      { claims: [alpha({ serviceAccountTokens: [{ audience: [1] }] })] },
      ['UnreadableAudience'],
    ],
    [
      'H5: is warned of a second object',
      { claims: [alpha(), { ...alpha({ driver: 'd' }), metadata: { name: 'e' } }] },
      ['DriverDescribedTwice'],
    ],
  ]
  for (const [behaviour, seen, codes] of warnings) {
    test(behaviour, () =>
      deepEqual(
        findDriverWarnings({ driver: 'd', claims: [], csiDriver: undefined, ...seen }).map(({ reason }) => reason.code),
        codes,
      ),
    )
  }
})

describe('all of a decision about a definition', () => {
  const wanted = ALPHA_CSI_DRIVER_CRD
  const name = 'csidrivers.csi.storage.k8s.io'
  const served = {
    status: { conditions: [{ type: 'Established', status: 'True' as const }], storedVersions: ['v1alpha1'] },
  }
  const [version] = wanted.spec.versions
  const narrow = { ...wanted.spec, versions: version ? [{ ...version, additionalPrinterColumns: [] }] : [] }
  const foreign = {
    metadata: { ...wanted.metadata, annotations: { 'api-approved.kubernetes.io': 'unapproved, theirs' } },
  }
  const lacks = findLacking(narrow, wanted.spec, 'spec') ?? ''
  const otherKind = { ...wanted.spec.names, kind: 'Driver' }
  const stepOf = (changes: Partial<CustomResourceDefinition>, restMs?: number) =>
    nextCrdStep({
      seen: { wanted, present: { ...wanted, ...served, ...changes } },
      ...(restMs === undefined ? {} : { held: { restMs } }),
    })
  const refused = (lack: string): object => ({ kind: 'refuse', reason: REASONS.ForeignDefinition(name, lack) })

  test('names the definition and what it lacks', () => {
    equal(lacks.startsWith('spec.versions'), true)
    deepEqual(stepOf({}), { kind: 'wait', reason: REASONS.DefinitionInstalled(name), usable: true })
    deepEqual(stepOf({ spec: narrow }, 1), {
      kind: 'wait',
      reason: REASONS.DefinitionChangedAgain(name, lacks),
      usable: false,
      retryInMs: 1,
    })
    deepEqual(stepOf({ ...foreign, spec: narrow }, 1), refused(lacks))
  })

  test('names the first conflict: scope, kind, then the stored versions', () => {
    deepEqual(
      stepOf({ spec: { ...wanted.spec, scope: 'Namespaced', names: otherKind } }),
      refused('spec.scope Cluster'),
    )
    deepEqual(stepOf({ spec: { ...wanted.spec, names: otherKind } }), refused('spec.names.kind CSIDriver'))
    deepEqual(stepOf({ status: { storedVersions: ['v2', 'v3'] } }), refused('version v2, in which objects are stored'))
    deepEqual(
      stepOf({ spec: { ...wanted.spec, versions: [{ name: 'v4', served: true, storage: true }] } }),
      refused('version v4, in which objects are stored'),
    )
  })
})

describe('all of a decision about a driver', () => {
  const alpha = (
    spec: AlphaCSIDriverSpec = {},
    { nodes = 0, metadata = {} }: { nodes?: number; metadata?: AlphaCSIDriver['metadata'] } = {},
  ): AlphaCSIDriver => ({
    apiVersion: 'csi.storage.k8s.io/v1alpha1',
    kind: 'CSIDriver',
    metadata: { name: 'd', ...metadata },
    spec,
    status: { nodes },
  })
  const mirror = (spec: AlphaCSIDriverSpec = {}, changes: Partial<CSIDriver['spec']> = {}): CSIDriver => {
    const made = createMirror(alpha(spec))
    return { ...made, metadata: { ...made.metadata, resourceVersion: '7' }, spec: { ...made.spec, ...changes } }
  }
  const without = (...names: (keyof CSIDriver['spec'])[]): CSIDriver => {
    const made = mirror()
    return {
      ...made,
      spec: Object.fromEntries(
        Object.entries(made.spec).filter(([name]) => !names.includes(name as keyof CSIDriver['spec'])),
      ),
    }
  }
  const HELD = { refused: false, statusRestMs: 0, mirrorRestMs: 0 }
  const stepOf = (seen: Partial<DriverView['seen']>, held?: Partial<typeof HELD>) =>
    nextDriverStep({
      seen: { driver: 'd', claims: [], csiDriver: undefined, nodes: 0, ...seen },
      ...(held ? { held: { ...HELD, ...held } } : {}),
    })
  const inPlace = { kind: 'wait', reason: REASONS.MirrorInPlace }
  const tokens = [{ audience: 'a' }]
  const audiences = [{ audience: 'a' }]

  const patches: [behaviour: string, original: AlphaCSIDriver, csiDriver: CSIDriver, patch: object][] = [
    [
      'pod information',
      alpha({ podInfoOnMountVersion: 'v1' }),
      mirror(),
      { metadata: { resourceVersion: '7' }, spec: { podInfoOnMount: true } },
    ],
    [
      'pod information that is not wanted',
      alpha(),
      mirror({}, { podInfoOnMount: true }),
      { metadata: { resourceVersion: '7' }, spec: { podInfoOnMount: false } },
    ],
    [
      'republishing',
      alpha({ requiresRemount: true }),
      mirror(),
      { metadata: { resourceVersion: '7' }, spec: { requiresRepublish: true } },
    ],
    [
      'republishing that is not wanted',
      alpha(),
      mirror({}, { requiresRepublish: true }),
      { metadata: { resourceVersion: '7' }, spec: { requiresRepublish: false } },
    ],
    [
      'tokens',
      alpha({ serviceAccountTokens: tokens }),
      mirror(),
      { metadata: { resourceVersion: '7' }, spec: { tokenRequests: audiences } },
    ],
    [
      'tokens that are not wanted',
      alpha(),
      mirror({ serviceAccountTokens: tokens }),
      { metadata: { resourceVersion: '7' }, spec: { tokenRequests: null } },
    ],
    [
      'the name of the original',
      alpha({ driver: 'd' }, { metadata: { name: 'e' } }),
      mirror(),
      { metadata: { resourceVersion: '7', annotations: { [MIRROR_ANNOTATION]: 'e' } } },
    ],
    [
      'all of it',
      alpha({ driver: 'd', podInfoOnMountVersion: 'v1', requiresRemount: true }, { metadata: { name: 'e' } }),
      mirror(),
      {
        metadata: { resourceVersion: '7', annotations: { [MIRROR_ANNOTATION]: 'e' } },
        spec: { podInfoOnMount: true, requiresRepublish: true },
      },
    ],
  ]
  for (const [behaviour, original, csiDriver, patch] of patches) {
    test(`a mirror is changed in what differs: ${behaviour}`, () =>
      deepEqual(stepOf({ claims: [original], csiDriver }), { kind: 'update', original, mirror: csiDriver, patch }))
  }

  test('a mirror that leaves fields out has their defaults', () => {
    deepEqual(
      stepOf({
        claims: [alpha()],
        csiDriver: without(
          'attachRequired',
          'volumeLifecycleModes',
          'podInfoOnMount',
          'requiresRepublish',
          'tokenRequests',
        ),
      }),
      inPlace,
    )
    deepEqual(
      stepOf({
        claims: [alpha({ serviceAccountTokens: tokens })],
        csiDriver: mirror({ serviceAccountTokens: tokens }),
      }),
      inPlace,
    )
  })

  test('a mirror is made anew where attach or modes differ, also if more does', () => {
    const csiDriver = mirror()
    deepEqual(stepOf({ claims: [alpha({ attachRequired: false, requiresRemount: true })], csiDriver }), {
      kind: 'remove',
      mirror: csiDriver,
    })
    const notAttached = mirror({ attachRequired: false })
    deepEqual(stepOf({ claims: [alpha()], csiDriver: notAttached }), { kind: 'remove', mirror: notAttached })
    deepEqual(
      stepOf({
        claims: [alpha({ volumeLifecycleModes: ['Ephemeral', 'Persistent'] })],
        csiDriver: mirror({ volumeLifecycleModes: ['Persistent', 'Ephemeral'] }),
      }),
      inPlace,
    )
  })

  test('a mirror is not changed again too soon, and only if it has to be', () => {
    const claims = [alpha({ requiresRemount: true })]
    deepEqual(stepOf({ claims, csiDriver: mirror() }, { mirrorRestMs: 1 }), {
      kind: 'wait',
      reason: REASONS.MirrorChangedJustNow,
      retryInMs: 1,
    })
    equal(stepOf({ claims, csiDriver: mirror() }, { mirrorRestMs: 0 }).kind, 'update')
    deepEqual(stepOf({ claims: [alpha()], csiDriver: mirror() }, { mirrorRestMs: 1 }), inPlace)
  })

  test('what keeps a mirror from being made is told in order', () => {
    const bad = alpha({ driver: 'D_x' })
    const step = stepOf({ driver: 'D_x', claims: [bad] }, { refused: true })
    equal(step.kind === 'wait' && step.reason.code, 'DriverNameNotMirrored')
    const ownLeaving: CSIDriver = {
      apiVersion: 'storage.k8s.io/v1',
      kind: 'CSIDriver',
      metadata: { name: 'd', deletionTimestamp: '2030-01-01T00:00:00Z' },
      spec: {},
    }
    deepEqual(stepOf({ claims: [alpha()], csiDriver: ownLeaving }), {
      kind: 'wait',
      reason: REASONS.DriverHasOwnObject,
    })
  })

  test('nodes are counted when they change, seldom, and not for an object that is leaving or before its mirror', () => {
    const csiDriver = mirror()
    const claims = [alpha()]
    deepEqual(stepOf({ claims, csiDriver, nodes: 2 }, { statusRestMs: 0 }), {
      kind: 'count',
      original: claims[0],
      nodes: 2,
    })
    deepEqual(stepOf({ claims, csiDriver, nodes: 2 }, { statusRestMs: 1 }), {
      kind: 'wait',
      reason: REASONS.NodesCountedJustNow,
      retryInMs: 1,
    })
    deepEqual(stepOf({ claims, csiDriver, nodes: 0 }, { statusRestMs: 1 }), inPlace)
    deepEqual(
      stepOf(
        { claims: [alpha({}, { metadata: { deletionTimestamp: '2030-01-01T00:00:00Z' } })], csiDriver, nodes: 2 },
        { statusRestMs: 1 },
      ),
      inPlace,
    )
    equal(stepOf({ claims, nodes: 2 }).kind, 'create')
  })
})
