import { deepEqual, equal } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { kindUnderTest } from './testing/kind-under-test.ts'

const kind = kindUnderTest('VolumeAttributesClass', 'storage.k8s.io/v1')
const attributes = (more: object = {}): object => ({
  metadata: { name: 'gold' },
  driverName: 'driver.example.com',
  parameters: { iops: '100' },
  ...more,
})

const cases: [behaviour: string, object: object, problems: string[]][] = [
  ['a driver and a parameter', attributes(), []],
  ['a driver is required', attributes({ driverName: '' }), ['driverName: Required value']],
  [
    'a parameter is required',
    attributes({ parameters: {} }),
    ['parameters: Required value: must contain at least one key/value pair'],
  ],
]

describe('a new VolumeAttributesClass', () => {
  for (const [behaviour, object, problems] of cases) test(behaviour, () => deepEqual(kind.problems(object), problems))
})

describe('a changed VolumeAttributesClass', () => {
  const changes: [behaviour: string, change: object, problems: string[]][] = [
    ['may get labels', { metadata: { name: 'gold', labels: { a: 'b' } } }, []],
    ['keeps its driver', { driverName: 'other' }, ['driverName: Forbidden: updates to driverName are forbidden.']],
    [
      'keeps its parameters',
      { parameters: { iops: '200' } },
      ['parameters: Forbidden: updates to parameters are forbidden.'],
    ],
  ]
  for (const [behaviour, change, problems] of changes)
    test(behaviour, () => deepEqual(kind.updateProblems(attributes(), attributes(change)), problems))
})

test('both versions share their objects', () => {
  const beta = kindUnderTest('VolumeAttributesClass', 'storage.k8s.io/v1beta1').definition
  equal(beta.storage, kind.definition.storage)
  equal(beta.storedApiVersion, 'storage.k8s.io/v1')
})

test('the table names the driver', () =>
  deepEqual(kind.row(attributes()), { Name: 'gold', DriverName: 'driver.example.com', Age: '3m20s' }))
