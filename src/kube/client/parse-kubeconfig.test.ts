import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { stringify } from 'yaml'
import { KubeconfigError, parseKubeconfig, parseKubeconfigs } from './parse-kubeconfig.ts'

const PEM = '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n'
const base64 = (text: string): string => Buffer.from(text).toString('base64')

function config({
  cluster = {},
  user = {},
  context = {},
}: { cluster?: object; user?: object; context?: object } = {}): string {
  return stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'main',
    contexts: [
      { name: 'other', context: { cluster: 'elsewhere', user: '' } },
      { name: 'main', context: { cluster: 'here', user: 'me', ...context } },
    ],
    clusters: [
      { name: 'here', cluster: { server: 'https://10.0.0.1:6443', ...cluster } },
      { name: 'elsewhere', cluster: { server: 'https://10.0.0.2:6443' } },
    ],
    users: [{ name: 'me', user }],
  })
}
const parse = (parts: Parameters<typeof config>[0] = {}, contextName?: string) =>
  parseKubeconfig(config(parts), 'kube.yaml', contextName)

describe('a kubeconfig', () => {
  it('gives its current context, or the one that is asked for', () => {
    assert.deepEqual(parse({ context: { namespace: 'apps' } }), {
      name: 'main',
      server: 'https://10.0.0.1:6443',
      insecureSkipTlsVerify: false,
      namespace: 'apps',
    })
    assert.equal(parse({}, 'other').server, 'https://10.0.0.2:6443')
  })

  it('has certificates in it or beside it, and prefers those in it', () => {
    const inside = parse({
      cluster: { 'certificate-authority-data': base64(PEM), 'certificate-authority': 'ca.crt' },
      user: { 'client-certificate': 'me.crt', 'client-key': '/keys/me.key' },
    })
    assert.deepEqual(
      [inside.certificateAuthority, inside.clientCertificate, inside.clientKey],
      [{ text: PEM }, { path: 'me.crt' }, { path: '/keys/me.key' }],
    )
  })

  it('has tokens, passwords, a server name and whom to act for', () => {
    const parsed = parse({
      cluster: { 'tls-server-name': 'api.example.com', 'insecure-skip-tls-verify': true },
      user: {
        token: 't',
        tokenFile: 'f',
        username: 'u',
        password: 'p',
        as: 'boss',
        'as-groups': ['g1', 'g2'],
        'as-uid': '7',
        'as-user-extra': { scopes: ['a', 'b'] },
      },
    })
    assert.deepEqual([parsed.token, parsed.tokenFile, parsed.basic], ['t', 'f', { username: 'u', password: 'p' }])
    assert.deepEqual([parsed.tlsServerName, parsed.insecureSkipTlsVerify], ['api.example.com', true])
    assert.deepEqual(parsed.impersonate, {
      user: 'boss',
      groups: ['g1', 'g2'],
      uid: '7',
      extra: { scopes: ['a', 'b'] },
    })
  })

  it('names a program to ask, and what the cluster has for it', () => {
    const extensions = [{ name: 'client.authentication.k8s.io/exec', extension: { audience: 'x' } }]
    const exec = {
      apiVersion: 'client.authentication.k8s.io/v1',
      command: 'login',
      args: ['--for', 'me'],
      env: [{ name: 'A', value: 'b' }],
      provideClusterInfo: true,
    }
    const parsed = parse({ cluster: { extensions }, user: { exec } })
    assert.deepEqual(parsed.exec, {
      apiVersion: 'client.authentication.k8s.io/v1',
      command: 'login',
      args: ['--for', 'me'],
      env: { A: 'b' },
      provideClusterInfo: true,
    })
    assert.deepEqual(parsed.execConfig, { audience: 'x' })
  })
})

describe('a kubeconfig that is wrong', () => {
  const cases: [behaviour: string, text: string, message: string, contextName?: string][] = [
    [
      'is not YAML',
      'users:\n  - name: me\n  user: {token: s3cret\n',
      'kube.yaml is not valid YAML: look at line 3, column 1',
    ],
    ['is something else', '- a list', 'kube.yaml is not a kubeconfig'],
    [
      'has no current context',
      'apiVersion: v1',
      'kube.yaml has no current-context: run kubectl config use-context NAME',
    ],
    ['does not have the context', config(), 'kube.yaml has no context named "prod"', 'prod'],
    ['does not have the cluster', config({ context: { cluster: 'gone' } }), 'kube.yaml has no cluster named "gone"'],
    ['does not have the user', config({ context: { user: 'gone' } }), 'kube.yaml has no user named "gone"'],
    [
      'has no address',
      config({ cluster: { server: 'me:s3cret@host' } }),
      'kube.yaml: the server of cluster here is not an address such as https://host:6443',
    ],
    [
      'needs a proxy',
      config({ cluster: { 'proxy-url': 'http://u:s3cret@proxy' } }),
      'kube.yaml: cluster here has a proxy-url: connections through a proxy are not supported',
    ],
    [
      'has what Kubernetes has removed',
      config({ user: { 'auth-provider': { name: 'gcp' } } }),
      'kube.yaml: user me has an auth-provider, which Kubernetes has removed: use exec',
    ],
    [
      'has a key that is no PEM',
      config({ user: { 'client-key-data': base64('s3cret') } }),
      'kube.yaml: client-key-data is not PEM in base64',
    ],
    ['has no command to run', config({ user: { exec: {} } }), 'kube.yaml: exec has no command'],
    [
      'needs a terminal',
      config({ user: { exec: { command: 'login', interactiveMode: 'Always' } } }),
      'kube.yaml: the exec plugin login needs a terminal',
    ],
  ]
  for (const [behaviour, text, message, contextName] of cases) {
    it(`says so when it ${behaviour}, without showing secrets`, () => {
      assert.throws(
        () => parseKubeconfig(text, 'kube.yaml', contextName),
        (error: unknown) => {
          assert.ok(error instanceof KubeconfigError)
          assert.equal(error.message, message)
          assert.equal(error.cause, undefined)
          return true
        },
      )
    })
  }
})

describe('several kubeconfigs', () => {
  const fileOf = (source: string, content: object) => ({ source, text: stringify(content) })
  const first = fileOf('/etc/kube/a/config', {
    'current-context': 'main',
    contexts: [{ name: 'main', context: { cluster: 'here', user: 'me' } }],
    users: [{ name: 'me', user: { 'client-certificate': 'me.crt', exec: { command: './login' } } }],
  })
  const second = fileOf('/etc/kube/b/config', {
    'current-context': 'other',
    contexts: [{ name: 'other', context: { cluster: 'here', user: '' } }],
    clusters: [{ name: 'here', cluster: { server: 'https://10.0.0.1:6443', 'certificate-authority': 'ca.crt' } }],
    users: [{ name: 'me', user: { token: 'not this one' } }],
  })

  it('count as one: the first entry of a name, paths relative to their own file', () => {
    const parsed = parseKubeconfigs([first, second])
    assert.deepEqual(
      [parsed.name, parsed.server, parsed.certificateAuthority, parsed.clientCertificate, parsed.token],
      ['main', 'https://10.0.0.1:6443', { path: '/etc/kube/b/ca.crt' }, { path: '/etc/kube/a/me.crt' }, undefined],
    )
    assert.equal(parsed.exec?.command, '/etc/kube/a/login')
    assert.equal(parseKubeconfigs([first, second], 'other').name, 'other')
  })

  it('may be empty, and are all named when something is missing', () => {
    const empty = { source: '/etc/kube/c/config', text: '' }
    assert.equal(parseKubeconfigs([empty, first, second]).name, 'main')
    assert.throws(
      () => parseKubeconfigs([empty, first]),
      /^KubeconfigError: \/etc\/kube\/c\/config:\/etc\/kube\/a\/config has no cluster named "here"$/,
    )
  })
})
