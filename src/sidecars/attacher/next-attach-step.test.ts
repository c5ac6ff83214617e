import { deepEqual, equal } from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { PersistentVolume, PersistentVolumeSpec } from '../../api/kinds/persistent-volume.ts'
import type { VolumeAttachment, VolumeAttachmentStatus } from '../../api/kinds/volume-attachment.ts'
import { volumeOf as plainVolumeOf } from '../../testing/objects.ts'
import type { AttachHeld, AttachView } from './attach-view.ts'
import { attacherFinalizer } from '../attacher-finalizer.ts'
import { nextAttachStep } from './next-attach-step.ts'
import type { AttachStep } from './next-attach-step.ts'
import { REASONS } from './reasons.ts'
import { callTo, targetAnnotations } from '../attach-target.ts'
import type { Target } from '../attach-target.ts'

const DRIVER = 'test.holdfast.dev'
const FINALIZER = attacherFinalizer(DRIVER)
const T1: Target = { volumeHandle: 'h1', nodeId: 'id-1' }
const PASS = { namespace: 'ns', name: 'pass' }

type Given = {
  leaving?: boolean
  status?: VolumeAttachmentStatus
  claimed?: Partial<Target>
  finalizers?: string[]
  source?: VolumeAttachment['spec']['source']
  /** False: there is none. */
  volume?: false | { leaving?: boolean; held?: boolean; csi?: object; spec?: Partial<PersistentVolumeSpec> }
  nodeId?: false | string
  held?: Partial<AttachHeld>
}

const HELD: AttachHeld = {
  nowMs: 1000,
  rules: { publishReadonly: true, singleNodeMultiWriter: false, defaultFstype: '' },
  busy: new Set(),
  isVolumeReleasing: false,
  hasDrifted: false,
}

function view(given: Given = {}): AttachView {
  const { leaving, claimed, status, source = { persistentVolumeName: 'v1' }, nodeId = 'id-1' } = given
  const annotations = claimed ? saved(claimed) : {}
  const finalizers = given.finalizers ?? (claimed ? [FINALIZER] : [])
  const attachment: VolumeAttachment = {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'VolumeAttachment',
    metadata: {
      name: 'a1',
      uid: 'u1',
      annotations,
      finalizers,
      ...(leaving ? { deletionTimestamp: '2030-01-01T00:00:00Z' } : {}),
    },
    spec: { attacher: DRIVER, nodeName: 'node-1', source },
    ...(status ? { status } : {}),
  }
  const volume = given.volume === false ? undefined : volumeOf(given.volume ?? {})
  return {
    seen: { attachment, ...(volume ? { volume } : {}), ...(nodeId === false ? {} : { registeredNodeId: nodeId }) },
    held: { ...HELD, ...given.held },
  }
}

const volumeOf = ({ leaving, held = true, csi, spec }: Exclude<Given['volume'], false | undefined>): PersistentVolume =>
  plainVolumeOf({
    metadata: {
      finalizers: held ? [FINALIZER] : [],
      ...(leaving ? { deletionTimestamp: '2030-01-01T00:00:00Z' } : {}),
    },
    spec: { csi: { driver: DRIVER, volumeHandle: 'h1', ...csi }, ...spec },
  })

// As upstream leaves it: the node's id alone.
const saved = (target: Partial<Target>): Record<string, string> => {
  const all = targetAnnotations({ volumeHandle: '', nodeId: '', ...target })
  return Object.fromEntries(Object.entries(all).filter((entry): entry is [string, string] => Boolean(entry[1])))
}

/** A step in few words: its kind, its reason's code, where it goes. */
function brief(step: AttachStep): string {
  switch (step.kind) {
    case 'wait':
      return `wait ${step.reason.code}${step.retryInMs === undefined ? '' : ` ${step.retryInMs}`}`
    case 'refuse':
      return `refuse ${step.operation} ${step.reason.code}${step.retry ? ' retry' : ''}`
    case 'read-secret':
      return `read-secret ${step.ref.namespace}/${step.ref.name}`
    case 'hold-volume':
      return 'hold-volume'
    case 'claim':
      return `claim ${to(step.target)}`
    case 'move':
      return `move ${to(step.from)} > ${to(step.to)}`
    case 'publish':
      return `publish ${to(step.request)}`
    case 'unpublish':
      return `unpublish ${to(step.target)}`
  }
}
const to = ({ volumeHandle, nodeId, secretRef }: Target): string =>
  `${volumeHandle} ${nodeId}${secretRef ? ` ${secretRef.name}` : ''}`

const basisOf = (given: Given): string => {
  const step = nextAttachStep(view(given))
  return 'basis' in step ? step.basis : ''
}

const cases: [behaviour: string, given: Given, step: string][] = [
  // Attach.
  ['S3-75: holds the volume before anything else', { volume: { held: false } }, 'hold-volume'],
  ['S3-73: saves its claim before the first driver call', {}, 'claim h1 id-1'],
  ['publishes what it has claimed', { claimed: T1 }, 'publish h1 id-1'],
  ['publishes what upstream has claimed, which saves no handle', { claimed: { nodeId: 'id-1' } }, 'publish h1 id-1'],
  ['holds a volume again whose finalizer somebody removed', { claimed: T1, volume: { held: false } }, 'hold-volume'],
  [
    'claims although somebody wrote the annotation without the finalizer',
    { claimed: T1, finalizers: ['other'] },
    'claim h1 id-1',
  ],
  ['S3-69: leaves alone what is attached', { claimed: T1, status: { attached: true } }, 'wait Attached'],
  [
    'leaves alone what is attached, even without its volume and node',
    { claimed: T1, status: { attached: true }, volume: false, nodeId: false },
    'wait Attached',
  ],
  [
    'publishes again what the driver does not list',
    { claimed: T1, status: { attached: true }, held: { hasDrifted: true } },
    'publish h1 id-1',
  ],
  ['waits for the volume', { volume: false }, 'refuse attach VolumeMissing'],
  ['does not attach a volume that is being deleted', { volume: { leaving: true } }, 'refuse attach VolumeLeaving'],
  ['does not attach a volume of another driver', { volume: { csi: { driver: 'other' } } }, 'refuse attach OtherDriver'],
  [
    'does not attach a volume without a CSI source',
    { source: { inlineVolumeSpec: { accessModes: ['ReadWriteOnce'] } } },
    'refuse attach NoCSISource',
  ],
  ['wants one source', { source: {} }, 'refuse attach SourceUnclear'],
  [
    'wants only one source',
    { source: { persistentVolumeName: 'v1', inlineVolumeSpec: {} } },
    'refuse attach SourceUnclear',
  ],
  [
    'wants access modes that go together',
    { volume: { spec: { accessModes: ['ReadWriteOnce', 'ReadOnlyMany'] } } },
    'refuse attach AccessModesUnclear',
  ],
  [
    'S3-70, S3-71: waits for the driver to be registered on the node',
    { nodeId: false },
    'refuse attach DriverNotRegistered',
  ],
  [
    'does not take the saved id for a registration',
    { nodeId: false, claimed: T1 },
    'refuse attach DriverNotRegistered',
  ],
  [
    'S3-68: takes an in-line source without any volume',
    { volume: false, source: { inlineVolumeSpec: inline('h2') } },
    'claim h2 id-1',
  ],
  [
    'wants a handle in an in-line source',
    { volume: false, source: { inlineVolumeSpec: inline('') } },
    'refuse attach VolumeHandleMissing',
  ],
  [
    'wants to know the namespace of an in-line secret',
    {
      volume: false,
      source: {
        inlineVolumeSpec: {
          ...inline('h3'),
          csi: { driver: DRIVER, volumeHandle: 'h3', controllerPublishSecretRef: { name: 'pass' } },
        },
      },
    },
    'refuse attach SecretUnclear',
  ],
  [
    'reads the secret before it claims',
    { volume: { held: false, csi: { controllerPublishSecretRef: PASS } } },
    'read-secret ns/pass',
  ],
  [
    'looks again later for a secret that is missing',
    { volume: { csi: { controllerPublishSecretRef: PASS } }, held: { secret: { kind: 'missing' } } },
    'refuse attach SecretMissing retry',
  ],
  [
    'looks again later for a secret that it may not see',
    { volume: { csi: { controllerPublishSecretRef: PASS } }, held: { secret: { kind: 'forbidden' } } },
    'refuse attach SecretForbidden retry',
  ],
  [
    'refuses a secret that is not text',
    { volume: { csi: { controllerPublishSecretRef: PASS } }, held: { secret: { kind: 'not-text', key: 'key' } } },
    'refuse attach SecretNotText retry',
  ],
  [
    'saves where the secret is',
    { volume: { csi: { controllerPublishSecretRef: PASS } }, held: { secret: { kind: 'read' } } },
    'claim h1 id-1 pass',
  ],
  [
    'S3-83: waits after a failure',
    { claimed: T1, held: { failure: { operation: 'attach', basis: basisOf({ claimed: T1 }), retryAtMs: 3000 } } },
    'wait BackingOff 2000',
  ],
  [
    'tries again when the wait is over',
    { claimed: T1, held: { failure: { operation: 'attach', basis: basisOf({ claimed: T1 }), retryAtMs: 1000 } } },
    'publish h1 id-1',
  ],
  [
    'tries again at once when the call would be another one',
    { claimed: T1, held: { failure: { operation: 'attach', basis: 'another', retryAtMs: 3000 } } },
    'publish h1 id-1',
  ],
  [
    'does not wait for a drift',
    {
      claimed: T1,
      held: { hasDrifted: true, failure: { operation: 'attach', basis: basisOf({ claimed: T1 }), retryAtMs: 3000 } },
    },
    'publish h1 id-1',
  ],
  [
    'never has two calls for one volume and node',
    { claimed: T1, held: { busy: new Set([callTo(T1)]) } },
    'wait CallInFlight',
  ],
  [
    'calls for another node at the same time',
    { claimed: T1, held: { busy: new Set([callTo({ ...T1, nodeId: 'id-2' })]) } },
    'publish h1 id-1',
  ],
  ['waits while our finalizer leaves the volume', { held: { isVolumeReleasing: true } }, 'wait VolumeFinalizerLeaving'],
  ['takes the volume from the former machine first', { claimed: { ...T1, nodeId: 'old' } }, 'move h1 old > h1 id-1'],
  ['takes the former volume away first', { claimed: { ...T1, volumeHandle: 'h0' } }, 'move h0 id-1 > h1 id-1'],
  [
    'does not move while the former machine is being called',
    { claimed: { ...T1, nodeId: 'old' }, held: { busy: new Set([callTo({ ...T1, nodeId: 'old' })]) } },
    'wait CallInFlight',
  ],
  [
    'never moves because of a list',
    { claimed: { ...T1, nodeId: 'old' }, status: { attached: true }, held: { hasDrifted: true } },
    'refuse attach NodeIDChanged',
  ],
  // Detach.
  ['S3-85: undoes what is attached', { leaving: true, claimed: T1, status: { attached: true } }, 'unpublish h1 id-1'],
  ['undoes a publish that timed out', { leaving: true, claimed: T1, status: { attached: false } }, 'unpublish h1 id-1'],
  ['S3-72: does not attach what is being deleted', { leaving: true }, 'wait Released'],
  [
    'lets go what it has released, whatever the status says',
    { leaving: true, finalizers: ['other'], status: { attached: true } },
    'wait Released',
  ],
  [
    'undoes what the driver lists although it was released',
    { leaving: true, finalizers: ['other'], held: { hasDrifted: true } },
    'unpublish h1 id-1',
  ],
  [
    'S2-21: needs neither volume nor node',
    { leaving: true, claimed: T1, volume: false, nodeId: false },
    'unpublish h1 id-1',
  ],
  [
    'keeps the saved node id once the node is another machine',
    { leaving: true, claimed: T1, nodeId: 'new' },
    'unpublish h1 id-1',
  ],
  [
    'keeps the saved handle once the volume is another one',
    { leaving: true, claimed: { ...T1, volumeHandle: 'h0' } },
    'unpublish h0 id-1',
  ],
  [
    'takes the handle from the volume where none was saved',
    { leaving: true, claimed: { nodeId: 'id-1' } },
    'unpublish h1 id-1',
  ],
  [
    'takes the registered node id where none was saved',
    { leaving: true, finalizers: [FINALIZER] },
    'unpublish h1 id-1',
  ],
  [
    'detaches a volume that is being deleted',
    { leaving: true, claimed: T1, volume: { leaving: true } },
    'unpublish h1 id-1',
  ],
  [
    'keeps the finalizer while the handle is unknown',
    { leaving: true, claimed: { nodeId: 'id-1' }, volume: false },
    'refuse detach VolumeHandleUnknown',
  ],
  [
    'keeps the finalizer while the node id is unknown',
    { leaving: true, finalizers: [FINALIZER], nodeId: false },
    'refuse detach NodeIDUnknown',
  ],
  [
    'keeps the finalizer while the source is unclear',
    { leaving: true, claimed: { nodeId: 'id-1' }, source: {} },
    'refuse detach SourceUnclear',
  ],
  [
    'uses the saved secret when the volume is gone',
    { leaving: true, claimed: { ...T1, secretRef: PASS }, volume: false },
    'read-secret ns/pass',
  ],
  [
    'uses the secret of the volume while it is there',
    { leaving: true, claimed: { ...T1, secretRef: PASS } },
    'unpublish h1 id-1',
  ],
  [
    'keeps the finalizer while the secret is missing',
    { leaving: true, claimed: { ...T1, secretRef: PASS }, volume: false, held: { secret: { kind: 'missing' } } },
    'refuse detach SecretMissing retry',
  ],
  [
    'waits after a failed detach',
    {
      leaving: true,
      claimed: T1,
      held: { failure: { operation: 'detach', basis: basisOf({ leaving: true, claimed: T1 }), retryAtMs: 3000 } },
    },
    'wait BackingOff 2000',
  ],
  [
    'does not let a failed attach delay a detach',
    {
      leaving: true,
      claimed: T1,
      held: { failure: { operation: 'attach', basis: basisOf({ leaving: true, claimed: T1 }), retryAtMs: 3000 } },
    },
    'unpublish h1 id-1',
  ],
  [
    'does not detach while the same volume and node are being called',
    { leaving: true, claimed: T1, held: { busy: new Set([callTo(T1)]) } },
    'wait CallInFlight',
  ],
]

describe('the next step of an attachment', () => {
  for (const [behaviour, given, step] of cases) test(behaviour, () => equal(brief(nextAttachStep(view(given))), step))

  test('can be asked for from outside, where nothing is held', () => {
    for (const [, given] of cases) {
      const { seen } = view(given)
      equal(typeof nextAttachStep({ seen }).kind, 'string')
    }
  })
})

function inline(volumeHandle: string): PersistentVolumeSpec {
  return { accessModes: ['ReadWriteOnce'], csi: { driver: DRIVER, volumeHandle } }
}
// The type of today's API does not have it.

test('the call has what volume, driver and configuration say', () => {
  const given: Given = {
    claimed: T1,
    volume: {
      csi: { readOnly: true, fsType: 'xfs', volumeAttributes: { tier: 'fast' } },
      spec: { mountOptions: ['noatime'], accessModes: ['ReadWriteMany'] },
    },
  }
  const step = nextAttachStep(view(given))
  deepEqual(step.kind === 'publish' && { ...step.request, volumeCapability: undefined }, {
    volumeHandle: 'h1',
    nodeId: 'id-1',
    readonly: true,
    volumeContext: { tier: 'fast' },
    volumeCapability: undefined,
  })
  deepEqual(step.kind === 'publish' && step.request.volumeCapability, {
    accessType: { $case: 'mount', value: { fsType: 'xfs', mountFlags: ['noatime'], volumeMountGroup: '' } },
    accessMode: { mode: 5 },
  })
})

test('reserved attributes of an in-line source do not reach the driver', () => {
  const volumeAttributes = { 'csi.kubernetes.io/inline.volumeHandle': 'h2', tier: 'fast' }
  const step = nextAttachStep(
    view({
      claimed: { nodeId: 'id-1' },
      volume: false,
      source: { inlineVolumeSpec: { ...inline('h2'), csi: { driver: DRIVER, volumeHandle: 'h2', volumeAttributes } } },
    }),
  )
  deepEqual(step.kind === 'publish' && step.request.volumeContext, { tier: 'fast' })
})

const refused = (operation: 'attach' | 'detach', reason: object): object => ({
  kind: 'refuse',
  operation,
  reason,
  basis: '',
  retry: false,
})
const OLD: Target = { ...T1, nodeId: 'old' }
const SECRET_AT: Target = { ...OLD, secretRef: PASS }
const otherCsi = { driver: 'other' }
const wholes: [behaviour: string, given: Given, step: object][] = [
  [
    'another driver counts before a volume that is leaving',
    { volume: { leaving: true, csi: otherCsi } },
    refused('attach', REASONS.OtherDriver(DRIVER, 'other')),
  ],
  [
    'a volume that is leaving counts before a missing registration',
    { volume: { leaving: true }, nodeId: false },
    refused('attach', REASONS.VolumeLeaving('v1')),
  ],
  [
    'both ids of another machine are told',
    { claimed: OLD, status: { attached: true }, held: { hasDrifted: true } },
    refused('attach', REASONS.NodeIDChanged('old', 'id-1')),
  ],
  [
    'a failure counts before a finalizer that is leaving',
    {
      held: {
        isVolumeReleasing: true,
        failure: { operation: 'attach', basis: basisOf({ claimed: T1 }), retryAtMs: 2001 },
      },
    },
    { kind: 'wait', reason: REASONS.BackingOff(2), retryInMs: 1001 },
  ],
  [
    'a failure is waited out in whole seconds',
    { held: { failure: { operation: 'attach', basis: basisOf({ claimed: T1 }), retryAtMs: 3000 } } },
    { kind: 'wait', reason: REASONS.BackingOff(2), retryInMs: 2000 },
  ],
  [
    'a failure is waited out to the last millisecond',
    { held: { failure: { operation: 'attach', basis: basisOf({ claimed: T1 }), retryAtMs: 1001 } } },
    { kind: 'wait', reason: REASONS.BackingOff(1), retryInMs: 1 },
  ],
  [
    'which access modes can not be combined',
    { volume: { spec: { accessModes: ['ReadWriteOnce', 'ReadOnlyMany'] } } },
    refused('attach', REASONS.AccessModesUnclear(['ReadWriteOnce', 'ReadOnlyMany'])),
  ],
  [
    'a source without access modes has none to report',
    { volume: false, source: { inlineVolumeSpec: { csi: { driver: DRIVER, volumeHandle: 'h2' } } } },
    refused('attach', REASONS.AccessModesUnclear([])),
  ],
  [
    'the finalizer of which volume is leaving',
    { held: { isVolumeReleasing: true } },
    { kind: 'wait', reason: REASONS.VolumeFinalizerLeaving('v1') },
  ],
  [
    'an in-line volume has no finalizer that could leave',
    { volume: false, source: { inlineVolumeSpec: inline('h2') }, held: { isVolumeReleasing: true } },
    {
      kind: 'claim',
      target: { volumeHandle: 'h2', nodeId: 'id-1' },
      basis: basisOf({ volume: false, source: { inlineVolumeSpec: inline('h2') } }),
    },
  ],
  [
    'a move counts before the finalizer of the volume',
    { claimed: OLD, volume: { held: false } },
    { kind: 'move', from: OLD, to: T1, basis: basisOf({ claimed: OLD }) },
  ],
  [
    'a move knows the secret of the former call',
    { claimed: SECRET_AT },
    { kind: 'move', from: SECRET_AT, to: T1, basis: basisOf({ claimed: OLD }) },
  ],
  [
    'the finalizer alone is no claim',
    { finalizers: [FINALIZER] },
    { kind: 'claim', target: T1, basis: basisOf({ claimed: T1 }) },
  ],
  [
    'the first call under way is named',
    { claimed: OLD, held: { busy: new Set([callTo(OLD), callTo(T1)]) } },
    { kind: 'wait', reason: REASONS.CallInFlight(OLD), wakeOn: [callTo(OLD)] },
  ],
  [
    'which key of a secret is not text',
    { volume: { csi: { controllerPublishSecretRef: PASS } }, held: { secret: { kind: 'not-text', key: 'odd' } } },
    {
      kind: 'refuse',
      operation: 'attach',
      reason: REASONS.Secret({ kind: 'not-text', key: 'odd' }, PASS),
      basis: basisOf({ volume: { csi: { controllerPublishSecretRef: PASS } }, held: { secret: { kind: 'read' } } }),
      retry: true,
    },
  ],
  [
    'a claim without the finalizer is none that could be moved',
    { claimed: OLD, finalizers: ['other'] },
    { kind: 'claim', target: T1, basis: basisOf({ claimed: T1 }) },
  ],
  [
    'which handle is not known',
    { leaving: true, claimed: { nodeId: 'id-1' }, volume: false },
    refused('detach', REASONS.VolumeHandleUnknown('v1')),
  ],
  [
    'an unknown handle counts before an unknown node',
    { leaving: true, finalizers: [FINALIZER], volume: false, nodeId: false },
    refused('detach', REASONS.VolumeHandleUnknown('v1')),
  ],
  [
    'a detach knows only what it needs',
    { leaving: true, claimed: T1 },
    { kind: 'unpublish', target: T1, basis: JSON.stringify(T1) },
  ],
]
for (const [behaviour, given, step] of wholes) test(behaviour, () => deepEqual(nextAttachStep(view(given)), step))

test('asked from outside, what the driver can does not change whether there is a call', () => {
  const { seen } = view({ claimed: T1, volume: { csi: { readOnly: true } } })
  const step = nextAttachStep({ seen })
  deepEqual(step.kind === 'publish' && [step.request.readonly, step.request.volumeCapability], [
    false,
    {
      accessType: { $case: 'mount', value: { fsType: '', mountFlags: [], volumeMountGroup: '' } },
      accessMode: { mode: 1 },
    },
  ])
})
