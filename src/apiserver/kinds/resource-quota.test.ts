import { deepEqual, equal } from 'node:assert/strict'
import { test } from 'node:test'
import { kindUnderTest } from './testing/kind-under-test.ts'

const kind = kindUnderTest('ResourceQuota')
const quota = (spec: object): object => ({ metadata: { name: 'q' }, spec })
const scoped = (scope: object, hard: object = { pods: '1' }): object =>
  quota({ hard, scopeSelector: { matchExpressions: [scope] } })

const cases: [behaviour: string, object: object, problems: string[]][] = [
  [
    'counts, sizes, classes and devices can be limited',
    quota({
      hard: {
        pods: '2',
        'requests.storage': '1Gi',
        'count/widgets.example.com': '3',
        'fast.storageclass.storage.k8s.io/requests.storage': '1Gi',
      },
    }),
    [],
  ],
  [
    'an unknown resource is rejected',
    quota({ hard: { widgets: '1' } }),
    ['spec.hard[widgets]: Invalid value: "widgets": must be a standard resource for quota'],
  ],
  [
    'an amount is not negative',
    quota({ hard: { cpu: '-1' } }),
    ['spec.hard[cpu]: Invalid value: "-1": must be greater than or equal to 0'],
  ],
  [
    'a count is whole',
    quota({ hard: { pods: '1500m' } }),
    ['spec.hard[pods]: Invalid value: "1500m": must be an integer'],
  ],
  [
    'an unknown scope is rejected',
    quota({ hard: { pods: '1' }, scopes: ['Sometimes'] }),
    ['spec.scopes: Invalid value: ["Sometimes"]: unsupported scope'],
  ],
  [
    'a scope fits the resource',
    quota({ hard: { secrets: '1' }, scopes: ['BestEffort'] }),
    ['spec.scopes: Invalid value: ["BestEffort"]: unsupported scope applied to resource'],
  ],
  [
    'scopes do not contradict each other',
    quota({ hard: { pods: '1' }, scopes: ['BestEffort', 'NotBestEffort'] }),
    ['spec.scopes: Invalid value: ["BestEffort","NotBestEffort"]: conflicting scopes'],
  ],
  ['a priority class can be selected', scoped({ scopeName: 'PriorityClass', operator: 'In', values: ['high'] }), []],
  [
    'a selected class needs a name',
    scoped({ scopeName: 'PriorityClass', operator: 'In' }),
    [
      "spec.scopeSelector.matchExpressions.values: Required value: must be at least one value when `operator` is 'In' or 'NotIn' for scope selector",
    ],
  ],
]
for (const [behaviour, object, problems] of cases) test(behaviour, () => deepEqual(kind.problems(object), problems))

test('scopes cannot change, in whatever order', () => {
  const before = quota({ hard: { pods: '1' }, scopes: ['BestEffort', 'NotTerminating'] })
  deepEqual(kind.updateProblems(before, quota({ hard: { pods: '2' }, scopes: ['NotTerminating', 'BestEffort'] })), [])
  deepEqual(kind.updateProblems(before, quota({ hard: { pods: '1' }, scopes: ['BestEffort'] })), [
    'spec.scopes: Invalid value: ["BestEffort"]: field is immutable',
  ])
})

test('the table shows what is used of what', () => {
  const object = {
    metadata: { name: 'q' },
    status: { hard: { pods: '2', 'limits.cpu': '1' }, used: { pods: '1' } },
  }
  equal(kind.row(object)['Request'], 'pods: 1/2')
  equal(kind.row(object)['Limit'], 'limits.cpu: 0/1')
})
