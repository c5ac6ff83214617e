import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect as connectHttp2 } from 'node:http2'
import { connect as netConnect } from 'node:net'
import type { Socket } from 'node:net'
import { describe, test } from 'node:test'
import { connect as tlsConnect } from 'node:tls'
import { ApiError } from '../../api/api-error.ts'
import { CONFIG_MAP, GADGET, storedUnderTest } from './testing/door-under-test.ts'
import {
  createPki,
  describeTransports,
  linesOf,
  openBench,
  readAll,
  until,
  VERSION,
} from './testing/describe-http-server.ts'
import type { Bench } from './testing/describe-http-server.ts'

const pki = await createPki()
const PATH = '/api/v1/namespaces/default/configmaps'
const stored = storedUnderTest(CONFIG_MAP, 'a', 7, { data: { x: 'ä€' } })
const putObject = ({ door }: Bench, object = stored): void =>
  void door.objects.set(`${CONFIG_MAP.storage}/default/${object.object.metadata.name}`, object)
const lastOf = <T>(list: readonly T[]): T => list.at(-1) ?? assert.fail('there is none')
// Not `once`, which fails if the connection does.
const closeOf = (socket: Socket): Promise<void> =>
  new Promise((resolve) => void socket.resume().once('close', () => resolve()))

describeTransports(pki, (open) => {
  test('gives an object with a true type and length', async () => {
    const bench = await open()
    putObject(bench)
    const { status, headers, text } = await bench.ask(`${PATH}/a`)
    assert.equal(status, 200)
    assert.equal(text, `${stored.json}\n`)
    assert.equal(headers['content-type'], 'application/json')
    assert.equal(headers['content-length'], String(Buffer.byteLength(text)))
    assert.equal(headers['cache-control'], 'no-cache, private')
    assert.match(String(headers['audit-id']), /^[0-9a-f-]{36}$/)
    const { verb, kind, namespace, name, subresource, source } = lastOf(bench.door.requests)
    assert.deepEqual([verb, kind, namespace, name, subresource], ['get', CONFIG_MAP, 'default', 'a', ''])
    assert.equal(source.requestUri, `${PATH}/a`)
    assert.match(source.sourceIps.join(), /127\.0\.0\.1$/)
  })

  test('gives every answer an id of its own', async () => {
    const bench = await open()
    const ids = await Promise.all(
      Array.from({ length: 20 }, async () => (await bench.ask('/version')).headers['audit-id']),
    )
    assert.equal(new Set(ids).size, 20)
  })

  test('answers HEAD like GET, without the body', async () => {
    const bench = await open()
    putObject(bench)
    const { status, headers, text } = await bench.ask(`${PATH}/a`, { method: 'HEAD' })
    assert.deepEqual([status, text, headers['content-length']], [200, '', String(Buffer.byteLength(stored.json) + 1)])
  })

  test('tells errors as a Status with code, reason and details', async () => {
    const bench = await open()
    const { status, headers, text } = await bench.ask(`${PATH}/missing`)
    assert.deepEqual([status, headers['content-type']], [404, 'application/json'])
    assert.deepEqual(JSON.parse(text), {
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message: 'configmaps "missing" not found',
      reason: 'NotFound',
      details: { name: 'missing', kind: 'configmaps' },
      code: 404,
    })
  })

  test('says when to try again', async () => {
    const bench = await open()
    bench.door.answer = () => {
      throw new ApiError('TooManyRequests', 'later', { details: { retryAfterSeconds: 3 } })
    }
    const { status, headers } = await bench.ask(`${PATH}/a`)
    assert.deepEqual([status, headers['retry-after']], [429, '3'])
  })

  test('survives a core that fails in its own way, and says nothing of it', async () => {
    const bench = await open()
    bench.door.answer = () => {
      throw new TypeError('secret detail')
    }
    const { status, text } = await bench.ask(`${PATH}/a`)
    assert.equal(status, 500)
    assert.equal((JSON.parse(text) as { reason: string }).reason, 'InternalError')
    assert.doesNotMatch(text, /secret/)
    bench.door.answer = undefined
    assert.equal((await bench.ask('/version')).status, 200)
  })

  test('answers 404 with a Status to paths that lead nowhere', async () => {
    const bench = await open()
    for (const path of [
      '/nothing',
      '/apis/nothing/v1/things',
      '/apis/snapshot.storage.k8s.io/v1',
      '/api/v1/nothing',
      '/api/v1/configmaps/a',
      '/apis/storage.k8s.io/v1/namespaces/x/storageclasses',
      `${PATH}/a/b/c`,
    ]) {
      const { status, text } = await bench.ask(path)
      assert.equal(status, 404, path)
      const { message, details } = JSON.parse(text) as { message: string; details: object }
      assert.equal(message, 'the server could not find the requested resource')
      assert.deepEqual(details, {}, 'kubectl debug ends with a panic when there are none')
    }
  })

  test('reads an apply with its parameters', async () => {
    const bench = await open()
    const apply = { method: 'PATCH', headers: { 'content-type': 'application/apply-patch+yaml' }, body: 'a: 1' }
    await bench.ask(`${PATH}/a?fieldManager=kubectl&force=true`, apply)
    const [request] = bench.door.requests
    assert.ok(request?.verb === 'patch')
    assert.deepEqual(request.patch, { type: 'apply', value: { a: 1 }, force: true })
    assert.equal(request.options.fieldManager, 'kubectl')
    const merge = { ...apply, headers: { 'content-type': 'application/merge-patch+json' }, body: '{}' }
    assert.equal((await bench.ask(`${PATH}/a?force=true`, merge)).status, 422)
  })

  test('answers 405 to methods that a path does not have', async () => {
    const bench = await open()
    const requests: [string, string][] = [
      ['POST', '/api/v1/configmaps'],
      ['DELETE', '/api/v1/configmaps'],
      ['POST', `${PATH}/a`],
      ['PUT', PATH],
      ['PATCH', PATH],
      ['OPTIONS', PATH],
      ['POST', '/version'],
    ]
    for (const [method, path] of requests)
      assert.equal((await bench.ask(path, { method, body: '{}' })).status, 405, `${method} ${path}`)
    assert.equal(bench.door.requests.length, 0)
  })

  test('refuses paths that can be read in two ways', async () => {
    const bench = await open()
    for (const path of [
      '/api/v1/namespaces/%2e%2e/configmaps',
      '/api/v1/namespaces/a%2Fb/configmaps',
      '/api/%zz',
      '/api//v1',
    ])
      assert.equal((await bench.ask(path)).status, 400, path)
    assert.equal(bench.door.requests.length, 0)
  })

  test('refuses bad credentials everywhere with 401', async () => {
    const bench = await open()
    for (const path of [`${PATH}/a`, '/healthz', '/api', '/nothing']) {
      const { status, text } = await bench.ask(path, { headers: { authorization: 'Bearer bad' } })
      assert.deepEqual([status, (JSON.parse(text) as { reason: string }).reason], [401, 'Unauthorized'], path)
    }
    assert.equal(bench.door.requests.length, 0)
  })

  test('asks whether a path that is no resource may be read', async () => {
    const bench = await open()
    const { status, text } = await bench.ask('/version', { headers: { authorization: 'Bearer nobody' } })
    assert.deepEqual(
      [status, (JSON.parse(text) as { message: string }).message],
      [403, 'forbidden: User "nobody" cannot get path "/version"'],
    )
  })

  test('hands on who asks and whom they want to be', async () => {
    const bench = await open()
    await bench.ask(`${PATH}/a`, {
      headers: {
        authorization: 'Bearer me',
        'impersonate-user': 'you',
        'impersonate-group': ['a', 'b'],
        'user-agent': 'test/1',
      },
    })
    assert.deepEqual(lastOf(bench.credentials), {
      bearerToken: 'me',
      impersonation: { user: 'you', groups: ['a', 'b'], extra: {} },
    })
    assert.deepEqual(
      [lastOf(bench.door.requests).user.name, lastOf(bench.door.requests).source.userAgent],
      ['me', 'test/1'],
    )
  })

  test('creates from JSON with 201 and passes the options on', async () => {
    const bench = await open()
    const { status } = await bench.ask(`${PATH}?dryRun=All&fieldValidation=Strict&fieldManager=me`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"data":{"x":"1"},"data":{"x":"2"}}',
    })
    assert.equal(status, 201)
    const request = lastOf(bench.door.requests)
    assert.ok(request.verb === 'create')
    assert.deepEqual(request.body, { data: { x: '2' } })
    assert.deepEqual(request.options, {
      dryRun: true,
      fieldValidation: 'Strict',
      fieldManager: 'me',
      duplicateFields: ['data'],
    })
  })

  test('creates from YAML, and answers in it', async () => {
    const bench = await open()
    const { status, headers, text } = await bench.ask(PATH, {
      method: 'POST',
      headers: { 'content-type': 'application/yaml', accept: 'application/yaml' },
      body: 'data:\n  x: "1"\n',
    })
    assert.deepEqual([status, headers['content-type']], [201, 'application/yaml'])
    assert.match(text, /^data:\n {2}x: "1"$/m)
    const missing = await bench.ask(`${PATH}/missing`, { headers: { accept: 'application/yaml' } })
    assert.deepEqual([missing.status, missing.headers['content-type']], [404, 'application/yaml'])
    assert.match(missing.text, /^reason: NotFound$/m)
  })

  test('puts a patch before the core in its own type', async () => {
    const bench = await open()
    putObject(bench)
    await bench.ask(`${PATH}/a`, {
      method: 'PATCH',
      headers: { 'content-type': 'application/merge-patch+json' },
      body: '{"data":null}',
    })
    const request = lastOf(bench.door.requests)
    assert.deepEqual(request.verb === 'patch' && request.patch, { type: 'merge', value: { data: null } })
    const strategic = {
      method: 'PATCH',
      headers: { 'content-type': 'application/strategic-merge-patch+json' },
      body: '{}',
    }
    assert.equal((await bench.ask(`${PATH}/a`, strategic)).status, 200)
    assert.equal((await bench.ask('/apis/example.com/v1/namespaces/default/gadgets/g', strategic)).status, 415)
  })

  test('refuses bodies that it can not read with 415, and with 400 those that make no sense', async () => {
    const bench = await open()
    const post = async (contentType: string, body: string): Promise<number> =>
      (await bench.ask(PATH, { method: 'POST', headers: { 'content-type': contentType }, body })).status
    assert.equal(await post('application/vnd.kubernetes.protobuf', 'k8s\0'), 400)
    assert.equal(await post('text/plain', 'x'), 415)
    assert.equal(await post('application/json', '{'), 400)
    assert.equal(await post('application/json', ''), 400)
    assert.equal(
      (
        await bench.ask(`${PATH}/a`, {
          method: 'PATCH',
          headers: { 'content-type': 'application/apply-patch+cbor' },
          body: '{}',
        })
      ).status,
      415,
    )
    assert.equal(bench.door.requests.length, 0)
  })

  test('takes bodies up to 3 MiB and refuses larger ones with 413', async () => {
    const bench = await open()
    const bodyOf = (length: number): string => `{"data":{"x":"${'y'.repeat(length - '{"data":{"x":""}}'.length)}"}}`
    const limit = 3 * 1024 * 1024
    assert.equal((await bench.ask(PATH, { method: 'POST', body: bodyOf(limit) })).status, 201)
    const { status, text } = await bench.ask(PATH, { method: 'POST', body: bodyOf(limit + 1) })
    assert.deepEqual([status, (JSON.parse(text) as { reason: string }).reason], [413, 'RequestEntityTooLarge'])
    assert.equal(
      (
        await bench.ask(PATH, {
          method: 'POST',
          headers: { 'content-length': String(limit + 1) },
          body: bodyOf(limit + 1),
        })
      ).status,
      413,
    )
    assert.equal((await bench.ask('/version')).status, 200)
  })

  test('deletes with options from the body, from the query, or without', async () => {
    const bench = await open()
    putObject(bench)
    const optionsOf = async (query: string, body?: string): Promise<unknown> => {
      assert.equal(
        (await bench.ask(`${PATH}/a${query}`, { method: 'DELETE', ...(body !== undefined && { body }) })).status,
        200,
      )
      const request = lastOf(bench.door.requests)
      return request.verb === 'delete' && request.options
    }
    assert.deepEqual(await optionsOf(''), {})
    assert.deepEqual(await optionsOf('', '{"propagationPolicy":"Background"}'), { propagationPolicy: 'Background' })
    assert.deepEqual(await optionsOf('?gracePeriodSeconds=0'), { gracePeriodSeconds: 0 })
    assert.equal((await bench.ask(`${PATH}?labelSelector=a`, { method: 'DELETE' })).status, 200)
    const collection = lastOf(bench.door.requests)
    assert.deepEqual(collection.verb === 'deletecollection' && collection.options, { labelSelector: 'a' })
  })

  test('warns in headers', async () => {
    const bench = await open()
    bench.door.answer = () => ({ kind: 'object', code: 200, stored, warnings: ['unknown field "spec.x"', 'größer'] })
    const { headers } = await bench.ask(`${PATH}/a`)
    const text = Buffer.from([headers['warning']].flat().join(', '), 'latin1').toString()
    assert.equal(text, '299 - "unknown field \\"spec.x\\"", 299 - "größer"')
  })

  test('gives lists, tables and metadata as they are asked for', async () => {
    const bench = await open()
    putObject(bench)
    const kindOf = async (accept: string, query = ''): Promise<unknown> =>
      (await bench.json(`${PATH}${query}`, { headers: { accept } }))['kind']
    assert.equal(await kindOf('application/vnd.kubernetes.protobuf,application/json'), 'ConfigMapList')
    assert.equal(await kindOf('application/json;as=Table;v=v1;g=meta.k8s.io,application/json'), 'Table')
    assert.equal(
      await kindOf('application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io'),
      'PartialObjectMetadataList',
    )
    assert.equal((await bench.ask(PATH, { headers: { accept: 'application/xml' } })).status, 406)
    assert.match((await bench.ask(`${PATH}?pretty=true`)).text, /^\{\n {2}"kind": "ConfigMapList",/)
    assert.equal((await bench.ask(`${PATH}?sendInitialEvents=true`)).status, 422)
    assert.equal((await bench.ask(`${PATH}?limit=x`)).status, 400)
  })

  test('sends a list of many megabytes whole', async () => {
    const bench = await open()
    for (let index = 0; index < 400; index++)
      putObject(bench, storedUnderTest(CONFIG_MAP, `n${index}`, index + 1, { data: { x: 'ä'.repeat(20_000) } }))
    const { headers, text } = await bench.ask(PATH)
    assert.equal(headers['content-length'], undefined, 'its length is not known before its end')
    assert.equal((JSON.parse(text) as { items: unknown[] }).items.length, 400)
  })

  test('asks the core for a name that a selector demands', async () => {
    const bench = await open()
    await bench.ask(`${PATH}?fieldSelector=metadata.name%3Da`)
    assert.equal(lastOf(bench.door.requests).name, 'a')
  })

  test('counts rights in a namespace for the namespace itself', async () => {
    const bench = await open()
    await bench.ask('/api/v1/namespaces/x')
    assert.deepEqual([lastOf(bench.door.requests).namespace, lastOf(bench.door.requests).name], ['x', 'x'])
    await bench.ask('/api/v1/namespaces')
    assert.equal(lastOf(bench.door.requests).namespace, '')
  })

  test('refuses streams into containers clearly, whatever comes with them', async () => {
    const bench = await open()
    const pod = '/api/v1/namespaces/default/pods/p'
    for (const [method, path] of [
      ['GET', `${pod}/log`],
      ['GET', `${pod}/exec?command=ls`],
      ['POST', `${pod}/exec?command=ls`],
      ['POST', `${pod}/attach`],
      ['POST', `${pod}/portforward`],
    ] as const) {
      const { status, text } = await bench.ask(path, { method })
      assert.equal(status, 405, path)
      assert.match(
        (JSON.parse(text) as { message: string }).message,
        /^pods\/\w+ is not served: this server runs no containers$/,
      )
    }
  })

  describe('a watch', () => {
    test('answers at once, then with one line for each event, and ends cleanly', async () => {
      const bench = await open()
      const { status, headers, body } = await bench.open(`${PATH}?watch=true&allowWatchBookmarks=true`)
      assert.deepEqual(
        [status, headers['content-type'], headers['content-length']],
        [200, 'application/json', undefined],
      )
      const [stream = assert.fail()] = bench.door.streams
      const next = linesOf(body)
      stream.push({ type: 'ADDED', stored })
      assert.equal(await next(), `{"type":"ADDED","object":${stored.json}}`)
      stream.push({ type: 'BOOKMARK', revision: 9, initialEventsEnd: true }, { type: 'DELETED', stored })
      assert.match((await next()) ?? '', /"k8s.io\/initial-events-end":"true"/)
      assert.match((await next()) ?? '', /^\{"type":"DELETED"/)
      stream.end()
      assert.equal(await next(), undefined)
      const request = lastOf(bench.door.requests)
      assert.ok(request.verb === 'watch')
      assert.equal(request.options.allowBookmarks, true)
    })

    test('ends cleanly after an error event', async () => {
      const bench = await open()
      const { body } = await bench.open(`${PATH}?watch=1&resourceVersion=1`)
      const [stream = assert.fail()] = bench.door.streams
      stream.push({ type: 'ERROR', error: new ApiError('Expired', 'too old resource version: 1 (9)') })
      stream.end()
      const next = linesOf(body)
      assert.deepEqual((JSON.parse((await next()) ?? '') as { object: { code: number } }).object.code, 410)
      assert.equal(await next(), undefined)
    })

    test('is let go when the client goes', async () => {
      const bench = await open()
      const opened = await bench.open(`${PATH}?watch=1`)
      const request = lastOf(bench.door.requests)
      opened.body.on('error', () => {})
      opened.abort()
      await until(() => bench.door.streams[0]?.isClosed ?? false)
      assert.ok(request.verb === 'watch' && request.options.signal?.aborted)
    })

    test('that begins while the server closes is ended', async () => {
      const bench = await open()
      const { promise: released, resolve: release } = Promise.withResolvers<void>()
      const perform = bench.door.execute
      bench.door.execute = async (asked, read) => {
        const performed = await perform(asked, read)
        await released
        return performed
      }
      const opening = bench.open(`${PATH}?watch=1`)
      await until(() => bench.door.streams.length === 1)
      const closed = bench.server.close()
      release()
      assert.equal(await readAll((await opening).body), '')
      await closed
      assert.ok(bench.door.streams[0]?.isClosed)
    })

    test('does not run ahead of a client that reads slowly', async () => {
      const bench = await open()
      const { body, abort } = await bench.open(`${PATH}?watch=1`)
      const [stream = assert.fail()] = bench.door.streams
      const big = storedUnderTest(CONFIG_MAP, 'big', 8, { data: 'x'.repeat(1024 * 1024) })
      for (let count = 0; count < 64; count++) {
        stream.push({ type: 'MODIFIED', stored: big })
        await new Promise((resolve) => setImmediate(resolve))
      }
      assert.ok(stream.waiting > 0, 'everything was written although nobody reads')
      stream.end()
      const lines = (await readAll(body)).split('\n')
      assert.equal(lines.length, 65)
      abort()
    })

    test('gives tables and metadata', async () => {
      const bench = await open()
      const firstOf = async (accept: string): Promise<unknown> => {
        const { body } = await bench.open(`${PATH}?watch=1`, { headers: { accept } })
        const stream = lastOf(bench.door.streams)
        stream.push({ type: 'ADDED', stored })
        stream.end()
        return (JSON.parse((await linesOf(body)()) ?? '') as { object: { kind: string } }).object.kind
      }
      assert.equal(await firstOf('application/json;as=Table;v=v1;g=meta.k8s.io,application/json'), 'Table')
      assert.equal(
        await firstOf('application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io,application/json'),
        'PartialObjectMetadata',
      )
    })

    test('of one name in its path is limited to it', async () => {
      const bench = await open()
      const { abort, body } = await bench.open(
        '/api/v1/watch/namespaces/default/configmaps/a?fieldSelector=metadata.name%3Db',
      )
      body.on('error', () => {})
      const request = lastOf(bench.door.requests)
      assert.deepEqual(
        [request.verb, request.name, request.verb === 'watch' && request.options.fieldSelector],
        ['watch', 'a', 'metadata.name=b,metadata.name=a'],
      )
      abort()
    })

    test('that is refused is an ordinary error', async () => {
      const bench = await open()
      bench.door.answer = () => {
        throw new ApiError('Invalid', 'ListOptions.meta.k8s.io "" is invalid: …')
      }
      assert.equal((await bench.ask(`${PATH}?watch=1`)).status, 422)
    })
  })

  describe('besides resources', () => {
    test('shows its version, health and paths', async () => {
      const bench = await open()
      assert.deepEqual(await bench.json('/version'), VERSION)
      assert.equal((await bench.ask('/readyz')).text, 'ok')
      assert.equal((await bench.ask('/livez/ping')).headers['content-type'], 'text/plain; charset=utf-8')
      const { paths } = await bench.json('/')
      assert.ok((paths as string[]).includes('/apis/storage.k8s.io/v1'))
    })

    test('lets clients keep discovery', async () => {
      const bench = await open()
      const accept = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json'
      const { headers } = await bench.ask('/apis', { headers: { accept } })
      assert.deepEqual(
        [headers['content-type'], headers['vary']],
        ['application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList', 'Accept'],
      )
      const again = await bench.ask('/apis', { headers: { accept, 'if-none-match': String(headers['etag']) } })
      assert.deepEqual([again.status, again.text], [304, ''])
      assert.deepEqual(
        ((await bench.json('/api')) as { serverAddressByClientCIDRs: unknown }).serverAddressByClientCIDRs,
        [{ clientCIDR: '0.0.0.0/0', serverAddress: `127.0.0.1:${bench.server.port}` }],
      )
    })

    test('answers the second OpenAPI version with nothing, which is enough', async () => {
      const bench = await open()
      const { status, headers, text } = await bench.ask('/openapi/v2', {
        headers: { accept: 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf' },
      })
      assert.deepEqual([status, text, headers['content-length']], [200, '', '0'])
      assert.equal((await bench.ask('/openapi/v3/api/v1?hash=old')).status, 301)
    })

    test('publishes keys and numbers only if it is given some', async () => {
      const bare = await open()
      for (const path of ['/metrics', '/openid/v1/jwks', '/.well-known/openid-configuration'])
        assert.equal((await bare.ask(path)).status, 404, path)
      const bench = await open({
        metrics: async () => 'up 1\n',
        openId: { configuration: () => ({ issuer: 'me' }), keys: () => ({ keys: [] }) },
      })
      assert.equal((await bench.ask('/metrics')).text, 'up 1\n')
      assert.deepEqual(await bench.json('/.well-known/openid-configuration'), { issuer: 'me' })
      assert.equal((await bench.ask('/openid/v1/jwks')).headers['content-type'], 'application/jwk-set+json')
    })
  })

  describe('closing', () => {
    test('ends watches cleanly and takes no more connections', async () => {
      const bench = await open()
      const { body } = await bench.open(`${PATH}?watch=1`)
      const rest = readAll(body)
      await bench.server.close()
      assert.equal(await rest, '')
      assert.equal(bench.door.streams[0]?.isClosed, true)
      const socket = netConnect(bench.server.port, '127.0.0.1')
      const [error] = (await once(socket, 'error')) as [NodeJS.ErrnoException]
      assert.equal(error.code, 'ECONNREFUSED')
    })

    test('lets a request finish', async () => {
      const bench = await open()
      const { promise: released, resolve: release } = Promise.withResolvers<void>()
      bench.door.answer = async () => {
        await released
        return { kind: 'object', code: 200, stored, warnings: [] }
      }
      const asking = bench.ask(`${PATH}/a`)
      await until(() => bench.door.requests.length === 1)
      const closed = bench.server.close()
      release()
      assert.equal((await asking).text, `${stored.json}\n`)
      await closed
    })

    test('does not wait for ever', async () => {
      const bench = await open({ closeTimeoutMs: 1 })
      bench.door.answer = () => new Promise(() => {})
      const asking = bench.ask(`${PATH}/a`).catch(() => 'cut off')
      await until(() => bench.door.requests.length === 1)
      await bench.server.close()
      assert.equal(await asking, 'cut off')
    })
  })
})

describe('a client certificate', () => {
  for (const transport of ['HTTP/1.1 with TLS', 'HTTP/2'] as const) {
    test(`names the user over ${transport}`, async () => {
      const bench = await openBench(
        transport,
        pki,
        {},
        await pki.authority.issueClient({ user: 'admin', groups: ['system:masters'] }),
      )
      await bench.ask(`${PATH}/a`)
      const { commonName, organizations } = lastOf(bench.credentials).clientCertificate ?? assert.fail()
      assert.deepEqual([commonName, organizations], ['admin', ['system:masters']])
      assert.equal(lastOf(bench.door.requests).user.name, 'admin')
      await bench.close()
    })

    test(`of a stranger is worth nothing over ${transport}`, async () => {
      const stranger = await createPki()
      const bench = await openBench(
        transport,
        pki,
        {},
        await stranger.authority.issueClient({ user: 'admin', groups: ['system:masters'] }),
      )
      assert.equal((await bench.ask(`${PATH}/a`)).status, 401)
      await bench.ask(`${PATH}/a`, { headers: { authorization: 'Bearer me' } })
      assert.equal(lastOf(bench.door.requests).user.name, 'me')
      await bench.close()
    })
  }
})

describe('on the wire of HTTP/1.1', () => {
  const exchange = async (bench: Bench, text: string): Promise<string> => {
    const socket = netConnect(bench.server.port, '127.0.0.1')
    const chunks: Uint8Array[] = []
    socket.on('data', (chunk) => void chunks.push(chunk))
    // A server that rejects a request may close before it has read everything.
    socket.on('error', () => {})
    socket.write(text)
    await closeOf(socket)
    return Buffer.concat(chunks).toString()
  }
  const withBench = async (work: (bench: Bench) => Promise<void>): Promise<void> => {
    const bench = await openBench('HTTP/1.1', pki)
    try {
      await work(bench)
    } finally {
      await bench.close()
    }
  }

  test('a watch ends with the last chunk', () =>
    withBench(async (bench) => {
      const answer = exchange(bench, `GET ${PATH}?watch=1 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`)
      await until(() => bench.door.streams.length === 1)
      bench.door.streams[0]?.push({ type: 'ADDED', stored })
      bench.door.streams[0]?.end()
      const text = await answer
      assert.match(text, /^HTTP\/1\.1 200 OK\r\n/)
      assert.match(text, /\r\nTransfer-Encoding: chunked\r\n/i)
      assert.ok(text.endsWith('\r\n0\r\n\r\n'))
    }))

  test('a watch is let go when the client went before it began', () =>
    withBench(async (bench) => {
      const { promise: released, resolve: release } = Promise.withResolvers<void>()
      const perform = bench.door.execute
      bench.door.execute = async (asked, read) => {
        await released
        return perform(asked, read)
      }
      const socket = netConnect(bench.server.port, '127.0.0.1')
      socket.write(`GET ${PATH}?watch=1 HTTP/1.1\r\nHost: x\r\n\r\n`)
      await until(() => bench.credentials.length === 1)
      socket.destroy()
      await closeOf(socket)
      release()
      await until(() => bench.door.streams[0]?.isClosed ?? false)
    }))

  test('an upgrade is refused in words', () =>
    withBench(async (bench) => {
      const websocket =
        'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n'
      const watch = await exchange(
        bench,
        `GET ${PATH}?watch=1 HTTP/1.1\r\nHost: x\r\n${websocket.replace('Upgrade\r\n', 'Upgrade, close\r\n')}\r\n`,
      )
      assert.match(watch, /^HTTP\/1\.1 400 .*websockets/s)
      const exec = await exchange(
        bench,
        'POST /api/v1/namespaces/default/pods/p/exec HTTP/1.1\r\nHost: x\r\nConnection: Upgrade, close\r\nUpgrade: SPDY/3.1\r\nContent-Length: 0\r\n\r\n',
      )
      assert.match(exec, /^HTTP\/1\.1 405 .*"reason":"MethodNotAllowed"/s)
    }))

  test('nonsense and endless headers end the connection, not the server', () =>
    withBench(async (bench) => {
      assert.match(await exchange(bench, 'nonsense\r\n\r\n'), /^HTTP\/1\.1 400 /)
      assert.match(
        await exchange(bench, `GET / HTTP/1.1\r\nHost: x\r\nX: ${'y'.repeat(20_000)}\r\n\r\n`),
        /^HTTP\/1\.1 431 /,
      )
      assert.equal((await bench.ask('/version')).status, 200)
    }))

  test('a connection is used again after an answer, also after an early one', () =>
    withBench(async (bench) => {
      const body = '{"data":{}}'
      const post = `POST ${PATH} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer bad\r\nContent-Length: ${body.length}\r\n\r\n${body}`
      const text = await exchange(bench, `${post}GET /version HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`)
      assert.deepEqual(text.match(/HTTP\/1\.1 \d+/g), ['HTTP/1.1 401', 'HTTP/1.1 200'])
    }))
})

test('a client that speaks no TLS does no harm to a server that does', async () => {
  const bench = await openBench('HTTP/2', pki)
  const socket = netConnect(bench.server.port, '127.0.0.1')
  socket.on('error', () => {})
  socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n')
  await closeOf(socket)
  const halfway = tlsConnect({ port: bench.server.port, ca: pki.authority.pair.certificatePem, ALPNProtocols: ['h2'] })
  halfway.on('error', () => {})
  await once(halfway, 'secureConnect')
  halfway.write('this is not how HTTP/2 begins a connection')
  await closeOf(halfway)
  assert.equal((await bench.ask('/version')).status, 200)
  await bench.close()
})

test('a connection carries just so many requests at the same time', async () => {
  const bench = await openBench('HTTP/2', pki)
  const session = connectHttp2(bench.server.address, { ca: pki.authority.pair.certificatePem })
  const [settings] = (await once(session, 'remoteSettings')) as [{ maxConcurrentStreams: number }]
  assert.equal(settings.maxConcurrentStreams, 1000)
  session.destroy()
  await bench.close()
})

test('versions of a kind that share objects show each its own', async () => {
  const bench = await openBench('HTTP/2', pki)
  bench.door.answer = () => ({
    kind: 'object',
    code: 200,
    stored: storedUnderTest(GADGET, 'g', 3, { width: 5 }),
    warnings: [],
  })
  assert.equal((await bench.json('/apis/example.com/v1beta1/namespaces/default/gadgets/g'))['breadth'], 5)
  assert.equal((await bench.json('/apis/example.com/v1/namespaces/default/gadgets/g'))['width'], 5)
  await bench.close()
})

test('closing does not wait for a client that never finishes the TLS handshake', async () => {
  const bench = await openBench('HTTP/2', pki, { closeTimeoutMs: 1 })
  const socket = netConnect(bench.server.port, '127.0.0.1')
  socket.on('error', () => {})
  await once(socket, 'connect')
  // Answered after the silent connection was accepted.
  assert.equal((await bench.ask('/version')).status, 200)
  await Promise.all([closeOf(socket), bench.server.close()])
})
