import { deepEqual } from 'node:assert/strict'
import { test } from 'node:test'
import { kindUnderTest } from './testing/kind-under-test.ts'

const kind = kindUnderTest('LimitRange')
const range = (...limits: object[]): object => ({ metadata: { name: 'l' }, spec: { limits } })

const cases: [behaviour: string, object: object, problems: string[]][] = [
  ['sizes of claims can be limited', range({ type: 'PersistentVolumeClaim', min: { storage: '1Gi' } }), []],
  [
    'a limit of claims is about storage',
    range({ type: 'PersistentVolumeClaim' }),
    [
      'spec.limits[0].limits: Required value: either minimum or maximum storage value is required, but neither was provided',
    ],
  ],
  [
    'a type is known',
    range({ type: 'Node' }),
    ['spec.limits[0].type: Invalid value: "Node": must be a standard limit type or fully qualified'],
  ],
  ['a type stands once', range({ type: 'Pod' }, { type: 'Pod' }), ['spec.limits[1].type: Duplicate value: "Pod"']],
  [
    'a pod has no defaults',
    range({ type: 'Pod', default: { cpu: '1' } }),
    ["spec.limits[0].default: Forbidden: may not be specified when `type` is 'Pod'"],
  ],
  [
    'a minimum is below the maximum',
    range({ type: 'PersistentVolumeClaim', min: { storage: '2Gi' }, max: { storage: '1Gi' } }),
    ['spec.limits[0].min[storage]: Invalid value: "2Gi": min value 2Gi is greater than max value 1Gi'],
  ],
  [
    'a ratio is at least one',
    range({ type: 'Pod', maxLimitRequestRatio: { cpu: '500m' } }),
    ['spec.limits[0].maxLimitRequestRatio[cpu]: Invalid value: "500m": ratio 500m is less than 1'],
  ],
]
for (const [behaviour, object, problems] of cases) test(behaviour, () => deepEqual(kind.problems(object), problems))

test('a container is limited to the maximum by default, and asks for that', () => {
  const { spec } = kind.create(range({ type: 'Container', max: { cpu: '2' }, min: { memory: '1Mi' } })) as {
    spec: { limits: { default: object; defaultRequest: object }[] }
  }
  deepEqual(spec.limits[0]?.default, { cpu: '2' })
  deepEqual(spec.limits[0]?.defaultRequest, { cpu: '2', memory: '1Mi' })
})
