import { deepEqual, equal } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { CREATED, kindUnderTest } from './testing/kind-under-test.ts'
import { NOT_A_SUBDOMAIN } from './testing/messages-under-test.ts'

const kind = kindUnderTest('PersistentVolumeClaim')
const size = (storage: string): object => ({ resources: { requests: { storage } } })
const claim = (spec: object = {}, more: object = {}): object => ({
  metadata: { name: 'c', namespace: 'ns' },
  spec: { accessModes: ['ReadWriteOnce'], ...size('1Gi'), ...spec },
  ...more,
})
const bound = (spec: object = {}, status: object = {}): object =>
  claim({ volumeName: 'v1', ...spec }, { status: { phase: 'Bound', capacity: { storage: '1Gi' }, ...status } })
const annotated = (value: string, spec: object = {}): object => ({
  ...claim(spec),
  metadata: { name: 'c', namespace: 'ns', annotations: { [CLASS]: value } },
})

const CLASS = 'volume.beta.kubernetes.io/storage-class'
const SNAPSHOT = { apiGroup: 'snapshot.storage.k8s.io', kind: 'VolumeSnapshot', name: 's' }
const OTHER = { apiGroup: 'example.com', kind: 'Backup', name: 'b' }
const CORE_ONLY = `must be 'PersistentVolumeClaim' when referencing the default apiGroup`

const cases: [behaviour: string, object: object, problems: string[]][] = [
  ['a size and a mode', claim(), []],
  [
    'no access mode',
    claim({ accessModes: [] }),
    ['spec.accessModes: Required value: at least 1 access mode is required'],
  ],
  [
    'an unknown access mode',
    claim({ accessModes: ['x'] }),
    [
      'spec.accessModes: Unsupported value: "x": supported values: "ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"',
    ],
  ],
  [
    'the exclusive access mode with another',
    claim({ accessModes: ['ReadWriteOncePod', 'ReadWriteOnce'] }),
    ['spec.accessModes: Forbidden: may not use ReadWriteOncePod with other access modes'],
  ],
  ['no size', claim({ resources: {} }), ['spec.resources[storage]: Required value']],
  ['a size of nothing', claim(size('0')), ['spec.resources[storage]: Invalid value: "0": must be greater than zero']],
  [
    'a negative size',
    claim(size('-1Gi')),
    ['spec.resources[storage]: Invalid value: "-1Gi": must be greater than zero'],
  ],
  ['no class on purpose', claim({ storageClassName: '' }), []],
  [
    'a class that is no name',
    claim({ storageClassName: 'A' }),
    [`spec.storageClassName: Invalid value: "A": ${NOT_A_SUBDOMAIN}`],
  ],
  [
    'an attributes class that is no name',
    claim({ volumeAttributesClassName: 'A' }),
    [`spec.volumeAttributesClassName: Invalid value: "A": ${NOT_A_SUBDOMAIN}`],
  ],
  [
    'an unknown mode',
    claim({ volumeMode: 'Tape' }),
    ['spec.volumeMode: Unsupported value: "Tape": supported values: "Block", "Filesystem"'],
  ],
  ['a selector', claim({ selector: { matchLabels: { a: 'b' } } }), []],
  [
    'a selector with an unknown operator',
    claim({ selector: { matchExpressions: [{ key: 'a', operator: 'x' }] } }),
    ['spec.selector.matchExpressions[0].operator: Invalid value: "x": not a valid selector operator'],
  ],
  ['a snapshot to begin with', claim({ dataSource: SNAPSHOT }), []],
  ['a source of any kind, by reference', claim({ dataSourceRef: OTHER }), []],
  [
    'a reference without name and kind',
    claim({ dataSourceRef: { kind: '', name: '' } }),
    [
      'spec.dataSource.name: Required value',
      'spec.dataSource.kind: Required value',
      `spec.dataSource: Invalid value: "": ${CORE_ONLY}`,
      'spec.dataSourceRef.name: Required value',
      'spec.dataSourceRef.kind: Required value',
      `spec.dataSourceRef: Invalid value: "": ${CORE_ONLY}`,
    ],
  ],
  [
    'a reference to a pod',
    claim({ dataSourceRef: { kind: 'Pod', name: 'p' } }),
    [`spec.dataSource: Invalid value: "Pod": ${CORE_ONLY}`, `spec.dataSourceRef: Invalid value: "Pod": ${CORE_ONLY}`],
  ],
  ['a reference into another namespace', claim({ dataSourceRef: { ...SNAPSHOT, namespace: 'other' } }), []],
  [
    'a reference into another namespace with a data source',
    claim({ dataSource: SNAPSHOT, dataSourceRef: { ...SNAPSHOT, namespace: 'other' } }),
    ['spec: Invalid value: {}: may not be specified when dataSourceRef.namespace is specified'],
  ],
  [
    'a reference that says something else',
    claim({ dataSource: SNAPSHOT, dataSourceRef: OTHER }),
    ['spec: Invalid value: {}: must match dataSourceRef'],
  ],
  [
    'a reference into a namespace that cannot be',
    claim({ dataSourceRef: { ...SNAPSHOT, namespace: 'a.b' } }),
    ['spec.dataSourceRef.namespace: Invalid value: "a.b": must not contain dots'],
  ],
]

describe('a new PersistentVolumeClaim', () => {
  for (const [behaviour, object, problems] of cases) test(behaviour, () => deepEqual(kind.problems(object), problems))

  const specOf = (object: object): Record<string, unknown> => kind.create(object)['spec'] as Record<string, unknown>

  test('asks for a file system by default', () => equal(specOf(claim())['volumeMode'], 'Filesystem'))
  test('is pending, whatever the client says', () =>
    deepEqual(kind.create(claim({}, { status: { phase: 'Bound', capacity: { storage: '1Gi' } } }))['status'], {
      phase: 'Pending',
    }))
  test('has its data source as a reference too', () =>
    deepEqual(specOf(claim({ dataSource: SNAPSHOT }))['dataSourceRef'], SNAPSHOT))
  test('has its reference as a data source too', () =>
    deepEqual(specOf(claim({ dataSourceRef: OTHER }))['dataSource'], OTHER))
  test('writes an absent group of a source as null', () => {
    deepEqual(specOf(claim({ dataSource: { kind: 'PersistentVolumeClaim', name: 'c' } }))['dataSourceRef'], {
      apiGroup: null,
      kind: 'PersistentVolumeClaim',
      name: 'c',
    })
  })
  test('has no data source when the reference leaves its namespace', () =>
    equal(specOf(claim({ dataSourceRef: { ...SNAPSHOT, namespace: 'other' } }))['dataSource'], undefined))
  test('loses a data source that is neither a claim nor a snapshot', () => {
    const spec = specOf(claim({ dataSource: OTHER }))
    deepEqual([spec['dataSource'], spec['dataSourceRef']], [undefined, undefined])
  })
})

describe('a changed PersistentVolumeClaim', () => {
  const FIXED =
    'spec: Forbidden: spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims'
  const changes: [behaviour: string, before: object, change: object, problems: string[]][] = [
    ['may get labels', claim(), { ...claim(), metadata: { name: 'c', namespace: 'ns', labels: { a: 'b' } } }, []],
    ['may be given a volume', claim(), claim({ volumeName: 'v1' }), []],
    ['keeps its volume', claim({ volumeName: 'v1' }), claim({ volumeName: 'v2' }), [FIXED]],
    ['may not lose its volume', claim({ volumeName: 'v1' }), claim(), [FIXED]],
    ['may be given a class late', claim(), claim({ storageClassName: 'fast' }), []],
    ['keeps its class', claim({ storageClassName: 'fast' }), claim({ storageClassName: 'slow' }), [FIXED]],
    ['may not lose its class', claim({ storageClassName: 'fast' }), claim(), [FIXED]],
    ['keeps that it wants no class', claim({ storageClassName: '' }), claim({ storageClassName: 'fast' }), [FIXED]],
    ['keeps its access modes', claim(), claim({ accessModes: ['ReadWriteMany'] }), [FIXED]],
    [
      'keeps its mode',
      claim(),
      claim({ volumeMode: 'Block' }),
      [FIXED, 'volumeMode: Invalid value: "Block": field is immutable'],
    ],
    ['does not grow before it is bound', claim(), claim(size('2Gi')), [FIXED]],
    ['may write its size in another way', claim(), claim(size('1073741824')), []],
    ['grows when it is bound', bound(), bound(size('2Gi')), []],
    ['may shrink back to above its capacity', bound(size('4Gi')), bound(size('2Gi')), []],
    [
      'does not shrink to its capacity',
      bound(size('4Gi')),
      bound(size('1Gi')),
      ['spec.resources.requests.storage: Forbidden: field can not be less than status.capacity'],
    ],
    [
      'gets no other request with its growth',
      bound(),
      bound({ resources: { requests: { storage: '2Gi', cpu: '1' } } }),
      [FIXED],
    ],
    [
      'gets no limit with its growth',
      bound(),
      bound({ resources: { requests: { storage: '2Gi' }, limits: { storage: '2Gi' } } }),
      [FIXED],
    ],
    [
      'changes its attributes class when it is bound',
      bound({ volumeAttributesClassName: 'gold' }),
      bound({ volumeAttributesClassName: 'silver' }),
      [],
    ],
    [
      'keeps its attributes class until then',
      claim({ volumeAttributesClassName: 'gold' }),
      claim({ volumeAttributesClassName: 'silver' }),
      [FIXED],
    ],
    ['may lose an attributes class that was never applied', bound({ volumeAttributesClassName: 'gold' }), bound(), []],
    [
      'keeps an attributes class that was applied',
      bound({ volumeAttributesClassName: 'gold' }, { currentVolumeAttributesClassName: 'gold' }),
      bound(),
      [
        'spec.volumeAttributesClassName: Forbidden: update to nil is forbidden when status.currentVolumeAttributesClassName is not nil',
      ],
    ],
    [
      'does not empty an attributes class that was applied',
      bound({ volumeAttributesClassName: 'gold' }, { currentVolumeAttributesClassName: 'gold' }),
      bound({ volumeAttributesClassName: '' }),
      [
        'spec.volumeAttributesClassName: Forbidden: update to empty string is forbidden when status.currentVolumeAttributesClassName is not nil',
      ],
    ],
    [
      'keeps the class of its annotation',
      annotated('fast'),
      annotated('slow'),
      [`metadata.annotations.${CLASS}: Invalid value: "slow": field is immutable`],
    ],
    ['may move the class from the annotation to the field', annotated('fast'), claim({ storageClassName: 'fast' }), []],
    [
      'may not move to another class on the way',
      annotated('fast'),
      claim({ storageClassName: 'slow' }),
      [`metadata.annotations.${CLASS}: Invalid value: "": field is immutable`, FIXED],
    ],
    [
      'keeps its data source when a client leaves out the reference',
      claim({ dataSource: SNAPSHOT }),
      claim({ dataSource: SNAPSHOT }),
      [],
    ],
    [
      'keeps a source of another kind when a client leaves out the reference',
      claim({ dataSourceRef: OTHER }),
      claim({ dataSource: OTHER }),
      [],
    ],
    ['gets no data source later', claim(), claim({ dataSource: SNAPSHOT }), [FIXED]],
  ]
  for (const [behaviour, before, change, problems] of changes)
    test(behaviour, () => deepEqual(kind.updateProblems(before, change), problems))
})

describe('the status of a PersistentVolumeClaim', () => {
  const STATES =
    'supported values: "ControllerResizeInProgress", "ControllerResizeInfeasible", "NodeResizeInProgress", "NodeResizeInfeasible", "NodeResizePending"'
  const statuses: [behaviour: string, status: object, problems: string[]][] = [
    ['may say that it is bound', { phase: 'Bound', capacity: { storage: '1Gi' } }, []],
    [
      'has no negative capacity',
      { capacity: { storage: '-1Gi' } },
      ['status.capacity[storage]: Invalid value: -1073741824: must be a valid resource quantity'],
    ],
    [
      'says how an expansion stands',
      { allocatedResourceStatuses: { storage: 'NodeResizePending', 'example.com/x': 'NodeResizeInProgress' } },
      [],
    ],
    [
      'says it in known words',
      { allocatedResourceStatuses: { storage: 'Soon' } },
      [`status.allocatedResourceStatuses: Unsupported value: "storage": ${STATES}`],
    ],
    [
      'speaks of storage alone',
      { allocatedResourceStatuses: { cpu: 'NodeResizePending' } },
      ['status.allocatedResourceStatuses: Unsupported value: "cpu": supported values: "storage"'],
    ],
    [
      'allocates storage alone',
      { allocatedResources: { cpu: '1' } },
      ['status.allocatedResources: Unsupported value: "cpu": supported values: "storage"'],
    ],
    [
      'allocates no negative amount',
      { allocatedResources: { storage: '-1' } },
      ['status.allocatedResources[storage]: Invalid value: -1: must be a valid resource quantity'],
    ],
  ]
  for (const [behaviour, status, problems] of statuses)
    test(behaviour, () => deepEqual(kind.statusProblems(claim(), claim({}, { status })), problems))

  test('needs a resource version', () => {
    deepEqual(
      kind.definition.validateStatusUpdate?.(
        { metadata: {}, spec: { accessModes: ['ReadWriteOnce'] }, status: {} },
        {},
      ),
      [{ field: 'resourceVersion', type: 'FieldValueRequired', detail: '' }],
    )
  })
})

test('the old annotation and parts of bytes are warned about', () => {
  deepEqual(kind.warnings(annotated('fast', size('1500m'))), [
    `metadata.annotations[${CLASS}]: deprecated since v1.8; use "storageClassName" attribute instead`,
    'spec.resources.requests[storage]: fractional byte value "1500m" is invalid, must be an integer',
  ])
})

describe('the table of claims', () => {
  test('shows capacity and modes of a bound claim', () => {
    deepEqual(
      kind.row(
        bound({ storageClassName: 'fast' }, { accessModes: ['ReadWriteOncePod'], capacity: { storage: '2Gi' } }),
      ),
      {
        Name: 'c',
        Status: 'Bound',
        Volume: 'v1',
        Capacity: '2Gi',
        'Access Modes': 'RWOP',
        StorageClass: 'fast',
        VolumeAttributesClass: '<unset>',
        Age: '3m20s',
        VolumeMode: 'Filesystem',
      },
    )
  })
  test('shows neither while there is no volume', () => {
    const { Capacity, 'Access Modes': modes, Status } = kind.row(claim())
    deepEqual([Capacity, modes, Status], ['', '', 'Pending'])
  })
  test('shows a claim that is going', () =>
    equal(kind.row({ ...claim(), metadata: { name: 'c', deletionTimestamp: CREATED } })['Status'], 'Terminating'))
})
