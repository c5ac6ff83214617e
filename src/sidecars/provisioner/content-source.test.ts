import { deepEqual, equal } from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { PersistentVolumeClaimSpec } from '../../api/kinds/persistent-volume-claim.ts'
import type { VolumeSnapshot, VolumeSnapshotContent } from '../../api/kinds/volume-snapshot.ts'
import { ALLOW_MODE_CHANGE } from '../../storage/snapshot-names.ts'
import { cloneContentSource, dataSourceOf, snapshotContentSource } from './content-source.ts'
import type { CloneQuestion, DataSourceParts, SnapshotQuestion } from './content-source.ts'
import { CLONE_SOURCE_FINALIZER, SNAPSHOT_SOURCE_FINALIZER } from './names.ts'
import type { ReferenceGrant } from './content-source.ts'
import { DRIVER, testClaim, testVolume } from './testing/objects.ts'

const GiB = 1024n ** 3n
const LEAVING = '2026-01-01T00:00:00Z'
const codeOf = (decision: { kind: string; reason?: { code: string } }): string => decision.reason?.code ?? decision.kind

const grant = (change: { namespace?: string; from?: object; to?: object } = {}): ReferenceGrant => ({
  apiVersion: 'gateway.networking.k8s.io/v1beta1',
  kind: 'ReferenceGrant',
  metadata: { name: 'g', namespace: change.namespace ?? 'store' },
  spec: {
    from: [{ group: '', kind: 'PersistentVolumeClaim', namespace: 'shop', ...change.from }],
    to: [{ group: 'snapshot.storage.k8s.io', kind: 'VolumeSnapshot', ...change.to }],
  },
})

describe('the data source of a claim', () => {
  const snapshot = { apiGroup: 'snapshot.storage.k8s.io', kind: 'VolumeSnapshot', name: 's' }
  const clone = { kind: 'PersistentVolumeClaim', name: 'c' }
  const foreign = { dataSourceRef: { ...snapshot, namespace: 'store' } }
  const open = { crossNamespace: true, grants: [grant()] }
  const ofSnapshot = { kind: 'snapshot', namespace: 'shop', name: 's' }
  const cases: [
    behaviour: string,
    spec: Partial<PersistentVolumeClaimSpec>,
    parts: Partial<DataSourceParts>,
    answer: unknown,
  ][] = [
    ['none', {}, {}, undefined],
    ['a snapshot', { dataSource: snapshot, dataSourceRef: snapshot }, {}, ofSnapshot],
    ['a claim', { dataSource: clone }, {}, { kind: 'claim', namespace: 'shop', name: 'c' }],
    ['the newer field alone', { dataSourceRef: snapshot }, {}, ofSnapshot],
    ['its own namespace by name is not foreign', { dataSourceRef: { ...snapshot, namespace: 'shop' } }, {}, ofSnapshot],
    [
      'another kind is for a populator',
      { dataSourceRef: { apiGroup: 'example.com', kind: 'Image', name: 'i' } },
      {},
      { kind: 'other', group: 'example.com', kindName: 'Image', name: 'i' },
    ],
    [
      'a claim of another group is for a populator',
      { dataSourceRef: { ...clone, apiGroup: 'example.com' } },
      {},
      { kind: 'other', group: 'example.com', kindName: 'PersistentVolumeClaim', name: 'c' },
    ],
    [
      'a snapshot of another group is refused',
      { dataSource: { ...snapshot, apiGroup: 'example.com' } },
      {},
      'SourceGroupUnknown',
    ],
    ['another namespace is refused unless switched on', foreign, { grants: [grant()] }, 'CrossNamespaceSourceDisabled'],
    ['another namespace needs a grant', foreign, { crossNamespace: true }, 'SourceNotGranted'],
    ['a grant for the kind', foreign, open, { kind: 'snapshot', namespace: 'store', name: 's' }],
    [
      'a grant for the very object',
      foreign,
      { crossNamespace: true, grants: [grant({ to: { name: 's' } })] },
      { kind: 'snapshot', namespace: 'store', name: 's' },
    ],
    [
      'a grant for an object of another name',
      foreign,
      { crossNamespace: true, grants: [grant({ to: { name: 't' } })] },
      'SourceNotGranted',
    ],
    [
      'a grant for another kind',
      foreign,
      { crossNamespace: true, grants: [grant({ to: { group: '', kind: 'PersistentVolumeClaim' } })] },
      'SourceNotGranted',
    ],
    [
      'a grant for claims of another namespace',
      foreign,
      { crossNamespace: true, grants: [grant({ from: { namespace: 'other' } })] },
      'SourceNotGranted',
    ],
    [
      'a grant for other objects than claims',
      foreign,
      { crossNamespace: true, grants: [grant({ from: { kind: 'Pod' } })] },
      'SourceNotGranted',
    ],
    [
      'a grant that is not in the namespace of the source',
      foreign,
      { crossNamespace: true, grants: [grant({ namespace: 'shop' })] },
      'SourceNotGranted',
    ],
    [
      'a foreign source of a populator needs a grant too',
      { dataSourceRef: { apiGroup: 'x', kind: 'Y', name: 'z', namespace: 'store' } },
      open,
      'SourceNotGranted',
    ],
  ]
  for (const [behaviour, spec, parts, answer] of cases) {
    test(behaviour, () => {
      const decision = dataSourceOf(testClaim(spec), { crossNamespace: false, grants: [], ...parts })
      deepEqual(decision.kind === 'ok' ? decision.value : decision.reason.code, answer)
    })
  }
})

describe('a snapshot as source', () => {
  const snapshot: VolumeSnapshot = {
    apiVersion: 'snapshot.storage.k8s.io/v1',
    kind: 'VolumeSnapshot',
    metadata: { namespace: 'shop', name: 's', uid: 'u' },
    spec: { source: {} },
    status: { boundVolumeSnapshotContentName: 'content', readyToUse: true, restoreSize: '1Gi' },
  }
  const content: VolumeSnapshotContent = {
    apiVersion: 'snapshot.storage.k8s.io/v1',
    kind: 'VolumeSnapshotContent',
    metadata: { name: 'content' },
    spec: {
      volumeSnapshotRef: { namespace: 'shop', name: 's', uid: 'u' },
      deletionPolicy: 'Delete',
      driver: DRIVER,
      source: {},
      sourceVolumeMode: 'Filesystem',
    },
    status: { snapshotHandle: 'handle' },
  }
  const base: SnapshotQuestion = {
    claim: testClaim(),
    requestedBytes: GiB,
    driverName: DRIVER,
    source: { namespace: 'shop', name: 's' },
    snapshot,
    content,
    settings: { preventVolumeModeConversion: true },
  }
  const withStatus = (status: object) => ({ snapshot: { ...snapshot, status: { ...snapshot.status, ...status } } })
  const withSpec = (spec: object, annotations: Record<string, string> = {}) => ({
    content: { ...content, metadata: { ...content.metadata, annotations }, spec: { ...content.spec, ...spec } },
  })
  const withMetadata = (metadata: object) => ({
    snapshot: { ...snapshot, metadata: { ...snapshot.metadata, ...metadata } },
  })
  const { restoreSize: _, ...sizeless } = snapshot.status ?? {}
  const block = { claim: testClaim({ volumeMode: 'Block' as const }) }

  test('gives its handle', () =>
    deepEqual(snapshotContentSource(base), {
      kind: 'ok',
      value: { type: { $case: 'snapshot', value: { snapshotId: 'handle' } } },
    }))
  const cases: [behaviour: string, change: Partial<SnapshotQuestion>, code: string][] = [
    ['missing', { snapshot: undefined }, 'SnapshotNotFound'],
    ['leaving', withMetadata({ deletionTimestamp: LEAVING }), 'SnapshotLeaving'],
    [
      'leaving, but begun before',
      withMetadata({ deletionTimestamp: LEAVING, finalizers: [SNAPSHOT_SOURCE_FINALIZER] }),
      'ok',
    ],
    ['not bound', withStatus({ boundVolumeSnapshotContentName: undefined }), 'SnapshotNotBound'],
    ['its content missing', { content: undefined }, 'SnapshotContentNotFound'],
    [
      'its content bound to another of its name',
      withSpec({ volumeSnapshotRef: { namespace: 'shop', name: 's', uid: 'other' } }),
      'SnapshotContentOfOther',
    ],
    ['of another driver', withSpec({ driver: 'other' }), 'SnapshotOfOtherDriver'],
    ['not ready', withStatus({ readyToUse: false }), 'SnapshotNotReady'],
    ['readiness unknown', withStatus({ readyToUse: undefined }), 'SnapshotNotReady'],
    ['without handle', { content: { ...content, status: {} } }, 'SnapshotHandleMissing'],
    ['larger than the claim', { requestedBytes: GiB - 1n }, 'SmallerThanSource'],
    ['smaller than the claim', { requestedBytes: GiB + 1n }, 'ok'],
    ['of unknown size', { snapshot: { ...snapshot, status: sizeless }, requestedBytes: 1n }, 'ok'],
    ['of another volume mode', block, 'VolumeModeDiffers'],
    [
      'of another volume mode, when that is not prevented',
      { ...block, settings: { preventVolumeModeConversion: false } },
      'ok',
    ],
    [
      'of another volume mode, when the content allows it',
      { ...block, ...withSpec({}, { [ALLOW_MODE_CHANGE]: 'true' }) },
      'ok',
    ],
    [
      'of another volume mode, when the content says something else',
      { ...block, ...withSpec({}, { [ALLOW_MODE_CHANGE]: 'yes' }) },
      'VolumeModeDiffers',
    ],
    ['of unknown volume mode', { ...block, ...withSpec({ sourceVolumeMode: null }) }, 'ok'],
  ]
  for (const [behaviour, change, code] of cases)
    test(behaviour, () => equal(codeOf(snapshotContentSource({ ...base, ...change })), code))
})

describe('a claim as source', () => {
  const bound = (spec: Partial<PersistentVolumeClaimSpec> = {}, metadata: object = {}) => ({
    ...testClaim({ volumeName: 'v', ...spec }, { name: 'c', uid: 'source', ...metadata }),
    status: { phase: 'Bound' as const },
  })
  const claimRef = { namespace: 'shop', name: 'c', uid: 'source' }
  const base: CloneQuestion = {
    claim: testClaim(),
    requestedBytes: GiB,
    driverName: DRIVER,
    source: { namespace: 'shop', name: 'c' },
    sourceClaim: bound(),
    sourceVolume: testVolume({ claimRef }, { name: 'v' }),
  }
  const { csi: _, ...inTree } = testVolume({ claimRef }).spec
  const classless = (({ storageClassName: _class, ...spec }) => ({ ...bound(), spec }))(bound().spec)

  test('gives its handle', () =>
    deepEqual(cloneContentSource(base), {
      kind: 'ok',
      value: { type: { $case: 'volume', value: { volumeId: 'handle-1' } } },
    }))
  const cases: [behaviour: string, change: Partial<CloneQuestion>, code: string][] = [
    ['missing', { sourceClaim: undefined }, 'SourceClaimNotFound'],
    ['leaving', { sourceClaim: bound({}, { deletionTimestamp: LEAVING }) }, 'SourceClaimLeaving'],
    [
      'leaving, but begun before',
      { sourceClaim: bound({}, { deletionTimestamp: LEAVING, finalizers: [CLONE_SOURCE_FINALIZER] }) },
      'ok',
    ],
    ['not bound', { sourceClaim: { ...bound(), status: { phase: 'Pending' } } }, 'SourceClaimNotBound'],
    ['without class', { sourceClaim: classless }, 'SourceClaimWithoutClass'],
    ['of another class of the driver', { sourceClaim: bound({ storageClassName: 'slow' }) }, 'ok'],
    ['larger than the claim', { requestedBytes: GiB - 1n }, 'SmallerThanSource'],
    ['larger only in capacity', { sourceVolume: testVolume({ claimRef, capacity: { storage: '2Gi' } }) }, 'ok'],
    ['of another volume mode', { claim: testClaim({ volumeMode: 'Block' }) }, 'VolumeModeDiffers'],
    ['its volume missing', { sourceVolume: undefined }, 'SourceVolumeNotFound'],
    ['its volume not of CSI', { sourceVolume: { ...testVolume(), spec: inTree } }, 'SourceVolumeNotCSI'],
    [
      'of another driver',
      { sourceVolume: testVolume({ claimRef, csi: { driver: 'other', volumeHandle: 'h' } }) },
      'SourceOfOtherDriver',
    ],
    [
      'its volume bound to another of its name',
      { sourceVolume: testVolume({ claimRef: { ...claimRef, uid: 'other' } }) },
      'SourceVolumeOfOtherClaim',
    ],
    ['its volume not bound', { sourceVolume: testVolume({ claimRef }, { phase: 'Released' }) }, 'SourceVolumeNotBound'],
  ]
  for (const [behaviour, change, code] of cases)
    test(behaviour, () => equal(codeOf(cloneContentSource({ ...base, ...change })), code))
})
