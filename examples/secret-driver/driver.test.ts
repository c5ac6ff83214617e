import { deepEqual, equal, match, ok, rejects } from 'node:assert/strict'
import { mkdtemp, open, readdir, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import type { TestContext } from 'node:test'
import type { Api } from '../../src/api/api.ts'
import { ApiError } from '../../src/api/api-error.ts'
import type { TokenRequest } from '../../src/api/kinds/authentication.ts'
import { PODS } from '../../src/api/kinds/pod.ts'
import { SERVICE_ACCOUNTS } from '../../src/api/kinds/service-account.ts'
import { openTestCore } from '../../src/apiserver/testing/open-test-core.ts'
import {
  createLogger,
  createSeededRandom,
  createSimulatedHost,
  createSystemHost,
  HostError,
  makeDirectories,
} from '../../src/base/index.ts'
import type { Host, HostFiles, SimulatedClock } from '../../src/base/index.ts'
import { CsiError, joinDriver } from '../../src/csi/index.ts'
import type { Driver } from '../../src/csi/index.ts'
import '../use-source.ts'

const { createSecretDriver } = await import('./driver.ts')
const { TOKENS_KEY } = await import('./find-token.ts')
const { createTokenReviewer } = await import('./review-token.ts')
const { createVault } = await import('./vault.ts')

const TARGET = '/pods/a/mount'
const LEASE_MS = 60_000
const capability = { accessMode: { mode: 1 }, accessType: { $case: 'mount', value: {} } } as const
type Request = Parameters<Driver['nodePublishVolume']>[0]

type Opened = {
  readonly api: Api
  readonly clock: SimulatedClock
  readonly driver: Driver
  readonly host: Host
  readonly reviews: { count: number; isRefusing: boolean }
  readonly logged: string[]
  /** A token of an account of the namespace `default`, bound to the pod `a` unless it is told otherwise. */
  tokenOf(order?: {
    account?: string
    audience?: string
    pod?: string | undefined
  }): Promise<TokenRequest['status'] & object>
}

/** The driver, joined to an API server in memory with two pods, on a machine in memory that may not mount. */
async function openDriver(
  t: TestContext,
  { host = memoryHost(), target = TARGET, filesOf = (files: HostFiles) => files, keepMs = 0 } = {},
): Promise<Opened> {
  const { api, clock } = await openTestCore(t)
  await makeDirectories(host.files, dirname(target))
  for (const name of ['web', 'stranger'])
    await api.create(SERVICE_ACCOUNTS, {
      apiVersion: 'v1',
      kind: 'ServiceAccount',
      metadata: { namespace: 'default', name },
    })
  for (const name of ['a', 'b', 'c']) {
    const serviceAccountName = name === 'c' ? 'stranger' : 'web'
    await api.create(PODS, {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { namespace: 'default', name },
      spec: { nodeName: 'n', serviceAccountName, containers: [{ name: 'main', image: 'none' }] },
    })
  }
  const reviews = { count: 0, isRefusing: false }
  const watched: Api = {
    ...api,
    review: (...args) => {
      reviews.count += 1
      return reviews.isRefusing
        ? Promise.reject(new ApiError('ServiceUnavailable', 'the server is going away'))
        : api.review(...args)
    },
  }
  const logged: string[] = []
  const driver = createSecretDriver({
    nodeId: 'n',
    audience: 'vault',
    reviewToken: createTokenReviewer({ api: watched, audience: 'vault', clock, keepMs }),
    vault: createVault({ clock, random: createSeededRandom(1), accounts: ['default/web'], leaseMs: LEASE_MS }),
    host: { ...host, files: filesOf(host.files) },
    random: createSeededRandom(2),
    log: createLogger({ clock, level: 'debug', format: 'json', write: (line) => void logged.push(line) }),
  })
  const tokenOf: Opened['tokenOf'] = async (order = {}) => {
    const { account = 'web', audience = 'vault' } = order
    const pod = 'pod' in order ? order.pod : 'a'
    const bound = pod === undefined ? undefined : await api.get(PODS, { namespace: 'default', name: pod })
    const { status } = await api.createSubresource<TokenRequest>(
      SERVICE_ACCOUNTS,
      { namespace: 'default', name: account },
      'token',
      {
        apiVersion: 'authentication.k8s.io/v1',
        kind: 'TokenRequest',
        metadata: {},
        spec: {
          audiences: audience === '' ? [] : [audience],
          expirationSeconds: 600,
          ...(bound
            ? { boundObjectRef: { apiVersion: 'v1', kind: 'Pod', name: bound.metadata.name, uid: bound.metadata.uid } }
            : {}),
        },
      } as TokenRequest,
    )
    ok(status)
    return status
  }
  return { api, clock, driver: joinDriver(driver, { clock }), host, reviews, logged, tokenOf }
}

function memoryHost(): Host {
  const host = createSimulatedHost({ random: createSeededRandom(3) })
  return { ...host, mounts: { ...host.mounts, available: () => Promise.resolve(false) } }
}

const contextOf = (tokens: object, more: Record<string, string> = {}): Record<string, string> => ({
  [TOKENS_KEY]: JSON.stringify(tokens),
  ...more,
})
const publish = (volumeContext: Record<string, string>, more: Partial<Request> = {}): Request => ({
  volumeId: 'csi-1',
  targetPath: TARGET,
  volumeCapability: capability,
  volumeContext,
  ...more,
})

/** What a program in the pod would read. */
async function read({ files }: Host, path = TARGET): Promise<Record<string, string>> {
  const names = (await files.list(path)).map(({ name }) => name).filter((name) => !name.startsWith('..'))
  const entries = names.map(
    async (name) =>
      [name, Buffer.from(await files.readFile(await files.resolve(join(path, name)))).toString()] as const,
  )
  return Object.fromEntries(await Promise.all(entries))
}

test('S4-13, S4-17, S4-18, S4-19: the account that the token proves gets its own secret, and only while the pod asks for it', async (t) => {
  const { driver, host, tokenOf } = await openDriver(t)
  await driver.nodePublishVolume(publish(contextOf({ vault: await tokenOf() })))
  const content = await read(host)
  deepEqual(Object.keys(content), ['expires', 'password', 'username'])
  equal(content['username'], 'default/web')
  equal(content['password']?.length, 24)
  await driver.nodeUnpublishVolume({ volumeId: 'csi-1', targetPath: TARGET })
  await driver.nodeUnpublishVolume({ volumeId: 'csi-1', targetPath: TARGET })
  deepEqual(await host.files.list(dirname(TARGET)), [])
})

test('S4-19, H62, H66: tokens are read in the form of the first document too, and from the secrets', async (t) => {
  const { driver, host, tokenOf } = await openDriver(t)
  const { token, expirationTimestamp: expiry } = await tokenOf()
  await driver.nodePublishVolume(publish(contextOf({ vault: { token, expiry } })))
  await driver.nodePublishVolume(
    publish({}, { secrets: contextOf({ vault: { token, expirationTimestamp: expiry } }), targetPath: `${TARGET}2` }),
  )
  equal((await read(host, `${TARGET}2`))['username'], 'default/web')
})

test('S4-27, S4-28, I9: what is not a good token of this pod and audience is refused, with nothing changed and nothing told of it', async (t) => {
  const { api, clock, driver, host, reviews, tokenOf, logged } = await openDriver(t)
  const good = await tokenOf()
  const uid = (await api.get(PODS, { namespace: 'default', name: 'a' })).metadata.uid ?? ''
  await driver.nodePublishVolume(publish(contextOf({ vault: good }, { 'csi.storage.k8s.io/pod.uid': uid })))
  const before = await read(host)
  // Past the lease: whoever is let in would see another password.
  await clock.advance(LEASE_MS)

  const foreign = { vault: { ...(await tokenOf({ audience: 'billing' })) } }
  const refusals: [what: string, request: Request, code: string, detail: RegExp][] = [
    ['of another audience', publish(contextOf(foreign)), 'UNAUTHENTICATED', /not good for the audience vault/],
    [
      'of the API server',
      publish(contextOf({ vault: await tokenOf({ audience: '' }) })),
      'UNAUTHENTICATED',
      /not good for the audience vault/,
    ],
    [
      'of another pod',
      publish(contextOf({ vault: await tokenOf({ pod: 'b' }) }, { 'csi.kubernetes.io/pod.uid': uid })),
      'UNAUTHENTICATED',
      /another pod/,
    ],
    [
      'of no pod',
      publish(contextOf({ vault: await tokenOf({ pod: undefined }) })),
      'UNAUTHENTICATED',
      /not that of a pod/,
    ],
    [
      'of an account without a secret',
      publish(contextOf({ vault: await tokenOf({ account: 'stranger', pod: 'c' }) })),
      'PERMISSION_DENIED',
      /default\/stranger/,
    ],
    [
      'forged',
      publish(contextOf({ vault: { ...good, token: `${good.token.slice(0, -8)}AAAAAAAA` } })),
      'UNAUTHENTICATED',
      /not good/,
    ],
    [
      'for others only',
      publish(contextOf({ billing: good })),
      'FAILED_PRECONDITION',
      /no token for the audience vault/,
    ],
    ['none at all', publish({}), 'FAILED_PRECONDITION', /no tokens came/],
    ['not JSON', publish({ [TOKENS_KEY]: `{"vault": ${good.token}` }), 'INVALID_ARGUMENT', /is not JSON/],
    ['without an end', publish(contextOf({ vault: { token: good.token } })), 'INVALID_ARGUMENT', /can not be read/],
    ['with a name of every object', publish(contextOf({ ['__proto__']: good })), 'FAILED_PRECONDITION', /no token for/],
    [
      'for a block device',
      publish(contextOf({ vault: good }), {
        volumeCapability: { ...capability, accessType: { $case: 'block', value: {} } },
      }),
      'INVALID_ARGUMENT',
      /no block/,
    ],
  ]
  const tellsNothing = (text: string): void =>
    equal(
      [good.token, foreign.vault.token].some((token) => text.includes(token.slice(-40))),
      false,
    )
  const refused = async (what: string, request: Request, code: string, detail: RegExp): Promise<void> => {
    const error = await driver.nodePublishVolume(request).then(
      () => undefined,
      (reason: unknown) => reason,
    )
    ok(error instanceof CsiError, what)
    deepEqual({ what, code: error.code }, { what, code })
    match(error.detail, detail)
    tellsNothing(`${error.message} ${error.stack}`)
    deepEqual(await read(host), before, what)
  }
  for (const refusal of refusals) await refused(...refusal)
  reviews.isRefusing = true
  await refused('nobody to ask', publish(contextOf({ vault: good })), 'UNAVAILABLE', /going away/)
  reviews.isRefusing = false
  // The server allows a minute for clocks that differ.
  await clock.advance(600_000 + 60_000)
  await refused('too old', publish(contextOf({ vault: good })), 'UNAUTHENTICATED', /its time has passed/)
  const last = await tokenOf()
  await api.delete(PODS, { namespace: 'default', name: 'a' }, { gracePeriodSeconds: 0 })
  await refused('of a pod that has gone', publish(contextOf({ vault: last })), 'UNAUTHENTICATED', /not good/)
  tellsNothing(logged.join(''))
  equal(
    logged.some((line) => line.includes('"error"')),
    false,
  )
})

test('S4-8, S4-20, S4-21: a repeated call replaces the content once its lease has ended, and does nothing before', async (t) => {
  const { clock, driver, host, tokenOf, logged } = await openDriver(t)
  const again = async () => driver.nodePublishVolume(publish(contextOf({ vault: await tokenOf() })))
  await again()
  const [first, version] = [await read(host), await host.files.readSymlink(`${TARGET}/..data`)]
  await clock.advance(LEASE_MS - 1)
  await again()
  equal(await host.files.readSymlink(`${TARGET}/..data`), version)
  await clock.advance(1)
  await again()
  const second = await read(host)
  ok(second['password'] !== first['password'] && second['expires'] !== first['expires'])
  // One version, its link, and a link for each file: of the old one nothing is left.
  equal((await host.files.list(TARGET)).length, 2 + 3)
  equal(logged.filter((line) => line.includes('content replaced')).length, 2)
})

test('S4-27: whichever step on the disk fails, the pod sees all of the old content or all of the new, and the next call heals it', async (t) => {
  let stepsLeft = Number.POSITIVE_INFINITY
  const filesOf = (files: HostFiles): HostFiles =>
    new Proxy(files, {
      get:
        (target, name: keyof HostFiles) =>
        (...args: never[]) => {
          if (stepsLeft-- === 0) return Promise.reject(new HostError('ENOSPC', name, TARGET))
          return (target[name] as (...args: never[]) => unknown)(...args)
        },
    })
  const { clock, driver, host, tokenOf } = await openDriver(t, { filesOf })
  const again = async () => driver.nodePublishVolume(publish(contextOf({ vault: await tokenOf() })))
  await again()
  let [failures, isDone] = [0, false]
  for (let steps = 0; !isDone; steps++) {
    const before = await read(host)
    await clock.advance(LEASE_MS)
    stepsLeft = steps
    const failed = await again().then(
      () => undefined,
      (error: Error) => error,
    )
    stepsLeft = Number.POSITIVE_INFINITY
    const seen = await read(host)
    ok(
      seen['password'] === before['password']
        ? seen['expires'] === before['expires']
        : seen['expires'] !== before['expires'],
      `torn after ${steps} steps`,
    )
    if (failed) {
      failures += 1
      ok(failed instanceof CsiError && failed.code === 'RESOURCE_EXHAUSTED', failed.message)
    } else isDone = true
    await again()
    deepEqual(Object.keys(await read(host)), ['expires', 'password', 'username'])
    equal((await host.files.list(TARGET)).length, 2 + 3)
  }
  ok(failures > 10, `${failures} steps`)
})

test('ten calls a second are one review in ten seconds', async (t) => {
  const { clock, driver, reviews, tokenOf } = await openDriver(t, { keepMs: 10_000 })
  const request = publish(contextOf({ vault: await tokenOf() }))
  for (let call = 0; call < 100; call++) {
    await driver.nodePublishVolume(request)
    await clock.advance(100)
  }
  equal(reviews.count, 1)
  await driver.nodePublishVolume(request)
  equal(reviews.count, 2)
})

test('what the driver has not made is left alone', async (t) => {
  const { driver, host } = await openDriver(t)
  await host.files.makeDirectory(TARGET)
  await host.files.writeFile(`${TARGET}/mine`, Buffer.from('precious'))
  await rejects(driver.nodeUnpublishVolume({ volumeId: 'csi-1', targetPath: TARGET }), { code: 'FAILED_PRECONDITION' })
  equal(Buffer.from(await host.files.readFile(`${TARGET}/mine`)).toString(), 'precious')
  await rejects(driver.nodePublishVolume(publish({}, { targetPath: 'relative' })), { code: 'INVALID_ARGUMENT' })
})

test('S4-21: where it may mount, the content is in memory, and a repeated call leaves the mount as it is', async (t) => {
  const host = createSystemHost()
  if (!(await host.mounts.available())) return t.skip('this process may not mount')
  const directory = await mkdtemp(join(tmpdir(), 'holdfast-example-'))
  t.after(() => rm(directory, { recursive: true }))
  const targetPath = join(directory, 'mount')
  const { clock, driver, tokenOf } = await openDriver(t, { host, target: targetPath })
  const again = async () => driver.nodePublishVolume(publish(contextOf({ vault: await tokenOf() }), { targetPath }))
  const mounted = async () => (await host.mounts.list()).filter(({ target }) => target.endsWith(targetPath))
  await again()
  deepEqual(
    (await mounted()).map(({ fsType }) => fsType),
    ['tmpfs'],
  )
  const [before, { dev, ino }] = [await read(host, targetPath), await stat(targetPath)]
  const opened = await open(join(targetPath, 'password'))
  await clock.advance(LEASE_MS)
  await again()
  equal((await mounted()).length, 1)
  deepEqual([(await stat(targetPath)).dev, (await stat(targetPath)).ino], [dev, ino])
  // As a program that has not looked again.
  equal(await opened.readFile('utf8'), before['password'])
  ok((await readFile(join(targetPath, 'password'), 'utf8')) !== before['password'])
  await opened.close()
  await driver.nodeUnpublishVolume({ volumeId: 'csi-1', targetPath })
  deepEqual([await mounted(), await readdir(directory)], [[], []])
})
