import { deepEqual } from 'node:assert/strict'
import { test } from 'node:test'
import { namespaceConditions } from './namespace-conditions.ts'

const NOW_MS = Date.UTC(2030, 0, 1)
const object = (finalizers: string[] = []) => ({ apiVersion: 'v1', kind: 'X', metadata: { name: 'x', finalizers } })
const shown = (...given: Parameters<typeof namespaceConditions>): unknown =>
  namespaceConditions(...given)
    .filter(({ status }) => status === 'True')
    .map(({ type, reason, message }) => [type, reason, message])

test('an empty namespace has five conditions, all fine', () => {
  const conditions = namespaceConditions([], [], NOW_MS)
  deepEqual(
    conditions.map(({ status }) => status),
    ['False', 'False', 'False', 'False', 'False'],
  )
})

test('what is left is counted by kind and by finalizer', () => {
  const remaining = [
    { group: '', plural: 'pods', objects: [object(['a/b']), object(['a/b', 'c/d'])] },
    { group: 'apps', plural: 'deployments', objects: [object()] },
    { group: '', plural: 'secrets', objects: [] },
  ]
  deepEqual(shown(remaining, [], NOW_MS), [
    [
      'NamespaceContentRemaining',
      'SomeResourcesRemain',
      'Some resources are remaining: deployments.apps has 1 resource instances, pods. has 2 resource instances',
    ],
    [
      'NamespaceFinalizersRemaining',
      'SomeFinalizersRemain',
      'Some content in the namespace has finalizers remaining: a/b in 2 resource instances, c/d in 1 resource instances',
    ],
  ])
})

test('a condition keeps its time until its status changes', () => {
  const remaining = [{ group: '', plural: 'pods', objects: [object()] }]
  const first = namespaceConditions(remaining, [], NOW_MS)
  const later = namespaceConditions([], first, NOW_MS + 60_000)
  const times = Object.fromEntries(later.map(({ type, lastTransitionTime }) => [type, lastTransitionTime]))
  deepEqual(times['NamespaceContentRemaining'], '2030-01-01T00:01:00Z')
  deepEqual(times['NamespaceDeletionContentFailure'], '2030-01-01T00:00:00Z')
})
