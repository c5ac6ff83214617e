import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, beforeEach, describe, test } from 'node:test'
import type { Status } from '../api/object.ts'
import { CLUSTER_ROLE_BINDINGS } from '../api/kinds/rbac.ts'
import { createSystemClock } from '../base/clock.ts'
import { createSystemRandom } from '../base/random.ts'
import type { AuditEvent } from './audit/audit-event.ts'
import { createAuthority } from './authentication/certificates.ts'
import { SYSTEM_USER } from './core/user.ts'
import { openRawClient } from './testing/raw-client.ts'
import type { RawClient, RawIdentity, RawReply } from './testing/raw-client.ts'
import { startTestServer } from './testing/start-test-server.ts'
import type { TestServer } from './testing/start-test-server.ts'

const TOKENS = `ann-token,ann,uid-ann,"storage,ops"\nbob-token,bob,uid-bob\n`
const JSON_BODY = { 'content-type': 'application/json' }

describe('who may do what', () => {
  let directory: string
  let server: TestServer
  let lines: AuditEvent[] = []
  const open: RawClient[] = []

  const as = async (identity: RawIdentity): Promise<RawClient> => {
    const client = await openRawClient(server, identity)
    open.push(client)
    return client
  }
  let anonymous: RawClient
  let admin: RawClient
  let ann: RawClient
  let bob: RawClient

  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'holdfast-access-'))
    const tokenFile = join(directory, 'tokens.csv')
    await writeFile(tokenFile, TOKENS, { mode: 0o600 })
    server = await startTestServer({
      tokenFile,
      writeAudit: (line) => {
        match(line, /^\{[^\n]*\}\n$/, 'one object a line')
        lines.push(JSON.parse(line) as AuditEvent)
      },
    })
    await server.server.core.as(SYSTEM_USER).create(CLUSTER_ROLE_BINDINGS, {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRoleBinding',
      metadata: { name: 'storage-may-view' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'view' },
      subjects: [{ kind: 'Group', apiGroup: 'rbac.authorization.k8s.io', name: 'storage' }],
    })
    anonymous = await as({})
    admin = await as({ user: 'root', groups: ['system:masters'] })
    ann = await as({ token: 'ann-token' })
    bob = await as({ token: 'bob-token' })
  })
  after(async () => {
    for (const client of open) client.close()
    await server[Symbol.asyncDispose]()
    await rm(directory, { recursive: true })
  })
  beforeEach(() => {
    lines = []
  })

  const statusOf = ({ status, text }: RawReply): [number, string | undefined, string | undefined] => {
    const { kind, reason, message } = JSON.parse(text) as Status
    equal(kind, 'Status')
    return [status, reason, message]
  }

  describe('nobody in particular', () => {
    for (const path of ['/healthz', '/livez', '/readyz', '/readyz?verbose']) {
      test(`sees ${path}`, async () => {
        const { status, text } = await anonymous.ask({ path })
        equal(status, 200)
        match(text, /ok/)
      })
    }

    test('sees the version', async () => {
      match(
        (JSON.parse((await anonymous.ask({ path: '/version' })).text) as { gitVersion: string }).gitVersion,
        /^v1\.\d+\.\d+/,
      )
    })

    for (const path of [
      '/',
      '/api',
      '/apis',
      '/api/v1',
      '/apis/storage.k8s.io/v1',
      '/openapi/v2',
      '/openapi/v3',
      '/metrics',
      '/openid/v1/jwks',
      '/nothing',
    ]) {
      test(`does not see ${path}`, async () => {
        deepEqual(statusOf(await anonymous.ask({ path })), [
          403,
          'Forbidden',
          `forbidden: User "system:anonymous" cannot get path "${path}"`,
        ])
      })
    }

    for (const [method, path, verb] of [
      ['GET', '/api/v1/pods', 'list'],
      ['GET', '/api/v1/pods?watch=1', 'watch'],
      ['GET', '/api/v1/namespaces/default/secrets/x', 'get'],
      ['POST', '/api/v1/namespaces/default/pods', 'create'],
      ['PUT', '/api/v1/namespaces/default/pods/x', 'update'],
      ['PATCH', '/api/v1/namespaces/default/pods/x', 'patch'],
      ['DELETE', '/api/v1/namespaces/default/pods/x', 'delete'],
      ['DELETE', '/api/v1/namespaces/default/pods', 'deletecollection'],
      ['POST', '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews', 'create'],
    ] as const) {
      test(`may not ${verb} ${path}`, async () => {
        const [code, reason, message = ''] = statusOf(await anonymous.ask({ method, path }))
        deepEqual([code, reason], [403, 'Forbidden'])
        match(message, new RegExp(`User "system:anonymous" cannot ${verb} resource`))
      })
    }

    test('is not told whether there is such an object', async () => {
      const ask = async (name: string) =>
        statusOf(await anonymous.ask({ path: `/api/v1/namespaces/${name}` }))[2]?.replaceAll(name, 'NAME')
      equal(await ask('default'), await ask('missing'))
    })

    for (const [behaviour, method, path, headers] of [
      ['what is served', 'GET', '/apis/nothing/v1/things', {}],
      ['which kinds there are', 'GET', '/api/v1/namespaces/default/nothing', {}],
      ['where a kind is to be found', 'GET', '/apis/storage.k8s.io/v1/namespaces/x/storageclasses', {}],
      ['what goes with a path', 'POST', '/api/v1/pods', {}],
      ['what goes with any path', 'BREW', '/api/v1/namespaces/default/pods', {}],
      ['that it has no containers', 'GET', '/api/v1/namespaces/default/pods/x/log', {}],
      ['which forms it can write', 'GET', '/api/v1/pods', { accept: 'image/png' }],
      ['which parameters it takes', 'GET', '/api/v1/pods?limit=many', {}],
    ] as const) {
      test(`is not told ${behaviour}`, async () => {
        deepEqual(statusOf(await anonymous.ask({ method, path, headers })).slice(0, 2), [403, 'Forbidden'])
        const status = (await admin.ask({ method, path, headers })).status
        ok([400, 404, 405, 406].includes(status), `${status} to the administrator`)
      })
    }

    test('is refused before anything is read: neither a wrong nor a large body matters', async () => {
      const path = '/api/v1/namespaces/default/configmaps'
      for (const body of ['{wrong', 'x'.repeat(4 * 1024 * 1024)]) {
        for (const method of ['POST', 'DELETE'])
          deepEqual(statusOf(await anonymous.ask({ method, path, headers: JSON_BODY, body })).slice(0, 2), [
            403,
            'Forbidden',
          ])
        deepEqual(
          statusOf(
            await anonymous.ask({
              method: 'PATCH',
              path: `${path}/x`,
              headers: { 'content-type': 'application/merge-patch+json' },
              body,
            }),
          ).slice(0, 2),
          [403, 'Forbidden'],
        )
      }
    })
  })

  describe('a token from the file', () => {
    test('says who its owner is', async () => {
      const { status, text } = await ann.ask({
        method: 'POST',
        path: '/apis/authentication.k8s.io/v1/selfsubjectreviews',
        headers: JSON_BODY,
        body: '{}',
      })
      equal(status, 201)
      const { userInfo } = (JSON.parse(text) as { status: { userInfo: object } }).status
      deepEqual(userInfo, { username: 'ann', uid: 'uid-ann', groups: ['storage', 'ops', 'system:authenticated'] })
    })

    test('gives the rights of its groups, and no more', async () => {
      equal((await ann.ask({ path: '/api/v1/pods' })).status, 200)
      equal((await ann.ask({ path: '/api/v1/secrets' })).status, 403)
      deepEqual(statusOf(await bob.ask({ path: '/api/v1/pods' })), [
        403,
        'Forbidden',
        'pods is forbidden: User "bob" cannot list resource "pods" in API group "" at the cluster scope',
      ])
      equal((await bob.ask({ path: '/apis' })).status, 200, 'whoever is somebody may see what there is')
    })

    test('has to be right: a wrong one is not nobody', async () => {
      for (const token of ['wrong', 'ann-tokenx', 'ann-toke', 'ANN-TOKEN']) {
        const client = await as({ token })
        deepEqual(statusOf(await client.ask({ path: '/healthz' })), [401, 'Unauthorized', 'Unauthorized'], token)
      }
    })

    test('is of no matter to who shows a certificate', async () => {
      const { text } = await admin.ask({
        method: 'POST',
        path: '/apis/authentication.k8s.io/v1/selfsubjectreviews',
        headers: { ...JSON_BODY, authorization: 'Bearer bob-token' },
        body: '{}',
      })
      match(text, /"username":"root"/)
    })

    test('does not let its owner be somebody else', async () => {
      const headers = { 'impersonate-user': 'root', 'impersonate-group': 'system:masters' }
      deepEqual(statusOf(await ann.ask({ path: '/api/v1/secrets', headers })).slice(0, 2), [403, 'Forbidden'])
      equal(
        (await admin.ask({ path: '/api/v1/secrets', headers: { 'impersonate-user': 'bob' } })).status,
        403,
        'who may be bob then has his rights',
      )
    })
  })

  test('a certificate that somebody else signed is refused', async () => {
    const stranger = await createAuthority(createSystemRandom(), createSystemClock())
    const client = await openRawClient(
      {
        ...server,
        identity: {
          ...server.identity,
          authority: { ...server.identity.authority, issueClient: stranger.issueClient },
        },
      },
      { user: 'root', groups: ['system:masters'] },
    )
    open.push(client)
    deepEqual(statusOf(await client.ask({ path: '/api/v1/pods' })).slice(0, 2), [401, 'Unauthorized'])
  })

  describe('the audit log', () => {
    const path = '/api/v1/namespaces/default/configmaps'

    test('has a line for each request, with who did what to which object', async () => {
      const body = JSON.stringify({ metadata: { name: 'audited' } })
      const { headers } = await admin.ask({
        method: 'POST',
        path: `${path}?fieldManager=me`,
        headers: { ...JSON_BODY, 'user-agent': 'tester/1.0' },
        body,
      })
      equal(lines.length, 1)
      const [line] = lines
      ok(line)
      const { auditID, requestReceivedTimestamp, stageTimestamp, annotations, user, ...rest } = line
      equal(auditID, headers['audit-id'])
      deepEqual([user.username, user.groups], ['root', ['system:masters', 'system:authenticated']])
      deepEqual(rest, {
        kind: 'Event',
        apiVersion: 'audit.k8s.io/v1',
        level: 'Metadata',
        stage: 'ResponseComplete',
        requestURI: `${path}?fieldManager=me`,
        verb: 'create',
        sourceIPs: ['127.0.0.1'],
        userAgent: 'tester/1.0',
        objectRef: { resource: 'configmaps', namespace: 'default', name: 'audited', apiVersion: 'v1' },
        responseStatus: { metadata: {}, code: 201 },
      })
      equal(annotations?.['authorization.k8s.io/decision'], 'allow')
      match(requestReceivedTimestamp, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/)
      ok(stageTimestamp >= requestReceivedTimestamp)
    })

    test('can be counted by verb, resource and code', async () => {
      await admin.ask({ path: `${path}/audited` })
      await admin.ask({ path })
      await admin.ask({
        method: 'PATCH',
        path: `${path}/audited`,
        headers: { 'content-type': 'application/merge-patch+json' },
        body: '{"data":{"a":"b"}}',
      })
      await admin.ask({
        method: 'PUT',
        path: `${path}/audited`,
        headers: JSON_BODY,
        body: '{"metadata":{"name":"audited","resourceVersion":"1"}}',
      })
      await admin.ask({ path: '/apis/storage.k8s.io/v1/volumeattachments/missing/status' })
      await admin.ask({ method: 'DELETE', path: `${path}/audited` })
      await admin.head({ path: `${path}?watch=1` })
      const counted = lines.map(
        ({ verb, objectRef, responseStatus, stage }) =>
          `${verb} ${objectRef?.resource}${objectRef?.subresource ? `/${objectRef.subresource}` : ''} ${responseStatus?.code} ${stage}`,
      )
      deepEqual(counted, [
        'get configmaps 200 ResponseComplete',
        'list configmaps 200 ResponseComplete',
        'patch configmaps 200 ResponseComplete',
        'update configmaps 409 ResponseComplete',
        'get volumeattachments/status 404 ResponseComplete',
        'delete configmaps 200 ResponseComplete',
        'watch configmaps 200 ResponseStarted',
      ])
    })

    test('tells who was refused, and why', async () => {
      await bob.ask({ path: '/api/v1/namespaces/default/secrets/password' })
      const [line] = lines
      deepEqual(
        [line?.user.username, line?.responseStatus?.code, line?.responseStatus?.reason, line?.objectRef?.name],
        ['bob', 403, 'Forbidden', 'password'],
      )
      equal(line?.annotations?.['authorization.k8s.io/decision'], 'forbid')
      await anonymous.ask({ method: 'POST', path, headers: JSON_BODY, body: '{wrong' })
      deepEqual(
        [lines[1]?.user.username, lines[1]?.verb, lines[1]?.responseStatus?.code],
        ['system:anonymous', 'create', 403],
      )
    })

    test('tells who really asked', async () => {
      await admin.ask({ path, headers: { 'impersonate-user': 'bob' } })
      deepEqual([lines[0]?.user.username, lines[0]?.impersonatedUser?.username], ['root', 'bob'])
    })

    test('has a line also for what is no request for an object, and for what could not be understood', async () => {
      const stranger = await as({ token: 'wrong' })
      const replies = [
        await stranger.ask({ path: `${path}/x` }),
        await stranger.ask({ path: '/version' }),
        await bob.ask({ path, headers: { 'impersonate-user': 'root' } }),
        await bob.ask({ path, headers: { 'impersonate-group': 'system:masters' } }),
        await bob.ask({ path: '/metrics' }),
        await anonymous.ask({ path: '/healthz' }),
        await admin.ask({ method: 'POST', path, headers: JSON_BODY, body: '{wrong' }),
        await admin.ask({ method: 'POST', path, headers: { 'content-type': 'text/plain' }, body: '{}' }),
        await admin.ask({ path: '/apis/nothing/v1/things/x' }),
        await bob.ask({ path: '/apis/nothing/v1/things/x' }),
        await admin.ask({ method: 'POST', path: '/version' }),
      ]
      const counted = lines.map(
        ({ user, verb, objectRef, requestURI, responseStatus }) =>
          `${user.username ?? '-'} ${verb} ${objectRef?.resource ?? requestURI} ${responseStatus?.code} ${responseStatus?.reason ?? ''}`,
      )
      deepEqual(counted, [
        '- get configmaps 401 Unauthorized',
        '- get /version 401 Unauthorized',
        'bob list configmaps 403 Forbidden',
        '- list configmaps 400 BadRequest',
        'bob get /metrics 403 Forbidden',
        'system:anonymous get /healthz 200 ',
        'root create configmaps 400 BadRequest',
        'root create configmaps 415 UnsupportedMediaType',
        'root get things 404 NotFound',
        'bob get things 403 Forbidden',
        'root post /version 405 MethodNotAllowed',
      ])
      deepEqual(
        lines.map(({ auditID }) => auditID),
        replies.map(({ headers }) => headers['audit-id']),
      )
      deepEqual([lines[0]?.annotations, lines[8]?.annotations?.['authorization.k8s.io/decision']], [undefined, 'allow'])
    })

    test('holds no secrets', async () => {
      const secret = { metadata: { name: 'password' }, stringData: { password: 'correct horse' } }
      await admin.ask({
        method: 'POST',
        path: '/api/v1/namespaces/default/secrets',
        headers: JSON_BODY,
        body: JSON.stringify(secret),
      })
      await admin.ask({ path: '/api/v1/namespaces/default/secrets/password' })
      const token = await admin.ask({
        method: 'POST',
        path: '/api/v1/namespaces/default/serviceaccounts/default/token',
        headers: JSON_BODY,
        body: '{"spec":{}}',
      })
      equal(token.status, 201)
      equal(lines.length, 3)
      const text = JSON.stringify(lines)
      for (const word of [
        'correct horse',
        Buffer.from('correct horse').toString('base64'),
        (JSON.parse(token.text) as { status: { token: string } }).status.token,
        'ann-token',
      ])
        ok(!text.includes(word))
    })
  })
})
