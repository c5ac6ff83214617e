import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { after, afterEach, before, describe, test } from 'node:test'
import fc from 'fast-check'
import { ApiError } from '../api/api-error.ts'
import type { Patch } from '../api/api.ts'
import type { KubeObject, Status } from '../api/object.ts'
import { apiVersionOf } from '../api/resource-type.ts'
import type { KindDefinition } from './core/kind-definition.ts'
import type { ResourceRequest, ResourceResponse } from './core/resource-request.ts'
import { openRawClient, sendBytes } from './testing/raw-client.ts'
import type { RawClient, RawReply, RawRequest } from './testing/raw-client.ts'
import { startTestServer } from './testing/start-test-server.ts'
import type { TestServer } from './testing/start-test-server.ts'
import { VALID_CUSTOM_OBJECT, VALID_OBJECTS } from './testing/valid-objects.ts'
import type { ValidObject } from './testing/valid-objects.ts'

const ADMIN = { name: 'admin', groups: ['system:masters', 'system:authenticated'] }
const SOURCE = { requestUri: '/', userAgent: 'fuzz', sourceIps: [] }
const isDefinition = ({ kind }: KubeObject): boolean => kind === 'CustomResourceDefinition'
// Of the two definitions one is left alone: what was made under it has to stay right.
const OTHER_DEFINITIONS = VALID_OBJECTS.filter(isDefinition).map((object) => JSON.parse(JSON.stringify(object).replaceAll(/(w)idget/gi, '$1inch')) as ValidObject)
const OBJECTS = [...VALID_OBJECTS, VALID_CUSTOM_OBJECT, ...OTHER_DEFINITIONS]
const BODY_LIMIT_BYTES = 3 * 1024 * 1024

// As much as fits into the time: the machine may be busy.
const limited = (timeMs: number): fc.Parameters<unknown> => ({ numRuns: 100_000, interruptAfterTimeLimit: timeMs, markInterruptAsFailure: false })
const TIMEOUT = { timeout: 60_000 }
const NEW_NAME = 'new'

type Path = readonly (string | number)[]
type Place = { readonly object: ValidObject; readonly path: Path }

/** Where there is something in a value, at every level. */
function pathsOf(value: unknown, path: Path = []): Path[] {
  if (typeof value !== 'object' || value === null) return [path]
  return [path, ...Object.entries(value).flatMap(([key, member]) => pathsOf(member, [...path, Array.isArray(value) ? Number(key) : key]))]
}

const PLACES: readonly Place[] = OBJECTS.filter((object) => object.metadata.name !== 'widgets.example.com').flatMap((object) =>
  pathsOf(object)
    .filter((path) => path.length > 0)
    .map((path) => ({ object, path })),
)

/** A copy with another value in one place; without anything there for undefined. */
function withValue(root: unknown, [step, ...rest]: Path, value: unknown): unknown {
  if (step === undefined) return value
  if (Array.isArray(root)) {
    const copy: unknown[] = [...root]
    if (rest.length === 0 && value === undefined) copy.splice(Number(step), 1)
    else copy[Number(step)] = withValue(copy[Number(step)], rest, value)
    return copy
  }
  const entries = Object.entries(root as object).map(([key, member]) => [key, key === step ? withValue(member, rest, value) : (member as unknown)])
  return Object.fromEntries(entries.filter(([, member]) => member !== undefined))
}

const pointerOf = (path: Path): string => path.map((step) => `/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')
const show = ({ object, path }: Place): string => `${object.kind} ${path.join('.')}`

// Keys that mean something to JavaScript, each a chance to change what every object inherits.
const INHERITED = JSON.parse('{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}},"toString":1,"hasOwnProperty":2,"valueOf":null,"then":3}') as object

const WRONG_TYPES: readonly unknown[] = [null, true, 1.5, 'text', ['text'], [null], { text: {} }, INHERITED]

const oddValue: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...WRONG_TYPES, 7, [], {}, [[]], { text: 'text' }) },
  { weight: 2, arbitrary: fc.constantFrom(undefined, '', ' ', '\u0000', '\ud800', 'é😀', '__proto__', 'constructor', '..', 'A', 'x'.repeat(300), 'x'.repeat(70_000)) },
  { weight: 2, arbitrary: fc.constantFrom('1Gi', '-1', '1e30', '0.5', '1e-12', '-9223372036854775809', '9'.repeat(40), '2030-01-01T00:00:00Z', '9999-99-99T00:00:00Z', 'dg==', '%%%') },
  { weight: 2, arbitrary: fc.constantFrom(0, -1, 2 ** 31, 2 ** 53, -(2 ** 63), 1e308, 5e-324, -0) },
  { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 3 }) },
  { weight: 1, arbitrary: fc.array(fc.constantFrom('ReadWriteOnce', 'a', '', 'Persistent'), { maxLength: 3 }) },
)

const anyPlace = fc.constantFrom(...PLACES)

describe('whatever is sent', () => {
  let server: TestServer
  let clients: readonly RawClient[]
  const inherited = Object.getOwnPropertyNames(Object.prototype).sort()
  const revision = (): number => server.server.core.parts.store.revision()

  before(async () => {
    server = await startTestServer()
    clients = await Promise.all((['HTTP/2', 'HTTP/1.1'] as const).map((version) => openRawClient(server, { user: ADMIN.name, groups: ADMIN.groups }, version)))
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
    return { user: ADMIN, kind, namespace: kind.type.namespaced ? 'default' : '', name: '', subresource: '', source: SOURCE }
  }
  const collectionPath = (object: KubeObject): string => {
    const { type } = kindOf(object)
    const root = type.group === '' ? `/api/${type.version}` : `/apis/${apiVersionOf(type)}`
    return `${root}${type.namespaced ? '/namespaces/default' : ''}/${type.plural}`
  }
  const objectPath = (object: KubeObject): string => `${collectionPath(object)}/${object.metadata.name}`
  const execute = (request: ResourceRequest): Promise<ResourceResponse> => server.server.core.execute(request)

  /** The answer, or undefined for a refusal; anything but those two is a fault of the server. */
  async function attempt(what: string, request: ResourceRequest): Promise<ResourceResponse | undefined> {
    const before = revision()
    try {
      return await execute(request)
    } catch (error) {
      ok(error instanceof ApiError, what)
      ok(error.code >= 400 && error.code < 500, `${what}: ${error.code} ${error.message} ${String((error.cause as Error | undefined)?.stack)}`)
      equal(revision(), before, `${what}: a refused request changes nothing`)
      return undefined
    }
  }

  /** What is stored under a name is itself a valid update of it, which changes nothing. */
  async function checkStored(what: string, object: KubeObject, name: string): Promise<void> {
    await server.server.idle()
    const { storage } = kindOf(object)
    const base = { ...about(object), name }
    const stored = server.server.core.parts.store.decided.find(storage, base.namespace === '' ? name : `${base.namespace}/${name}`)
    // Some go by themselves: an event whose time is up, what belongs to nobody.
    if (!stored) return
    const again = await attempt(`${what}, put back`, { ...base, verb: 'update', body: JSON.parse(stored.json) as unknown, options: STRICT })
    ok(again, `${what}: what is stored can be put back: ${String(await execute({ ...base, verb: 'update', body: JSON.parse(stored.json) as unknown, options: STRICT }).catch(String))} ${stored.json}`)
    equal(server.server.core.parts.store.decided.find(storage, stored.key)?.json, stored.json, `${what}: putting it back changes nothing`)
  }

  async function remove(object: KubeObject, name: string): Promise<void> {
    const base = { ...about(object), name }
    const patch: Patch = { type: 'merge', value: { metadata: { finalizers: null } } }
    await attempt('remove', { ...base, verb: 'patch', patch, options: LOOSE })
    await attempt('remove', { ...base, verb: 'delete', options: { gracePeriodSeconds: 0, propagationPolicy: 'Background' } })
    await server.server.idle()
  }

  /** A real answer of the server, never its failure. */
  function judge(what: string, { status, headers, text }: RawReply): void {
    ok(status >= 200 && status < 500, `${what}: ${status} ${text}`)
    ok(!/\n\s+at |node:internal|\.ts:\d/.test(text), `${what} shows a stack: ${text}`)
    if (status < 400) return
    match(headers['content-type'] ?? '', /^application\/json/, what)
    const answer = JSON.parse(text) as Status
    deepEqual([answer.kind, answer.status, answer.code], ['Status', 'Failure', status], what)
    ok(answer.message && answer.reason, `${what}: ${text}`)
  }

  /** Asks over both versions of HTTP. A refusal changes nothing. */
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
      for (const value of WRONG_TYPES) await attempt(`${show({ object, path })} = ${JSON.stringify(value)}`, { ...base, body: withValue(object, path, value) })
    }
    equal(revision(), before)
  })

  test('what is created with any one field changed can be put back as it is', TIMEOUT, async () => {
    const property = fc.asyncProperty(anyPlace, oddValue, async ({ object, path }, value) => {
      const what = `create ${show({ object, path })} = ${JSON.stringify(value)}`
      // The name of a definition follows from what it defines.
      if (isDefinition(object)) return
      const renamed = withValue(object, ['metadata', 'name'], NEW_NAME)
      const response = await attempt(what, { ...about(object), verb: 'create', body: withValue(renamed, path, value), options: LOOSE })
      if (response?.kind !== 'object') return
      const { name = '' } = response.stored.object.metadata
      await checkStored(what, object, name)
      await remove(object, name)
    })
    await fc.assert(property, limited(3000))
  })

  test('what is changed in any one field can be put back as it is', TIMEOUT, async () => {
    const property = fc.asyncProperty(anyPlace, oddValue, fc.constantFrom('put', 'merge', 'strategic', 'json'), fc.constantFrom('', 'status'), async ({ object, path }, value, way, subresource) => {
      const what = `${way} ${subresource} ${show({ object, path })} = ${JSON.stringify(value)}`
      const { name = '' } = object.metadata
      const base = { ...about(object), name, subresource, options: LOOSE }
      const changed = withValue(object, path, value)
      if (way === 'put') await attempt(what, { ...base, verb: 'update', body: changed })
      else await attempt(what, { ...base, verb: 'patch', patch: patchOf(way, path, value, changed) })
      await checkStored(what, object, name)
    })
    await fc.assert(property, limited(3000))
  })

  const patchOf = (way: 'merge' | 'strategic' | 'json', path: Path, value: unknown, changed: unknown): Patch =>
    way === 'json' ? { type: 'json', operations: [value === undefined ? { op: 'remove', path: pointerOf(path) } : { op: 'replace', path: pointerOf(path), value }] } : { type: way, value: changed as object }
})
