import { deepEqual, equal } from 'node:assert/strict'
import { test } from 'node:test'
import { kindUnderTest } from '../testing/kind-under-test.ts'
import { findLabelWarning } from './deprecated-labels.ts'
import { ownValue } from './own-value.ts'
import { basicQuantity, equalQuantities } from './quantities.ts'

const INHERITED = ['constructor', 'toString', 'hasOwnProperty', '__proto__']

test('nothing is found under a key that only every object has', () => {
  for (const key of INHERITED) {
    equal(ownValue<unknown>({}, key), undefined, key)
    equal(findLabelWarning(key), undefined, key)
    equal(equalQuantities(Object.fromEntries([[key, '1']]), { storage: '1' }), false, key)
  }
  equal(ownValue(Object.fromEntries([['__proto__', 'a']]), '__proto__'), 'a')
})

test('such keys are keys like others for config maps and containers', () => {
  const named = Object.fromEntries(INHERITED.map((key) => [key, '1']))
  deepEqual(kindUnderTest('ConfigMap').problems({ metadata: { name: 'x' }, data: named }), [])
  const container = { name: 'c', image: 'i', resources: { requests: { constructor: '1' }, limits: {} } }
  deepEqual(kindUnderTest('Pod').problems({ metadata: { name: 'x' }, spec: { containers: [container] } }), [])
})

test('an amount that is too small to be counted is refused like any below zero', () => {
  for (const amount of ['-1', '-9223372036854775808', '-1e30'])
    equal(basicQuantity('f', amount)[0]?.detail, 'must be a valid resource quantity', amount)
})
