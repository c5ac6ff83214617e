import { deepEqual, equal, ok } from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { findSchema } from '../schema/find-schema.ts'
import { applyFields, trackUpdate } from './apply-fields.ts'
import type { ApplyRequest, ApplyResult } from './apply-fields.ts'
import { difference, formatFields, formatPaths, intersection, isEqualSet, parseFields, union } from './field-set.ts'
import { formatManagers, limitUpdaters, parseManagers } from './managed-fields.ts'
import type { Manager } from './managed-fields.ts'

const schemaOf = (group: string, version: string, kind: string) => {
  const schema = findSchema(group, version, kind)
  ok(schema)
  return schema
}
const DEPLOYMENT = { schema: schemaOf('apps', 'v1', 'Deployment'), hasStatus: true, nowMs: 0 }
const writer = (name: string) => ({ name, apiVersion: 'apps/v1', subresource: '' })

const apply = (request: Partial<ApplyRequest> & Pick<ApplyRequest, 'applied'>): ApplyResult =>
  applyFields(DEPLOYMENT, { live: undefined, managers: [], writer: writer('one'), force: false, ...request })

function applied(result: ApplyResult): Extract<ApplyResult, { kind: 'applied' }> {
  ok(result.kind === 'applied')
  return result
}
const fieldsOf = (managers: readonly Manager[], name: string): object | undefined => {
  const manager = managers.find((candidate) => candidate.name === name)
  return manager && formatFields(manager.fields)
}

describe('an apply', () => {
  test('makes the earlier writer of an object its owner', () => {
    const live = { spec: { replicas: 1 }, status: { replicas: 1 } }
    const result = apply({ live, applied: { spec: { replicas: 2 } } })
    ok(result.kind === 'conflict')
    deepEqual(
      result.conflicts.map(({ manager, fields }) => [manager.name, formatPaths(fields)]),
      [['before-first-apply', ['.spec.replicas']]],
    )
    const { managers } = applied(apply({ live, applied: { spec: { replicas: 2 } }, force: true }))
    deepEqual(fieldsOf(managers, 'before-first-apply'), { 'f:spec': {} }, 'the spec itself is still theirs')
  })

  test('removes what was filled in below a field that is dropped', () => {
    const strategy = { type: 'RollingUpdate' }
    const first = applied(apply({ applied: { spec: { replicas: 1, strategy } } }))
    const live = { spec: { replicas: 1, strategy: { ...strategy, rollingUpdate: { maxSurge: '25%' } } } }
    const { object } = applied(apply({ live, applied: { spec: { replicas: 1 } }, managers: first.managers }))
    deepEqual(object, { spec: { replicas: 1 } })
  })

  test('keeps what others own below a field that is dropped', () => {
    const first = applied(apply({ applied: { spec: { strategy: { type: 'RollingUpdate' } } } }))
    const live = { spec: { strategy: { type: 'RollingUpdate' } } }
    const after = { spec: { strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1 } } } }
    const managers = trackUpdate(DEPLOYMENT, { before: live, after, managers: first.managers, writer: writer('two') })
    const { object } = applied(apply({ live: after, applied: {}, managers }))
    deepEqual(object, { spec: { strategy: { rollingUpdate: { maxSurge: 1 } } } })
  })

  test('keeps the order of live list items, and puts new ones in the order of the configuration', () => {
    const containers = (...names: string[]) => ({
      spec: { template: { spec: { containers: names.map((name) => ({ name })) } } },
    })
    const first = applied(apply({ applied: containers('b', 'd') }))
    const live = containers('a', 'b', 'c', 'd')
    const { object } = applied(apply({ live, applied: containers('b', 'x', 'd'), managers: first.managers }))
    deepEqual(object, containers('a', 'b', 'c', 'x', 'd'))
    deepEqual(
      applied(apply({ live, applied: containers('d', 'y', 'b'), managers: first.managers })).object,
      containers('a', 'c', 'd', 'y', 'b'),
    )
  })

  test('owns an empty map, but not an empty list of items', () => {
    const spec = { template: { spec: { containers: [], nodeSelector: {} } } }
    const { managers } = applied(apply({ applied: { spec } }))
    deepEqual(fieldsOf(managers, 'one'), { 'f:spec': { 'f:template': { 'f:spec': { 'f:nodeSelector': {} } } } })
  })

  test('never owns the identity of an object', () => {
    const metadata = { name: 'a', namespace: 'b', uid: 'u', resourceVersion: '1', creationTimestamp: null }
    const { managers } = applied(apply({ applied: { apiVersion: 'apps/v1', kind: 'Deployment', metadata } }))
    deepEqual(formatManagers(managers), [])
  })

  test('of the status leaves the rest alone, and the other way round', () => {
    const both = { spec: { replicas: 1 }, status: { replicas: 1 } }
    const main = applied(apply({ applied: both }))
    deepEqual(fieldsOf(main.managers, 'one'), { 'f:spec': { 'f:replicas': {} } })
    const status = applied(apply({ applied: both, writer: { ...writer('two'), subresource: 'status' } }))
    deepEqual(fieldsOf(status.managers, 'two'), { 'f:status': { 'f:replicas': {} } })
  })

  test('of what a manager applied is idempotent, and forcing always succeeds', () => {
    const value = fc.record({ replicas: fc.nat(3), paused: fc.boolean() }, { requiredKeys: [], noNullPrototype: true })
    const step = fc.record({ name: fc.constantFrom('one', 'two', 'three'), spec: value })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 8 }), (steps) => {
        let live: unknown
        let managers: readonly Manager[] = []
        for (const { name, spec } of steps) {
          const request = { applied: { spec }, writer: writer(name), force: true }
          ;({ object: live, managers } = applied(apply({ ...request, live, managers })))
          const again = applied(apply({ ...request, live, managers, force: false }))
          deepEqual(again.object, live)
          deepEqual(formatManagers(again.managers), formatManagers(managers))
          // Every applied field has the applied value, and its manager as an owner.
          deepEqual({ ...(live as { spec: object }).spec, ...spec }, (live as { spec: object }).spec)
        }
      }),
    )
  })
})

describe('managers', () => {
  test('that update are at most ten; the oldest become one', () => {
    const managers = Array.from({ length: 13 }, (_, index): Manager => {
      const time = `2026-01-01T00:00:${10 + index}Z`
      const fields = parseFields({ [`f:x${index}`]: {} })
      return { name: `m${index}`, operation: 'Update', apiVersion: 'v1', subresource: '', time, fields }
    })
    const limited = limitUpdaters(managers)
    equal(limited.length, 10)
    deepEqual(fieldsOf(limited, 'ancient-changes'), { 'f:x0': {}, 'f:x1': {}, 'f:x2': {}, 'f:x3': {} })
    deepEqual(limitUpdaters(managers.slice(0, 10)), managers.slice(0, 10))
  })

  test('are read as they were written', () => {
    const entries = [
      {
        manager: 'one',
        operation: 'Apply',
        apiVersion: 'v1',
        time: '2026-01-01T00:00:00Z',
        fieldsType: 'FieldsV1',
        fieldsV1: { 'f:a': { '.': {}, 'f:b': {} }, 'f:c': { 'k:{"name":"x"}': { '.': {}, 'f:d': {} }, 'v:"y"': {} } },
      },
    ]
    deepEqual(formatManagers(parseManagers(entries)), entries)
  })
})

describe('field sets', () => {
  const set = fc
    .letrec<{ node: object }>((tie) => ({
      node: fc.oneof(
        { maxDepth: 3 },
        fc.constant({}),
        fc.dictionary(fc.constantFrom('f:a', 'f:b', 'v:1', 'k:{"name":"x"}', '.'), tie('node'), {
          maxKeys: 3,
          noNullPrototype: true,
        }),
      ),
    }))
    .node.map((fields) => parseFields(fields))

  test('follow the laws of sets', () => {
    fc.assert(
      fc.property(set, set, (left, right) => {
        ok(isEqualSet(union(left, right), union(right, left)))
        ok(isEqualSet(intersection(left, right), intersection(right, left)))
        ok(isEqualSet(union(difference(left, right), intersection(left, right)), left))
        deepEqual(formatPaths(intersection(difference(left, right), right)), [])
        ok(isEqualSet(parseFields(formatFields(left)), left))
      }),
    )
  })
})
