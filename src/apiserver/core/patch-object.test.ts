import { deepEqual, equal, rejects } from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { JsonPatchOperation, Patch } from '../../api/api.ts'
import { CONFIG_MAPS } from '../../api/kinds/config-map.ts'
import { CUSTOM_RESOURCE_DEFINITIONS } from '../../api/kinds/custom-resource-definition.ts'
import { PODS } from '../../api/kinds/pod.ts'
import { isRefusal } from '../testing/is-refusal.ts'
import { configMap, pod } from '../testing/objects-under-test.ts'
import { openServerUnderTest } from '../testing/open-server-under-test.ts'
import type { ServerUnderTest } from '../testing/open-server-under-test.ts'

let server: ServerUnderTest
const ref = { namespace: 'default', name: 'x' }
before(async () => {
  server = await openServerUnderTest()
  await server.api.create(CONFIG_MAPS, configMap('x', {}, { a: '1' }))
})
after(() => server.close())

const patch = (given: Patch) => server.api.patch(CONFIG_MAPS, ref, given)
const operations = (...list: JsonPatchOperation[]): Patch => ({ type: 'json', operations: list })

describe('patch', () => {
  test('merges into what is there', async () => {
    deepEqual((await patch({ type: 'merge', value: { data: { b: '2' } } })).data, { a: '1', b: '2' })
    deepEqual((await patch({ type: 'merge', value: { data: { b: null } } })).data, { a: '1' })
  })

  test('applies JSON operations in order', async () => {
    const changed = await patch(
      operations(
        { op: 'test', path: '/data/a', value: '1' },
        { op: 'add', path: '/data/c', value: '3' },
        { op: 'move', from: '/data/c', path: '/data/d' },
      ),
    )
    deepEqual(changed.data, { a: '1', d: '3' })
  })

  test('merges lists by their keys where it is strategic', async () => {
    await server.api.create(PODS, pod('p', { finalizers: ['example.com/a'] }))
    const changed = await server.api.patch(
      PODS,
      { namespace: 'default', name: 'p' },
      {
        type: 'strategic',
        value: {
          metadata: { finalizers: ['example.com/b'] },
          spec: { containers: [{ name: 'main', image: 'other' }] },
        },
      },
    )
    deepEqual(new Set(changed.metadata.finalizers), new Set(['example.com/a', 'example.com/b']))
    deepEqual(
      changed.spec.containers.map(({ name, image }) => [name, image]),
      [['main', 'other']],
    )
  })

  test('is applied to the newest state: many at once all count', async () => {
    await server.api.create(CONFIG_MAPS, configMap('many'))
    await Promise.all(
      Array.from({ length: 50 }, (_, index) =>
        server.api.patch(
          CONFIG_MAPS,
          { ...ref, name: 'many' },
          { type: 'merge', value: { data: { [`k${index}`]: 'x' } } },
        ),
      ),
    )
    equal(Object.keys((await server.api.get(CONFIG_MAPS, { ...ref, name: 'many' })).data ?? {}).length, 50)
  })

  test('is refused when its operations do not fit, and changes nothing', async () => {
    const before = await server.api.get(CONFIG_MAPS, ref)
    const refused = isRefusal('Invalid', /rejected our request/)
    await rejects(
      patch(operations({ op: 'add', path: '/data/z', value: '1' }, { op: 'test', path: '/data/a', value: 'other' })),
      refused,
    )
    await rejects(patch(operations({ op: 'remove', path: '/data/missing' })), refused)
    await rejects(patch(operations({ op: 'add', path: '/metadata/annotations/x', value: 'y' })), refused)
    deepEqual(await server.api.get(CONFIG_MAPS, ref), before)
  })

  test('has at most 10,000 operations', async () => {
    const many = Array.from({ length: 10_001 }, (): JsonPatchOperation => ({ op: 'test', path: '/data/a', value: '1' }))
    await rejects(
      patch(operations(...many)),
      isRefusal('RequestEntityTooLarge', /maximum operations in a JSON patch is 10000, got 10001/),
    )
  })

  test('copies no more than a limit: what doubles with each operation is refused', async () => {
    const doubling = Array.from({ length: 30 }, (_, index): JsonPatchOperation => ({
      op: 'copy',
      from: '/data',
      path: `/data/${index}`,
    }))
    await rejects(
      patch(operations(...doubling)),
      isRefusal(
        'Invalid',
        /Unable to complete the copy, the accumulated size increase of copy is \d+, exceeding the limit 3145728/,
      ),
    )
  })

  test('nests no deeper than a body does', async () => {
    // The object and its data are two levels.
    const nested = (levels: number): JsonPatchOperation => ({
      op: 'add',
      path: '/data/a',
      value: JSON.parse('['.repeat(levels) + ']'.repeat(levels)) as unknown,
    })
    await rejects(patch(operations(nested(998))), isRefusal('Invalid', /patch: Invalid value.*cannot unmarshal array/))
    await rejects(patch(operations(nested(999))), isRefusal('BadRequest', /^exceeded max depth$/))
  })

  test('may name the version or the uid that it was made for', async () => {
    const { metadata } = await server.api.get(CONFIG_MAPS, ref)
    await patch({
      type: 'merge',
      value: { metadata: { resourceVersion: metadata.resourceVersion, uid: metadata.uid }, data: { v: '1' } },
    })
    await rejects(
      patch({ type: 'merge', value: { metadata: { resourceVersion: metadata.resourceVersion }, data: { v: '2' } } }),
      isRefusal('Conflict', /has been modified/),
    )
    await rejects(
      patch({ type: 'merge', value: { metadata: { uid: 'another' }, data: { v: '2' } } }),
      isRefusal('Conflict', /UID in precondition: another/),
    )
  })

  test('gives a result that is checked like an update', async () => {
    await rejects(
      patch({ type: 'merge', value: { metadata: { labels: { 'bad key': 'x' } } } }),
      isRefusal('Invalid', /metadata\.labels/),
    )
    await rejects(
      patch({ type: 'merge', value: { metadata: { name: 'other' } } }),
      isRefusal('BadRequest', /does not match the name on the URL/),
    )
    await rejects(patch({ type: 'merge', value: { surprise: 1 } }), isRefusal('Invalid', /unknown field "surprise"/))
    await rejects(
      patch({ type: 'merge', value: { data: 'text' } }),
      isRefusal('Invalid', /^ "" is invalid: patch: Invalid value: "\(patched object\)": json: cannot unmarshal/),
    )
  })

  test('of what is not there is refused', async () => {
    await rejects(
      server.api.patch(CONFIG_MAPS, { ...ref, name: 'absent' }, { type: 'merge', value: {} }),
      isRefusal('NotFound', /"absent" not found/),
    )
  })

  test('can not be strategic where nothing is known of the lists', async () => {
    const names = { plural: 'gadgets', kind: 'Gadget' }
    const version = {
      name: 'v1',
      served: true,
      storage: true,
      schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
    }
    await server.api.create(CUSTOM_RESOURCE_DEFINITIONS, {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: 'gadgets.example.com' },
      spec: { group: 'example.com', scope: 'Cluster', names, versions: [version] },
    })
    const gadgets = { group: 'example.com', version: 'v1', kind: 'Gadget', plural: 'gadgets', namespaced: false }
    await server.api.create(gadgets, { apiVersion: 'example.com/v1', kind: 'Gadget', metadata: { name: 'g' } })
    await rejects(
      server.api.patch(gadgets, { name: 'g' }, { type: 'strategic', value: {} }),
      isRefusal('UnsupportedMediaType', /strategic merge patches are not supported for gadgets\.example\.com/),
    )
  })
})
