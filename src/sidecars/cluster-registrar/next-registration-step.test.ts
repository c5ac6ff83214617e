import { deepEqual } from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { CSIDriver } from '../../api/kinds/csi-driver.ts'
import type { AlphaCSIDriver, AlphaCSIDriverSpec } from '../../compat/alpha-csi-driver.ts'
import { mirrorNameProblems } from '../../compat/mirror-csi-driver.ts'
import { nextAlphaStep, nextTodayStep, REASONS } from './next-registration-step.ts'
import type { RegistrationStep, RegistrationView } from './next-registration-step.ts'
import { wantedObjects } from './wanted-objects.ts'

const LEAVING = '2030-01-01T00:00:00Z'
const FLAGS = {
  driverRequiresAttachment: undefined,
  podInfoMount: false,
  podInfoMountVersion: '',
  podInfoRequiredOnMount: false,
}
const wantedOf = (flags: Partial<Parameters<typeof wantedObjects>[1]> = {}, name = 'd') =>
  wantedObjects({ name, controller: new Set() }, { ...FLAGS, ...flags } as Parameters<typeof wantedObjects>[1])

describe('today’s object', () => {
  const ours = (
    spec: CSIDriver['spec'] = { attachRequired: false, podInfoOnMount: false },
    metadata: CSIDriver['metadata'] = {},
  ): CSIDriver => {
    const { csiDriver } = wantedOf()
    return { ...csiDriver, metadata: { ...csiDriver.metadata, resourceVersion: '7', ...metadata }, spec }
  }
  const theirs = (spec: CSIDriver['spec']): CSIDriver => ({ ...ours(spec), metadata: { name: 'd' } })
  const plain = wantedOf()
  const podInfo = wantedOf({ podInfoMount: true })
  const both = wantedOf({ podInfoMount: true, driverRequiresAttachment: true })
  const warned = (about: CSIDriver, reason: object): object => ({
    kind: 'wait',
    reason: REASONS.DriverRegistered,
    warning: { about, reason },
  })
  const attached = ours({ attachRequired: true, podInfoOnMount: true })
  const silent = ours({})
  const [problem = ''] = mirrorNameProblems('D_x')

  const cases: [
    behaviour: string,
    view: Partial<RegistrationView> & { present?: CSIDriver },
    step: RegistrationStep | object,
  ][] = [
    ['is made', {}, { kind: 'create', object: plain.csiDriver }],
    [
      'is not made for a name that no object can have',
      { wanted: wantedOf({}, 'D_x') },
      { kind: 'wait', reason: REASONS.DriverNameNotPossible('D_x', problem) },
    ],
    [
      'that is leaving is waited for',
      { present: ours({}, { deletionTimestamp: LEAVING }) },
      { kind: 'wait', reason: REASONS.ObjectBeingDeleted },
    ],
    ['is left alone as it should be', { present: ours() }, { kind: 'wait', reason: REASONS.DriverRegistered }],
    [
      'that says nothing is attached, without pod information',
      { wanted: wantedOf({ driverRequiresAttachment: true }), present: silent },
      { kind: 'wait', reason: REASONS.DriverRegistered },
    ],
    [
      'that somebody else made is left alone, with all that differs',
      { wanted: both, present: theirs({ attachRequired: false, podInfoOnMount: false }) },
      warned(
        theirs({ attachRequired: false, podInfoOnMount: false }),
        REASONS.ObjectMadeByOthers('attachRequired should be true, podInfoOnMount should be true'),
      ),
    ],
    [
      'that somebody else made is left alone, even where it could be made anew',
      { wanted: plain, recreate: true, present: theirs({ attachRequired: true }) },
      warned(theirs({ attachRequired: true }), REASONS.ObjectMadeByOthers('attachRequired should be false')),
    ],
    [
      'can not be changed in whether it is attached',
      { present: attached, recreate: false },
      warned(attached, REASONS.ObjectCanNotChange('attachRequired should be false, podInfoOnMount should be false')),
    ],
    [
      'that says nothing can not be changed either',
      { present: silent, recreate: false },
      warned(silent, REASONS.ObjectCanNotChange('attachRequired should be false')),
    ],
    ['is made anew where that is allowed', { present: attached, recreate: true }, { kind: 'remove', object: attached }],
    [
      'is made anew, but not again at once',
      { present: attached, recreate: true, restMs: 1 },
      { kind: 'wait', reason: REASONS.ChangedJustNow, retryInMs: 1 },
    ],
    [
      'is changed in its pod information',
      { wanted: podInfo, present: ours() },
      { kind: 'update', object: ours(), patch: { metadata: { resourceVersion: '7' }, spec: { podInfoOnMount: true } } },
    ],
    [
      'that says nothing is changed in its pod information, and stays attached',
      { wanted: both, present: silent },
      { kind: 'update', object: silent, patch: { metadata: { resourceVersion: '7' }, spec: { podInfoOnMount: true } } },
    ],
    [
      'is changed, but not again at once',
      { wanted: podInfo, present: ours(), restMs: 1 },
      { kind: 'wait', reason: REASONS.ChangedJustNow, retryInMs: 1 },
    ],
    [
      'is changed once that time is over',
      { wanted: podInfo, present: ours(), restMs: 0 },
      { kind: 'update', object: ours(), patch: { metadata: { resourceVersion: '7' }, spec: { podInfoOnMount: true } } },
    ],
    [
      'is told to be immutable at any time',
      { present: attached, recreate: false, restMs: 1 },
      warned(attached, REASONS.ObjectCanNotChange('attachRequired should be false, podInfoOnMount should be false')),
    ],
  ]
  for (const [behaviour, { present, ...view }, step] of cases)
    test(behaviour, () =>
      deepEqual(nextTodayStep({ csiDriver: present }, { wanted: plain, recreate: false, restMs: 0, ...view }), step),
    )
})

describe('the registry’s object', () => {
  const wanted = wantedOf({ podInfoRequiredOnMount: true })
  const ours = (
    spec: AlphaCSIDriverSpec = wanted.alphaDriver.spec,
    { ready = true, metadata = {} }: { ready?: boolean; metadata?: AlphaCSIDriver['metadata'] } = {},
  ): AlphaCSIDriver => ({
    ...wanted.alphaDriver,
    metadata: { ...wanted.alphaDriver.metadata, resourceVersion: '7', ...metadata },
    spec,
    status: { ready },
  })
  const theirs: AlphaCSIDriver = { ...ours({ driver: 'd', attachRequired: true }), metadata: { name: 'theirs' } }
  const inTheWay: AlphaCSIDriver = { ...ours({ driver: 'other' }), metadata: { name: 'd' } }
  const another: AlphaCSIDriver = { ...ours({ driver: 'other' }), metadata: { name: 'x' } }
  const taken = REASONS.ObjectOfAnotherDriver('d', 'd')
  const { podInfoRequiredOnMount: _wanted, ...lacking } = wanted.alphaDriver.spec
  const update = (object: AlphaCSIDriver, spec: object): object => ({
    kind: 'update',
    object,
    patch: { metadata: { resourceVersion: '7' }, spec },
  })
  const wrong = ours({ driver: 'd', attachRequired: true, podInfoOnMountVersion: 'v1' })

  const cases: [
    behaviour: string,
    alphaDrivers: AlphaCSIDriver[] | undefined,
    step: RegistrationStep | object,
    restMs?: number,
  ][] = [
    ['needs a registry', undefined, { kind: 'wait', reason: REASONS.RegistryNotInstalled }],
    ['is made', [], { kind: 'create', object: wanted.alphaDriver }],
    ['is made beside those of other drivers', [another], { kind: 'create', object: wanted.alphaDriver }],
    [
      'is not made where another driver has its name',
      [another, inTheWay],
      { kind: 'wait', reason: taken, warning: { about: inTheWay, reason: taken } },
    ],
    [
      'that is leaving is waited for',
      [ours({ driver: 'd' }, { metadata: { deletionTimestamp: LEAVING } })],
      { kind: 'wait', reason: REASONS.ObjectBeingDeleted },
    ],
    ['is left alone as it should be', [ours()], { kind: 'wait', reason: REASONS.DriverRegistered }],
    [
      'says null for what is unset',
      [ours({ ...wanted.alphaDriver.spec, podInfoOnMountVersion: null })],
      { kind: 'wait', reason: REASONS.DriverRegistered },
    ],
    ['gets what it lacks', [ours(lacking)], update(ours(lacking), { podInfoRequiredOnMount: true })],
    [
      'is changed in all that differs, and null takes away',
      [wrong],
      update(wrong, { attachRequired: false, podInfoOnMountVersion: null, podInfoRequiredOnMount: true }),
    ],
    ['is changed once that time is over', [ours(lacking)], update(ours(lacking), { podInfoRequiredOnMount: true }), 0],
    [
      'is not changed again at once',
      [ours(lacking)],
      { kind: 'wait', reason: REASONS.ChangedJustNow, retryInMs: 1 },
      1,
    ],
    [
      'says at once that the driver serves',
      [ours(lacking, { ready: false })],
      { kind: 'ready', object: ours(lacking, { ready: false }) },
      1,
    ],
    [
      'says that the driver serves',
      [ours(undefined, { ready: false })],
      { kind: 'ready', object: ours(undefined, { ready: false }) },
    ],
    ['that somebody else made is not changed', [theirs], { kind: 'wait', reason: REASONS.DriverRegistered }],
    [
      'that somebody else made says that the driver serves',
      [{ ...theirs, status: {} }],
      { kind: 'ready', object: { ...theirs, status: {} } },
    ],
  ]
  for (const [behaviour, alphaDrivers, step, restMs = 0] of cases)
    test(behaviour, () => deepEqual(nextAlphaStep({ alphaDrivers }, { wanted, recreate: false, restMs }), step))

  test('without a status nothing was said', () => {
    const { status: _none, ...silent } = ours()
    deepEqual(nextAlphaStep({ alphaDrivers: [silent] }, { wanted, recreate: false, restMs: 0 }), {
      kind: 'ready',
      object: silent,
    })
  })
})
