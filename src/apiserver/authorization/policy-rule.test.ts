import { deepEqual } from 'node:assert/strict'
import { test } from 'node:test'
import type { PolicyRule } from '../../api/kinds/rbac.ts'
import { findMissingRights } from './policy-rule.ts'

const words = (prefix: string, count: number): string[] =>
  Array.from({ length: count }, (_, index) => `${prefix}-${index}`)
const BILLIONS: PolicyRule = {
  verbs: words('v', 300),
  apiGroups: words('g', 300),
  resources: words('r', 300),
  resourceNames: words('n', 300),
}

test('a rule that stands for billions of rights is missing as a whole, and nothing is listed one by one', () => {
  deepEqual(findMissingRights([{ verbs: ['get'], apiGroups: [''], resources: ['pods'] }], [BILLIONS]), [BILLIONS])
})

test('a rule that stands for billions of rights is held by who holds one that covers it', () => {
  deepEqual(findMissingRights([{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }], [BILLIONS]), [])
})

test('rights of one rule may be held by several', () => {
  const held: PolicyRule[] = [
    { verbs: ['get'], apiGroups: [''], resources: ['pods', 'secrets'] },
    { verbs: ['list'], apiGroups: [''], resources: ['pods'] },
  ]
  const wanted: PolicyRule = { verbs: ['get', 'list'], apiGroups: [''], resources: ['pods', 'secrets'] }
  deepEqual(findMissingRights(held, [wanted]), [{ verbs: ['list'], apiGroups: [''], resources: ['secrets'] }])
})

test('a rule for paths beside resources is looked at in its parts', () => {
  const mixed: PolicyRule = { verbs: ['get'], apiGroups: [''], resources: ['pods'], nonResourceURLs: ['/metrics'] }
  deepEqual(findMissingRights([{ verbs: ['get'], nonResourceURLs: ['*'] }], [mixed]), [
    { verbs: ['get'], apiGroups: [''], resources: ['pods'] },
  ])
  // Without a group, the rule has no parts and grants nothing.
  deepEqual(findMissingRights([], [{ verbs: ['get'], resources: ['pods'] }]), [])
})
