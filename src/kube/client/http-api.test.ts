import assert from 'node:assert/strict'
import { getEventListeners } from 'node:events'
import { describe, it } from 'node:test'
import type { TestContext } from 'node:test'
import { ApiError, isConflict, isExpired, isForbidden, isNotFound } from '../../api/api-error.ts'
import type { Api, WatchEvent } from '../../api/api.ts'
import { SELF_SUBJECT_ACCESS_REVIEWS } from '../../api/kinds/authorization.ts'
import { CONFIG_MAPS } from '../../api/kinds/config-map.ts'
import { PODS } from '../../api/kinds/pod.ts'
import type { ConfigMap } from '../../api/kinds/config-map.ts'
import { PERSISTENT_VOLUMES } from '../../api/kinds/persistent-volume.ts'
import { SERVICE_ACCOUNTS } from '../../api/kinds/service-account.ts'
import { VOLUME_ATTACHMENTS } from '../../api/kinds/volume-attachment.ts'
import { createAuthority, localServerNames } from '../../apiserver/authentication/certificates.ts'
import { createAdaptiveLimit } from '../../base/adaptive-limit.ts'
import { createSystemClock } from '../../base/clock.ts'
import { createSeededRandom, createSystemRandom } from '../../base/random.ts'
import { createSimulatedClock } from '../../base/simulated-clock.ts'
import type { SimulatedClock } from '../../base/simulated-clock.ts'
import type { Credentials } from './credentials.ts'
import { createHttpApi } from './http-api.ts'
import type { HttpApiParts } from './http-api.ts'
import { openHttpConnection } from './open-http-connection.ts'
import { answerJson, startTestServer } from '../testing/start-test-server.ts'
import type { TestRequest, TestServer } from '../testing/start-test-server.ts'

const systemClock = createSystemClock()
const authority = await createAuthority(createSystemRandom(), systemClock)
const serverPair = await authority.issueServer(localServerNames())

type Opened = { api: Api; server: TestServer; clock: SimulatedClock }

/** An API that waits on a simulated clock, and a server that the test controls. */
async function open(
  t: TestContext,
  handle: (request: TestRequest) => void,
  parts: Partial<HttpApiParts> = {},
): Promise<Opened> {
  const server = await startTestServer({ ...serverPair, handle })
  const tls = { ca: authority.pair.certificatePem, rejectUnauthorized: true }
  const connection = openHttpConnection({ server: server.url, tls: () => Promise.resolve(tls), clock: systemClock })
  t.after(async () => {
    connection.close()
    await server.close()
  })
  const clock = createSimulatedClock()
  const credentials = withTokens(server.url, ['token-1'])
  return {
    api: createHttpApi({
      connection,
      credentials,
      clock,
      random: createSeededRandom(1),
      userAgent: 'holdfast/1',
      ...parts,
    }),
    server,
    clock,
  }
}

/** Provides the next token each time the last one is rejected. */
function withTokens(server: URL, tokens: string[]): Credentials {
  return {
    server,
    namespace: undefined,
    tls: () => Promise.reject(new Error('not asked for')),
    headers: () => Promise.resolve({ authorization: `Bearer ${tokens[0]}` }),
    invalidate: () => tokens.length > 1 && tokens.shift() !== undefined,
  }
}

const configMap = (name: string, more: Partial<ConfigMap> = {}): ConfigMap => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { namespace: 'default', name },
  ...more,
})
const status = (code: number, reason: string, more: object = {}): object => ({
  kind: 'Status',
  apiVersion: 'v1',
  metadata: {},
  status: 'Failure',
  message: `it is ${reason}`,
  reason,
  code,
  ...more,
})

async function collect<T>(events: AsyncIterable<WatchEvent<T>>): Promise<WatchEvent<T>[]> {
  const all: WatchEvent<T>[] = []
  for await (const event of events) all.push(event)
  return all
}

/** Advances the clock whenever the work waits for it, so that no test waits for a retry. */
async function finish<T>(clock: SimulatedClock, work: Promise<T>): Promise<T> {
  const done = { value: false }
  void work.catch(() => {}).then(() => (done.value = true))
  while (!done.value) await clock.advanceToNextTimer()
  return work
}

describe('paths and bodies', () => {
  const ref = { namespace: 'default', name: 'a' }
  const cases: [
    what: string,
    act: (api: Api) => Promise<unknown>,
    request: string,
    body?: unknown,
    contentType?: string,
  ][] = [
    ['get', (api) => api.get(CONFIG_MAPS, ref), 'GET /api/v1/namespaces/default/configmaps/a'],
    [
      'get at a version',
      (api) => api.get(CONFIG_MAPS, ref, { resourceVersion: '0' }),
      'GET /api/v1/namespaces/default/configmaps/a?resourceVersion=0',
    ],
    [
      'get of a sub-resource',
      (api) => api.get(VOLUME_ATTACHMENTS, { name: 'x' }, { subresource: 'status' }),
      'GET /apis/storage.k8s.io/v1/volumeattachments/x/status',
    ],
    [
      'get of an odd name',
      (api) => api.get(PERSISTENT_VOLUMES, { name: 'a b/c' }),
      'GET /api/v1/persistentvolumes/a%20b%2Fc',
    ],
    ['list of everything', (api) => api.list(CONFIG_MAPS), 'GET /api/v1/configmaps'],
    [
      'list with options',
      (api) =>
        api.list(CONFIG_MAPS, {
          namespace: 'default',
          labelSelector: 'a=b,c in (d)',
          fieldSelector: 'metadata.name=x',
          limit: 5,
          continueToken: 't',
          resourceVersion: '7',
          resourceVersionMatch: 'Exact',
        }),
      'GET /api/v1/namespaces/default/configmaps?labelSelector=a%3Db%2Cc+in+%28d%29&fieldSelector=metadata.name%3Dx&resourceVersion=7&resourceVersionMatch=Exact&limit=5&continue=t',
    ],
    [
      'watch',
      (api) =>
        collect(api.watch(VOLUME_ATTACHMENTS, { resourceVersion: '9', allowBookmarks: true, timeoutSeconds: 300 })),
      'GET /apis/storage.k8s.io/v1/volumeattachments?watch=true&resourceVersion=9&allowWatchBookmarks=true&timeoutSeconds=300',
    ],
    [
      'watch with initial events',
      (api) =>
        collect(
          api.watch(CONFIG_MAPS, {
            namespace: 'default',
            sendInitialEvents: true,
            resourceVersionMatch: 'NotOlderThan',
            allowBookmarks: true,
          }),
        ),
      'GET /api/v1/namespaces/default/configmaps?watch=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true&sendInitialEvents=true',
    ],
    [
      'create',
      (api) => api.create(CONFIG_MAPS, configMap('a')),
      'POST /api/v1/namespaces/default/configmaps',
      configMap('a'),
      'application/json',
    ],
    [
      'create with options',
      (api) => api.create(CONFIG_MAPS, configMap('a'), { dryRun: true, fieldManager: 'me', fieldValidation: 'Strict' }),
      'POST /api/v1/namespaces/default/configmaps?dryRun=All&fieldManager=me&fieldValidation=Strict',
      configMap('a'),
    ],
    [
      'update',
      (api) => api.update(CONFIG_MAPS, configMap('a')),
      'PUT /api/v1/namespaces/default/configmaps/a',
      configMap('a'),
      'application/json',
    ],
    [
      'update of the status',
      (api) =>
        api.update(
          VOLUME_ATTACHMENTS,
          { apiVersion: 'storage.k8s.io/v1', kind: 'VolumeAttachment', metadata: { name: 'x' } } as never,
          { subresource: 'status' },
        ),
      'PUT /apis/storage.k8s.io/v1/volumeattachments/x/status',
    ],
    [
      'json patch',
      (api) => api.patch(CONFIG_MAPS, ref, { type: 'json', operations: [{ op: 'remove', path: '/data' }] }),
      'PATCH /api/v1/namespaces/default/configmaps/a',
      [{ op: 'remove', path: '/data' }],
      'application/json-patch+json',
    ],
    [
      'merge patch',
      (api) => api.patch(CONFIG_MAPS, ref, { type: 'merge', value: { data: null } }),
      'PATCH /api/v1/namespaces/default/configmaps/a',
      { data: null },
      'application/merge-patch+json',
    ],
    [
      'strategic patch of the status',
      (api) => api.patch(CONFIG_MAPS, ref, { type: 'strategic', value: {} }, { subresource: 'status', dryRun: true }),
      'PATCH /api/v1/namespaces/default/configmaps/a/status?dryRun=All',
      {},
      'application/strategic-merge-patch+json',
    ],
    [
      'delete',
      (api) => api.delete(CONFIG_MAPS, ref),
      'DELETE /api/v1/namespaces/default/configmaps/a',
      { apiVersion: 'v1', kind: 'DeleteOptions' },
    ],
    [
      'delete with options',
      (api) =>
        api.delete(CONFIG_MAPS, ref, {
          gracePeriodSeconds: 0,
          preconditions: { uid: 'u', resourceVersion: '7' },
          propagationPolicy: 'Foreground',
          dryRun: true,
        }),
      'DELETE /api/v1/namespaces/default/configmaps/a',
      {
        apiVersion: 'v1',
        kind: 'DeleteOptions',
        gracePeriodSeconds: 0,
        preconditions: { uid: 'u', resourceVersion: '7' },
        propagationPolicy: 'Foreground',
        dryRun: ['All'],
      },
    ],
    [
      'delete of many',
      (api) => api.deleteCollection(CONFIG_MAPS, { namespace: 'default', labelSelector: 'a=b' }),
      'DELETE /api/v1/namespaces/default/configmaps?labelSelector=a%3Db',
    ],
    [
      'a token',
      (api) =>
        api.createSubresource(SERVICE_ACCOUNTS, { namespace: 'default', name: 'sa' }, 'token', {
          spec: { audiences: ['x'] },
        }),
      'POST /api/v1/namespaces/default/serviceaccounts/sa/token',
      { spec: { audiences: ['x'] } },
    ],
    [
      'a review',
      (api) => api.review(SELF_SUBJECT_ACCESS_REVIEWS, { spec: {} }),
      'POST /apis/authorization.k8s.io/v1/selfsubjectaccessreviews',
      { spec: {} },
    ],
  ]
  for (const [what, act, request, body, contentType] of cases) {
    it(`are those of the API for ${what}`, async (t) => {
      const { api, server } = await open(t, (asked) =>
        answerJson(asked, 200, { type: 'BOOKMARK', object: { metadata: {} } }),
      )
      await act(api)
      const [seen] = server.requests
      assert.equal(`${seen?.method} ${seen?.path}`, request)
      if (body !== undefined) assert.deepEqual(JSON.parse(seen?.body ?? ''), body)
      if (contentType !== undefined) assert.equal(seen?.headers['content-type'], contentType)
      assert.deepEqual(
        [seen?.headers.accept, seen?.headers['user-agent'], seen?.headers.authorization],
        ['application/json', 'holdfast/1', 'Bearer token-1'],
      )
    })
  }

  it('need a name where one object is meant', async (t) => {
    const { api, server } = await open(t, (asked) => answerJson(asked, 200, {}))
    await assert.rejects(api.delete(CONFIG_MAPS, { namespace: 'default', name: '' }), { reason: 'BadRequest' })
    assert.equal(server.requests.length, 0)
  })
})

describe('answers', () => {
  it('are frozen to the bottom', async (t) => {
    const { api } = await open(t, (asked) => answerJson(asked, 200, configMap('a', { data: { key: 'value' } })))
    const object = await api.get(CONFIG_MAPS, { namespace: 'default', name: 'a' })
    for (const part of [object, object.metadata, object.data]) assert.ok(Object.isFrozen(part))
  })

  it('of a list say what each item is, which the server may leave out', async (t) => {
    const { apiVersion: _version, kind: _kind, ...item } = configMap('a')
    const list = {
      kind: 'ConfigMapList',
      apiVersion: 'v1',
      metadata: { resourceVersion: '9', continue: 'next', remainingItemCount: 3 },
      items: [item],
    }
    const { api } = await open(t, (asked) => answerJson(asked, 200, list))
    const listed = await api.list(CONFIG_MAPS)
    assert.deepEqual(listed, {
      items: [configMap('a')],
      resourceVersion: '9',
      continueToken: 'next',
      remainingItemCount: 3,
    })
    assert.ok(Object.isFrozen(listed.items[0]))
  })

  it('of an empty list may have null for items', async (t) => {
    const { api } = await open(t, (asked) =>
      answerJson(asked, 200, { metadata: { resourceVersion: '9' }, items: null }),
    )
    assert.deepEqual(await api.list(CONFIG_MAPS), { items: [], resourceVersion: '9' })
  })

  it('that are a Status become errors with reason, code, message and details', async (t) => {
    const details = {
      name: 'a',
      kind: 'configmaps',
      causes: [{ reason: 'FieldValueInvalid', message: 'no', field: 'data' }],
    }
    const { api } = await open(t, (asked) => answerJson(asked, 422, status(422, 'Invalid', { details })))
    await assert.rejects(api.get(CONFIG_MAPS, { namespace: 'default', name: 'a' }), (error: unknown) => {
      assert.ok(error instanceof ApiError)
      assert.deepEqual(
        [error.reason, error.code, error.message, error.details],
        ['Invalid', 422, 'it is Invalid', details],
      )
      return true
    })
  })

  it('are told apart by reason, and by code where there is none', async (t) => {
    const answers: [code: number, body: object][] = [
      [404, status(404, 'NotFound')],
      [409, status(409, 'Conflict')],
      [403, { kind: 'Status', status: 'Failure' }],
      [410, { kind: 'Status', status: 'Failure' }],
    ]
    const { api } = await open(t, (asked) => answerJson(asked, ...(answers.shift() ?? [200, {}])))
    for (const isIt of [isNotFound, isConflict, isForbidden, isExpired])
      await assert.rejects(api.list(CONFIG_MAPS), isIt)
  })

  it('of somebody in between, which are no JSON, become errors that show the beginning', async (t) => {
    const { api } = await open(t, ({ stream }) => {
      stream.respond({ ':status': 502, 'content-type': 'text/html' })
      stream.end(`<html>bad gateway${'x'.repeat(1000)}</html>`)
    })
    await assert.rejects(api.list(CONFIG_MAPS), (error: unknown) => {
      assert.ok(error instanceof ApiError)
      assert.deepEqual([error.reason, error.code], ['InternalError', 502])
      assert.match(error.message, /^GET \/api\/v1\/configmaps: HTTP 502: <html>bad gateway/)
      assert.ok(error.message.length < 300)
      return true
    })
  })

  it('that are no JSON where an object should be become errors', async (t) => {
    const { api } = await open(t, ({ stream }) => {
      stream.respond({ ':status': 200 })
      stream.end('<html>')
    })
    await assert.rejects(api.list(CONFIG_MAPS), { reason: 'InternalError', message: /the answer is not JSON/ })
  })

  it('that do not come, or only in part, become errors with code 0', async (t) => {
    const { api, server } = await open(t, ({ path, stream, session }) => {
      if (path.endsWith('/half')) {
        stream.respond({ ':status': 200 })
        stream.write('{"kind":')
      }
      setImmediate(() => session.destroy())
    })
    for (const name of ['none', 'half']) {
      await assert.rejects(api.get(PERSISTENT_VOLUMES, { name }), (error: unknown) => {
        assert.ok(error instanceof ApiError)
        assert.deepEqual([error.code, error.reason], [0, 'ServiceUnavailable'])
        assert.match(error.message, new RegExp(`GET /api/v1/persistentvolumes/${name}: no answer: `))
        return true
      })
    }
    await server.close()
    await assert.rejects(api.get(PERSISTENT_VOLUMES, { name: 'gone' }), { code: 0, message: /ECONNREFUSED/ })
  })
})

describe('requests that are turned away', () => {
  it('are sent again when the server says when, with jitter, also if they write', async (t) => {
    const times: number[] = []
    const { api, server, clock } = await open(t, (asked) => {
      times.push(clock.monotonicMs())
      if (times.length === 1) answerJson(asked, 429, status(429, 'TooManyRequests'), { 'retry-after': '2' })
      else if (times.length === 2) answerJson(asked, 503, {}, { 'retry-after': '2' })
      else answerJson(asked, 201, configMap('a'))
    })
    await finish(clock, api.create(CONFIG_MAPS, configMap('a')))
    assert.equal(server.requests.length, 3)
    const gaps = [(times[1] ?? 0) - (times[0] ?? 0), (times[2] ?? 0) - (times[1] ?? 0)]
    assert.ok(gaps.every((gap) => gap >= 2000 && gap <= 3000) && gaps[0] !== gaps[1], gaps.join())
  })

  it('are sent again after what the body asks for, or a second, when the header is missing', async (t) => {
    for (const [details, shortest] of [
      [{ details: { retryAfterSeconds: 5 } }, 5000],
      [{}, 1000],
    ] as const) {
      let tries = 0
      const { api, clock } = await open(t, (asked) =>
        tries++ === 0
          ? answerJson(asked, 429, status(429, 'TooManyRequests', details))
          : answerJson(asked, 200, { items: [] }),
      )
      await finish(clock, api.list(CONFIG_MAPS))
      assert.ok(clock.monotonicMs() >= shortest && clock.monotonicMs() <= shortest * 1.5, `${clock.monotonicMs()}`)
    }
  })

  it('fail in the end, and at once where waiting is too long or the server does not say', async (t) => {
    const answers: { code: number; headers: Record<string, string> }[] = []
    const { api, server, clock } = await open(t, (asked) =>
      answerJson(asked, answers[0]?.code ?? 429, {}, answers.shift()?.headers ?? { 'retry-after': '1' }),
    )
    await assert.rejects(finish(clock, api.list(CONFIG_MAPS)), { reason: 'TooManyRequests', code: 429 })
    assert.equal(server.requests.length, 10)
    answers.push({ code: 500, headers: {} }, { code: 503, headers: { 'retry-after': '3600' } })
    await assert.rejects(api.list(CONFIG_MAPS), { code: 500 })
    await assert.rejects(api.list(CONFIG_MAPS), { code: 503, retryAfterMs: 3_600_000 })
    assert.equal(server.requests.length, 12)
  })

  it('are not sent again once they were given up, and leave no timer', async (t) => {
    const controller = new AbortController()
    const { api, clock } = await open(t, (asked) => answerJson(asked, 429, {}, { 'retry-after': '30' }))
    const sent = assert.rejects(api.list(CONFIG_MAPS, { signal: controller.signal }), /no patience/)
    while (clock.pendingTimers() === 0) await new Promise((resolve) => setImmediate(resolve))
    controller.abort(new Error('no patience'))
    await sent
    assert.equal(clock.pendingTimers(), 0)
    assert.equal(getEventListeners(controller.signal, 'abort').length, 0)
  })

  it('wait for their turn where there is a limit', async (t) => {
    const turns: (() => void)[] = []
    const { api, server } = await open(t, (asked) => answerJson(asked, 200, { items: [] }), {
      limit: () => new Promise((resolve) => void turns.push(resolve)),
    })
    const listed = api.list(CONFIG_MAPS)
    assert.deepEqual([server.requests.length, turns.length], [0, 1])
    turns.shift()?.()
    await listed
    assert.equal(server.requests.length, 1)
  })
})

describe('who is asking', () => {
  const answerTo = (good: string) => (asked: TestRequest) =>
    asked.headers.authorization === `Bearer ${good}`
      ? answerJson(asked, 200, { items: [] })
      : answerJson(asked, 401, status(401, 'Unauthorized'))

  it('is proved again with a fresh token when the first was refused', async (t) => {
    const { api, server } = await open(t, answerTo('new'), {
      credentials: withTokens(new URL('https://x'), ['old', 'new', 'unused']),
    })
    await api.list(CONFIG_MAPS)
    assert.deepEqual(
      server.requests.map(({ headers }) => headers.authorization),
      ['Bearer old', 'Bearer new'],
    )
  })

  it('is proved again once, and not when there is nothing fresh', async (t) => {
    const many = await open(t, answerTo('good'), {
      credentials: withTokens(new URL('https://x'), ['1', '2', '3', '4']),
    })
    await assert.rejects(many.api.list(CONFIG_MAPS), { reason: 'Unauthorized' })
    assert.equal(many.server.requests.length, 2)
    const fixed = await open(t, answerTo('good'), { credentials: withTokens(new URL('https://x'), ['1']) })
    await assert.rejects(fixed.api.list(CONFIG_MAPS), { reason: 'Unauthorized' })
    assert.equal(fixed.server.requests.length, 1)
  })

  it('can fail to be found out, which is no answer', async (t) => {
    const credentials: Credentials = {
      ...withTokens(new URL('https://x'), ['1']),
      headers: () => Promise.reject(new Error('credential plugin failed')),
    }
    const { api, server } = await open(t, answerTo('1'), { credentials })
    await assert.rejects(api.list(CONFIG_MAPS), { code: 0, message: /credential plugin failed/ })
    assert.equal(server.requests.length, 0)
  })
})

describe('a watch', () => {
  const line = (type: string, object: object): string => `${JSON.stringify({ type, object })}\n`
  const versioned = (name: string, resourceVersion: string, data: Record<string, string> = {}): ConfigMap =>
    configMap(name, { metadata: { namespace: 'default', name, resourceVersion }, data })

  it('gives events as they come, however the stream is cut, in the middle of a character too', async (t) => {
    const bytes = Buffer.from(
      line('ADDED', versioned('a', '1', { text: 'é漢😀' })) +
        line('MODIFIED', versioned('a', '2')) +
        line('DELETED', versioned('a', '3')),
    )
    const { api } = await open(t, ({ stream }) => {
      stream.respond({ ':status': 200 })
      const writeFrom = (index: number): void => {
        if (index >= bytes.length) return void stream.end()
        stream.write(bytes.subarray(index, index + 3), () => writeFrom(index + 3))
      }
      writeFrom(0)
    })
    const events = await collect(api.watch(CONFIG_MAPS))
    assert.deepEqual(events, [
      { type: 'ADDED', object: versioned('a', '1', { text: 'é漢😀' }) },
      { type: 'MODIFIED', object: versioned('a', '2') },
      { type: 'DELETED', object: versioned('a', '3') },
    ])
    for (const event of events) assert.ok(event.type !== 'BOOKMARK' && Object.isFrozen(event.object.metadata))
  })

  it('does not wait for the end of the stream, and can be left early', async (t) => {
    const left = Promise.withResolvers<void>()
    const { api } = await open(t, ({ stream }) => {
      stream.on('close', left.resolve)
      stream.respond({ ':status': 200 })
      stream.write(line('ADDED', versioned('a', '1')))
    })
    for await (const event of api.watch(CONFIG_MAPS)) {
      assert.equal(event.type, 'ADDED')
      break
    }
    await left.promise
  })

  it('knows bookmarks, and the one that ends the initial events', async (t) => {
    const { api } = await open(t, ({ stream }) => {
      stream.respond({ ':status': 200 })
      stream.write(
        line('BOOKMARK', {
          kind: 'ConfigMap',
          metadata: { resourceVersion: '5', annotations: { 'k8s.io/initial-events-end': 'true' } },
        }),
      )
      stream.end(line('BOOKMARK', { kind: 'ConfigMap', metadata: { resourceVersion: '9' } }))
    })
    assert.deepEqual(await collect(api.watch(CONFIG_MAPS)), [
      { type: 'BOOKMARK', resourceVersion: '5', initialEventsEnd: true },
      { type: 'BOOKMARK', resourceVersion: '9', initialEventsEnd: false },
    ])
  })

  it('throws what the server says, before the stream and in it', async (t) => {
    const { api } = await open(t, (asked) => {
      if (asked.path.includes('resourceVersion=1')) return answerJson(asked, 410, status(410, 'Expired'))
      asked.stream.respond({ ':status': 200 })
      asked.stream.end(line('ERROR', status(410, 'Expired')))
    })
    await assert.rejects(collect(api.watch(CONFIG_MAPS, { resourceVersion: '1' })), isExpired)
    await assert.rejects(collect(api.watch(CONFIG_MAPS, { resourceVersion: '2' })), isExpired)
  })

  it('throws on what it does not understand', async (t) => {
    const texts: [text: string, message: RegExp][] = [
      ['{"type":"ADDED","obj\n', /the answer is not JSON/],
      ['garbage', /the answer is not JSON/],
      ['{"type":"ADDED"}\n', /an event without an object/],
      ['{"type":"MOVED","object":{"metadata":{}}}\n', /unknown type "MOVED"/],
    ]
    for (const [text, message] of texts) {
      const { api } = await open(t, ({ stream }) => {
        stream.respond({ ':status': 200 })
        stream.end(line('ADDED', versioned('a', '1')) + text)
      })
      const events = api.watch(CONFIG_MAPS)[Symbol.asyncIterator]()
      assert.equal((await events.next()).value?.type, 'ADDED')
      await assert.rejects(events.next(), message)
    }
  })

  it('throws with code 0 when the connection is lost, and does not take that for the end', async (t) => {
    const { api } = await open(t, ({ stream, session }) => {
      stream.respond({ ':status': 200 })
      stream.write(line('ADDED', versioned('a', '1')), () => setImmediate(() => session.destroy()))
    })
    const events = api.watch(CONFIG_MAPS)[Symbol.asyncIterator]()
    assert.equal((await events.next()).value?.type, 'ADDED')
    await assert.rejects(events.next(), { code: 0, message: /middle of the answer/ })
  })

  it('throws the reason of its signal, cancels the stream on the server and leaves nothing behind', async (t) => {
    const cancelled = Promise.withResolvers<void>()
    const { api } = await open(t, ({ stream }) => {
      stream.on('close', cancelled.resolve)
      stream.respond({ ':status': 200 })
      stream.write(line('ADDED', versioned('a', '1')))
    })
    const controller = new AbortController()
    const events = api.watch(CONFIG_MAPS, { signal: controller.signal })[Symbol.asyncIterator]()
    await events.next()
    const rejected = assert.rejects(events.next(), /enough/)
    controller.abort(new Error('enough'))
    await rejected
    await cancelled.promise
    assert.equal(getEventListeners(controller.signal, 'abort').length, 0)
    await assert.rejects(collect(api.watch(CONFIG_MAPS, { signal: controller.signal })), /enough/)
  })
})

describe('requests under way at once', () => {
  const rules = { start: 4, floor: 1, ceiling: 4, restMs: 5000 }

  it('are limited, except lists, and events come last', async (t) => {
    const held: TestRequest[] = []
    const arrived: (() => void)[] = []
    const turns = createAdaptiveLimit(systemClock, rules)
    const { api } = await open(
      t,
      (asked) => {
        if (asked.method === 'GET') return answerJson(asked, 200, { items: [] })
        held.push(asked)
        arrived.shift()?.()
      },
      { turns },
    )
    const untilNext = (): Promise<void> => new Promise((resolve) => void arrived.push(resolve))
    const names = (): string[] => held.map(({ body }) => (JSON.parse(body) as ConfigMap).metadata.name ?? '')
    const create = (name: string, urgency?: 'last'): Promise<unknown> =>
      api.create(CONFIG_MAPS, configMap(name), urgency ? { urgency } : {})
    const four = Promise.all([untilNext(), untilNext(), untilNext(), untilNext()])
    const all = ['a', 'b', 'c', 'd'].map((name) => create(name))
    await four
    all.push(create('event', 'last'), create('e'))
    await api.list(CONFIG_MAPS)
    assert.equal(held.length, 4)
    const answerOldest = (count: number): void => {
      for (const asked of held.splice(0, count)) answerJson(asked, 201, configMap('a'))
    }
    const e = untilNext()
    answerOldest(1)
    await e
    assert.deepEqual(names(), ['b', 'c', 'd', 'e'])
    // Not before the others are nearly done.
    const event = untilNext()
    answerOldest(3)
    await event
    assert.deepEqual(names(), ['e', 'event'])
    for (const asked of held) answerJson(asked, 201, configMap('a'))
    await Promise.all(all)
  })

  it('include subresources, in the order of their urgency', async (t) => {
    const asked: TestRequest[] = []
    const arrived: (() => void)[] = []
    const turns = createAdaptiveLimit(systemClock, { ...rules, start: 1, ceiling: 1 })
    const onRequest = (request: TestRequest): void => {
      asked.push(request)
      arrived.shift()?.()
    }
    const { api } = await open(t, onRequest, { turns })
    const untilNext = (): Promise<void> => new Promise((resolve) => void arrived.push(resolve))
    const bind = (name: string, urgency: 'first' | 'now'): Promise<unknown> =>
      api.createSubresource(PODS, { namespace: 'default', name }, 'binding', {}, { urgency })
    const first = untilNext()
    const all = [bind('a', 'first'), bind('b', 'first'), bind('c', 'now')]
    for (let next = first, left = all.length; left > 0; left--) {
      await next
      const answered = asked.at(-1)
      next = untilNext()
      if (answered) answerJson(answered, 201, {})
    }
    await Promise.all(all)
    assert.deepEqual(
      asked.map(({ path }) => path.split('/').at(-2)),
      ['a', 'c', 'b'],
    )
  })

  it('become fewer when the server asks for patience', async (t) => {
    let refusals = 2
    const turns = createAdaptiveLimit(systemClock, rules)
    const { api, clock } = await open(
      t,
      (asked) =>
        refusals-- > 0
          ? answerJson(asked, 429, status(429, 'TooManyRequests'), { 'retry-after': '1' })
          : answerJson(asked, 201, configMap('a')),
      { turns },
    )
    await finish(clock, api.create(CONFIG_MAPS, configMap('a')))
    assert.equal(turns.limit(), 2)
  })
})
