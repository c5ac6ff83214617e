import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { ApiError, isConflict, isInvalid } from '../../api/api-error.ts'
import { CONFIG_MAPS } from '../../api/kinds/config-map.ts'
import type { ConfigMap } from '../../api/kinds/config-map.ts'
import { NODES } from '../../api/kinds/node.ts'
import { PODS } from '../../api/kinds/pod.ts'
import { SERVICES } from '../../api/kinds/service.ts'
import type { KubeObject } from '../../api/object.ts'
import type { ResourceType } from '../../api/resource-type.ts'
import type { ApiUnderTest } from './api-under-test.ts'

type Entry = {
  manager: string
  operation: string
  apiVersion: string
  fieldsV1: object
  subresource?: string
  time?: string
}

/** The managed fields of an object without their times. */
const ownersOf = ({ metadata }: KubeObject): object[] =>
  ((metadata as { managedFields?: Entry[] }).managedFields ?? []).map(
    ({ manager, operation, fieldsV1, subresource }) => ({
      manager,
      operation,
      fieldsV1,
      ...(subresource !== undefined && { subresource }),
    }),
  )

const fieldsOf = (object: KubeObject, name: string): object | undefined =>
  (ownersOf(object) as Entry[]).find(({ manager }) => manager === name)?.fieldsV1

/** Server-side apply: merging, owners, conflicts, and fields that are no longer applied. */
export function describeApiApply(test: ApiUnderTest): void {
  const apply = <T extends KubeObject>(
    type: ResourceType<T>,
    value: KubeObject,
    fieldManager: string,
    { force = false, subresource }: { force?: boolean; subresource?: string } = {},
  ): Promise<T> => {
    const { namespace = '', name = '' } = value.metadata
    return test.api.patch(
      type,
      { namespace, name },
      { type: 'apply', value, force },
      { fieldManager, ...(subresource !== undefined && { subresource }) },
    )
  }
  const data = (name: string, values: Record<string, string>, metadata: ConfigMap['metadata'] = {}): ConfigMap => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { namespace: 'default', name, ...metadata },
    data: values,
  })
  const applyData = (
    name: string,
    values: Record<string, string>,
    manager: string,
    force = false,
  ): Promise<ConfigMap> => apply(CONFIG_MAPS, data(name, values), manager, { force })

  describe('server-side apply', () => {
    it('creates what is not there, and notes who applied it', async () => {
      const name = test.nameFor('applied')
      const made = await apply(CONFIG_MAPS, data(name, { a: '1' }, { labels: { app: 'x' } }), 'one')
      assert.deepEqual([made.data, made.metadata.labels], [{ a: '1' }, { app: 'x' }])
      assert.deepEqual(ownersOf(made), [
        {
          manager: 'one',
          operation: 'Apply',
          fieldsV1: { 'f:data': { 'f:a': {} }, 'f:metadata': { 'f:labels': { 'f:app': {} } } },
        },
      ])
    })

    it('changes nothing when nothing has changed', async () => {
      const name = test.nameFor('applied')
      const made = await applyData(name, { a: '1' }, 'one')
      assert.deepEqual(await applyData(name, { a: '1' }, 'one'), made)
    })

    it('removes fields that are no longer applied, and leaves those of others alone', async () => {
      const name = test.nameFor('applied')
      await applyData(name, { a: '1', b: '2' }, 'one')
      await applyData(name, { b: '2', c: '3' }, 'two')
      const changed = await applyData(name, { a: '1' }, 'one')
      assert.deepEqual(changed.data, { a: '1', b: '2', c: '3' })
      assert.deepEqual(fieldsOf(changed, 'one'), { 'f:data': { 'f:a': {} } })
      assert.deepEqual((await applyData(name, { a: '1' }, 'two')).data, { a: '1' })
    })

    it('is refused with a conflict for each field of another manager', async () => {
      const name = test.nameFor('applied')
      await applyData(name, { a: '1', b: '2' }, 'one')
      await assert.rejects(applyData(name, { a: 'x' }, 'two'), (error: unknown) => {
        assert.ok(isConflict(error))
        assert.equal(error.message, 'Apply failed with 1 conflict: conflict with "one": .data.a')
        assert.deepEqual(error.details?.causes, [
          { reason: 'FieldManagerConflict', message: 'conflict with "one"', field: '.data.a' },
        ])
        return true
      })
      await assert.rejects(applyData(name, { a: 'x', b: 'y' }, 'two'), (error: unknown) => {
        assert.ok(error instanceof ApiError)
        assert.equal(error.message, 'Apply failed with 2 conflicts: conflicts with "one":\n- .data.a\n- .data.b')
        return true
      })
    })

    it('takes fields over by force', async () => {
      const name = test.nameFor('applied')
      await applyData(name, { a: '1', b: '2' }, 'one')
      const taken = await applyData(name, { a: 'x' }, 'two', true)
      assert.deepEqual(taken.data, { a: 'x', b: '2' })
      assert.deepEqual(fieldsOf(taken, 'one'), { 'f:data': { 'f:b': {} } })
      assert.deepEqual(fieldsOf(taken, 'two'), { 'f:data': { 'f:a': {} } })
    })

    it('shares a field that two managers want alike', async () => {
      const name = test.nameFor('applied')
      await applyData(name, { a: '1' }, 'one')
      const shared = await applyData(name, { a: '1' }, 'two')
      assert.deepEqual(fieldsOf(shared, 'one'), { 'f:data': { 'f:a': {} } })
      assert.deepEqual(fieldsOf(shared, 'two'), { 'f:data': { 'f:a': {} } })
    })

    it('gives a field to whoever updates or patches it', async () => {
      const name = test.nameFor('applied')
      await applyData(name, { a: '1', b: '2' }, 'one')
      const value = { data: { a: 'x', c: '3' } }
      const ref = { namespace: 'default', name }
      const patched = await test.api.patch(CONFIG_MAPS, ref, { type: 'merge', value }, { fieldManager: 'editor' })
      assert.deepEqual(fieldsOf(patched, 'one'), { 'f:data': { 'f:b': {} } })
      assert.deepEqual(fieldsOf(patched, 'editor'), { 'f:data': { 'f:a': {}, 'f:c': {} } })
      await assert.rejects(applyData(name, { a: '1', b: '2' }, 'one'), (error: unknown) => {
        assert.ok(error instanceof ApiError)
        assert.equal(error.message, 'Apply failed with 1 conflict: conflict with "editor" using v1: .data.a')
        return true
      })
    })

    it('forgets the owners of fields that are removed, and all of them when the list is reset', async () => {
      const name = test.nameFor('applied')
      const made = await applyData(name, { a: '1', b: '2' }, 'one')
      const fewer = await test.api.update(CONFIG_MAPS, { ...made, data: { a: '1' } }, { fieldManager: 'editor' })
      assert.deepEqual(ownersOf(fewer), [{ manager: 'one', operation: 'Apply', fieldsV1: { 'f:data': { 'f:a': {} } } }])
      const value = { metadata: { managedFields: [{}] } }
      const ref = { namespace: 'default', name }
      const reset = await test.api.patch(CONFIG_MAPS, ref, { type: 'merge', value }, { fieldManager: 'editor' })
      assert.deepEqual(ownersOf(reset), [])
    })

    it('asks for a manager, an API version and no owners in the body', async () => {
      const name = test.nameFor('applied')
      await assert.rejects(applyData(name, { a: '1' }, ''), (error: unknown) => {
        assert.ok(isInvalid(error))
        assert.match(error.message, /fieldManager: Required value: is required for apply patch/)
        return true
      })
      const owned = { ...data(name, {}), metadata: { namespace: 'default', name, managedFields: [] } } as ConfigMap
      await assert.rejects(apply(CONFIG_MAPS, owned, 'one'), /metadata\.managedFields must be nil/)
    })

    it('respects a resource version in the body', async () => {
      const name = test.nameFor('applied')
      const made = await applyData(name, { a: '1' }, 'one')
      await applyData(name, { a: '2' }, 'one')
      const { resourceVersion = '' } = made.metadata
      await assert.rejects(apply(CONFIG_MAPS, data(name, { a: '3' }, { resourceVersion }), 'one'), isConflict)
    })

    it('does nothing on a dry run', async () => {
      const name = test.nameFor('applied')
      const made = await applyData(name, { a: '1' }, 'one')
      const ref = { namespace: 'default', name }
      const patch = { type: 'apply', value: data(name, { a: '2' }) } as const
      const dry = await test.api.patch(CONFIG_MAPS, ref, patch, { fieldManager: 'one', dryRun: true })
      assert.deepEqual(dry.data, { a: '2' })
      assert.deepEqual(await test.api.get(CONFIG_MAPS, ref), made)
    })
  })

  describe('server-side apply of lists', () => {
    const pod = (name: string, containers: readonly object[], more: object = {}): KubeObject =>
      ({
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { namespace: 'default', name },
        spec: { containers, automountServiceAccountToken: false, ...more },
      }) as KubeObject

    it('merges items by their keys, and owns each of them', async () => {
      const name = test.nameFor('applied')
      const service = (ports: readonly object[]): KubeObject =>
        ({ apiVersion: 'v1', kind: 'Service', metadata: { namespace: 'default', name }, spec: { ports } }) as KubeObject
      const made = await apply(SERVICES, service([{ port: 80, name: 'web' }]), 'one')
      assert.deepEqual(fieldsOf(made, 'one'), {
        'f:spec': { 'f:ports': { 'k:{"port":80,"protocol":"TCP"}': { '.': {}, 'f:name': {}, 'f:port': {} } } },
      })
      const more = await apply(SERVICES, service([{ port: 443, name: 'tls' }]), 'two')
      const portsOf = (object: KubeObject): string =>
        (object as { spec?: { ports?: { port: number }[] } }).spec?.ports
          ?.map(({ port }) => String(port))
          .sort((left, right) => left.localeCompare(right))
          .join() ?? ''
      assert.equal(portsOf(more), '443,80')
      const less = await apply(SERVICES, service([{ port: 8080, name: 'web' }]), 'one')
      assert.equal(portsOf(less), '443,8080')
      await assert.rejects(
        apply(
          SERVICES,
          service([
            { port: 80, name: 'a' },
            { port: 80, name: 'b' },
          ]),
          'one',
        ),
        /duplicate entries for key/,
      )
    })

    it('replaces atomic lists as a whole, and keeps sets by value', async () => {
      const name = test.nameFor('applied')
      const image = { name: 'c', image: 'i', args: ['a', 'b'] }
      const made = await apply(PODS, pod(name, [image]), 'one')
      assert.deepEqual(fieldsOf(made, 'one'), {
        'f:spec': {
          'f:automountServiceAccountToken': {},
          'f:containers': { 'k:{"name":"c"}': { '.': {}, 'f:args': {}, 'f:image': {}, 'f:name': {} } },
        },
      })
      const held = { ...pod(name, [image]) }
      const withFinalizer = { ...held, metadata: { ...held.metadata, finalizers: ['holdfast.example/a'] } }
      const changed = await apply(PODS, withFinalizer, 'one')
      assert.deepEqual((fieldsOf(changed, 'one') as { 'f:metadata': object })['f:metadata'], {
        'f:finalizers': { 'v:"holdfast.example/a"': {} },
      })
      await apply(PODS, pod(name, [image]), 'one')
      assert.deepEqual((await test.api.get(PODS, { namespace: 'default', name })).metadata.finalizers ?? [], [])
    })

    it('owns the status apart from the rest', async () => {
      const name = test.nameFor('applied')
      const node = (status: object): KubeObject =>
        ({ apiVersion: 'v1', kind: 'Node', metadata: { name }, ...status }) as KubeObject
      await apply(NODES, { ...node({}), metadata: { name, labels: { a: '1' } } }, 'one')
      const status = { conditions: [{ type: 'Ready', status: 'True', reason: 'r', message: 'm' }] }
      const changed = await apply(NODES, node({ status }), 'kubelet', { subresource: 'status' })
      const own = (ownersOf(changed) as Entry[]).find(({ manager }) => manager === 'kubelet')
      assert.equal(own?.subresource, 'status')
      assert.deepEqual(own.fieldsV1, {
        'f:status': {
          'f:conditions': {
            'k:{"type":"Ready"}': { '.': {}, 'f:message': {}, 'f:reason': {}, 'f:status': {}, 'f:type': {} },
          },
        },
      })
      assert.deepEqual(fieldsOf(changed, 'one'), { 'f:metadata': { 'f:labels': { 'f:a': {} } } })
    })

    it('refuses a field that the kind does not have', async () => {
      const name = test.nameFor('applied')
      await assert.rejects(apply(PODS, pod(name, [{ name: 'c', image: 'i' }], { nothing: 1 }), 'one'), /nothing/)
    })
  })
}
