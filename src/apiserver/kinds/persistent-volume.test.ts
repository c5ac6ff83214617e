import { deepEqual, equal } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { CREATED, kindUnderTest, LATER_MS } from './testing/kind-under-test.ts'
import { NOT_A_SUBDOMAIN } from './testing/messages-under-test.ts'

const kind = kindUnderTest('PersistentVolume')
const CSI = { driver: 'driver.example.com', volumeHandle: 'h1' }
const volume = (spec: object = {}, more: object = {}): object => ({
  metadata: { name: 'v1' },
  spec: { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'], csi: CSI, ...spec },
  ...more,
})
const csi = (more: object): object => volume({ csi: { ...CSI, ...more } })
const onNodes = (...nodeSelectorTerms: object[]): object => ({ nodeAffinity: { required: { nodeSelectorTerms } } })
const label = (key: string, ...values: string[]): object => ({ matchExpressions: [{ key, operator: 'In', values }] })

const MODES = 'supported values: "ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"'
const HOST_PATH_TYPES =
  'supported values: "", "BlockDevice", "CharDevice", "Directory", "DirectoryOrCreate", "File", "FileOrCreate", "Socket"'
const TERMS = 'spec.nodeAffinity.required.nodeSelectorTerms'

const cases: [behaviour: string, object: object, problems: string[]][] = [
  ['S3-101: a CSI volume', volume(), []],
  [
    'all access modes but the exclusive one together',
    volume({ accessModes: ['ReadWriteOnce', 'ReadOnlyMany', 'ReadWriteMany'] }),
    [],
  ],
  ['the exclusive access mode alone', volume({ accessModes: ['ReadWriteOncePod'] }), []],
  [
    'the exclusive access mode with another',
    volume({ accessModes: ['ReadWriteOncePod', 'ReadOnlyMany'] }),
    ['spec.accessModes: Forbidden: may not use ReadWriteOncePod with other access modes'],
  ],
  ['no access mode', volume({ accessModes: [] }), ['spec.accessModes: Required value']],
  [
    'an unknown access mode',
    volume({ accessModes: ['ReadSometimes'] }),
    [`spec.accessModes: Unsupported value: "ReadSometimes": ${MODES}`],
  ],
  [
    'no capacity',
    volume({ capacity: {} }),
    ['spec.capacity: Required value', 'spec.capacity: Unsupported value: null: supported values: "storage"'],
  ],
  [
    'a capacity of something else',
    volume({ capacity: { cpu: '1' } }),
    ['spec.capacity: Unsupported value: {"cpu":"1"}: supported values: "storage"'],
  ],
  [
    'a capacity of more than storage',
    volume({ capacity: { cpu: '1', storage: '1Gi' } }),
    ['spec.capacity: Unsupported value: {"cpu":"1","storage":"1Gi"}: supported values: "storage"'],
  ],
  [
    'a capacity of nothing',
    volume({ capacity: { storage: '0' } }),
    ['spec.capacity[storage]: Invalid value: "0": must be greater than zero'],
  ],
  [
    'a negative capacity',
    volume({ capacity: { storage: '-1' } }),
    [
      'spec.capacity[storage]: Invalid value: -1: must be a valid resource quantity',
      'spec.capacity[storage]: Invalid value: "-1": must be greater than zero',
    ],
  ],
  [
    'an unknown reclaim policy',
    volume({ persistentVolumeReclaimPolicy: 'Forget' }),
    [
      'spec.persistentVolumeReclaimPolicy: Unsupported value: "Forget": supported values: "Delete", "Recycle", "Retain"',
    ],
  ],
  [
    'an unknown volume mode',
    volume({ volumeMode: 'Tape' }),
    ['spec.volumeMode: Unsupported value: "Tape": supported values: "Block", "Filesystem"'],
  ],
  [
    'a class that is no name',
    volume({ storageClassName: 'A' }),
    [`spec.storageClassName: Invalid value: "A": ${NOT_A_SUBDOMAIN}`],
  ],
  ['no source', volume({ csi: null }), ['spec: Required value: must specify a volume type']],
  [
    'two sources',
    volume({ hostPath: { path: '/x' } }),
    ['spec.csi: Forbidden: may not specify more than 1 volume type'],
  ],

  ['no driver', csi({ driver: '' }), ['spec.csi.driver: Required value']],
  [
    'a driver with a long name',
    csi({ driver: 'd'.repeat(64) }),
    ['spec.csi.driver: Too long: may not be more than 63 bytes'],
  ],
  ['a driver that is no domain', csi({ driver: 'a_b' }), [`spec.csi.driver: Invalid value: "a_b": ${NOT_A_SUBDOMAIN}`]],
  ['no handle', csi({ volumeHandle: '' }), ['spec.csi.volumeHandle: Required value']],
  [
    'secrets with name and namespace',
    csi({
      controllerPublishSecretRef: { name: 's', namespace: 'ns' },
      nodeStageSecretRef: { name: 's', namespace: 'ns' },
    }),
    [],
  ],
  ...['controllerPublishSecretRef', 'controllerExpandSecretRef', 'nodePublishSecretRef', 'nodeExpandSecretRef'].map(
    (ref): [string, object, string[]] => [
      `${ref} without name and namespace`,
      csi({ [ref]: {} }),
      [`spec.csi.${ref}.name: Required value`, `spec.csi.${ref}.namespace: Required value`],
    ],
  ),
  [
    'a secret in a namespace with dots',
    csi({ nodePublishSecretRef: { name: 's', namespace: 'a.b' } }),
    ['spec.csi.nodePublishSecretRef.namespace: Invalid value: "a.b": must not contain dots'],
  ],

  ['a host path', volume({ csi: null, hostPath: { path: '/data' } }), []],
  ['a host path without a path', volume({ csi: null, hostPath: { path: '' } }), ['spec.hostPath.path: Required value']],
  [
    'a host path that climbs',
    volume({ csi: null, hostPath: { path: '/a/../b' } }),
    [`spec.hostPath.path: Invalid value: "/a/../b": must not contain '..'`],
  ],
  [
    'a host path of an unknown type',
    volume({ csi: null, hostPath: { path: '/a', type: 'Tape' } }),
    [`spec.hostPath.type: Unsupported value: "Tape": ${HOST_PATH_TYPES}`],
  ],
  [
    'the root of a host, to be recycled',
    volume({ csi: null, hostPath: { path: '/a/..//' }, persistentVolumeReclaimPolicy: 'Recycle' }),
    [
      `spec.hostPath.path: Invalid value: "/a/..//": must not contain '..'`,
      "spec.persistentVolumeReclaimPolicy: Forbidden: may not be 'recycle' for a hostPath mount of '/'",
    ],
  ],
  [
    'a directory of a host, to be recycled',
    volume({ csi: null, hostPath: { path: '/a' }, persistentVolumeReclaimPolicy: 'Recycle' }),
    [],
  ],
  [
    'a local volume on a node',
    volume({ csi: null, local: { path: '/data' }, ...onNodes(label('kubernetes.io/hostname', 'n1')) }),
    [],
  ],
  [
    'a local volume anywhere',
    volume({ csi: null, local: { path: '/data' } }),
    ['spec.nodeAffinity: Required value: Local volume requires node affinity'],
  ],
  [
    'a local volume without a path',
    volume({ csi: null, local: { path: '' }, ...onNodes(label('a', 'b')) }),
    ['spec.local.path: Required value'],
  ],
  [
    'an NFS volume with a relative path',
    volume({ csi: null, nfs: { server: 's', path: 'x' } }),
    ['spec.nfs.path: Invalid value: "x": must be an absolute path'],
  ],
  ['a volume of an old plugin', volume({ csi: null, awsElasticBlockStore: { volumeID: 'v' } }), []],
  [
    'a volume of an old plugin without its name',
    volume({ csi: null, gcePersistentDisk: { pdName: '' } }),
    ['spec.persistentDisk.pdName: Required value'],
  ],

  [
    'node affinity without terms',
    volume({ nodeAffinity: { required: { nodeSelectorTerms: [] } } }),
    [`${TERMS}: Required value: must have at least one node selector term`],
  ],
  [
    'node affinity that requires nothing',
    volume({ nodeAffinity: {} }),
    ['spec.nodeAffinity.required: Required value: must specify required node constraints'],
  ],
  [
    'node affinity by comparison',
    volume(onNodes({ matchExpressions: [{ key: 'size', operator: 'Gt', values: ['1'] }] })),
    [],
  ],
  [
    'a comparison with two values',
    volume(onNodes({ matchExpressions: [{ key: 'size', operator: 'Gt', values: ['1', '2'] }] })),
    [
      `${TERMS}[0].matchExpressions[0].values: Required value: must be specified single value when \`operator\` is 'Lt' or 'Gt'`,
    ],
  ],
  [
    'node affinity by name',
    volume(onNodes({ matchFields: [{ key: 'metadata.name', operator: 'In', values: ['n1'] }] })),
    [],
  ],
  [
    'node affinity by another field',
    volume(onNodes({ matchFields: [{ key: 'spec.x', operator: 'In', values: ['n1'] }] })),
    [`${TERMS}[0].matchFields[0].key: Invalid value: "spec.x": not a valid field selector key`],
  ],

  ['an attributes class', volume({ volumeAttributesClassName: 'gold' }), []],
  [
    'an attributes class without a name',
    volume({ volumeAttributesClassName: '' }),
    ['spec.volumeAttributesClassName: Required value: an empty string is disallowed'],
  ],
  [
    'an attributes class of a host path',
    volume({ csi: null, hostPath: { path: '/x' }, volumeAttributesClassName: 'gold' }),
    ['spec.csi: Required value: has to be specified when using volumeAttributesClassName'],
  ],
  [
    'mount options by annotation',
    volume({}, { metadata: { name: 'v1', annotations: { 'volume.beta.kubernetes.io/mount-options': 'ro' } } }),
    [
      'metadata.annotations.volume.beta.kubernetes.io/mount-options: Forbidden: may not specify mount options for this volume type',
    ],
  ],
]

describe('a new PersistentVolume', () => {
  for (const [behaviour, object, problems] of cases) test(behaviour, () => deepEqual(kind.problems(object), problems))

  test('is kept, and a file system, by default', () => {
    const { persistentVolumeReclaimPolicy, volumeMode } = kind.create(volume())['spec'] as Record<string, unknown>
    deepEqual(
      { persistentVolumeReclaimPolicy, volumeMode },
      { persistentVolumeReclaimPolicy: 'Retain', volumeMode: 'Filesystem' },
    )
  })

  test('is pending since now, whatever the client says', () => {
    deepEqual(kind.create(volume({}, { status: { phase: 'Bound', reason: 'x' } }))['status'], {
      phase: 'Pending',
      lastPhaseTransitionTime: CREATED,
    })
  })

  test('has the type of a host path', () =>
    deepEqual((kind.create(volume({ csi: null, hostPath: { path: '/x' } }))['spec'] as { hostPath: object }).hostPath, {
      path: '/x',
      type: '',
    }))
})

describe('a changed PersistentVolume', () => {
  const FIXED = 'spec.persistentvolumesource: Forbidden: spec.persistentvolumesource is immutable after creation'
  const IMMUTABLE = 'field is immutable, except for updating from beta label to GA'
  const old = 'failure-domain.beta.kubernetes.io/zone'
  const changes: [behaviour: string, before: object, change: object, problems: string[]][] = [
    ['may grow', volume(), volume({ capacity: { storage: '2Gi' } }), []],
    ['may be bound', volume(), volume({ claimRef: { namespace: 'ns', name: 'c' } }), []],
    ['may change its reclaim policy', volume(), volume({ persistentVolumeReclaimPolicy: 'Delete' }), []],
    ['may change its class', volume(), volume({ storageClassName: 'fast' }), []],
    ['keeps its handle', volume(), csi({ volumeHandle: 'h2' }), [FIXED]],
    ['keeps its kind of source', volume(), volume({ csi: null, hostPath: { path: '/x' } }), [FIXED]],
    [
      'may get a secret for expansion',
      volume(),
      csi({ controllerExpandSecretRef: { name: 's', namespace: 'ns' } }),
      [],
    ],
    [
      'keeps a secret for expansion',
      csi({ controllerExpandSecretRef: { name: 's', namespace: 'ns' } }),
      csi({ controllerExpandSecretRef: { name: 't', namespace: 'ns' } }),
      [FIXED],
    ],
    ['may not get another secret', volume(), csi({ nodePublishSecretRef: { name: 's', namespace: 'ns' } }), [FIXED]],
    [
      'keeps its mode',
      volume(),
      volume({ volumeMode: 'Block' }),
      ['volumeMode: Invalid value: "Block": field is immutable'],
    ],
    ['may get node affinity', volume(), volume(onNodes(label('zone', 'a'))), []],
    [
      'keeps its node affinity',
      volume(onNodes(label('zone', 'a'))),
      volume(onNodes(label('zone', 'b'))),
      [
        `nodeAffinity: Invalid value: {"required":{"nodeSelectorTerms":[{"matchExpressions":[{"key":"zone","operator":"In","values":["b"]}]}]}}: ${IMMUTABLE}`,
      ],
    ],
    [
      'may not lose its node affinity',
      volume(onNodes(label('zone', 'a'))),
      volume(),
      [`nodeAffinity: Invalid value: null: ${IMMUTABLE}`],
    ],
    [
      'may replace an old label by its successor',
      volume(onNodes(label(old, 'a'))),
      volume(onNodes(label('topology.kubernetes.io/zone', 'a'))),
      [],
    ],
    [
      'may not change the value with the label',
      volume(onNodes(label(old, 'a'))),
      volume(onNodes(label('topology.kubernetes.io/zone', 'b'))),
      [
        `nodeAffinity: Invalid value: {"required":{"nodeSelectorTerms":[{"matchExpressions":[{"key":"topology.kubernetes.io/zone","operator":"In","values":["b"]}]}]}}: ${IMMUTABLE}`,
      ],
    ],
    [
      'may get another attributes class',
      volume({ volumeAttributesClassName: 'gold' }),
      volume({ volumeAttributesClassName: 'silver' }),
      [],
    ],
    [
      'may not lose its attributes class',
      volume({ volumeAttributesClassName: 'gold' }),
      volume(),
      ['spec.volumeAttributesClassName: Forbidden: update from non-nil value to nil is forbidden'],
    ],
  ]
  for (const [behaviour, before, change, problems] of changes)
    test(behaviour, () => deepEqual(kind.updateProblems(before, change), problems))
})

describe('the status of a PersistentVolume', () => {
  const updated = (before: object, status: object): unknown => {
    const draft = { status: { ...status } }
    kind.definition.prepareForStatusUpdate?.(draft, { status: before }, LATER_MS)
    return (draft.status as { lastPhaseTransitionTime?: string }).lastPhaseTransitionTime
  }
  test('notes when the phase changes', () =>
    equal(updated({ phase: 'Pending', lastPhaseTransitionTime: CREATED }, { phase: 'Bound' }), '2030-01-01T00:03:20Z'))
  test('notes it also when the client sends the old time', () =>
    equal(
      updated(
        { phase: 'Pending', lastPhaseTransitionTime: CREATED },
        { phase: 'Bound', lastPhaseTransitionTime: CREATED },
      ),
      '2030-01-01T00:03:20Z',
    ))
  test('keeps the time while the phase stays', () =>
    equal(updated({ phase: 'Bound', lastPhaseTransitionTime: CREATED }, { phase: 'Bound' }), CREATED))
  test('takes a time that the client gives', () =>
    equal(
      updated(
        { phase: 'Pending', lastPhaseTransitionTime: CREATED },
        { phase: 'Bound', lastPhaseTransitionTime: '2031-01-01T00:00:00Z' },
      ),
      '2031-01-01T00:00:00Z',
    ))
})

test('what is deprecated is warned about', () => {
  deepEqual(
    kind.warnings(
      volume({
        csi: null,
        rbd: { monitors: ['m'], image: 'i' },
        persistentVolumeReclaimPolicy: 'Recycle',
        ...onNodes(label('beta.kubernetes.io/os', 'linux')),
      }),
    ),
    [
      'spec.persistentVolumeReclaimPolicy: The Recycle reclaim policy is deprecated. Instead, the recommended approach is to use dynamic provisioning.',
      'spec.nodeAffinity.required.nodeSelectorTerms[0].matchExpressions[0].key: beta.kubernetes.io/os is deprecated since v1.14; use "kubernetes.io/os" instead',
      'spec.rbd: deprecated in v1.28, non-functional in v1.31+',
    ],
  )
})

test('the table shows class, claim and modes', () => {
  const shown = volume(
    {
      capacity: { storage: '1024Mi' },
      accessModes: ['ReadWriteMany', 'ReadWriteOnce', 'ReadWriteOnce'],
      claimRef: { namespace: 'ns', name: 'c' },
      storageClassName: 'fast',
    },
    { status: { phase: 'Bound' } },
  )
  deepEqual(kind.row(shown), {
    Name: 'v1',
    Capacity: '1Gi',
    'Access Modes': 'RWO,RWX',
    'Reclaim Policy': 'Retain',
    Status: 'Bound',
    Claim: 'ns/c',
    StorageClass: 'fast',
    VolumeAttributesClass: '<unset>',
    Reason: '',
    Age: '3m20s',
    VolumeMode: 'Filesystem',
  })
})

test('the table shows a volume that is going', () => {
  equal(
    kind.row(volume({}, { metadata: { name: 'v1', deletionTimestamp: CREATED }, status: { phase: 'Bound' } }))[
      'Status'
    ],
    'Terminating',
  )
})
