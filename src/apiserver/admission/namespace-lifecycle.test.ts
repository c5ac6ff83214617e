import { doesNotThrow, throws } from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { KubeObject } from '../../api/object.ts'
import { admitted, viewOf, writeOf } from './testing/admission-under-test.ts'
import { namespaceLifecycle } from './namespace-lifecycle.ts'

const namespace = (phase: string): KubeObject & { status: object } => ({
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name: 'ns' },
  status: { phase },
})
const create = (kind: string, ...objects: KubeObject[]): unknown =>
  admitted(namespaceLifecycle, writeOf(kind, {}, { view: viewOf(...objects) }))

describe('in a namespace', () => {
  test('that is there, things can be made', () => doesNotThrow(() => create('Secret', namespace('Active'))))
  test('that is not there, nothing is made', () => {
    throws(() => create('Secret'), {
      code: 404,
      reason: 'NotFound',
      message: 'namespaces "ns" not found',
      details: { name: 'ns', kind: 'namespaces' },
    })
  })
  test('that is going, nothing is made', () => {
    throws(() => create('Secret', namespace('Terminating')), {
      code: 403,
      message: 'secrets "x" is forbidden: unable to create new content in namespace ns because it is being terminated',
      details: {
        name: 'x',
        kind: 'secrets',
        causes: [
          { reason: 'NamespaceTerminating', message: 'namespace ns is being terminated', field: 'metadata.namespace' },
        ],
      },
    })
  })
  test('that is going, things can still change', () => {
    doesNotThrow(() =>
      admitted(
        namespaceLifecycle,
        writeOf('Secret', {}, { operation: 'UPDATE', view: viewOf(namespace('Terminating')) }),
      ),
    )
  })
  test('that is going, things can still be deleted', () => {
    doesNotThrow(() =>
      admitted(
        namespaceLifecycle,
        writeOf('Secret', {}, { operation: 'DELETE', object: undefined, view: viewOf(namespace('Terminating')) }),
      ),
    )
  })
  test('that nobody may know of, permissions can be asked for', () =>
    doesNotThrow(() => create('LocalSubjectAccessReview')))
})

test('what is in no namespace needs none', () => doesNotThrow(() => create('StorageClass')))

describe('a namespace itself', () => {
  const remove = (name: string): unknown =>
    admitted(
      namespaceLifecycle,
      writeOf('Namespace', { metadata: { name } }, { operation: 'DELETE', object: undefined, name }),
    )
  test('can be made', () => doesNotThrow(() => create('Namespace')))
  test('can go', () => doesNotThrow(() => remove('ns')))
  for (const name of ['default', 'kube-system', 'kube-public']) {
    test(`never goes when it is ${name}`, () =>
      throws(() => remove(name), {
        code: 403,
        message: `namespaces "${name}" is forbidden: this namespace may not be deleted`,
      }))
  }
})
