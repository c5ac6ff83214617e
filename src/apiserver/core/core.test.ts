import { deepEqual, equal, ok, rejects } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { ApiError } from '../../api/api-error.ts'
import { CONFIG_MAPS } from '../../api/kinds/config-map.ts'
import { NAMESPACES } from '../../api/kinds/namespace.ts'
import { PODS } from '../../api/kinds/pod.ts'
import type { ResourceType } from '../../api/resource-type.ts'
import type { Backend } from '../storage/backend.ts'
import { createMemoryBackend } from '../storage/memory-backend.ts'
import { isRefusal } from '../testing/is-refusal.ts'
import { configMap, pod } from '../testing/objects-under-test.ts'
import { openServerUnderTest } from '../testing/open-server-under-test.ts'
import type { RequestObserver } from './core.ts'

/** A disk that can be blocked, or made to fail. */
function openSlowDisk() {
  let waiting: PromiseWithResolvers<void> | undefined
  const backend: Backend = { ...createMemoryBackend(), commit: () => waiting?.promise ?? Promise.resolve() }
  const hold = () => void (waiting = Promise.withResolvers())
  const release = (error?: Error) => {
    const held = waiting
    waiting = undefined
    if (error) held?.reject(error)
    else held?.resolve()
  }
  return { backend, hold, release }
}
const at = (name: string) => ({ namespace: 'default', name })

describe('a write that is refused because of another', () => {
  test('is refused once the other one can be seen', async () => {
    const { backend, hold, release } = openSlowDisk()
    await using server = await openServerUnderTest({ backend })
    hold()
    const first = server.api.create(CONFIG_MAPS, configMap('x'))
    await server.clock.advance(0)
    let isAnswered = false
    const second = server.api.create(CONFIG_MAPS, configMap('x')).finally(() => (isAnswered = true))
    const refused = rejects(second, isRefusal('AlreadyExists', /exists/))
    await server.clock.advance(0)
    equal(isAnswered, false)
    await rejects(
      server.api.get(CONFIG_MAPS, at('x')),
      isRefusal('NotFound', /not found/),
      'reads do not wait, and show what is durable',
    )
    release()
    await refused
    deepEqual(await server.api.get(CONFIG_MAPS, at('x')), await first)
  })

  test('fails with the other one when the disk does', async () => {
    const { backend, hold, release } = openSlowDisk()
    await using server = await openServerUnderTest({ backend })
    hold()
    const first = rejects(
      server.api.create(CONFIG_MAPS, configMap('x')),
      isRefusal('InternalError', /Internal error occurred: disk full/),
    )
    await server.clock.advance(0)
    const second = rejects(server.api.create(CONFIG_MAPS, configMap('x')), isRefusal('InternalError', /disk full/))
    await server.clock.advance(0)
    release(new Error('disk full'))
    await Promise.all([first, second])
    equal((await server.api.create(CONFIG_MAPS, configMap('x'))).metadata.name, 'x')
  })

  test('is judged by the newest decided state, also of its namespace', async () => {
    const { backend, hold, release } = openSlowDisk()
    await using server = await openServerUnderTest({ backend })
    await server.api.create(NAMESPACES, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'leaving' } })
    await server.settled()
    hold()
    const deletion = server.api.delete(NAMESPACES, { name: 'leaving' })
    await server.clock.advance(0)
    const refused = rejects(
      server.api.create(CONFIG_MAPS, configMap('x', { namespace: 'leaving' })),
      isRefusal('Forbidden', /because it is being terminated/),
    )
    await server.clock.advance(0)
    release()
    await Promise.all([deletion, refused])
  })
})

describe('requests', () => {
  const nobody = { name: 'nobody', groups: ['system:authenticated'] }

  test('are refused to those who may not, before anything is looked at', async () => {
    await using server = await openServerUnderTest({ authorizationMode: 'Node,RBAC' })
    const api = server.core.as(nobody)
    await rejects(api.get(CONFIG_MAPS, at('x')), (error: ApiError) => {
      equal(
        error.message,
        'configmaps "x" is forbidden: User "nobody" cannot get resource "configmaps" in API group "" in the namespace "default"',
      )
      deepEqual([error.code, error.details], [403, { name: 'x', kind: 'configmaps' }])
      return true
    })
    await rejects(
      api.create(CONFIG_MAPS, configMap('Not A Name')),
      isRefusal('Forbidden', /cannot create resource "configmaps"/),
    )
    await rejects(
      api.list(NAMESPACES),
      isRefusal('Forbidden', /cannot list resource "namespaces" in API group "" at the cluster scope/),
    )
  })

  test('for paths are authorized by their path', async () => {
    await using server = await openServerUnderTest({ authorizationMode: 'Node,RBAC' })
    const get = (path: string): Promise<{ status: number }> =>
      server.core.serve(
        {
          attributes: { user: nobody, verb: 'get', isResource: false, path },
          source: { requestUri: path, userAgent: '', sourceIps: [] },
        },
        async () => ({ status: 200 }),
      )
    deepEqual(await get('/version'), { status: 200 })
    await rejects(get('/secret'), isRefusal('Forbidden', /User "nobody" cannot get path "\/secret"/))
  })

  test('are told to whoever observes, with their outcome', async () => {
    const seen: string[] = []
    const observe: RequestObserver = ({ attributes, code, error }) => {
      if (attributes.user.name === 'someone' && attributes.isResource)
        seen.push(`${attributes.verb} ${attributes.resource} ${error?.reason ?? code}`)
    }
    await using server = await openServerUnderTest({ observe })
    const api = server.core.as({ name: 'someone', groups: [] })
    await api.create(CONFIG_MAPS, configMap('x'))
    await api.list(CONFIG_MAPS)
    await rejects(api.get(CONFIG_MAPS, at('absent')))
    await api.delete(CONFIG_MAPS, at('x'))
    deepEqual(seen, [
      'create configmaps 201',
      'list configmaps 200',
      'get configmaps NotFound',
      'delete configmaps 200',
    ])
  })

  test('for kinds, sub-resources and verbs that there are not are refused', async () => {
    await using server = await openServerUnderTest()
    const gadgets: ResourceType = {
      group: 'example.com',
      version: 'v1',
      kind: 'Gadget',
      plural: 'gadgets',
      namespaced: false,
    }
    await rejects(server.api.list(gadgets), isRefusal('NotFound', /could not find the requested resource/))
    await server.api.create(PODS, pod('p'))
    await rejects(server.api.get(PODS, at('p'), { subresource: 'soul' }), isRefusal('NotFound', /could not find/))
    await rejects(
      server.api.get(PODS, at('p'), { subresource: 'constructor' }),
      isRefusal('NotFound', /could not find/),
    )
    await rejects(
      server.api.get(PODS, at('p'), { subresource: 'binding' }),
      isRefusal('MethodNotAllowed', /get is not supported on resources of kind "pods\/binding"/),
    )
    await rejects(
      server.api.deleteCollection(NAMESPACES),
      isRefusal('MethodNotAllowed', /deletecollection is not supported on resources of kind "namespaces"/),
    )
  })

  test('that meet a fault of the server are answered as such', async () => {
    await using server = await openServerUnderTest()
    const { kinds } = server.core.parts
    const kind = kinds.findByResource('', 'v1', 'configmaps')
    ok(kind)
    const broken = () => {
      throw new TypeError('x is not a function')
    }
    kinds.add({ ...kind, validate: broken })
    await rejects(server.api.create(CONFIG_MAPS, configMap('x')), (error: ApiError) => {
      deepEqual([error.code, error.reason], [500, 'InternalError'])
      ok(error.cause instanceof TypeError)
      return true
    })
  })
})

describe('the joined API', () => {
  test('copies what goes in and freezes what comes out', async () => {
    await using server = await openServerUnderTest()
    const given = configMap('x', {}, { a: '1' })
    const made = await server.api.create(CONFIG_MAPS, given)
    Object.assign(given.data ?? {}, { a: 'changed' })
    const read = await server.api.get(CONFIG_MAPS, at('x'))
    equal(read.data?.['a'], '1')
    for (const object of [
      made,
      read,
      (await server.api.list(CONFIG_MAPS, { namespace: 'default', fieldSelector: 'metadata.name=x' })).items[0],
    ]) {
      ok(Object.isFrozen(object) && Object.isFrozen(object?.metadata) && Object.isFrozen(object?.data))
    }
  })

  test('drops members that are undefined, as a wire would', async () => {
    await using server = await openServerUnderTest()
    const made = await server.api.create(
      CONFIG_MAPS,
      configMap('x', { labels: undefined, annotations: { a: 'b' } } as never),
    )
    equal('labels' in made.metadata, false)
  })

  test('does nothing once its signal has aborted', async () => {
    await using server = await openServerUnderTest()
    const signal = AbortSignal.abort(new Error('too late'))
    await rejects(server.api.create(CONFIG_MAPS, configMap('x'), { signal }), /too late/)
    await rejects(server.api.get(CONFIG_MAPS, at('x')), (error) => error instanceof ApiError)
  })
})
