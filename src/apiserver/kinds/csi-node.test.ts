import { deepEqual } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { kindUnderTest } from './testing/kind-under-test.ts'
import { NOT_A_QUALIFIED_NAME, NOT_A_SUBDOMAIN } from './testing/messages-under-test.ts'

const kind = kindUnderTest('CSINode')
const entry = (more: object = {}): object => ({
  name: 'driver.example.com',
  nodeID: 'n1',
  topologyKeys: ['example.com/zone'],
  ...more,
})
const node = (...drivers: object[]): object => ({ metadata: { name: 'n1' }, spec: { drivers } })

const cases: [behaviour: string, object: object, problems: string[]][] = [
  ['no driver at all', node(), []],
  ['a driver', node(entry()), []],
  ['a driver with capitals in its name', node(entry({ name: 'Driver.Example.com' })), []],
  ['a driver without topology', node(entry({ topologyKeys: null })), []],
  ['a driver has a name', node(entry({ name: '' })), ['spec.drivers[0].name: Required value']],
  [
    'a name is a domain',
    node(entry({ name: 'no_name' })),
    [`spec.drivers[0].name: Invalid value: "no_name": ${NOT_A_SUBDOMAIN}`],
  ],
  [
    'a name has at most 63 bytes',
    node(entry({ name: 'a'.repeat(64) })),
    ['spec.drivers[0].name: Too long: may not be more than 63 bytes'],
  ],
  ['names differ', node(entry(), entry()), ['spec.drivers[1].name: Duplicate value: "driver.example.com"']],
  ['a node id is required', node(entry({ nodeID: '' })), ['spec.drivers[0].nodeID: Required value']],
  ['a node id of 256 bytes', node(entry({ nodeID: 'x'.repeat(256) })), []],
  [
    'and no longer',
    node(entry({ nodeID: 'x'.repeat(257) })),
    [`spec.drivers[0].nodeID: Invalid value: "${'x'.repeat(257)}": must be 256 characters or less`],
  ],
  ['topology keys differ', node(entry({ topologyKeys: ['a', 'a'] })), ['spec.drivers[0]: Duplicate value: "a"']],
  [
    'topology keys are labels',
    node(entry({ topologyKeys: ['-'] })),
    [`spec.drivers[0]: Invalid value: "-": ${NOT_A_QUALIFIED_NAME}`],
  ],
  [
    'a topology key is not empty',
    node(entry({ topologyKeys: [''] })),
    [
      'spec.drivers[0]: Required value',
      'spec.drivers[0]: Invalid value: "": name part must be non-empty',
      `spec.drivers[0]: Invalid value: "": ${NOT_A_QUALIFIED_NAME}`,
    ],
  ],
  ['no volumes at all can be allocatable', node(entry({ allocatable: { count: 0 } })), []],
  [
    'but not less',
    node(entry({ allocatable: { count: -1 } })),
    ['spec.drivers[0].allocatable.count: Invalid value: -1: must be greater than or equal to 0'],
  ],
]

describe('a new CSINode', () => {
  for (const [behaviour, object, problems] of cases) test(behaviour, () => deepEqual(kind.problems(object), problems))
})

describe('a changed CSINode', () => {
  const other = { name: 'other', nodeID: 'o', topologyKeys: null }
  const changes: [behaviour: string, change: object, problems: string[]][] = [
    ['may get another driver', node(entry(), other), []],
    ['may lose a driver', node(), []],
    ['may get another limit', node(entry({ allocatable: { count: 5 } })), []],
    [
      'keeps the node id of a driver',
      node(entry({ nodeID: 'n2' })),
      [
        'spec.drivers: Invalid value: {"name":"driver.example.com","nodeID":"n2","topologyKeys":["example.com/zone"]}: field is immutable',
      ],
    ],
    [
      'keeps the topology of a driver',
      node(entry({ topologyKeys: ['b'] })),
      [
        'spec.drivers: Invalid value: {"name":"driver.example.com","nodeID":"n1","topologyKeys":["b"]}: field is immutable',
      ],
    ],
  ]
  for (const [behaviour, change, problems] of changes)
    test(behaviour, () => deepEqual(kind.updateProblems(node(entry()), change), problems))
})

test('the table counts the drivers', () => deepEqual(kind.row(node(entry())), { Name: 'n1', Drivers: 1, Age: '3m20s' }))
