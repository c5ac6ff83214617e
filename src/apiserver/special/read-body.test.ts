import { deepEqual, equal, rejects } from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { NAMESPACES } from '../../api/kinds/namespace.ts'
import { PODS } from '../../api/kinds/pod.ts'
import { STATEFUL_SETS } from '../../api/kinds/stateful-set.ts'
import type { ResourceType } from '../../api/resource-type.ts'
import { isRefusal } from '../testing/is-refusal.ts'
import { pod } from '../testing/objects-under-test.ts'
import { openServerUnderTest } from '../testing/open-server-under-test.ts'
import type { ServerUnderTest } from '../testing/open-server-under-test.ts'

describe('a body that is of another kind than the object of the path', () => {
  let server: ServerUnderTest
  const place = { namespace: 'default', name: 'p' }
  before(async () => {
    server = await openServerUnderTest()
    await server.api.create(PODS, pod('p'))
    await server.api.create(STATEFUL_SETS, {
      apiVersion: 'apps/v1',
      kind: 'StatefulSet',
      metadata: { namespace: 'default', name: 'p' },
      spec: {
        serviceName: 'p',
        selector: { matchLabels: { app: 'p' } },
        template: { metadata: { labels: { app: 'p' } }, spec: { containers: [{ name: 'c', image: 'i' }] } },
      },
    })
  })
  after(() => server.close())

  const post = (subresource: string, body: object): Promise<object> =>
    server.api.createSubresource(PODS, place, subresource, body)
  const put = (type: ResourceType, subresource: string, body: object): Promise<object> =>
    server.api.update(
      type,
      { apiVersion: 'v1', kind: 'x', metadata: type.namespaced ? place : { name: 'default' }, ...body } as never,
      {
        subresource,
      },
    )
  const bind = (body: object): Promise<object> => post('binding', { apiVersion: 'v1', kind: 'Binding', ...body })
  const evict = (deleteOptions: object): Promise<object> =>
    post('eviction', { apiVersion: 'policy/v1', kind: 'Eviction', deleteOptions })
  const scale = (body: object): Promise<object> =>
    put(STATEFUL_SETS, 'scale', { apiVersion: 'autoscaling/v1', kind: 'Scale', ...body })
  const finalize = (body: object): Promise<object> =>
    put(NAMESPACES, 'finalize', { apiVersion: 'v1', kind: 'Namespace', ...body })

  const refusals: [behaviour: string, ask: () => Promise<unknown>, reason: string, message: RegExp][] = [
    ['a list', () => post('binding', []), 'BadRequest', /is not an object of kind Binding/],
    ['another kind', () => post('binding', { kind: 'Eviction' }), 'BadRequest', /its kind is "Eviction"/],
    [
      'another version',
      () => post('binding', { apiVersion: 'v2', kind: 'Binding' }),
      'BadRequest',
      /\(v2\) does not match the expected API version \(v1\)/,
    ],
    [
      'a node that is no text',
      () => bind({ target: { name: { a: 1 } } }),
      'BadRequest',
      /cannot unmarshal object .*target.name of type string/,
    ],
    [
      'a node whose name can be none',
      () => bind({ target: { name: 'No Node' } }),
      'Invalid',
      /spec.nodeName: Invalid value: "No Node"/,
    ],
    [
      'a label that is no text',
      () => bind({ metadata: { labels: { a: 1 } }, target: { name: 'n1' } }),
      'BadRequest',
      /cannot unmarshal number/,
    ],
    [
      'another pod',
      () => bind({ metadata: { name: 'q' }, target: { name: 'n1' } }),
      'BadRequest',
      /name in URL does not match name in Binding object/,
    ],
    [
      'a field that there is not',
      () => bind({ target: { name: 'n1', node: 'n2' } }),
      'BadRequest',
      /unknown field "target.node"/,
    ],
    [
      'a policy that there is not',
      () => evict({ propagationPolicy: 'odd' }),
      'Invalid',
      /propagationPolicy: Unsupported value: "odd"/,
    ],
    ['a grace that is no number', () => evict({ gracePeriodSeconds: '1' }), 'BadRequest', /cannot unmarshal string/],
    [
      'a dry run of a kind that there is not',
      () => evict({ dryRun: ['Some'] }),
      'Invalid',
      /dryRun: Unsupported value: "Some"/,
    ],
    [
      'replicas that are no number',
      () => scale({ spec: { replicas: 'three' } }),
      'BadRequest',
      /cannot unmarshal string/,
    ],
    ['a part of a replica', () => scale({ spec: { replicas: 1.5 } }), 'BadRequest', /cannot unmarshal number 1.5/],
    ['less than no replica', () => scale({ spec: { replicas: -1 } }), 'Invalid', /spec.replicas: Invalid value: -1/],
    [
      'a finalizer that is no name',
      () => finalize({ spec: { finalizers: ['no name'] } }),
      'Invalid',
      /spec.finalizers: Invalid value: "no name"/,
    ],
    [
      'finalizers that are no list',
      () => finalize({ spec: { finalizers: 'kubernetes' } }),
      'BadRequest',
      /cannot unmarshal string/,
    ],
  ]
  for (const [behaviour, ask, reason, message] of refusals)
    test(`is refused for ${behaviour}`, () => rejects(ask(), isRefusal(reason, message)))

  test('leaves the objects as they were when it is refused', async () => {
    const { spec } = await server.api.get(PODS, place)
    deepEqual([spec.nodeName, (await server.api.get(STATEFUL_SETS, place)).spec?.replicas], [undefined, 1])
  })

  test('an eviction may come in its older version, and be a dry run by its options alone', async () => {
    await post('eviction', { apiVersion: 'policy/v1beta1', kind: 'Eviction', deleteOptions: { dryRun: ['All'] } })
    equal((await server.api.get(PODS, place)).metadata.deletionTimestamp, undefined)
  })
})
