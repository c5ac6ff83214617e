import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compareGroups, compareVersions } from './group-order.ts'

test('puts groups in the order in which kubectl is to try them', () => {
  const groups = [
    'zoo.example.com',
    'coordination.k8s.io',
    'storage.k8s.io',
    'apps',
    'apiextensions.k8s.io',
    '',
    'aaa.example.com',
    'policy',
    'events.k8s.io',
  ]
  assert.deepEqual(groups.sort(compareGroups), [
    '',
    'apps',
    'events.k8s.io',
    'policy',
    'storage.k8s.io',
    'apiextensions.k8s.io',
    'coordination.k8s.io',
    'aaa.example.com',
    'zoo.example.com',
  ])
})

test('prefers stable versions, then newer ones', () => {
  const versions = ['v1alpha1', 'foo', 'v1beta1', 'v1', 'v1beta2', 'v2', 'v10', 'v2alpha1']
  assert.deepEqual(versions.sort(compareVersions), [
    'v10',
    'v2',
    'v1',
    'v1beta2',
    'v1beta1',
    'v2alpha1',
    'v1alpha1',
    'foo',
  ])
})
