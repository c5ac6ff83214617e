import { deepEqual, equal } from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { CONFIG_MAPS } from '../api/kinds/config-map.ts'
import { LEASES } from '../api/kinds/lease.ts'
import { PODS } from '../api/kinds/pod.ts'
import { createSilentLogger } from '../base/logger.ts'
import { createSystemRandom } from '../base/random.ts'
import { createAuthenticator } from './authentication/authenticator.ts'
import { allow, noOpinion } from './authorization/decision.ts'
import { createCore } from './core/core.ts'
import type { Core } from './core/core.ts'
import type { KindDefinition, Verb } from './core/kind-definition.ts'
import type { Authorizer } from './core/request.ts'
import { VERSION } from './http/testing/describe-http-server.ts'
import { startHttpServer } from './http/server.ts'
import type { HttpServer } from './http/server.ts'
import { bindPod, evictPod, serveScale } from './special/index.ts'
import { isRefusal } from './testing/is-refusal.ts'
import { configMap, pod } from './testing/objects-under-test.ts'
import { openServerUnderTest } from './testing/open-server-under-test.ts'
import type { ServerUnderTest } from './testing/open-server-under-test.ts'

const CONFIG_MAPS_PATH = '/api/v1/namespaces/default/configmaps'
const PODS_PATH = '/api/v1/namespaces/default/pods'
const LEASES_PATH = '/apis/coordination.k8s.io/v1/namespaces/default/leases'
const at = (name: string) => ({ namespace: 'default', name })
const lease = (name: string) =>
  ({ apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: at(name), spec: {} }) as const

/** A server whose authorizer, resource lookups and verb checks are recorded. */
class CountedServer {
  readonly #server: ServerUnderTest
  readonly #http: HttpServer
  readonly core: Core
  #record: string[] = []
  #refused = ''

  private constructor(
    server: ServerUnderTest,
    core: Core,
    http: HttpServer,
    note: (to: (line: string) => string) => void,
  ) {
    this.#server = server
    this.core = core
    this.#http = http
    note((line) => {
      this.#record.push(line)
      return this.#refused
    })
  }

  static async open(): Promise<CountedServer> {
    const server = await openServerUnderTest()
    let note: (line: string) => string = () => ''
    const authorizer: Authorizer = {
      authorize: ({ verb, ...attributes }) => {
        const what = attributes.isResource
          ? [attributes.resource, attributes.subresource].filter((part) => part !== '').join('/')
          : attributes.path
        return note(`authorize ${verb} ${what}`) === verb ? noOpinion() : allow()
      },
    }
    const { parts } = server.core
    const countedVerbs = (verbs: readonly Verb[]): readonly Verb[] =>
      Object.assign([...verbs], {
        includes: (verb: Verb) => {
          note(`check ${verb}`)
          return verbs.includes(verb)
        },
      })
    const counted = (kind: KindDefinition): KindDefinition => ({
      ...kind,
      verbs: countedVerbs(kind.verbs),
      subresources: Object.fromEntries(
        Object.entries(kind.subresources).map(([name, offered]) => [
          name,
          { ...offered, verbs: countedVerbs(offered.verbs) },
        ]),
      ),
    })
    const kinds = {
      ...parts.kinds,
      findByResource: (group: string, version: string, plural: string) => {
        note(`look up ${plural}`)
        const kind = parts.kinds.findByResource(group, version, plural)
        return kind && counted(kind)
      },
    }
    const core = createCore({
      ...parts,
      kinds,
      authorizer,
      handlers: new Map([
        ['pods/binding', { create: bindPod }],
        ['pods/eviction', { create: evictPod }],
        ['*/scale', serveScale],
      ]),
    })
    const { clock } = server
    const http = await startHttpServer({
      door: { ...core, kinds },
      authenticate: createAuthenticator({ clock, authorizer, apiAudiences: [] }).authenticate,
      clock,
      random: createSystemRandom(),
      log: createSilentLogger(),
      version: VERSION,
      host: '127.0.0.1',
      port: 0,
    })
    return new CountedServer(server, core, http, (to) => void (note = to))
  }

  /** What the server did while it performed this. */
  async recordOf(act: () => Promise<unknown>): Promise<string[]> {
    this.#record = []
    await act()
    return [...this.#record]
  }

  async ask(method: string, path: string, body?: object, headers: Record<string, string> = {}): Promise<number> {
    const patchType = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json'
    const stop = new AbortController()
    const response = await fetch(`${this.#http.address}${path}`, {
      method,
      headers: { 'content-type': patchType, ...headers },
      signal: stop.signal,
      ...(body ? { body: JSON.stringify(body) } : {}),
    })
    if (path.includes('watch')) stop.abort()
    else await response.arrayBuffer()
    return response.status
  }

  async whileRefused<T>(verb: string, act: () => Promise<T>): Promise<T> {
    this.#refused = verb
    try {
      return await act()
    } finally {
      this.#refused = ''
    }
  }

  async close(): Promise<void> {
    const closed = this.#http.close()
    await this.#server.clock.advance(60_000)
    await closed
    await this.#server.close()
  }
}

describe('the path of one request', () => {
  let server: CountedServer
  before(async () => {
    server = await CountedServer.open()
    const api = server.core.as({ name: 'setup', groups: [] })
    for (const name of ['a', 'b']) await api.create(CONFIG_MAPS, configMap(name))
    for (const name of ['p', 'q', 'r']) await api.create(PODS, pod(name))
  })
  after(() => server.close())

  const once = (verb: string, resource: string): string[] => [
    `authorize ${verb} ${resource}`,
    `look up ${resource.split('/')[0]}`,
    `check ${verb}`,
  ]

  const requests: [what: string, method: string, path: string, body: object | undefined, expected: string[]][] = [
    ['get', 'GET', `${CONFIG_MAPS_PATH}/a`, undefined, once('get', 'configmaps')],
    ['list', 'GET', `${CONFIG_MAPS_PATH}?fieldSelector=metadata.name%3Da`, undefined, once('list', 'configmaps')],
    ['watch', 'GET', `${CONFIG_MAPS_PATH}?watch=1`, undefined, once('watch', 'configmaps')],
    ['create', 'POST', CONFIG_MAPS_PATH, configMap('made'), once('create', 'configmaps')],
    ['dry run', 'POST', `${CONFIG_MAPS_PATH}?dryRun=All`, configMap('dry'), once('create', 'configmaps')],
    ['update', 'PUT', `${CONFIG_MAPS_PATH}/a`, configMap('a', {}, { x: '1' }), once('update', 'configmaps')],
    ['patch', 'PATCH', `${CONFIG_MAPS_PATH}/a`, { data: { y: '2' } }, once('patch', 'configmaps')],
    ['status', 'PATCH', `${PODS_PATH}/p/status`, { status: { message: 'm' } }, once('patch', 'pods/status')],
    ['binding', 'POST', `${PODS_PATH}/p/binding`, { target: { name: 'n' } }, once('create', 'pods/binding')],
    ['eviction', 'POST', `${PODS_PATH}/q/eviction`, {}, once('create', 'pods/eviction')],
    ['delete', 'DELETE', `${CONFIG_MAPS_PATH}/b`, undefined, once('delete', 'configmaps')],
    ['deletecollection', 'DELETE', CONFIG_MAPS_PATH, undefined, once('deletecollection', 'configmaps')],
    ['discovery', 'GET', '/version', undefined, ['authorize get /version']],
  ]
  for (const [what, method, path, body, expected] of requests) {
    test(`over HTTP authorizes, looks up and checks once: ${what}`, async () => {
      const record = await server.recordOf(async () => {
        const status = await server.ask(method, path, body)
        equal(status < 300, true, `${method} ${path}: ${status}`)
      })
      deepEqual(record, expected)
    })
  }

  test('through the joined API authorizes, looks up and checks once', async () => {
    const api = server.core.as({ name: 'u', groups: [] })
    const calls: [() => Promise<unknown>, string[]][] = [
      [() => api.create(CONFIG_MAPS, configMap('j')), once('create', 'configmaps')],
      [() => api.get(CONFIG_MAPS, at('j')), once('get', 'configmaps')],
      [() => api.list(CONFIG_MAPS, { fieldSelector: 'metadata.name=j' }), once('list', 'configmaps')],
      [() => api.update(CONFIG_MAPS, configMap('j', {}, { a: 'b' })), once('update', 'configmaps')],
      [() => api.patch(CONFIG_MAPS, at('j'), { type: 'merge', value: {} }), once('patch', 'configmaps')],
      [
        () => api.patch(PODS, at('r'), { type: 'merge', value: { status: {} } }, { subresource: 'status' }),
        once('patch', 'pods/status'),
      ],
      [() => api.delete(CONFIG_MAPS, at('j')), once('delete', 'configmaps')],
      [() => api.deleteCollection(CONFIG_MAPS, { namespace: 'default' }), once('deletecollection', 'configmaps')],
      [
        async () => {
          for await (const _event of api.watch(PODS, { namespace: 'default' })) break
        },
        once('watch', 'pods'),
      ],
    ]
    for (const [call, expected] of calls) deepEqual(await server.recordOf(call), expected)
  })

  for (const [what, path, code] of [
    ['a body that cannot be read', CONFIG_MAPS_PATH, 400],
    ['a resource that does not exist', '/api/v1/namespaces/default/nothings', 404],
    ['a resource that has no namespace in one', '/api/v1/namespaces/default/namespaces', 404],
    ['a path that does not take the method', `${CONFIG_MAPS_PATH}/a`, 405],
  ] as const) {
    test(`authorizes once when it refuses ${what}`, async () => {
      const record = await server.recordOf(async () => equal(await server.ask('POST', path, [] as never), code))
      equal(record.filter((line) => line.startsWith('authorize')).length, 1)
    })
  }

  test('looks up and reads nothing for a user who is not authorized', async () => {
    const record = await server.whileRefused('create', () =>
      server.recordOf(async () => equal(await server.ask('POST', CONFIG_MAPS_PATH, configMap('no')), 403)),
    )
    deepEqual(record, ['authorize create configmaps'])
  })

  test('authorizes each part of an impersonation, and then the request', async () => {
    const headers = { 'impersonate-user': 'other', 'impersonate-group': 'g' }
    const record = await server.recordOf(() => server.ask('GET', PODS_PATH, undefined, headers))
    deepEqual(record, ['authorize impersonate users', 'authorize impersonate groups', ...once('list', 'pods')])
  })

  test('authorizes the creation too when an update creates the object', async () => {
    const record = await server.recordOf(async () =>
      equal(await server.ask('PUT', `${LEASES_PATH}/new`, lease('new')), 201),
    )
    deepEqual(record, [...once('update', 'leases'), 'authorize create leases'])
    const made = await server.core.as({ name: 'u', groups: [] }).get(LEASES, at('new'))
    deepEqual(
      await server.recordOf(async () => equal(await server.ask('PUT', `${LEASES_PATH}/new`, made), 200)),
      once('update', 'leases'),
    )
  })

  test('refuses an update that would create the object to a user who may not create it', async () => {
    const api = server.core.as({ name: 'u', groups: [] })
    await server.whileRefused('create', async () => {
      const refusal = await api.update(LEASES, lease('refused')).catch((error: unknown) => error)
      isRefusal('Forbidden', /User "u" cannot create resource "leases"/)(refusal)
    })
    equal((await api.list(LEASES, { fieldSelector: 'metadata.name=refused' })).items.length, 0)
  })
})
