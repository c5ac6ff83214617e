import { deepEqual, equal } from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { PersistentVolumeClaimSpec } from '../../api/kinds/persistent-volume-claim.ts'
import type { VolumeAttributesClass } from '../../api/kinds/volume-attributes-class.ts'
import type { VolumeSnapshot, VolumeSnapshotContent } from '../../api/kinds/volume-snapshot.ts'
import { ControllerServiceCapability_RPC_Type as Capability } from '../../csi/generated/csi/v1/csi.ts'
import { SELECTED_NODE } from '../../storage/names.ts'
import { CLONE_SOURCE_FINALIZER, SNAPSHOT_SOURCE_FINALIZER } from './names.ts'
import type { VolumePopulator } from './content-source.ts'
import { planVolume } from './plan-volume.ts'
import type { PlanQuestion, PlanStep } from './plan-volume.ts'
import type { ProvisionPlan } from './provision-view.ts'
import { DEFAULT_PROVISION_SETTINGS } from './provisioner-options.ts'
import { testCaches } from './testing/caches.ts'
import { testFacts } from './testing/driver-facts.ts'
import { DRIVER, testClaim, testClass, testCsiNode, testNode, testVolume, VOLUME_NAME } from './testing/objects.ts'

const ask = (change: Partial<PlanQuestion> = {}): PlanStep =>
  planVolume({
    driverName: DRIVER,
    claim: testClaim(),
    class: testClass(),
    caches: testCaches(),
    read: {},
    settings: DEFAULT_PROVISION_SETTINGS,
    facts: testFacts(),
    ...change,
  })
const withSpec = (spec: Partial<PersistentVolumeClaimSpec>) => ({ claim: testClaim(spec) })
const short = (step: PlanStep): string => ('reason' in step ? step.reason.code : step.kind)
function planOf(step: PlanStep): ProvisionPlan {
  if (step.kind !== 'planned') throw new Error(`${step.kind}: ${short(step)}`)
  return step.plan
}

test('S3-40 S3-159: a simple claim needs nothing but itself and its class', () => {
  const plan = planOf(ask())
  equal(plan.request.name, VOLUME_NAME)
  equal(plan.request.capacityRange?.requiredBytes, 1073741824n)
  equal(plan.request.accessibilityRequirements, undefined)
})
test('a claim that selects volumes by label is refused', () =>
  equal(short(ask(withSpec({ selector: { matchLabels: { a: 'b' } } }))), 'SelectorNotSupported'))
test('another kind of source is handed off to its populator', () => {
  const step = ask(withSpec({ dataSourceRef: { apiGroup: 'example.com', kind: 'Image', name: 'i' } }))
  deepEqual(step.kind === 'hand-off' && step.reason.waitsFor, {
    kind: 'actor',
    name: 'a populator for Image.example.com',
  })
})
const populatorFor = (group: string, kind: string): VolumePopulator => ({
  apiVersion: 'populator.storage.k8s.io/v1beta1',
  kind: 'VolumePopulator',
  metadata: { name: 'p' },
  sourceKind: { group, kind },
})
const populators: [behaviour: string, registered: VolumePopulator[] | undefined, group: string, code: string][] = [
  [
    'a kind that is registered is handed off',
    [populatorFor('example.com', 'Image')],
    'example.com',
    'PopulatorExpected',
  ],
  ['a server without registrations may have any', undefined, 'example.com', 'PopulatorExpected'],
  ['a kind that nobody registered is reported', [], 'example.com', 'PopulatorUnregistered'],
  [
    'another kind of the group does not count',
    [populatorFor('example.com', 'I')],
    'example.com',
    'PopulatorUnregistered',
  ],
  ['another group does not count', [populatorFor('example.org', 'Image')], 'example.com', 'PopulatorUnregistered'],
]
for (const [behaviour, registered, apiGroup, code] of populators)
  test(`volume populators: ${behaviour}`, () =>
    equal(
      short(
        ask({
          ...withSpec({ dataSourceRef: { apiGroup, kind: 'Image', name: 'i' } }),
          caches: testCaches({ populators: registered }),
        }),
      ),
      code,
    ))
const wrong: [behaviour: string, change: Partial<PlanQuestion>, code: string][] = [
  [
    'a source of another namespace',
    withSpec({ dataSourceRef: { kind: 'PersistentVolumeClaim', name: 'c', namespace: 'other' } }),
    'CrossNamespaceSourceDisabled',
  ],
  [
    'a file system named twice',
    { class: testClass({ parameters: { fstype: 'xfs', FSTYPE: 'xfs' } }) },
    'FileSystemNamedTwice',
  ],
  ['a size that is none', withSpec({ resources: { requests: { storage: 'big' } } }), 'SizeInvalid'],
  ['half a secret', { class: testClass({ parameters: { csiNodePublishSecretName: 's' } }) }, 'SecretIncomplete'],
  ['an access mode that nobody knows', withSpec({ accessModes: ['x' as 'ReadWriteOnce'] }), 'AccessModeUnknown'],
]
for (const [behaviour, change, code] of wrong) test(`${behaviour} is told`, () => equal(short(ask(change)), code))
test('a driver without controller service or volumes is refused', () => {
  equal(short(ask({ facts: testFacts({ services: [] }) })), 'DriverLacksCapability')
  equal(short(ask({ facts: { ...testFacts(), controller: new Set() } })), 'DriverLacksCapability')
})
test('asked from outside the driver counts as able', () => equal(ask({ facts: undefined }).kind, 'planned'))

describe('secrets', () => {
  const secretClass = testClass({
    parameters: {
      'csi.storage.k8s.io/provisioner-secret-name': 's',
      'csi.storage.k8s.io/provisioner-secret-namespace': 'vault',
      csiNodeStageSecretName: 't',
      csiNodeStageSecretNamespace: 'vault',
    },
  })
  const secret = { kind: 'read', values: { user: 'ann' } } as const
  test('S3-168: only the secret for making the volume is read', () => {
    deepEqual(ask({ class: secretClass }), {
      kind: 'read',
      wanted: { kind: 'secret', ref: { name: 's', namespace: 'vault' } },
    })
  })
  test('S3-173: its values go into the request, the other secrets are kept as references', () => {
    const plan = planOf(ask({ class: secretClass, read: { secret } }))
    deepEqual(plan.request.secrets, { user: 'ann' })
    deepEqual(plan.secrets, {
      provisioner: { name: 's', namespace: 'vault' },
      nodeStage: { name: 't', namespace: 'vault' },
    })
  })
  test('a secret that is not there is told', () =>
    equal(short(ask({ class: secretClass, read: { secret: { kind: 'missing' } } })), 'SecretMissing'))
  test('H52: a secret that is no text is told', () => {
    equal(short(ask({ class: secretClass, read: { secret: { kind: 'not-text', key: 'key' } } })), 'SecretNotText')
  })
})

describe('topology', () => {
  const world = {
    caches: testCaches({ nodes: [testNode('n1', { zone: 'a' })], csiNodes: [testCsiNode('n1', ['zone'])] }),
  }
  const facts = testFacts({ topology: true })
  test('S3-44 S3-48: a driver with topology is told places', () => {
    const plan = planOf(ask({ ...world, facts }))
    deepEqual(plan.request.accessibilityRequirements, {
      requisite: [{ segments: { zone: 'a' } }],
      preferred: [{ segments: { zone: 'a' } }],
    })
    equal(plan.topology, true)
  })
  test('H57: a driver without topology is not', () => {
    const plan = planOf(ask(world))
    equal(plan.request.accessibilityRequirements, undefined)
    equal(plan.topology, false)
  })
  test('nor is any when topology is switched off', () => {
    equal(
      planOf(
        ask({
          ...world,
          facts,
          settings: {
            ...DEFAULT_PROVISION_SETTINGS,
            featureGates: { ...DEFAULT_PROVISION_SETTINGS.featureGates, Topology: false },
          },
        }),
      ).topology,
      false,
    )
  })
  test('a selected node that is gone sends the claim elsewhere', () => {
    equal(ask({ ...world, facts, claim: testClaim({}, { annotations: { [SELECTED_NODE]: 'n9' } }) }).kind, 'reschedule')
  })
})

describe('attributes classes', () => {
  const claim = testClaim({ volumeAttributesClassName: 'gold' })
  const facts = testFacts({ controller: [Capability.MODIFY_VOLUME] })
  const gold: VolumeAttributesClass = {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'VolumeAttributesClass',
    metadata: { name: 'gold' },
    driverName: DRIVER,
    parameters: { iops: '9' },
  }
  test('is read and passed on', () => {
    deepEqual(ask({ claim, facts }), { kind: 'read', wanted: { kind: 'attributesClass', ref: { name: 'gold' } } })
    deepEqual(planOf(ask({ claim, facts, read: { attributesClass: gold } })).request.mutableParameters, { iops: '9' })
  })
  test('has to be there, of the driver, and within its powers', () => {
    equal(short(ask({ claim, facts, read: { attributesClass: null } })), 'AttributesClassNotFound')
    equal(
      short(ask({ claim, facts, read: { attributesClass: { ...gold, driverName: 'other' } } })),
      'AttributesClassOfOtherDriver',
    )
    equal(short(ask({ claim })), 'DriverLacksCapability')
  })
  test('is not looked at when switched off, or empty', () => {
    equal(ask({ claim, settings: { ...DEFAULT_PROVISION_SETTINGS, useAttributesClasses: false } }).kind, 'planned')
    equal(ask(withSpec({ volumeAttributesClassName: '' })).kind, 'planned')
  })
})

describe('a snapshot', () => {
  const claim = testClaim({ dataSource: { apiGroup: 'snapshot.storage.k8s.io', kind: 'VolumeSnapshot', name: 's' } })
  const facts = testFacts({ controller: [Capability.CREATE_DELETE_SNAPSHOT] })
  const snapshot: VolumeSnapshot = {
    apiVersion: 'snapshot.storage.k8s.io/v1',
    kind: 'VolumeSnapshot',
    metadata: { namespace: 'shop', name: 's', uid: 'u', finalizers: ['x'] },
    spec: { source: {} },
    status: { boundVolumeSnapshotContentName: 'content', readyToUse: true },
  }
  const snapshotContent: VolumeSnapshotContent = {
    apiVersion: 'snapshot.storage.k8s.io/v1',
    kind: 'VolumeSnapshotContent',
    metadata: { name: 'content' },
    spec: {
      volumeSnapshotRef: { namespace: 'shop', name: 's', uid: 'u' },
      deletionPolicy: 'Delete',
      driver: DRIVER,
      source: {},
    },
    status: { snapshotHandle: 'h' },
  }
  const protectedOne = { ...snapshot, metadata: { ...snapshot.metadata, finalizers: ['x', SNAPSHOT_SOURCE_FINALIZER] } }
  test('is read, then its content', () => {
    deepEqual(ask({ claim, facts }), {
      kind: 'read',
      wanted: { kind: 'snapshot', ref: { namespace: 'shop', name: 's' } },
    })
    deepEqual(ask({ claim, facts, read: { snapshot } }), {
      kind: 'read',
      wanted: { kind: 'snapshotContent', ref: { name: 'content' } },
    })
  })
  test('is protected before the call', () =>
    deepEqual(ask({ claim, facts, read: { snapshot, snapshotContent } }), {
      kind: 'protect-source',
      object: protectedOne,
    }))
  test('is given to the driver once protected, or when that is forbidden', () => {
    const expected = { type: { $case: 'snapshot', value: { snapshotId: 'h' } } }
    deepEqual(
      planOf(ask({ claim, facts, read: { snapshot: protectedOne, snapshotContent } })).request.volumeContentSource,
      expected,
    )
    deepEqual(
      planOf(ask({ claim, facts, read: { snapshot, snapshotContent, protectionForbidden: true } })).request
        .volumeContentSource,
      expected,
    )
  })
  test('that is not there is told', () =>
    equal(short(ask({ claim, facts, read: { snapshot: null } })), 'SnapshotNotFound'))
  test('needs a driver with snapshots', () => equal(short(ask({ claim })), 'DriverLacksCapability'))
  test('is not protected when something else is wrong', () => {
    const wrong = testClass({ parameters: { 'csi.storage.k8s.io/x': '' } })
    equal(short(ask({ claim, facts, class: wrong, read: { snapshot, snapshotContent } })), 'ParameterUnknown')
  })
})

describe('a clone', () => {
  const claim = testClaim({ dataSource: { kind: 'PersistentVolumeClaim', name: 'c' } })
  const facts = testFacts({ controller: [Capability.CLONE_VOLUME] })
  const source = {
    ...testClaim({ volumeName: 'v' }, { name: 'c', uid: 'source' }),
    status: { phase: 'Bound' as const },
  }
  const volume = testVolume({ claimRef: { namespace: 'shop', name: 'c', uid: 'source' } }, { name: 'v' })
  const caches = testCaches({ claims: [source], volumes: [volume] })
  const protectedOne = { ...source, metadata: { ...source.metadata, finalizers: [CLONE_SOURCE_FINALIZER] } }
  test('protects its source first', () =>
    deepEqual(ask({ claim, facts, caches }), { kind: 'protect-source', object: protectedOne }))
  test('believes what it wrote rather than the cache', () => {
    deepEqual(planOf(ask({ claim, facts, caches, read: { sourceClaim: protectedOne } })).request.volumeContentSource, {
      type: { $case: 'volume', value: { volumeId: 'handle-1' } },
    })
  })
  test('waits for its source', () => equal(short(ask({ claim, facts })), 'SourceClaimNotFound'))
  test('needs a driver that clones', () => equal(short(ask({ claim, caches })), 'DriverLacksCapability'))
})
