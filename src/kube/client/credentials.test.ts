import assert from 'node:assert/strict'
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import type { TestContext } from 'node:test'
import type { TLSSocket } from 'node:tls'
import { stringify } from 'yaml'
import { CONFIG_MAPS } from '../../api/kinds/config-map.ts'
import { formatTimestamp } from '../../api/timestamps.ts'
import { createAuthority, localServerNames } from '../../apiserver/authentication/certificates.ts'
import { createSystemClock } from '../../base/clock.ts'
import type { Clock } from '../../base/clock.ts'
import { createSystemHost } from '../../base/host/system-host.ts'
import { createSystemRandom } from '../../base/random.ts'
import { createSimulatedClock } from '../../base/simulated-clock.ts'
import { connectApi } from './connect-api.ts'
import { loadInCluster, loadKubeconfig } from './credentials.ts'
import type { Credentials } from './credentials.ts'
import { KubeconfigError } from './parse-kubeconfig.ts'
import { answerJson, startTestServer } from '../testing/start-test-server.ts'

const host = createSystemHost()
const systemClock = createSystemClock()
const authority = await createAuthority(createSystemRandom(), systemClock)

/** A folder with a kubeconfig and its files. */
async function openFolder(t: TestContext) {
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-kubeconfig-'))
  t.after(() => rm(folder, { recursive: true }))
  const clock = createSimulatedClock()
  const write = (name: string, text: string): Promise<void> => writeFile(join(folder, name), text)
  const load = async ({
    user = {},
    cluster = {},
    env = {},
    using = clock,
  }: {
    user?: object
    cluster?: object
    env?: Record<string, string>
    using?: Clock
  }): Promise<Credentials> => {
    const config = {
      'current-context': 'main',
      contexts: [{ name: 'main', context: { cluster: 'here', user: 'me' } }],
      clusters: [{ name: 'here', cluster: { server: 'https://127.0.0.1:6443', ...cluster } }],
      users: [{ name: 'me', user }],
    }
    await write('config', stringify(config))
    return loadKubeconfig({ path: join(folder, 'config'), parts: { host, clock: using, env } })
  }
  /** A shell script that counts its runs in the file `runs`. */
  const plugin = async (script: string): Promise<void> => {
    await write('plugin.sh', `#!/bin/sh\necho run >> "$(dirname "$0")/runs"\n${script}\n`)
    await chmod(join(folder, 'plugin.sh'), 0o755)
  }
  const runs = async (): Promise<number> =>
    (await readFile(join(folder, 'runs'), 'utf8').catch(() => '')).split('\n').length - 1
  return { folder, clock, write, load, plugin, runs }
}

const print = (status: object, apiVersion = 'client.authentication.k8s.io/v1'): string =>
  `cat <<'END'\n${JSON.stringify({ kind: 'ExecCredential', apiVersion, status })}\nEND`
const exec = { apiVersion: 'client.authentication.k8s.io/v1', command: './plugin.sh' }

describe('credentials of a kubeconfig', () => {
  it('read files beside it', async (t) => {
    const { write, load } = await openFolder(t)
    const { certificatePem, keyPem } = await authority.issueClient({ user: 'alice', groups: [] })
    await Promise.all([
      write('ca.crt', authority.pair.certificatePem),
      write('me.crt', certificatePem),
      write('me.key', keyPem),
    ])
    const credentials = await load({
      cluster: { 'certificate-authority': 'ca.crt', 'tls-server-name': 'x' },
      user: { 'client-certificate': 'me.crt', 'client-key': 'me.key' },
    })
    assert.deepEqual(await credentials.tls(), {
      ca: authority.pair.certificatePem,
      cert: certificatePem,
      key: keyPem,
      serverName: 'x',
      rejectUnauthorized: true,
    })
    assert.deepEqual(await credentials.headers(), {})
  })

  it('give the same TLS settings until a file has changed, which is seen after a minute', async (t) => {
    const { clock, write, load } = await openFolder(t)
    await write('ca.crt', 'first')
    const credentials = await load({ cluster: { 'certificate-authority': 'ca.crt' } })
    const first = await credentials.tls()
    await clock.advance(60_000)
    assert.equal(await credentials.tls(), first)
    await write('ca.crt', 'second')
    assert.equal(await credentials.tls(), first)
    await clock.advance(60_000)
    assert.equal((await credentials.tls()).ca, 'second')
  })

  it('read a token file again after a minute, and at once when the server refused the token', async (t) => {
    const { clock, write, load } = await openFolder(t)
    await write('token', 'one\n')
    const credentials = await load({ user: { tokenFile: 'token', token: 'what was in it once' } })
    const first = await credentials.headers()
    assert.deepEqual(first, { authorization: 'Bearer one' })
    await write('token', 'two\n')
    assert.deepEqual(await credentials.headers(), first)
    await clock.advance(60_000)
    const second = await credentials.headers()
    assert.deepEqual(second, { authorization: 'Bearer two' })
    await write('token', 'three\n')
    // A late 401 for the first token says nothing about the second.
    assert.equal(credentials.invalidate(first), true)
    assert.deepEqual(await credentials.headers(), second)
    assert.equal(credentials.invalidate(second), true)
    assert.deepEqual(await credentials.headers(), { authorization: 'Bearer three' })
  })

  it('have nothing fresh to give where the token stands in the file itself', async (t) => {
    const { load } = await openFolder(t)
    const credentials = await load({ user: { token: 'fixed' } })
    const headers = await credentials.headers()
    assert.deepEqual(headers, { authorization: 'Bearer fixed' })
    assert.equal(credentials.invalidate(headers), false)
  })

  it('say for whom they act, one header for each group', async (t) => {
    const { load } = await openFolder(t)
    const credentials = await load({
      user: {
        username: 'u',
        password: 'p',
        as: 'boss',
        'as-uid': '7',
        'as-groups': ['a', 'b'],
        'as-user-extra': { 'Example.com/Scope': ['x', 'y'] },
      },
    })
    assert.deepEqual(await credentials.headers(), {
      authorization: `Basic ${Buffer.from('u:p').toString('base64')}`,
      'impersonate-user': 'boss',
      'impersonate-uid': '7',
      'impersonate-group': ['a', 'b'],
      'impersonate-extra-example.com%2fscope': ['x', 'y'],
    })
  })

  it('say at the start which file is missing or empty', async (t) => {
    const { write, load } = await openFolder(t)
    await assert.rejects(
      load({ user: { tokenFile: 'missing' } }),
      (error: unknown) =>
        error instanceof KubeconfigError && /the token can't be read: .*missing: .*no such file/i.test(error.message),
    )
    await write('empty', '\n')
    await assert.rejects(load({ user: { tokenFile: 'empty' } }), /the token is empty/)
    await assert.rejects(
      loadKubeconfig({ path: '/nowhere/config', parts: { host, clock: systemClock, env: {} } }),
      /the kubeconfig can't be read: .*\/nowhere\/config/,
    )
  })
})

describe('a credential plugin', () => {
  it('is asked once, and again when what it gave has expired', async (t) => {
    const { clock, load, plugin, runs } = await openFolder(t)
    await plugin(print({ token: 'one', expirationTimestamp: formatTimestamp(clock.nowMs() + 3_600_000) }))
    const credentials = await load({ user: { exec } })
    assert.equal(await runs(), 0)
    await Promise.all([credentials.headers(), credentials.headers(), credentials.tls()])
    assert.deepEqual(await credentials.headers(), { authorization: 'Bearer one' })
    await clock.advance(3_599_000)
    await credentials.headers()
    assert.equal(await runs(), 1)
    await clock.advance(1_000)
    await plugin(print({ token: 'two' }))
    assert.deepEqual(await credentials.headers(), { authorization: 'Bearer two' })
    await clock.advance(86_400_000)
    await credentials.headers()
    assert.equal(await runs(), 2)
    assert.equal(credentials.invalidate({ authorization: 'Bearer two' }), true)
    await credentials.headers()
    assert.equal(await runs(), 3)
  })

  it('gets its arguments, our environment and its own, and what it should know of the cluster', async (t) => {
    const { folder, load, plugin } = await openFolder(t)
    const folderOfScript = '"$(dirname "$0")"'
    await plugin(
      `echo "$1 $OURS $ITS" > ${folderOfScript}/seen; echo "$KUBERNETES_EXEC_INFO" > ${folderOfScript}/info\n${print({ token: 't' })}`,
    )
    const cluster = {
      'certificate-authority-data': Buffer.from('-----BEGIN X').toString('base64'),
      extensions: [{ name: 'client.authentication.k8s.io/exec', extension: { audience: 'x' } }],
    }
    const credentials = await load({
      cluster,
      user: { exec: { ...exec, args: ['first'], env: [{ name: 'ITS', value: 'its' }], provideClusterInfo: true } },
      env: { OURS: 'ours' },
    })
    await credentials.headers()
    assert.equal(await readFile(join(folder, 'seen'), 'utf8'), 'first ours its\n')
    assert.deepEqual(JSON.parse(await readFile(join(folder, 'info'), 'utf8')), {
      apiVersion: 'client.authentication.k8s.io/v1',
      kind: 'ExecCredential',
      spec: {
        interactive: false,
        cluster: {
          server: 'https://127.0.0.1:6443',
          'certificate-authority-data': cluster['certificate-authority-data'],
          config: { audience: 'x' },
        },
      },
    })
  })

  const failures: [behaviour: string, script: string, message: RegExp][] = [
    [
      'fails',
      'echo "log in first" >&2; exit 3',
      /credential plugin .*plugin\.sh failed with exit code 3: log in first$/,
    ],
    ['prints something else', 'echo s3cret', /did not print an ExecCredential$/],
    [
      'prints another version',
      print({ token: 's3cret' }, 'client.authentication.k8s.io/v1beta1'),
      /printed another version than client\.authentication\.k8s\.io\/v1, which the kubeconfig asks for$/,
    ],
    [
      'gives nothing',
      print({ clientKeyData: 's3cret' }),
      /gave neither a token nor a client certificate with its key$/,
    ],
  ]
  for (const [behaviour, script, message] of failures) {
    it(`that ${behaviour} is named, without what it printed`, async (t) => {
      const { load, plugin } = await openFolder(t)
      await plugin(script)
      const credentials = await load({ user: { exec } })
      await assert.rejects(credentials.headers(), (error: unknown) => {
        assert.ok(error instanceof KubeconfigError)
        assert.match(error.message, message)
        assert.doesNotMatch(error.message, /s3cret/)
        return true
      })
    })
  }

  it('that is missing is named', async (t) => {
    const { load } = await openFolder(t)
    await assert.rejects((await load({ user: { exec } })).headers(), /plugin\.sh/)
  })

  it('that hangs is given up', async (t) => {
    const { clock, folder, load, plugin, runs } = await openFolder(t)
    await plugin(`exec sleep 1000`)
    const credentials = await load({ user: { exec } })
    const asked = assert.rejects(credentials.headers(), /plugin\.sh did not end within 60 s/)
    while ((await runs()) === 0) await new Promise((resolve) => setImmediate(resolve))
    await clock.advance(60_000)
    await asked
    void folder
  })

  it('may give a client certificate, and another one after the server has refused the first', async (t) => {
    const { load, plugin, runs } = await openFolder(t)
    const server = await startTestServer({
      ...(await authority.issueServer(localServerNames())),
      clientCa: authority.pair.certificatePem,
      handle: (request) => {
        const user = String((request.session.socket as TLSSocket).getPeerCertificate().subject?.CN)
        if (user === 'alice') answerJson(request, 401, { kind: 'Status', reason: 'Unauthorized' })
        else answerJson(request, 200, { items: [{ metadata: { name: user } }] })
      },
    })
    const issue = async (user: string): Promise<void> => {
      const { certificatePem, keyPem } = await authority.issueClient({ user, groups: [] })
      await plugin(print({ clientCertificateData: certificatePem, clientKeyData: keyPem }))
    }
    const cluster = {
      server: server.url.href,
      'certificate-authority-data': Buffer.from(authority.pair.certificatePem).toString('base64'),
    }
    await issue('alice')
    const credentials = await load({ cluster, user: { exec }, using: systemClock })
    const { api, close } = connectApi({
      credentials,
      clock: systemClock,
      random: createSystemRandom(),
      userAgent: 'test',
    })
    t.after(async () => {
      close()
      await server.close()
    })
    await credentials.tls()
    await issue('bob')
    assert.deepEqual(
      (await api.list(CONFIG_MAPS)).items.map(({ metadata }) => metadata.name),
      ['bob'],
    )
    assert.equal(await runs(), 2)
  })
})

describe('credentials of a pod', () => {
  const FOLDER = '/var/run/secrets/kubernetes.io/serviceaccount'
  /** A machine with only these files. */
  const withFiles = (files: Record<string, string>): typeof host => ({
    ...host,
    files: {
      ...host.files,
      readFile: (path) =>
        files[path] === undefined
          ? Promise.reject(new Error(`readFile ${path}: no such file`))
          : Promise.resolve(Buffer.from(files[path])),
    },
  })

  it('are where the kubelet puts them', async () => {
    const files: Record<string, string> = {
      [`${FOLDER}/ca.crt`]: 'CA',
      [`${FOLDER}/token`]: 'one',
      [`${FOLDER}/namespace`]: 'apps\n',
    }
    const clock = createSimulatedClock()
    const credentials = await loadInCluster({
      host: withFiles(files),
      clock,
      env: { KUBERNETES_SERVICE_HOST: 'fd00::1', KUBERNETES_SERVICE_PORT: '6443' },
    })
    assert.deepEqual([credentials.server.href, credentials.namespace], ['https://[fd00::1]:6443/', 'apps'])
    assert.deepEqual(await credentials.tls(), { ca: 'CA', rejectUnauthorized: true })
    assert.deepEqual(await credentials.headers(), { authorization: 'Bearer one' })
    files[`${FOLDER}/token`] = 'two'
    await clock.advance(60_000)
    assert.deepEqual(await credentials.headers(), { authorization: 'Bearer two' })
  })

  it('are not there outside of a cluster, which is said', async () => {
    await assert.rejects(loadInCluster({ host, clock: systemClock, env: {} }), /not in a cluster .*give --kubeconfig/)
    await assert.rejects(
      loadInCluster({ host: withFiles({}), clock: systemClock, env: { KUBERNETES_SERVICE_HOST: '10.0.0.1' } }),
      /can't be read: .*serviceaccount/,
    )
  })
})
