import { deepEqual, equal, ok } from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import fc from 'fast-check'
import { ApiError } from '../api/api-error.ts'
import type { ListOptions, Patch } from '../api/api.ts'
import type { KubeObject } from '../api/object.ts'
import { formatContinueToken } from './core/continue-token.ts'
import type { KindDefinition } from './core/kind-definition.ts'
import type { RequestContent, ResourceResponse } from './core/resource-request.ts'
import { executeRequest } from './testing/execute-request.ts'
import { oddValue, pathsOf, pointerOf } from './testing/odd-values.ts'
import type { Path } from './testing/odd-values.ts'
import { openServerUnderTest } from './testing/open-server-under-test.ts'
import type { ServerUnderTest } from './testing/open-server-under-test.ts'
import { VALID_CUSTOM_OBJECT, VALID_OBJECTS } from './testing/valid-objects.ts'

// HOLDFAST_FUZZ=N sends another number of requests.
const CASES = Number(process.env['HOLDFAST_FUZZ'] ?? 100_000)
// Of a single request. On an idle machine, the longest takes a few milliseconds; a hang or an exponential step takes forever.
const MOST_MS = 5000
const MOST_GROWTH_BYTES = 96 * 1024 * 1024
const TIMEOUT = { timeout: Math.max(300_000, CASES * 30) }

const OBJECTS = [...VALID_OBJECTS, VALID_CUSTOM_OBJECT]
const USER = { name: 'admin', groups: ['system:masters', 'system:authenticated'] }
const SOURCE = { requestUri: '/', userAgent: 'fuzz', sourceIps: [] }

type Target = { readonly object: KubeObject; readonly paths: readonly Path[] }
const TARGETS: readonly Target[] = OBJECTS.map((object) => ({ object, paths: pathsOf(object) }))

const runs = (share: number): fc.Parameters<unknown> => ({ numRuns: Math.ceil(CASES * share) })

describe('any patch, apply, selector and continue token is answered or refused', () => {
  let server: ServerUnderTest
  let heapBefore = 0
  let slowestMs = 0
  const counts = { accepted: 0, refused: 0 }

  before(async () => {
    server = await openServerUnderTest()
    for (const object of OBJECTS) await attempt(object, { verb: 'create', body: object, options: real }, '')
    // Half of the objects have owners.
    for (const { object } of TARGETS.filter((_, index) => index % 2 === 0))
      for (const fieldManager of ['one', 'two']) {
        const patch = { type: 'apply', value: object, force: true } as const
        await attempt(object, { verb: 'patch', patch, options: { ...real, fieldManager } })
      }
    await server.settled()
    heapBefore = heapBytes()
  })
  after(() => server.close())

  const kindOf = ({ apiVersion, kind }: KubeObject): KindDefinition => {
    const found = server.core.parts.kinds.findByKind(apiVersion, kind)
    ok(found, `${kind} is served`)
    return found
  }

  /** The response, or undefined for a rejection; anything else, or a long time, is a bug in the server. */
  async function attempt(
    object: KubeObject,
    content: RequestContent,
    name = object.metadata.name ?? '',
    subresource = '',
  ): Promise<ResourceResponse | undefined> {
    const kind = kindOf(object)
    const namespace = kind.type.namespaced ? 'default' : ''
    const base = { user: USER, kind, namespace, name, subresource, source: SOURCE }
    const startMs = performance.now()
    try {
      const response = await executeRequest(server.core, { ...base, ...content })
      counts.accepted++
      return response
    } catch (error) {
      ok(error instanceof ApiError, String((error as Error).stack))
      // 504 asks the client to wait for a version of the future.
      const isProper = error.code < 500 || error.message.startsWith('Timeout: Too large resource version')
      ok(isProper, `${error.code} ${error.message} ${String((error.cause as Error | undefined)?.stack)}`)
      counts.refused++
      return undefined
    } finally {
      const tookMs = performance.now() - startMs
      slowestMs = Math.max(slowestMs, tookMs)
      ok(tookMs < MOST_MS, `took ${Math.round(tookMs)} ms`)
    }
  }
  const real = { dryRun: false, fieldValidation: 'Ignore', duplicateFields: [] } as const
  const dry = { ...real, dryRun: true, fieldManager: 'fuzz' } as const
  const patchWith = async (object: KubeObject, patch: Patch, subresource: string): Promise<void> => {
    const before = server.core.parts.store.revision()
    await attempt(object, { verb: 'patch', patch, options: dry }, undefined, subresource)
    equal(server.core.parts.store.revision(), before, 'a dry run stores nothing')
  }

  const target = fc.constantFrom(...TARGETS)
  const place = target.chain(({ object, paths }) =>
    fc.record({ object: fc.constant(object), path: fc.constantFrom(...paths) }),
  )
  const subresource = fc.constantFrom('', '', '', 'status')

  test('JSON patches', TIMEOUT, async () => {
    const end = fc.constantFrom(
      '',
      '',
      '',
      '/-',
      '/0',
      '/-1',
      '/00',
      '/1e1',
      '/99999999999',
      '/x',
      '/~',
      '/~2',
      '/__proto__',
      '//',
    )
    const given = target.chain(({ object, paths }) => {
      const pointer = fc.oneof(
        {
          weight: 9,
          arbitrary: fc.tuple(fc.constantFrom(...paths), end).map(([path, more]) => pointerOf(path) + more),
        },
        { weight: 1, arbitrary: fc.string({ maxLength: 12 }) },
      )
      const value = oddValue.map((odd) => odd ?? null)
      const operation = fc.oneof(
        fc.record({ op: fc.constantFrom('add', 'replace', 'test'), path: pointer, value }),
        fc.record({ op: fc.constant('remove'), path: pointer }),
        fc.record({ op: fc.constantFrom('move', 'copy'), from: pointer, path: pointer }),
      )
      // Copies into what is copied double the object each time.
      const doubling = fc
        .tuple(fc.constantFrom(...paths.filter((path) => path.length > 0)), fc.integer({ min: 10, max: 60 }))
        .map(([path, times]) =>
          Array.from({ length: times }, (_, index) => ({
            op: 'copy',
            from: pointerOf(path.slice(0, 1)),
            path: `${pointerOf(path.slice(0, 1))}/x${index}`,
          })),
        )
      const operations = fc.oneof(
        { weight: 20, arbitrary: fc.array(operation, { minLength: 1, maxLength: 6 }) },
        { weight: 1, arbitrary: doubling },
      )
      return fc.record({ object: fc.constant(object), operations, subresource })
    })
    const property = fc.asyncProperty(given, async ({ object, operations, subresource: sub }) => {
      await patchWith(object, { type: 'json', operations } as Patch, sub)
    })
    await fc.assert(property, runs(0.2))
  })

  test('merge patches', TIMEOUT, async () => {
    const parts = fc.array(fc.tuple(place, oddValue), { minLength: 1, maxLength: 4 })
    const property = fc.asyncProperty(parts, subresource, async (given, sub) => {
      const object = given[0]?.[0].object ?? OBJECTS[0]
      ok(object)
      const value = given.reduce((patch: unknown, [{ path }, odd]) => withPart(patch, path, odd), {})
      await patchWith(object, { type: 'merge', value: value as object }, sub)
    })
    await fc.assert(property, runs(0.15))
  })

  test('strategic merge patches, with directives in any place', TIMEOUT, async () => {
    const name = fc.constantFrom('containers', 'finalizers', 'volumes', 'ports', 'name', 'items', '__proto__', '')
    const list = fc.array(
      fc.oneof(oddValue, fc.record({ name: fc.constantFrom('a', 'main'), $patch: fc.constant('delete') })),
      { maxLength: 4 },
    )
    const directive = fc.oneof(
      fc.tuple(fc.constant('$patch'), fc.constantFrom<unknown>('delete', 'replace', 'merge', 'x', null, 1, {})),
      fc.tuple(fc.constant('$retainKeys'), fc.oneof(list, oddValue)),
      fc.tuple(
        name.map((field) => `$deleteFromPrimitiveList/${field}`),
        fc.oneof(list, oddValue),
      ),
      fc.tuple(
        name.map((field) => `$setElementOrder/${field}`),
        fc.oneof(list, oddValue),
      ),
    )
    const step = fc.tuple(place, fc.oneof(oddValue, list), fc.option(directive))
    const property = fc.asyncProperty(
      fc.array(step, { minLength: 1, maxLength: 4 }),
      subresource,
      async (given, sub) => {
        const object = given[0]?.[0].object ?? OBJECTS[0]
        ok(object)
        const value = given.reduce((patch: unknown, [{ path }, odd, more]) => {
          const changed = withPart(patch, path, odd)
          return more ? withPart(changed, [...path.slice(0, -1), more[0]], more[1]) : changed
        }, {})
        await patchWith(object, { type: 'strategic', value: value as object }, sub)
      },
    )
    await fc.assert(property, runs(0.2))
  })

  test('applied configurations, one after the other, with owners that nobody wrote so', TIMEOUT, async () => {
    const fieldManager = fc.constantFrom('one', 'two', 'kubectl', 'before-first-apply', 'é😀')
    const element = fc.constantFrom(
      'f:spec',
      'f:metadata',
      'f:labels',
      'f:data',
      'k:{"name":"main"}',
      'k:{',
      'v:1',
      'v:',
      'i:0',
      '.',
      'f:',
      'x',
      '__proto__',
    )
    const fields = fc.letrec<{ node: object }>((tie) => ({
      node: fc.oneof(
        { maxDepth: 4 },
        fc.constant({}),
        fc.dictionary(element, tie('node'), { maxKeys: 3, noNullPrototype: true }),
      ),
    })).node
    const owners = fc.oneof(
      oddValue,
      fc.array(
        fc.record({
          manager: fc.oneof(fieldManager, oddValue),
          operation: fc.constantFrom('Apply', 'Update', 'x'),
          apiVersion: fc.constantFrom('v1', 'apps/v1', '', 'x/y/z'),
          time: fc.constantFrom('2026-01-01T00:00:00Z', 'x'),
          fieldsType: fc.constantFrom('FieldsV1', 'x'),
          fieldsV1: fc.oneof(fields, oddValue),
        }),
        { maxLength: 12 },
      ),
    )
    const change = fc.tuple(place, oddValue, fieldManager, fc.boolean(), fc.option(owners, { freq: 4 }))
    let count = 0
    const property = fc.asyncProperty(
      target,
      fc.array(change, { minLength: 1, maxLength: 4 }),
      async ({ object }, steps) => {
        // A definition keeps its name, and custom objects need theirs.
        const isFixed = object.kind === 'CustomResourceDefinition' || object.kind === 'Namespace'
        const name = isFixed ? (object.metadata.name ?? '') : `applied-${count++}`
        for (const [{ object: other, path }, odd, manager, force, managedFields] of steps) {
          const own = { ...object, metadata: { ...object.metadata, name } }
          const changed = other === object && path.length > 0 ? withPart(own, path, odd) : own
          const value = withPart(changed, ['metadata', 'name'], name) as KubeObject
          const options = { ...dry, dryRun: isFixed, fieldManager: manager }
          await attempt(object, { verb: 'patch', patch: { type: 'apply', value, force }, options }, name)
          if (managedFields === null) continue
          const patch: Patch = { type: 'merge', value: { metadata: { managedFields } } }
          await attempt(object, { verb: 'patch', patch, options }, name)
        }
        if (isFixed) return
        const free: Patch = { type: 'merge', value: { metadata: { finalizers: null } } }
        await attempt(object, { verb: 'patch', patch: free, options: real }, name)
        await attempt(object, { verb: 'delete', options: { gracePeriodSeconds: 0 } }, name)
        await server.settled()
      },
    )
    // Each run is about four requests.
    await fc.assert(property, runs(0.05))
  })

  test('selectors of labels and fields', TIMEOUT, async () => {
    const token = fc.constantFrom(
      ...[
        'a',
        'app',
        'x/y',
        'metadata.name',
        'spec.nodeName',
        '__proto__',
        '1',
        'é',
        '-',
        '_a',
        'b'.repeat(64),
        '\\',
        '"',
        '%00',
      ],
      ...[
        '=',
        '==',
        '!=',
        '!',
        'in',
        'notin',
        ' in ',
        ' notin ',
        '(',
        ')',
        '()',
        ',',
        ',,',
        ' ',
        '>',
        '<',
        '1.5',
        '\n',
      ],
    )
    const text = fc.oneof(
      fc.array(token, { maxLength: 10 }).map((parts) => parts.join('')),
      fc.string({ maxLength: 30 }),
    )
    const many = fc
      .tuple(text, fc.integer({ min: 1, max: 2000 }))
      .map(([part, times]) => `${part},`.repeat(times) + part)
    const selector = fc.oneof({ weight: 30, arbitrary: text }, { weight: 1, arbitrary: many })
    const property = fc.asyncProperty(
      target,
      fc.option(selector),
      fc.option(selector),
      async ({ object }, labels, field) => {
        const options: ListOptions = {
          ...(labels !== null && { labelSelector: labels }),
          ...(field !== null && { fieldSelector: field }),
        }
        const response = await attempt(object, { verb: 'list', options }, '')
        if (response?.kind === 'list') ok(response.items.length <= OBJECTS.length)
      },
    )
    await fc.assert(property, runs(0.15))
  })

  test('continue tokens, with limits and versions', TIMEOUT, async () => {
    const number = fc.oneof(fc.integer(), fc.constantFrom(-1, 0, 1, 2 ** 53, 1e300, 0.5))
    const key = fc.oneof(
      fc.string({ maxLength: 20 }),
      fc.constantFrom('default/a', 'other/a', '/', '', '../x', '\u0000', '\uffff', 'z'.repeat(5000)),
    )
    const made = fc.tuple(number, key).map(([revision, start]) => formatContinueToken({ revision, after: start }))
    const coded = fc
      .oneof(
        fc.record({
          v: fc.oneof(fc.constant('meta.k8s.io/v1'), oddValue),
          rv: fc.oneof(number, oddValue),
          start: fc.oneof(key, oddValue),
        }),
        oddValue,
      )
      .map((value) => Buffer.from(JSON.stringify(value) ?? '').toString('base64url'))
    const damaged = fc.tuple(made, fc.nat(), fc.string({ maxLength: 2 })).map(([token, at, more]) => {
      const place = at % (token.length + 1)
      return token.slice(0, place) + more + token.slice(place + 1)
    })
    const options = fc.record(
      {
        continueToken: fc.oneof(made, coded, damaged, fc.string({ maxLength: 40 })),
        limit: fc.constantFrom(0, 1, 2, 500, 2 ** 31),
        resourceVersion: fc.constantFrom('', '0', '1', '20', '99999999999', '-1', 'x'),
        resourceVersionMatch: fc.constantFrom('Exact', 'NotOlderThan', 'x'),
        namespace: fc.constantFrom('', 'default', 'other'),
      },
      { requiredKeys: ['continueToken'] },
    )
    const property = fc.asyncProperty(target, options, async ({ object }, given) => {
      await attempt(object, { verb: 'list', options: given as ListOptions }, '')
    })
    await fc.assert(property, runs(0.1))
  })

  test('afterwards nothing is left of it, and memory has not grown', async (t) => {
    await server.settled()
    const grown = heapBytes() - heapBefore
    const { accepted, refused } = counts
    t.diagnostic(
      `${accepted} accepted, ${refused} refused, longest ${Math.round(slowestMs)} ms, grown by ${Math.round(grown / 2 ** 20)} MiB`,
    )
    ok(grown < MOST_GROWTH_BYTES, `${grown} bytes more than before`)
    // A fuzz test whose requests are all refused, or all accepted, tests little.
    ok(accepted > CASES / 20 && refused > CASES / 20, `${accepted} accepted, ${refused} refused`)
    equal((Object.create(Object.prototype) as { polluted?: unknown }).polluted, undefined)
    for (const object of OBJECTS) {
      const response = await attempt(object, { verb: 'get', resourceVersion: '' })
      deepEqual(response?.kind, 'object', object.kind)
    }
  })
})

/** A copy of a patch with another value at a path, whose members are created. Lists become lists with this one item. */
function withPart(root: unknown, [step, ...rest]: Path, value: unknown): unknown {
  if (step === undefined) return value
  if (typeof step === 'number') {
    const items: unknown[] = Array.isArray(root) ? [...root] : []
    const at = Math.min(step, items.length)
    items[at] = withPart(items[at], rest, value)
    return items
  }
  const members = typeof root === 'object' && root !== null && !Array.isArray(root) ? { ...root } : {}
  return { ...members, [step]: withPart((members as Record<string, unknown>)[step], rest, value) }
}

function heapBytes(): number {
  setFlagsFromString('--expose-gc')
  ;(runInNewContext('gc') as () => void)()
  return process.memoryUsage().heapUsed
}
