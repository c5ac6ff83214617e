import { deepEqual } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { kindUnderTest } from './testing/kind-under-test.ts'
import { NOT_A_LABEL_VALUE, NOT_A_SUBDOMAIN } from './testing/messages-under-test.ts'

const kind = kindUnderTest('CSIStorageCapacity')
const capacity = (more: object = {}): object => ({
  metadata: { name: 'c', namespace: 'ns' },
  storageClassName: 'fast',
  ...more,
})
const selector = (expression: object): object =>
  capacity({ nodeTopology: { matchExpressions: [{ key: 'zone', ...expression }] } })

const cases: [behaviour: string, object: object, problems: string[]][] = [
  ['a class is enough', capacity(), []],
  ['nothing left', capacity({ capacity: '0' }), []],
  [
    'not less than nothing',
    capacity({ capacity: '-1Gi' }),
    ['capacity: Invalid value: "-1Gi": must be greater than or equal to 0'],
  ],
  [
    'the class is a name',
    capacity({ storageClassName: 'No' }),
    [`storageClassName: Invalid value: "No": ${NOT_A_SUBDOMAIN}`],
  ],
  [
    'the class is required',
    capacity({ storageClassName: '' }),
    [`storageClassName: Invalid value: "": ${NOT_A_SUBDOMAIN}`],
  ],
  ['nodes by label', capacity({ nodeTopology: { matchLabels: { zone: 'a' } } }), []],
  [
    'a label value is one',
    capacity({ nodeTopology: { matchLabels: { zone: '-' } } }),
    [`nodeTopology.matchLabels: Invalid value: "-": ${NOT_A_LABEL_VALUE}`],
  ],
  ['nodes in a list of zones', selector({ operator: 'In', values: ['a', 'b'] }), []],
  [
    'In has values',
    selector({ operator: 'In' }),
    ["nodeTopology.matchExpressions[0].values: Required value: must be specified when `operator` is 'In' or 'NotIn'"],
  ],
  [
    'Exists has none',
    selector({ operator: 'Exists', values: ['a'] }),
    [
      "nodeTopology.matchExpressions[0].values: Forbidden: may not be specified when `operator` is 'Exists' or 'DoesNotExist'",
    ],
  ],
  [
    'operators are known ones',
    selector({ operator: 'Gt', values: ['1'] }),
    ['nodeTopology.matchExpressions[0].operator: Invalid value: "Gt": not a valid selector operator'],
  ],
  [
    'values are label values',
    selector({ operator: 'In', values: ['-'] }),
    [`nodeTopology.matchExpressions[0].values[0]: Invalid value: "-": ${NOT_A_LABEL_VALUE}`],
  ],
]

describe('a new CSIStorageCapacity', () => {
  for (const [behaviour, object, problems] of cases) test(behaviour, () => deepEqual(kind.problems(object), problems))
})

describe('a changed CSIStorageCapacity', () => {
  const changes: [behaviour: string, change: object, problems: string[]][] = [
    ['may say another capacity', { capacity: '2Gi' }, []],
    ['keeps its class', { storageClassName: 'slow' }, ['storageClassName: Invalid value: "slow": field is immutable']],
    [
      'keeps its nodes',
      { nodeTopology: { matchLabels: { zone: 'a' } } },
      ['nodeTopology: Invalid value: {"matchLabels":{"zone":"a"}}: field is immutable'],
    ],
  ]
  for (const [behaviour, change, problems] of changes)
    test(behaviour, () => deepEqual(kind.updateProblems(capacity(), capacity(change)), problems))
})

test('an old zone label is warned about', () => {
  const label = 'failure-domain.beta.kubernetes.io/zone'
  deepEqual(
    kind.warnings(
      capacity({
        nodeTopology: { matchExpressions: [{ key: label, operator: 'Exists' }], matchLabels: { [label]: 'a' } },
      }),
    ),
    [
      `nodeTopology.matchExpressions[0].key: ${label} is deprecated since v1.17; use "topology.kubernetes.io/zone" instead`,
      `nodeTopology.matchLabels.${label}: deprecated since v1.17; use "topology.kubernetes.io/zone" instead`,
    ],
  )
})

test('the table shows an unknown capacity as unset', () => {
  deepEqual(kind.row(capacity()), { Name: 'c', StorageClassName: 'fast', Capacity: '<unset>' })
  deepEqual(kind.row(capacity({ capacity: '1024Mi' }))['Capacity'], '1Gi')
})
