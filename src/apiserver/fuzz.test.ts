import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { after, afterEach, before, describe, test } from 'node:test'
import fc from 'fast-check'
import { parse as parseYaml } from 'yaml'
import { ApiError } from '../api/api-error.ts'
import type { Patch } from '../api/api.ts'
import type { KubeObject, Status } from '../api/object.ts'
import { apiVersionOf } from '../api/resource-type.ts'
import type { KindDefinition } from './core/kind-definition.ts'
import type { ResourceRequest, ResourceResponse } from './core/resource-request.ts'
import { INHERITED, oddValue, pathsOf, pointerOf, WRONG_TYPES } from './testing/odd-values.ts'
import type { Path } from './testing/odd-values.ts'
import { openRawClient, sendBytes } from './testing/raw-client.ts'
import type { RawClient, RawReply, RawRequest } from './testing/raw-client.ts'
import { executeRequest } from './testing/execute-request.ts'
import { startTestServer } from './testing/start-test-server.ts'
import type { TestServer } from './testing/start-test-server.ts'
import { VALID_CUSTOM_OBJECT, VALID_OBJECTS } from './testing/valid-objects.ts'
import type { ValidObject } from './testing/valid-objects.ts'

const ADMIN = { name: 'admin', groups: ['system:masters', 'system:authenticated'] }
const SOURCE = { requestUri: '/', userAgent: 'fuzz', sourceIps: [] }
const isDefinition = ({ kind }: KubeObject): boolean => kind === 'CustomResourceDefinition'
// One of the two definitions is not changed: its objects must stay valid.
const OTHER_DEFINITIONS = VALID_OBJECTS.filter(isDefinition).map(
  (object) => JSON.parse(JSON.stringify(object).replaceAll(/(w)idget/gi, '$1inch')) as ValidObject,
)
const OBJECTS = [...VALID_OBJECTS, VALID_CUSTOM_OBJECT, ...OTHER_DEFINITIONS]
const BODY_LIMIT_BYTES = 3 * 1024 * 1024

// As many runs as fit into the time: the machine may be busy.
const limited = (timeMs: number): fc.Parameters<unknown> => ({
  numRuns: 100_000,
  interruptAfterTimeLimit: timeMs,
  markInterruptAsFailure: false,
})
const TIMEOUT = { timeout: 60_000 }
const NEW_NAME = 'new'

type Place = { readonly object: ValidObject; readonly path: Path }

const PLACES: readonly Place[] = OBJECTS.filter((object) => object.metadata.name !== 'widgets.example.com').flatMap(
  (object) =>
    pathsOf(object)
      .filter((path) => path.length > 0)
      .map((path) => ({ object, path })),
)

/** A copy with another value at one path; undefined removes it. */
function withValue(root: unknown, [step, ...rest]: Path, value: unknown): unknown {
  if (step === undefined) return value
  if (Array.isArray(root)) {
    const copy: unknown[] = [...root]
    if (rest.length === 0 && value === undefined) copy.splice(Number(step), 1)
    else copy[Number(step)] = withValue(copy[Number(step)], rest, value)
    return copy
  }
  const entries = Object.entries(root as object).map(([key, member]) => [
    key,
    key === step ? withValue(member, rest, value) : (member as unknown),
  ])
  return Object.fromEntries(entries.filter(([, member]) => member !== undefined))
}

const show = ({ object, path }: Place): string => `${object.kind} ${path.join('.')}`

/** The envelope in which Go clients send an object, around bytes that need not be one. */
function protobufOf(apiVersion: string, kind: string, raw: Uint8Array): Uint8Array {
  const field = (number: number, bytes: Uint8Array): Uint8Array =>
    Buffer.concat([Buffer.from([(number << 3) | 2, bytes.length]), bytes])
  const type = Buffer.concat([field(1, Buffer.from(apiVersion)), field(2, Buffer.from(kind))])
  return Buffer.concat([Buffer.from('k8s\0'), field(1, type), field(2, raw)])
}

const anyPlace = fc.constantFrom(...PLACES)

describe('whatever is sent', () => {
  let server: TestServer
  let clients: readonly RawClient[]
  const inherited = Object.getOwnPropertyNames(Object.prototype).sort()
  const revision = (): number => server.server.core.parts.store.revision()

  before(async () => {
    server = await startTestServer()
    clients = await Promise.all(
      (['HTTP/2', 'HTTP/1.1'] as const).map((version) =>
        openRawClient(server, { user: ADMIN.name, groups: ADMIN.groups }, version),
      ),
    )
    for (const object of OBJECTS) await execute({ ...about(object), verb: 'create', body: object, options: STRICT })
    await server.server.idle()
  })
  after(async () => {
    for (const client of clients) client.close()
    await server[Symbol.asyncDispose]()
  })

  afterEach(async () => {
    deepEqual(Object.getOwnPropertyNames(Object.prototype).sort(), inherited)
    equal((Object.create(Object.prototype) as { polluted?: unknown }).polluted, undefined)
    for (const client of clients) {
      const { status, text } = await client.ask({ path: '/apis/storage.k8s.io/v1/storageclasses/fast' })
      deepEqual([status, (JSON.parse(text) as { provisioner: string }).provisioner], [200, 'hostpath.holdfast.dev'])
    }
  })

  const STRICT = { dryRun: false, fieldValidation: 'Strict', duplicateFields: [] } as const
  const LOOSE = { ...STRICT, fieldValidation: 'Ignore' } as const

  const kindOf = ({ apiVersion, kind }: KubeObject): KindDefinition => {
    const found = server.server.core.parts.kinds.findByKind(apiVersion, kind)
    ok(found, `${kind} is served`)
    return found
  }
  const about = (object: KubeObject) => {
    const kind = kindOf(object)
    return {
      user: ADMIN,
      kind,
      namespace: kind.type.namespaced ? 'default' : '',
      name: '',
      subresource: '',
      source: SOURCE,
    }
  }
  const collectionPath = (object: KubeObject): string => {
    const { type } = kindOf(object)
    const root = type.group === '' ? `/api/${type.version}` : `/apis/${apiVersionOf(type)}`
    return `${root}${type.namespaced ? '/namespaces/default' : ''}/${type.plural}`
  }
  const objectPath = (object: KubeObject): string => `${collectionPath(object)}/${object.metadata.name}`
  const execute = (request: ResourceRequest): Promise<ResourceResponse> => executeRequest(server.server.core, request)

  /** The response, or undefined for a rejection; anything else is a bug in the server. */
  async function attempt(what: string, request: ResourceRequest): Promise<ResourceResponse | undefined> {
    const before = revision()
    try {
      return await execute(request)
    } catch (error) {
      ok(error instanceof ApiError, what)
      ok(
        error.code >= 400 && error.code < 500,
        `${what}: ${error.code} ${error.message} ${String((error.cause as Error | undefined)?.stack)}`,
      )
      equal(revision(), before, `${what}: a refused request changes nothing`)
      return undefined
    }
  }

  /** A stored object must be a valid update of itself, which changes nothing. */
  async function checkStored(what: string, object: KubeObject, name: string): Promise<void> {
    await server.server.idle()
    const { storage } = kindOf(object)
    const base = { ...about(object), name }
    const stored = server.server.core.parts.store.decided.find(
      storage,
      base.namespace === '' ? name : `${base.namespace}/${name}`,
    )
    // Some objects are removed by the server: an expired event, an object without owners.
    if (!stored) return
    const refusal = await execute({
      ...base,
      verb: 'update',
      body: JSON.parse(stored.json) as unknown,
      options: STRICT,
    }).then(() => undefined, String)
    equal(refusal, undefined, `${what}: what is stored can be put back: ${stored.json}`)
    equal(
      server.server.core.parts.store.decided.find(storage, stored.key)?.json,
      stored.json,
      `${what}: putting it back changes nothing`,
    )
  }

  async function remove(object: KubeObject, name: string): Promise<void> {
    const base = { ...about(object), name }
    const patch: Patch = { type: 'merge', value: { metadata: { finalizers: null } } }
    await attempt('remove', { ...base, verb: 'patch', patch, options: LOOSE })
    await attempt('remove', {
      ...base,
      verb: 'delete',
      options: { gracePeriodSeconds: 0, propagationPolicy: 'Background' },
    })
    await server.server.idle()
  }

  /** A proper response of the server, never an internal error. */
  function judge(what: string, { status, headers, text }: RawReply): void {
    ok(status >= 200 && status < 500, `${what}: ${status} ${text}`)
    ok(!/\n\s+at |node:internal|\.ts:\d/.test(text), `${what} shows a stack: ${text}`)
    if (status < 400) return
    match(headers['content-type'] ?? '', /^application\/(json|yaml)$/, what)
    // Every JSON text is YAML too.
    const answer = parseYaml(text) as Status
    deepEqual([answer.kind, answer.status, answer.code], ['Status', 'Failure', status], what)
    ok(answer.message && answer.reason, `${what}: ${text}`)
  }

  /** Sends the request over both versions of HTTP. A rejection changes nothing. */
  async function askAll(what: string, request: RawRequest): Promise<number[]> {
    const statuses: number[] = []
    for (const client of clients) {
      const before = revision()
      const reply = await client.ask(request)
      judge(what, reply)
      if (reply.status >= 400) equal(revision(), before, `${what}: a refused request changes nothing`)
      statuses.push(reply.status)
    }
    return statuses
  }

  test('a wrong type in any place of any kind is refused, or made right', TIMEOUT, async () => {
    const before = revision()
    for (const { object, path } of PLACES) {
      const base = { ...about(object), verb: 'create' as const, options: { ...LOOSE, dryRun: true } }
      for (const value of WRONG_TYPES)
        await attempt(`${show({ object, path })} = ${JSON.stringify(value)}`, {
          ...base,
          body: withValue(object, path, value),
        })
    }
    equal(revision(), before)
  })

  test('what is created with any one field changed can be put back as it is', TIMEOUT, async () => {
    const property = fc.asyncProperty(anyPlace, oddValue, async ({ object, path }, value) => {
      const what = `create ${show({ object, path })} = ${JSON.stringify(value)}`
      // The name of a definition is derived from its content.
      if (isDefinition(object)) return
      const renamed = withValue(object, ['metadata', 'name'], NEW_NAME)
      const response = await attempt(what, {
        ...about(object),
        verb: 'create',
        body: withValue(renamed, path, value),
        options: LOOSE,
      })
      if (response?.kind !== 'object') return
      const { name = '' } = response.stored.object.metadata
      await checkStored(what, object, name)
      await remove(object, name)
    })
    await fc.assert(property, limited(2000))
  })

  test('what is changed in any one field can be put back as it is', TIMEOUT, async () => {
    const property = fc.asyncProperty(
      anyPlace,
      oddValue,
      fc.constantFrom('put', 'merge', 'strategic', 'json'),
      fc.constantFrom('', 'status'),
      async ({ object, path }, value, way, subresource) => {
        const what = `${way} ${subresource} ${show({ object, path })} = ${JSON.stringify(value)}`
        const { name = '' } = object.metadata
        const base = { ...about(object), name, subresource, options: LOOSE }
        const changed = withValue(object, path, value)
        if (way === 'put') await attempt(what, { ...base, verb: 'update', body: changed })
        else await attempt(what, { ...base, verb: 'patch', patch: patchOf(way, path, value, changed) })
        await checkStored(what, object, name)
      },
    )
    await fc.assert(property, limited(2000))
  })

  const patchOf = (way: 'merge' | 'strategic' | 'json', path: Path, value: unknown, changed: unknown): Patch =>
    way === 'json'
      ? {
          type: 'json',
          operations: [
            value === undefined
              ? { op: 'remove', path: pointerOf(path) }
              : { op: 'replace', path: pointerOf(path), value },
          ],
        }
      : { type: way, value: changed as object }

  const anyObject = fc.constantFrom(...OBJECTS)

  /** The text of a valid object with a mistake in it, as bytes. */
  const wrongBody: fc.Arbitrary<Uint8Array> = fc.oneof(
    fc.uint8Array({ maxLength: 200 }),
    fc.uint8Array({ maxLength: 100 }).map((raw) => protobufOf('v1', 'ConfigMap', raw)),
    fc
      .tuple(anyObject, fc.uint8Array({ maxLength: 100 }))
      .map(([{ apiVersion, kind }, raw]) => protobufOf(apiVersion, kind, raw)),
    fc.json().map((text) => Buffer.from(text)),
    fc
      .tuple(
        fc.nat(),
        fc.nat(12),
        fc.string({ unit: fc.constantFrom(...Array.from('{}[]",:\\0-e. \n\u0000\u007f')), maxLength: 5 }),
      )
      .map(([at, length, added]) => {
        const text = JSON.stringify(OBJECTS[at % OBJECTS.length])
        const start = at % text.length
        return Buffer.from(text.slice(0, start) + added + text.slice(start + length))
      }),
    fc
      .constantFrom(
        '',
        ' ',
        'null',
        '[]',
        '"text"',
        '1e999',
        '{"a":1e999}',
        '{"metadata":{"generation":9007199254740993}}',
        '{"metadata":{"generation":-9223372036854775809}}',
        '{"data":{"a":"\\ud800","\\udc00":"b"}}',
        '{"data":{"a":"1","a":"2"},"data":{"b":"3","b":"4"}}',
        '\ufeff{}',
        '{"metadata":{"name":"x"}} trailing',
        '{"metadata":{"name":"\\u0000"}}',
        '{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}},"metadata":{"__proto__":{"polluted":true}}}',
      )
      .map((text) => Buffer.from(text)),
    // Invalid UTF-8, in a value, in a key and outside of both.
    fc
      .constantFrom([0xff], [0xc3, 0x28], [0xed, 0xa0, 0x80], [0xf8, 0x88, 0x80, 0x80, 0x80])
      .chain((wrong) =>
        fc
          .constantFrom('{"data":{"a":"', '{"data":{"')
          .map((start) =>
            Buffer.concat([
              Buffer.from(start),
              Buffer.from(wrong),
              Buffer.from(start.endsWith('a":"') ? '"}}' : '":"b"}}'),
            ]),
          ),
      ),
    fc
      .constantFrom('[', '{"a":', '{"data":[', '[{"a":')
      .chain((open) => fc.constantFrom(10, 999, 1001, 20_000).map((depth) => Buffer.from(open.repeat(depth)))),
    fc
      .constantFrom(10, 1001, 20_000)
      .map((depth) => Buffer.from(`{"metadata":{"name":"deep"},"data":${'['.repeat(depth)}${']'.repeat(depth)}}`)),
  )
  const CONTENT_TYPES = [
    'application/json',
    'application/yaml',
    'application/vnd.kubernetes.protobuf',
    'application/json-patch+json',
    'application/merge-patch+json',
    'application/strategic-merge-patch+json',
    'application/apply-patch+yaml',
    'application/cbor',
    'text/plain',
    'application/json; charset=latin1',
    ';',
    '',
  ]
  test('a body that is no object is refused with a Status', TIMEOUT, async () => {
    const property = fc.asyncProperty(
      anyObject,
      wrongBody,
      fc.constantFrom('POST', 'PUT', 'PATCH', 'DELETE'),
      fc.constantFrom(...CONTENT_TYPES),
      async (object, body, method, type) => {
        const path = `${method === 'POST' ? collectionPath(object) : objectPath(object)}?dryRun=All`
        await askAll(`${method} ${path} ${type} ${Buffer.from(body).toString('latin1').slice(0, 500)}`, {
          method,
          path,
          body,
          headers: { 'content-type': type },
        })
      },
    )
    await fc.assert(property, limited(2000))
  })

  test('a patch that is none is refused with a Status', TIMEOUT, async () => {
    const pointer = fc.oneof(
      fc.constantFrom(
        '',
        '/',
        '//',
        '/-',
        '/metadata',
        '/metadata/finalizers/-',
        '/metadata/finalizers/00',
        '/metadata/labels/~2',
        '/__proto__/polluted',
        '/constructor/prototype/polluted',
        '/metadata/__proto__',
        '/spec/0',
      ),
      fc.string(),
    )
    const operation = fc.record(
      {
        op: fc.oneof(fc.constantFrom('add', 'remove', 'replace', 'move', 'copy', 'test'), fc.jsonValue()),
        path: fc.oneof(pointer, fc.jsonValue()),
        from: pointer,
        value: oddValue,
      },
      { requiredKeys: ['op', 'path'] },
    )
    const directive = fc.constantFrom(
      { $patch: 'delete' },
      { $patch: 'odd' },
      { $patch: 1 },
      { metadata: { $patch: 'replace' } },
      { metadata: { finalizers: [{ $patch: 'delete' }] } },
      { metadata: { $retainKeys: 'name' } },
      { metadata: { '$setElementOrder/finalizers': [1, {}] } },
      { metadata: { '$deleteFromPrimitiveList/finalizers': 'x' } },
      { spec: { containers: [{ $patch: 'delete' }, null, 1, [], { name: {} }] } },
      { spec: { volumes: [{ name: 'data', $retainKeys: [1] }], '$setElementOrder/volumes': [{}] } },
      { spec: { drivers: [{ name: null }] }, metadata: { ownerReferences: [{ uid: 1 }] } },
      { metadata: null },
      { metadata: { name: 'other' } },
      { metadata: { namespace: 'other', uid: 'other' } },
      { metadata: { resourceVersion: 'x' } },
      { apiVersion: null, kind: null },
      INHERITED,
      { metadata: INHERITED, spec: INHERITED, data: INHERITED },
    )
    const patch = fc.oneof(fc.array(operation, { maxLength: 3 }), directive, fc.jsonValue())
    const types = fc.constantFrom(
      'application/json-patch+json',
      'application/merge-patch+json',
      'application/strategic-merge-patch+json',
    )
    const property = fc.asyncProperty(
      anyObject,
      patch,
      types,
      fc.constantFrom('', '/status', '/scale', '/finalize'),
      async (object, value, type, subresource) => {
        const body = JSON.stringify(value)
        await askAll(`${type} ${object.kind}${subresource} ${body}`, {
          method: 'PATCH',
          path: `${objectPath(object)}${subresource}`,
          body,
          headers: { 'content-type': type },
        })
        if (!isDefinition(object))
          await checkStored(`${type} ${subresource} ${body}`, object, object.metadata.name ?? '')
      },
    )
    await fc.assert(property, limited(1500))
  })

  test('a body of more than 3 MiB is refused with 413, whether it is announced or not', TIMEOUT, async () => {
    const path = '/api/v1/namespaces/default/configmaps?dryRun=All'
    const large = Buffer.alloc(BODY_LIMIT_BYTES + 1, ' ')
    const post = { method: 'POST', path, headers: { 'content-type': 'application/json' } }
    deepEqual(await askAll('announced', { ...post, body: large }), [413, 413])
    deepEqual(
      await askAll('in pieces', { ...post, body: [large.subarray(0, 1_000_000), large.subarray(1_000_000)] }),
      [413, 413],
    )
    // A body of the maximum size is read, and rejected for another reason: an object of a megabyte is too large.
    const text = JSON.stringify({ metadata: { name: 'large' }, data: { a: '' } })
    const full = text.replace('""', `"${'x'.repeat(BODY_LIMIT_BYTES - text.length)}"`)
    deepEqual(await askAll('just as much as is allowed', { ...post, body: full }), [422, 422])
  })

  test('odd sub-resources, reviews and tokens are refused with a Status', TIMEOUT, async () => {
    const places = [
      '/api/v1/namespaces/default/pods/pod/binding',
      '/api/v1/namespaces/default/pods/pod/eviction',
      '/api/v1/namespaces/default/pods/pod/exec',
      '/api/v1/namespaces/default/pods/pod/log',
      '/api/v1/namespaces/default/bindings',
      '/api/v1/namespaces/default/serviceaccounts/robot/token',
      '/api/v1/namespaces/team/finalize',
      '/apis/apps/v1/namespaces/default/statefulsets/set/scale',
      '/apis/example.com/v1/namespaces/default/widgets/widget/scale',
      '/apis/authentication.k8s.io/v1/tokenreviews',
      '/apis/authentication.k8s.io/v1/selfsubjectreviews',
      '/apis/authorization.k8s.io/v1/subjectaccessreviews',
      '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews',
      '/apis/authorization.k8s.io/v1/selfsubjectrulesreviews',
      '/apis/authorization.k8s.io/v1/namespaces/default/localsubjectaccessreviews',
    ]
    const odd = fc.oneof(oddValue, fc.constantFrom('default', 'robot', 'pod', 'Node', 'n1'))
    const part = fc.dictionary(
      fc.constantFrom(
        'name',
        'namespace',
        'uid',
        'kind',
        'target',
        'finalizers',
        'replicas',
        'audiences',
        'expirationSeconds',
        'boundObjectRef',
        'token',
        'user',
        'groups',
        'extra',
        'resourceAttributes',
        'nonResourceAttributes',
        'verb',
        'labels',
        'dryRun',
        'preconditions',
        'gracePeriodSeconds',
        'propagationPolicy',
      ),
      odd,
    )
    const body = fc.oneof(
      oddValue,
      fc.dictionary(
        fc.constantFrom('metadata', 'spec', 'target', 'deleteOptions', 'status', 'apiVersion', 'kind'),
        fc.oneof(odd, part),
      ),
    )
    const property = fc.asyncProperty(
      fc.constantFrom(...places),
      body,
      fc.constantFrom('POST', 'PUT', 'GET', 'DELETE', 'PATCH'),
      async (path, value, method) => {
        const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json'
        const text = JSON.stringify(value) ?? ''
        await askAll(`${method} ${path} ${text}`, {
          method,
          path: `${path}?dryRun=All`,
          ...(method === 'GET' ? {} : { body: text }),
          headers: { 'content-type': type },
        })
      },
    )
    await fc.assert(property, limited(1500))
  })

  test('odd selectors and parameters are refused with a Status, or don’t matter', TIMEOUT, async () => {
    const text = fc.oneof(
      fc.string({ maxLength: 20 }),
      fc.string({ unit: fc.constantFrom(...Array.from('=!(),in ab.-/\\\'"%+')), maxLength: 20 }),
    )
    const selector = fc.oneof(
      text,
      fc.constantFrom(
        'a in ()',
        'a in (b,c',
        '!!a',
        'a==b=c',
        'a,,b',
        ',',
        '=',
        '!',
        'notin',
        'a notin',
        '__proto__=a',
        'constructor',
        'metadata.name=',
        'metadata.name!=x',
        'metadata.name=../x',
        'spec.nodeName=n1,spec.nodeName=n2',
        'toString=a',
        '__proto__=x',
        'a>1',
        'a<x',
      ),
    )
    const number = fc.oneof(
      fc.integer().map(String),
      fc.constantFrom('', '-1', '0', '00', '1.5', 'x', '1e3', '9'.repeat(30), '\u0000', 'NaN'),
    )
    const parameters = fc.record(
      {
        labelSelector: selector,
        fieldSelector: selector,
        limit: number,
        continue: text,
        resourceVersionMatch: fc.oneof(text, fc.constantFrom('Exact', 'NotOlderThan')),
        sendInitialEvents: fc.constantFrom('true', 'false', 'x', ''),
        timeoutSeconds: number,
        pretty: text,
        dryRun: fc.constantFrom('All', 'Some', ''),
        fieldValidation: text,
        fieldManager: text,
        includeObject: text,
        gracePeriodSeconds: number,
        propagationPolicy: text,
        orphanDependents: text,
        __proto__: text,
      },
      { requiredKeys: [] },
    )
    const accept = fc.constantFrom(
      'application/json',
      'application/json;as=Table;v=v1;g=meta.k8s.io',
      'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io',
      'application/yaml',
      '*/*',
      'text/html',
      ';q=x',
      'application/json;q=2,,',
    )
    const property = fc.asyncProperty(
      anyObject,
      parameters,
      accept,
      fc.constantFrom('GET', 'HEAD', 'DELETE'),
      fc.boolean(),
      async (object, given, type, method, isNamed) => {
        const query = new URLSearchParams(
          Object.entries(given).filter((entry): entry is [string, string] => entry[1] !== undefined),
        )
        if (method === 'DELETE' && query.get('dryRun') !== 'Some') query.set('dryRun', 'All')
        const path = `${isNamed ? objectPath(object) : collectionPath(object)}?${query.toString()}`
        if (method === 'HEAD')
          for (const client of clients)
            ok((await client.head({ method, path, headers: { accept: type } })).status < 500, path)
        else await askAll(`${method} ${path} ${type}`, { method, path, headers: { accept: type } })
      },
    )
    await fc.assert(property, limited(1500))
  })

  test('a watch with odd parameters is refused or begins', TIMEOUT, async () => {
    const value = fc.oneof(
      fc.constantFrom('true', 'false', '1', '0', '', 'x', '-1', '9'.repeat(20), 'NotOlderThan', 'Exact', 'a=b', '!'),
      fc.string({ maxLength: 8 }),
    )
    const names = fc.constantFrom(
      'resourceVersion',
      'resourceVersionMatch',
      'sendInitialEvents',
      'allowWatchBookmarks',
      'timeoutSeconds',
      'labelSelector',
      'fieldSelector',
      'limit',
      'continue',
    )
    const property = fc.asyncProperty(anyObject, fc.dictionary(names, value), async (object, given) => {
      const path = `${collectionPath(object)}?watch=1&${new URLSearchParams(given).toString()}`
      for (const client of clients) {
        const { status } = await client.head({ path })
        // A future revision is not the client's mistake: it should retry.
        ok(status < 500 || status === 504, `${path}: ${status}`)
      }
    })
    await fc.assert(property, limited(1500))
  })

  test('odd paths and methods are refused with a Status', TIMEOUT, async () => {
    const segment = fc.oneof(
      fc.constantFrom(
        'api',
        'apis',
        'v1',
        'namespaces',
        'default',
        'pods',
        'pod',
        'status',
        'storage.k8s.io',
        'storageclasses',
        'fast',
        'watch',
        'healthz',
        'livez',
        'version',
        'openapi',
        'v2',
        'v3',
        'widgets',
        'example.com',
      ),
      fc.constantFrom(
        '',
        '.',
        '..',
        '%',
        '%zz',
        '%2e%2e',
        '%2F',
        '%00',
        '%0a',
        '%ff',
        '%e2%80%ae',
        '*',
        '~',
        '__proto__',
        'constructor',
        'toString',
        ';a=b',
        ':',
        '@',
        '+',
        'A',
        'é',
        '\\',
        '%5c',
        'x'.repeat(2000),
      ),
    )
    const path = fc
      .array(segment, { maxLength: 8 })
      .map((segments) => encodeURI(`/${segments.join('/')}`).replaceAll('%25', '%'))
    const methods = fc.constantFrom('GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS', 'TRACE', 'PROPFIND')
    const property = fc.asyncProperty(path, methods, async (target, method) => {
      // Nothing is really stored or deleted.
      const request = { method, path: method === 'GET' ? target : `${target}?dryRun=All` }
      if (method === 'HEAD')
        for (const client of clients) ok((await client.head(request)).status < 500, `${method} ${target}`)
      else if (!/watch/.test(target)) await askAll(`${method} ${target}`, request)
    })
    await fc.assert(property, limited(1500))
  })

  test('a method of any name is refused with a Status', TIMEOUT, async () => {
    const [client] = clients
    ok(client)
    // Only HTTP/2 accepts every method name.
    for (const method of ['constructor', '__proto__', 'toString', 'ODD', 'x'.repeat(1000)]) {
      for (const path of ['/api/v1/pods', '/api/v1/namespaces/default/pods/pod', '/api/v1/watch/pods', '/version']) {
        const reply = await client.ask({ method, path })
        judge(`${method} ${path}`, reply)
        equal(reply.status, 405, `${method} ${path}`)
      }
    }
  })

  test('what is no HTTP is refused, or the connection closed', TIMEOUT, async () => {
    const lines = [
      'GET /api/v1/pods\u0000 HTTP/1.1',
      'GET /../../etc/passwd HTTP/1.1',
      'GET api/v1 HTTP/1.1',
      'GET http://elsewhere/api HTTP/1.1',
      'GET * HTTP/1.1',
      'CONNECT elsewhere:443 HTTP/1.1',
      'ODD / HTTP/1.1',
      'GET / HTTP/9.9',
      'GET /',
      '\u0016\u0003\u0001',
      'PRI * HTTP/2.0',
      'GET / HTTP/1.1\r\nContent-Length: -1',
      'POST /api/v1/namespaces HTTP/1.1\r\nContent-Length: 5\r\nTransfer-Encoding: chunked',
      'POST /api/v1/namespaces HTTP/1.1\r\nTransfer-Encoding: odd',
      'POST /api/v1/namespaces HTTP/1.1\r\nExpect: odd',
      'GET / HTTP/1.1\r\nAuthorization: Bearer',
      'GET / HTTP/1.1\r\nAuthorization: Bearer \u00ff\u00ff',
      'GET / HTTP/1.1\r\nAuthorization: Basic ::::',
      'GET / HTTP/1.1\r\nAccept: \u00ff;q=\u0001',
      'GET / HTTP/1.1\r\nAccept: a\u0000b',
      'GET / HTTP/1.1\r\nImpersonate-User:',
      'GET / HTTP/1.1\r\nImpersonate-Group: system:masters',
      'GET / HTTP/1.1\r\nImpersonate-User: a\r\nImpersonate-Extra-%zz: b',
      'GET / HTTP/1.1\r\n__proto__: polluted\r\nconstructor: polluted',
      `GET / HTTP/1.1\r\nX: ${'x'.repeat(100_000)}`,
      'GET /api/v1/pods?watch=1 HTTP/1.1\r\nUpgrade: websocket',
    ]
    for (const line of lines) {
      const answer = await sendBytes(server, Buffer.from(`${line}\r\nHost: x\r\nConnection: close\r\n\r\n`, 'latin1'))
      match(answer, /^(HTTP\/1\.1 [234]\d\d |$)/, line)
      ok(!/\n\s+at /.test(answer), `${line} shows a stack: ${answer}`)
    }
  })

  test('keys that JavaScript gives a meaning are keys like others', TIMEOUT, async () => {
    const path = '/api/v1/namespaces/default/configmaps'
    const data = '{"__proto__":"a","constructor":"b","hasOwnProperty":"c","toString":"d"}'
    const [client] = clients
    ok(client)
    const post = await client.ask({
      method: 'POST',
      path,
      headers: { 'content-type': 'application/json' },
      body: `{"metadata":{"name":"keys","labels":{"constructor":"x","toString":"y"}},"data":${data}}`,
    })
    equal(post.status, 201)
    const dataOf = ({ text }: RawReply): [string, unknown][] =>
      Object.entries((JSON.parse(text) as { data: object }).data)
    const keys: [string, unknown][] = [
      ['__proto__', 'a'],
      ['constructor', 'b'],
      ['hasOwnProperty', 'c'],
      ['toString', 'd'],
    ]
    deepEqual(dataOf(post), keys)
    const patches = [
      ['application/merge-patch+json', '{"data":{"__proto__":"z"}}'],
      ['application/strategic-merge-patch+json', '{"data":{"__proto__":"z"}}'],
      ['application/json-patch+json', '[{"op":"replace","path":"/data/__proto__","value":"z"}]'],
      [
        'application/json-patch+json',
        '[{"op":"remove","path":"/data/__proto__"},{"op":"add","path":"/data/__proto__","value":"z"}]',
      ],
    ] as const
    for (const [type, body] of patches) {
      const reply = await client.ask({
        method: 'PATCH',
        path: `${path}/keys?dryRun=All`,
        headers: { 'content-type': type },
        body,
      })
      deepEqual(
        [reply.status, Object.fromEntries(dataOf(reply))],
        [200, Object.fromEntries([['__proto__', 'z'], ...keys.slice(1)])],
        `${type} ${body}`,
      )
    }
    const selected = await client.ask({ path: `${path}?labelSelector=constructor%3Dx,toString,!valueOf` })
    equal((JSON.parse(selected.text) as { items: object[] }).items.length, 1)
    await checkStored('keys', { apiVersion: 'v1', kind: 'ConfigMap', metadata: {} }, 'keys')
  })

  test('afterwards every object can be read, and put back without a change', TIMEOUT, async () => {
    await server.server.idle()
    const before = revision()
    const [client] = clients
    ok(client)
    let count = 0
    for (const kind of server.server.core.parts.kinds.all()) {
      if (!kind.verbs.includes('list')) continue
      const { group, version, plural, namespaced } = kind.type
      const root = group === '' ? `/api/${version}` : `/apis/${group}/${version}`
      const list = await client.ask({ path: `${root}/${plural}` })
      equal(list.status, 200)
      for (const item of (JSON.parse(list.text) as { items: KubeObject[] }).items) {
        const { name = '', namespace = '' } = item.metadata
        const path = `${root}${namespaced ? `/namespaces/${namespace}` : ''}/${plural}/${encodeURIComponent(name)}?fieldValidation=Strict`
        const read = await client.ask({ path })
        const reply = await client.ask({
          method: 'PUT',
          path,
          headers: { 'content-type': 'application/json' },
          body: read.text,
        })
        deepEqual([reply.status, reply.text], [200, read.text], path)
        count += 1
      }
    }
    ok(count > OBJECTS.length)
    equal(revision(), before)
  })
})
