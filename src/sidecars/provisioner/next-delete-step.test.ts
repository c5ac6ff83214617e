import { deepEqual, equal, rejects } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { isConflict } from '../../api/api-error.ts'
import { PERSISTENT_VOLUMES } from '../../api/kinds/persistent-volume.ts'
import type { PersistentVolumePhase, PersistentVolumeSpec } from '../../api/kinds/persistent-volume.ts'
import type { VolumeAttachment } from '../../api/kinds/volume-attachment.ts'
import type { ObjectMeta } from '../../api/object.ts'
import { openTestCore } from '../../apiserver/testing/open-test-core.ts'
import { ControllerServiceCapability_RPC_Type as Capability } from '../../csi/generated/csi/v1/csi.ts'
import { MIGRATED_TO, PROVISIONED_BY, VOLUME_FINALIZER } from '../../storage/names.ts'
import { attacherFinalizer } from '../attacher-finalizer.ts'
import { DELETION_SECRET_NAME, DELETION_SECRET_NAMESPACE } from './names.ts'
import { nextDeleteStep } from './next-delete-step.ts'
import type { DeleteHeld, DeleteStep, DeleteView } from './next-delete-step.ts'
import { REASONS } from './reasons.ts'
import { testFacts } from './testing/driver-facts.ts'
import { DRIVER, testClass, testVolume, VOLUME_NAME } from './testing/objects.ts'

const LEAVING = '2026-01-01T00:00:00Z'
const marks = { [PROVISIONED_BY]: DRIVER, [DELETION_SECRET_NAME]: '', [DELETION_SECRET_NAMESPACE]: '' }
const PROTECTED = [VOLUME_FINALIZER]
const ours = (
  metadata: Partial<ObjectMeta> & { phase?: PersistentVolumePhase } = {},
  spec: Partial<PersistentVolumeSpec> = {},
) => testVolume(spec, { phase: 'Released', annotations: marks, finalizers: PROTECTED, ...metadata })
const attachment: VolumeAttachment = {
  apiVersion: 'storage.k8s.io/v1',
  kind: 'VolumeAttachment',
  metadata: { name: 'a1' },
  spec: { attacher: 'whoever', nodeName: 'n1', source: { persistentVolumeName: VOLUME_NAME } },
}
const attaches = testFacts({ controller: [Capability.PUBLISH_UNPUBLISH_VOLUME] })

type Change = { seen?: Partial<DeleteView['seen']>; held?: Partial<DeleteHeld>; outside?: boolean }
const view = ({ seen = {}, held = {}, outside = false }: Change = {}): DeleteView => ({
  driverName: DRIVER,
  seen: { volume: ours(), attachments: [], class: testClass(), ...seen },
  held: outside ? undefined : { facts: testFacts(), isDeleted: false, isRemoved: false, ...held },
})
const short = (step: DeleteStep): string => ('reason' in step ? `${step.kind} ${step.reason.code}` : step.kind)
const ask = (change: Change = {}): string => short(nextDeleteStep(view(change)))
const seeing = (volume: DeleteView['seen']['volume'], held: Partial<DeleteHeld> = {}): Change => ({
  seen: { volume },
  held,
})

describe('whose volume it is', () => {
  const bound = (annotations: Record<string, string>, spec: Partial<PersistentVolumeSpec> = {}) =>
    ours({ phase: 'Released', annotations }, spec)
  const cases: [behaviour: string, change: Change, step: string][] = [
    ['S3-160: one that we provisioned is ours', {}, 'delete-volume'],
    [
      'one of another provisioner is not, even of our driver',
      seeing(bound({ [PROVISIONED_BY]: 'other' })),
      'wait OtherProvisioner',
    ],
    ['one written by hand for our driver is ours', seeing(bound({})), 'delete-volume'],
    [
      'one written by hand for another driver is not',
      seeing(bound({}, { csi: { driver: 'other', volumeHandle: 'h' } })),
      'wait OtherDriver',
    ],
    [
      'one that moved from an in-tree plugin is left alone',
      seeing(bound({ [PROVISIONED_BY]: 'kubernetes.io/x', [MIGRATED_TO]: DRIVER })),
      'wait MigrationNotSupported',
    ],
  ]
  for (const [behaviour, change, step] of cases) test(behaviour, () => equal(ask(change), step))
})

describe('the finalizer', () => {
  const cases: [behaviour: string, change: Change, step: string][] = [
    ['is put on a bound volume that is to be deleted', seeing(ours({ phase: 'Bound', finalizers: [] })), 'protect'],
    ['is not put on twice', seeing(ours({ phase: 'Bound' })), 'wait VolumeNotReleased'],
    [
      'is not put on what is leaving',
      seeing(ours({ phase: 'Bound', finalizers: [], deletionTimestamp: LEAVING })),
      'wait VolumeNotReleased',
    ],
    [
      'is not put on what is not bound yet',
      seeing(ours({ phase: 'Pending', finalizers: [] })),
      'wait VolumeNotReleased',
    ],
    [
      'S3-161: is taken off what is to be retained',
      seeing(ours({}, { persistentVolumeReclaimPolicy: 'Retain' })),
      'release',
    ],
    [
      'S3-161: is taken off what is to be retained though leaving',
      seeing(ours({ deletionTimestamp: LEAVING }, { persistentVolumeReclaimPolicy: 'Retain' })),
      'release',
    ],
    [
      'S3-161: a retained volume stays',
      seeing(ours({ finalizers: [] }, { persistentVolumeReclaimPolicy: 'Retain' })),
      'wait VolumeRetained',
    ],
    [
      'a policy that is recycle counts as retained',
      seeing(ours({ finalizers: [] }, { persistentVolumeReclaimPolicy: 'Recycle' })),
      'wait VolumeRetained',
    ],
  ]
  for (const [behaviour, change, step] of cases) test(behaviour, () => equal(ask(change), step))

  test('its patches leave the finalizers of others alone, and are refused for a namesake', async (context) => {
    const { api } = await openTestCore(context)
    const { uid: _, ...metadata } = ours().metadata
    const created = await api.create(PERSISTENT_VOLUMES, {
      ...ours(),
      metadata: { ...metadata, finalizers: ['example.com/other'] },
    })
    const others = created.metadata.finalizers ?? []
    const patchOf = (volume: typeof created) => {
      const step = nextDeleteStep(view({ seen: { volume } }))
      if (!('patch' in step)) throw new Error(short(step))
      return step.patch
    }
    const bound = { ...created, status: { phase: 'Bound' as const } }
    const guarded = await api.patch(PERSISTENT_VOLUMES, { name: VOLUME_NAME }, patchOf(bound))
    deepEqual(guarded.metadata.finalizers?.toSorted(), [...others, VOLUME_FINALIZER].sort())
    const retained = { ...guarded, spec: { ...guarded.spec, persistentVolumeReclaimPolicy: 'Retain' as const } }
    const freed = await api.patch(PERSISTENT_VOLUMES, { name: VOLUME_NAME }, patchOf(retained))
    deepEqual(freed.metadata.finalizers, others)
    const namesake = { ...bound, metadata: { ...bound.metadata, uid: 'another' } }
    await rejects(api.patch(PERSISTENT_VOLUMES, { name: VOLUME_NAME }, patchOf(namesake)), isConflict)
  })
})

describe('deletion', () => {
  const affinity = {
    required: { nodeSelectorTerms: [{ matchExpressions: [{ key: 'zone', operator: 'In' as const, values: ['a'] }] }] },
  }
  const nodeIn = (zone: string) => ({ ownNode: { name: 'n1', segments: { zone }, immediateBinding: true } })
  const { csi: _, ...inTree } = ours().spec
  const cases: [behaviour: string, change: Change, step: string][] = [
    ['S3-160: begins once the volume is released', {}, 'delete-volume'],
    ['H53: does not begin while the volume is bound', seeing(ours({ phase: 'Bound' })), 'wait VolumeNotReleased'],
    [
      'does not begin when the volume is bound and leaving',
      seeing(ours({ phase: 'Bound', deletionTimestamp: LEAVING })),
      'wait VolumeNotReleased',
    ],
    ['does not begin when the volume has failed', seeing(ours({ phase: 'Failed' })), 'wait VolumeNotReleased'],
    [
      'begins for a volume that is leaving with our finalizer',
      seeing(ours({ deletionTimestamp: LEAVING })),
      'delete-volume',
    ],
    [
      'begins for a volume without our finalizer that is not leaving',
      seeing(ours({ finalizers: [] })),
      'delete-volume',
    ],
    [
      'does not begin for one that others hold while it leaves: it was deleted',
      seeing(ours({ finalizers: ['x'], deletionTimestamp: LEAVING })),
      'wait HeldByOthers',
    ],
    ['has nothing to do for a volume that is not of CSI', seeing({ ...ours(), spec: inTree }), 'wait VolumeNotCSI'],
    [
      'needs a driver that deletes',
      { held: { facts: { ...testFacts(), controller: new Set() } } },
      'refuse DriverLacksCapability',
    ],
    [
      'needs a driver with a controller',
      { held: { facts: testFacts({ services: [] }) } },
      'refuse DriverLacksCapability',
    ],
    [
      'waits quietly while the volume is attached',
      { seen: { attachments: [attachment] }, held: { facts: attaches } },
      'wait VolumeStillAttached',
    ],
    [
      'does not look at attachments of a driver that does not attach',
      { seen: { attachments: [attachment] } },
      'delete-volume',
    ],
    ['on each node: of this place', seeing(ours({}, { nodeAffinity: affinity }), nodeIn('a')), 'delete-volume'],
    ['on each node: of another place', seeing(ours({}, { nodeAffinity: affinity }), nodeIn('b')), 'wait OtherNode'],
    ['on each node: of every place', seeing(ours(), nodeIn('b')), 'delete-volume'],
    ['the finalizer goes after the volume', { held: { isDeleted: true } }, 'release'],
    [
      'S3-160: the object goes after the volume',
      seeing(ours({ finalizers: [] }), { isDeleted: true }),
      'delete-object',
    ],
    [
      'the finalizer goes while the object is leaving',
      seeing(ours({ deletionTimestamp: LEAVING }), { isDeleted: true }),
      'release',
    ],
    [
      'the finalizer goes at once, though the cache does not show that the object leaves',
      { held: { isDeleted: true, isRemoved: true } },
      'release',
    ],
    [
      'a volume that was deleted is not deleted twice',
      seeing(ours({ finalizers: [] }), { isDeleted: true, isRemoved: true }),
      'wait VolumeLeaving',
    ],
    ['is seen from outside', { outside: true }, 'delete-volume'],
    [
      'is seen from outside as waiting for what is attached',
      { outside: true, seen: { attachments: [attachment] } },
      'wait VolumeStillAttached',
    ],
  ]
  for (const [behaviour, change, step] of cases) test(behaviour, () => equal(ask(change), step))

  test('asks for the volume by its handle', () =>
    deepEqual(nextDeleteStep(view()), { kind: 'delete-volume', request: { volumeId: 'handle-1', secrets: {} } }))
  test('deletes this very object', () =>
    deepEqual(nextDeleteStep(view(seeing(ours({ finalizers: [] }), { isDeleted: true }))), {
      kind: 'delete-object',
      uid: 'volume-1',
    }))
  test('takes the finalizer of the attacher with its own if it gave it, and leaves it otherwise', () => {
    const attachers = attacherFinalizer(DRIVER)
    const volume = ours({ finalizers: ['x', VOLUME_FINALIZER, attachers] })
    const dropped = (ownsAttacherFinalizer: boolean): unknown => {
      const step = nextDeleteStep(view(seeing(volume, { isDeleted: true, ownsAttacherFinalizer })))
      return step.kind === 'release' && step.patch.type === 'strategic' ? step.patch.value : step
    }
    const naming = (...names: string[]) => ({
      metadata: { uid: 'volume-1', '$deleteFromPrimitiveList/finalizers': names },
    })
    deepEqual(dropped(true), naming(VOLUME_FINALIZER, attachers))
    deepEqual(dropped(false), naming(VOLUME_FINALIZER))
  })
})

describe('the secret of a deletion', () => {
  const noted = ours({ annotations: { ...marks, [DELETION_SECRET_NAME]: 's', [DELETION_SECRET_NAMESPACE]: 'vault' } })
  const silent = ours({ annotations: { [PROVISIONED_BY]: DRIVER } })
  const secret = { kind: 'read', values: { user: 'ann' } } as const
  const named = (name: string) =>
    testClass({ parameters: { csiProvisionerSecretName: name, csiProvisionerSecretNamespace: '${pvc.namespace}' } })
  const read = (name: string, namespace: string) => ({ kind: 'read-secret', ref: { name, namespace } })
  const plain = { kind: 'delete-volume', request: { volumeId: 'handle-1', secrets: {} } }

  test('S3-174: is the one that was noted', () =>
    deepEqual(nextDeleteStep(view({ seen: { volume: noted } })), read('s', 'vault')))
  test('S3-174: its values are sent', () => {
    deepEqual(nextDeleteStep(view({ seen: { volume: noted, secret } })), {
      kind: 'delete-volume',
      request: { volumeId: 'handle-1', secrets: { user: 'ann' } },
    })
  })
  test('H50: that is gone is done without', () =>
    deepEqual(nextDeleteStep(view({ seen: { volume: noted, secret: { kind: 'missing' } } })), plain))
  test('noted as none is none, whatever the class says', () =>
    deepEqual(nextDeleteStep(view({ seen: { class: named('s') } })), plain))
  test('H50: that was not noted is what the class says, for the claim as far as it is known', () => {
    deepEqual(
      nextDeleteStep(view({ seen: { volume: silent, class: named('${pvc.name}-${pv.name}') } })),
      read(`data-${VOLUME_NAME}`, 'shop'),
    )
  })
  test('H50: half of a note is none, so the class says', () => {
    const half = ours({ annotations: { [PROVISIONED_BY]: DRIVER, [DELETION_SECRET_NAME]: 's' } })
    deepEqual(nextDeleteStep(view({ seen: { volume: half, class: named('t') } })), read('t', 'shop'))
  })
  test('H50: that was not noted is none when the class is gone', () =>
    deepEqual(nextDeleteStep(view({ seen: { volume: silent, class: undefined } })), plain))
  test('a template that can not be filled in is told', () => {
    equal(ask({ seen: { volume: silent, class: named("${pvc.annotations['a']}") } }), 'refuse SecretTemplateInvalid')
  })
  test('is not read while the volume is attached', () =>
    equal(
      ask({ seen: { volume: noted, attachments: [attachment] }, held: { facts: attaches } }),
      'wait VolumeStillAttached',
    ))
  test('H52: that is no text is told', () => {
    equal(ask({ seen: { volume: noted, secret: { kind: 'not-text', key: 'k' } } }), 'refuse SecretNotText')
  })
})

describe('all of a decision', () => {
  const affinity = {
    required: {
      nodeSelectorTerms: [{ matchFields: [{ key: 'metadata.name', operator: 'In' as const, values: ['n1'] }] }],
    },
  }
  const onNode = (name: string) => ({ ownNode: { name, segments: {}, immediateBinding: true } })
  const { csi: _csi, ...inTree } = ours().spec
  const { persistentVolumeReclaimPolicy: _policy, ...noPolicy } = ours().spec
  const { status: _status, ...fresh } = ours({ finalizers: [] })
  const byHand = ours({ annotations: {} })
  const held = (kind: string, reason: object): object => ({ kind, reason })
  const lacking = (capability: string): object =>
    held('refuse', REASONS.DriverLacksCapability('dynamic provisioning', capability))
  const cases: [behaviour: string, change: Change, step: object][] = [
    [
      'a retained volume',
      seeing(ours({ finalizers: [] }, { persistentVolumeReclaimPolicy: 'Recycle' })),
      held('wait', REASONS.VolumeRetained('Recycle')),
    ],
    [
      'a volume without a policy',
      seeing({ ...ours({ finalizers: [] }), spec: noPolicy }),
      held('wait', REASONS.VolumeRetained('Retain')),
    ],
    [
      'a volume that is not released',
      seeing(ours({ phase: 'Failed' })),
      held('wait', REASONS.VolumeNotReleased('Failed')),
    ],
    ['a volume without a phase', seeing(fresh), held('wait', REASONS.VolumeNotReleased('Pending'))],
    [
      'a volume that others hold, though it was deleted',
      seeing(ours({ finalizers: ['x', 'y'], deletionTimestamp: LEAVING }), { isDeleted: true }),
      held('wait', REASONS.HeldByOthers(['x', 'y'])),
    ],
    [
      'a volume that was deleted and is no longer one of CSI',
      seeing({ ...ours({ finalizers: [] }), spec: inTree }, { isDeleted: true }),
      { kind: 'delete-object', uid: 'volume-1' },
    ],
    [
      'a volume of another node',
      seeing(ours({}, { nodeAffinity: affinity }), onNode('n2')),
      held('wait', REASONS.OtherNode('n2')),
    ],
    [
      'a driver without a controller',
      { held: { facts: testFacts({ services: [] }) } },
      lacking('plugin CONTROLLER_SERVICE'),
    ],
    [
      'a driver that deletes nothing',
      { held: { facts: { ...testFacts(), controller: new Set() } } },
      lacking('controller CREATE_DELETE_VOLUME'),
    ],
    [
      'a volume that is attached, which is told',
      { seen: { attachments: [attachment] }, held: { facts: attaches } },
      {
        kind: 'wait',
        reason: REASONS.VolumeStillAttached(VOLUME_NAME, 'a1', 'n1'),
        notice: { type: 'Normal', event: 'VolumeDeleteWaits' },
      },
    ],
    [
      'a volume that moved here',
      seeing(ours({ annotations: { [PROVISIONED_BY]: 'x', [MIGRATED_TO]: DRIVER } })),
      held('wait', REASONS.MigrationNotSupported(DRIVER)),
    ],
    [
      'a volume of another provisioner',
      seeing(ours({ annotations: { [PROVISIONED_BY]: 'x' } })),
      held('wait', REASONS.OtherProvisioner('x')),
    ],
    [
      'a volume of another driver',
      seeing({ ...byHand, spec: { ...byHand.spec, csi: { driver: 'x', volumeHandle: 'h' } } }),
      held('wait', REASONS.OtherDriver('x')),
    ],
    ['a volume of no driver', seeing({ ...byHand, spec: inTree }), held('wait', REASONS.OtherDriver())],
    [
      'a finalizer is taken off this very volume',
      seeing(ours({}, { persistentVolumeReclaimPolicy: 'Retain' })),
      {
        kind: 'release',
        patch: {
          type: 'strategic',
          value: { metadata: { uid: 'volume-1', '$deleteFromPrimitiveList/finalizers': PROTECTED } },
        },
      },
    ],
  ]
  for (const [behaviour, change, step] of cases) test(behaviour, () => deepEqual(nextDeleteStep(view(change)), step))

  test('ours that once moved is ours', () =>
    equal(ask(seeing(ours({ annotations: { ...marks, [MIGRATED_TO]: DRIVER } }))), 'delete-volume'))
  test('a volume of this node by its name is deleted here', () =>
    equal(ask(seeing(ours({}, { nodeAffinity: affinity }), onNode('n1'))), 'delete-volume'))

  const noted = (name?: string, namespace?: string) =>
    ours({
      annotations: {
        [PROVISIONED_BY]: DRIVER,
        ...(name === undefined ? {} : { [DELETION_SECRET_NAME]: name }),
        ...(namespace === undefined ? {} : { [DELETION_SECRET_NAMESPACE]: namespace }),
      },
    })
  const named = testClass({ parameters: { csiProvisionerSecretName: 't', csiProvisionerSecretNamespace: 'shop' } })
  const secrets: [behaviour: string, volume: ReturnType<typeof noted>, step: string][] = [
    ['a name without a namespace is noted as none', noted('s', ''), 'delete-volume'],
    ['a namespace without a name is noted as none', noted('', 'vault'), 'delete-volume'],
  ]
  for (const [behaviour, volume, step] of secrets)
    test(behaviour, () => equal(ask({ seen: { volume, class: named } }), step))
  test('half a note counts for nothing', () => {
    deepEqual(nextDeleteStep(view({ seen: { volume: noted(undefined, 'vault'), class: named } })), {
      kind: 'read-secret',
      ref: { name: 't', namespace: 'shop' },
    })
  })
  test('a secret that the volume does not name is not sent', () => {
    const secret = { kind: 'read', values: { user: 'ann' } } as const
    deepEqual(nextDeleteStep(view({ seen: { secret } })), {
      kind: 'delete-volume',
      request: { volumeId: 'handle-1', secrets: {} },
    })
  })
  test('a secret that nobody noted is not looked for in the class when the claim is not known', () => {
    const { claimRef: _none, ...spec } = noted().spec
    equal(ask({ seen: { volume: { ...noted(), spec }, class: named } }), 'delete-volume')
  })
})
