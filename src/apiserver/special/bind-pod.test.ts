import { deepEqual, equal, rejects } from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { BINDINGS } from '../../api/kinds/binding.ts'
import { PODS } from '../../api/kinds/pod.ts'
import type { Pod } from '../../api/kinds/pod.ts'
import { isRefusal } from '../testing/is-refusal.ts'
import { pod } from '../testing/objects-under-test.ts'
import { openServerUnderTest } from '../testing/open-server-under-test.ts'
import type { ServerUnderTest } from '../testing/open-server-under-test.ts'

let server: ServerUnderTest
before(async () => void (server = await openServerUnderTest()))
after(() => server.close())

const at = (name: string) => ({ namespace: 'default', name })
const bind = (name: string, body: object, dryRun = false) =>
  server.api.createSubresource(PODS, at(name), 'binding', body, { dryRun })
const make = (name: string, metadata: Pod['metadata'] = {}, spec: Partial<Pod['spec']> = {}) =>
  server.api.create(PODS, pod(name, metadata, spec))
const TO_N1 = { target: { kind: 'Node', name: 'n1' } }

describe('binding a pod', () => {
  test('sends it to its node and says that it is scheduled', async () => {
    const made = await make('bound', { annotations: { a: '1' } })
    await server.api.patch(
      PODS,
      at('bound'),
      { type: 'merge', value: { status: { nominatedNodeName: 'n2' } } },
      { subresource: 'status' },
    )
    const metadata = { name: 'bound', annotations: { b: '2' }, labels: { c: '3' } }
    deepEqual(await bind('bound', { ...TO_N1, metadata }), {
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Success',
      code: 201,
    })
    const read = await server.api.get(PODS, at('bound'))
    equal(read.spec.nodeName, 'n1')
    deepEqual([read.metadata.annotations, read.metadata.labels], [{ a: '1', b: '2' }, { c: '3' }])
    deepEqual(read.status?.conditions, [
      { type: 'PodScheduled', status: 'True', lastTransitionTime: '2030-01-01T00:00:00Z' },
    ])
    equal(read.status?.nominatedNodeName, undefined)
    equal(read.metadata.generation, made.metadata.generation)
  })

  test('is done once: of many, one succeeds', async () => {
    await make('contested')
    const results = await Promise.allSettled(
      Array.from({ length: 10 }, (_, index) => bind('contested', { target: { name: `n${index}` } })),
    )
    equal(results.filter(({ status }) => status === 'fulfilled').length, 1)
    await rejects(bind('contested', TO_N1), isRefusal('Conflict', /pod contested is already assigned to node "n0"/))
  })

  test('is refused for pods that go, wait at a gate, or are not there', async () => {
    await make('going', { finalizers: ['example.com/x'] })
    await server.api.delete(PODS, at('going'))
    await rejects(
      bind('going', TO_N1),
      isRefusal('Conflict', /pod going is being deleted, cannot be assigned to a host/),
    )
    await make('gated', {}, { schedulingGates: [{ name: 'example.com/wait' }] })
    await rejects(bind('gated', TO_N1), isRefusal('Conflict', /pod gated has non-empty \.spec\.schedulingGates/))
    await rejects(bind('absent', TO_N1), isRefusal('NotFound', /pods "absent" not found/))
  })

  test('means the pod with this uid and version, if it names them', async () => {
    const { metadata } = await make('precise')
    await rejects(
      bind('precise', { ...TO_N1, metadata: { uid: 'other' } }),
      isRefusal('Conflict', /UID in precondition: other/),
    )
    await rejects(
      bind('precise', { ...TO_N1, metadata: { resourceVersion: '1' } }),
      isRefusal('Conflict', /has been modified/),
    )
    await bind('precise', { ...TO_N1, metadata: { uid: metadata.uid, resourceVersion: metadata.resourceVersion } })
  })

  test('with a dry run leaves it where it is', async () => {
    await make('dry')
    await bind('dry', TO_N1, true)
    equal((await server.api.get(PODS, at('dry'))).spec.nodeName, undefined)
  })

  test('needs a body that makes sense', async () => {
    await make('odd')
    await rejects(bind('odd', {}), isRefusal('Invalid', /Binding "" is invalid: target\.name: Required value/))
    await rejects(bind('odd', { target: { kind: 'Pod', name: 'x' } }), isRefusal('Invalid', /target\.kind/))
    await rejects(
      bind('odd', { ...TO_N1, metadata: { name: 'another' } }),
      isRefusal('BadRequest', /name in URL does not match name in Binding object/),
    )
    await rejects(bind('odd', { ...TO_N1, kind: 'Pod' }), isRefusal('BadRequest', /must be of type Binding/))
    await rejects(bind('odd', []), isRefusal('BadRequest', /not an object/))
    await rejects(bind('odd', null as never), isRefusal('BadRequest', /not an object/))
  })

  test('can be asked for by a Binding of its own', async () => {
    await make('named')
    const binding = { apiVersion: 'v1', kind: 'Binding', metadata: at('named'), target: { name: 'n3' } } as const
    await server.api.review(BINDINGS, binding, { namespace: 'default' })
    equal((await server.api.get(PODS, at('named'))).spec.nodeName, 'n3')
    await rejects(
      server.api.review(BINDINGS, { ...binding, metadata: {} }, { namespace: 'default' }),
      isRefusal('BadRequest', /metadata\.name is required/),
    )
  })
})
