import { deepEqual, equal, match, notEqual, ok, rejects } from 'node:assert/strict'
import { statSync } from 'node:fs'
import { test } from 'node:test'
import { isForbidden } from '../../src/api/api-error.ts'
import { SELF_SUBJECT_REVIEWS } from '../../src/api/kinds/authentication.ts'
import type { SelfSubjectReview, TokenRequest } from '../../src/api/kinds/authentication.ts'
import { CSI_DRIVERS } from '../../src/api/kinds/csi-driver.ts'
import { PODS } from '../../src/api/kinds/pod.ts'
import type { Pod } from '../../src/api/kinds/pod.ts'
import { SERVICE_ACCOUNTS } from '../../src/api/kinds/service-account.ts'
import { createSystemClock, createSystemHost, createSystemRandom } from '../../src/base/index.ts'
import { mountsBelow } from '../../src/cluster/testing/describe-up.ts'
import { CsiError } from '../../src/csi/index.ts'
import { connectApi, loadKubeconfig } from '../../src/kube/index.ts'
import { assertNothingTold, isRunning, readManifest, startSecretCluster } from './describe-cluster.ts'
import type { Publish, SecretCluster } from './describe-cluster.ts'

const LIMIT = { timeout: 120_000 }
// As short as the document's period: what is to be seen comes soon.
const OFTEN = { republishMs: 100 }
const MINUTE_MS = 60_000

const tokensOf = (published: readonly Publish[], audience = 'vault'): Set<string | undefined> =>
  new Set(published.map(({ tokens }) => tokens[audience]?.token))
const succeeded = ({ published }: SecretCluster): number => published.filter(({ error }) => !error).length
const firstOf = ({ published: [first] }: SecretCluster): Publish => {
  ok(first)
  return first
}

/** The pod of pod.yaml, running. */
async function startPod(cluster: SecretCluster, csiDriver: string): Promise<Pod> {
  await cluster.apply(csiDriver, 'pod.yaml')
  await cluster.until('the pod runs', () => cluster.hasPod('web') && isRunning(cluster.pod()))
  return cluster.pod()
}

test(
  'S4-1, S4-3, S4-6, S4-7, S4-14, S4-15, S4-17, S4-20, S4-21, S4-24, S4-26, S4-33: a pod finds the secret of its account, which is replaced again and again in the same mount',
  LIMIT,
  async (t) => {
    const cluster = await startSecretCluster(t, { volumes: OFTEN })
    const pod = await startPod(cluster, 'csidriver.yaml')
    const { request, tokens } = firstOf(cluster)
    deepEqual(Object.keys(tokens), ['vault'])
    const lifeMs = Date.parse(tokens['vault']?.expirationTimestamp ?? '') - Date.now()
    ok(lifeMs > 500_000 && lifeMs <= 601_000, `${lifeMs} ms`)
    equal(request.volumeContext['csi.storage.k8s.io/pod.uid'], pod.metadata.uid)
    const [first, target] = [cluster.read(), cluster.targetOf(pod)]
    equal(request.targetPath, target)
    equal(first['username'], 'default/web')
    const { dev, ino } = statSync(target)

    const seen = new Set([first['password']])
    await cluster.until('it was replaced three times', () => seen.add(cluster.read()['password']).size > 3)
    deepEqual([statSync(target).dev, statSync(target).ino], [dev, ino])
    const mounts = await mountsBelow(cluster.directory)
    ok(mounts.filter((path) => path === target).length <= 1)
    equal(cluster.called.includes('NodeUnpublishVolume'), false)
    equal(tokensOf(cluster.published).size, 1)
    deepEqual([cluster.pod().metadata.uid, isRunning(cluster.pod())], [pod.metadata.uid, true])

    await cluster.api.delete(PODS, { namespace: 'default', name: 'web' })
    await cluster.until('the pod has gone', () => !cluster.hasPod('web'))
    equal(cluster.called.at(-1), 'NodeUnpublishVolume')
    deepEqual(await mountsBelow(cluster.directory), [])
    await assertNothingTold(cluster)
  },
)

test(
  'S4-4, S4-5, S4-44: the driver reads no file but its own, needs one right, and can make no token',
  LIMIT,
  async (t) => {
    const cluster = await startSecretCluster(t, { volumes: OFTEN })
    const pod = await startPod(cluster, 'csidriver.yaml')
    await cluster.until('it was called again', () => succeeded(cluster) > 3)
    const target = cluster.targetOf(pod)
    // Those above it are only looked at, to make the target.
    deepEqual(
      [...cluster.touched].filter((path) => !path.startsWith(target) && !target.startsWith(path)),
      [],
    )
    equal(
      [...cluster.touched].some((path) => path.startsWith(target)),
      true,
    )
    const body: TokenRequest = {
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenRequest',
      metadata: {},
      spec: { audiences: ['vault'] },
    }
    const { driverApi } = cluster
    await rejects(
      driverApi.createSubresource(SERVICE_ACCOUNTS, { namespace: 'default', name: 'web' }, 'token', body),
      isForbidden,
    )
    await rejects(driverApi.list(PODS), isForbidden)
    await assertNothingTold(cluster)
  },
)

test(
  'S4-9, S4-10, S4-11, S4-19, S4-22, S4-23, S4-25, S4-42, H61, H62, H63, H64: the object of the first document has it published ten times a second, one call after the other, with one token',
  LIMIT,
  async (t) => {
    const cluster = await startSecretCluster(t)
    const pod = await startPod(cluster, 'csidriver-v1alpha1.yaml')
    const before = cluster.read()
    await cluster.until('it was called thirty times', () => succeeded(cluster) >= 30)
    const { request, tokens } = firstOf(cluster)
    equal(tokens['vault']?.expiry, tokens['vault']?.expirationTimestamp)
    equal(request.volumeContext['csi.kubernetes.io/pod.uid'], pod.metadata.uid)
    equal(tokensOf(cluster.published).size, 1)
    for (const [index, { beganMs }] of cluster.published.entries()) {
      const earlier = cluster.published[index - 1]
      // A timer may fire a little early.
      if (earlier)
        ok(beganMs - earlier.endedMs > 90, `call ${index} began ${beganMs - earlier.endedMs} ms after the one before`)
    }
    notEqual(cluster.read()['password'], before['password'])
    equal((await cluster.api.get(CSI_DRIVERS, { name: 'secrets.example.com' })).spec.requiresRepublish, true)
    await assertNothingTold(cluster)
  },
)

for (const [route, volumes] of [
  ['csidriver.yaml', OFTEN],
  ['csidriver-v1alpha1.yaml', {}],
] as const) {
  test(
    `S4-27, S4-28, S4-29, S4-31, H64: while calls fail the pod runs on with the old content and an event says so; then it heals (${route})`,
    LIMIT,
    async (t) => {
      const cluster = await startSecretCluster(t, { volumes })
      const pod = await startPod(cluster, route)
      let failed = 0
      cluster.faults.before = (token) => {
        failed += 1
        // As careless drivers do.
        throw new CsiError('UNAVAILABLE', `the vault is sealed for ${token}`)
      }
      await cluster.until('a call has failed', () => failed > 0)
      // Calls come one after the other: from here on nothing is written.
      const old = cluster.read()
      await cluster.until(
        'three calls have failed, and an event tells of it',
        () => failed >= 3 && cluster.events().some((text) => text.includes('the vault is sealed')),
      )
      deepEqual(cluster.read(), old)
      match(
        cluster.events().find((text) => text.includes('sealed')) ?? '',
        /^FailedMount: MountVolume.SetUp failed for volume "secrets" : NodePublishVolume: Unavailable: the vault is sealed for \*\*\*stripped\*\*\*$/,
      )
      deepEqual(
        [cluster.pod().metadata.uid, cluster.pod().metadata.deletionTimestamp, isRunning(cluster.pod())],
        [pod.metadata.uid, undefined, true],
      )
      equal(cluster.called.includes('NodeUnpublishVolume'), false)
      cluster.faults.before = () => {}
      await cluster.until('the content is new', () => cluster.read()['password'] !== old['password'])
      await assertNothingTold(cluster)
    },
  )
}

test(
  'S4-13, S4-15, S4-27, H65: a token whose time has passed is refused and the content stays; the next token is let in',
  LIMIT,
  async (t) => {
    const cluster = await startSecretCluster(t, { volumes: OFTEN })
    const pod = await startPod(cluster, 'csidriver.yaml')
    const first = cluster.published.at(-1)?.tokens['vault']?.token
    // Only the wall clock: the node still takes the token for a young one, as one does whose clock is behind.
    cluster.jump({ wallMs: 12 * MINUTE_MS })
    await cluster.until('it is refused', () => cluster.published.some(({ error }) => error?.code === 'UNAUTHENTICATED'))
    const old = cluster.read()
    const { length } = cluster.published
    await cluster.until(
      'it is refused again, and an event tells of it',
      () => cluster.published.length > length && cluster.events().some((text) => text.includes('its time has passed')),
    )
    equal(cluster.published.at(-1)?.error?.code, 'UNAUTHENTICATED')
    equal(cluster.published.at(-1)?.tokens['vault']?.token, first)
    deepEqual(cluster.read(), old)
    deepEqual([cluster.pod().metadata.uid, isRunning(cluster.pod())], [pod.metadata.uid, true])

    cluster.jump({ ageMs: 12 * MINUTE_MS })
    await cluster.until('the content is new', () => cluster.read()['password'] !== old['password'])
    deepEqual([cluster.published.at(-1)?.error, tokensOf(cluster.published).size], [undefined, 2])
    await assertNothingTold(cluster)
  },
)

test(
  'S4-8, S4-12: with a token for the API server itself a driver acts as the pod, for certificates as for anything else',
  LIMIT,
  async (t) => {
    const cluster = await startSecretCluster(t)
    const [object] = readManifest('csidriver.yaml')
    const { spec, ...rest } = object as typeof object & { spec: object }
    await cluster.api.create(CSI_DRIVERS, {
      ...rest,
      spec: {
        ...spec,
        tokenRequests: [
          { audience: 'vault' },
          { audience: 'cloud.example.com', expirationSeconds: 3600 },
          { audience: '' },
        ],
      },
    } as never)
    await cluster.apply('pod.yaml')
    await cluster.until('the pod runs', () => cluster.hasPod('web') && isRunning(cluster.pod()))
    const { tokens } = firstOf(cluster)
    deepEqual(Object.keys(tokens), ['', 'cloud.example.com', 'vault'])
    const parts = { host: createSystemHost(), clock: createSystemClock(), env: {} }
    const admin = await loadKubeconfig({ path: cluster.kubeconfigPath, parts })
    const whoIs = async (audience: string): Promise<SelfSubjectReview> => {
      const credentials = {
        ...admin,
        tls: async () => ({ ca: (await admin.tls()).ca ?? '', rejectUnauthorized: true }),
        headers: () => Promise.resolve({ authorization: `Bearer ${tokens[audience]?.token}` }),
      }
      const { api, close } = connectApi({
        credentials,
        clock: parts.clock,
        random: createSystemRandom(),
        userAgent: 'test',
      })
      try {
        return await api.review<SelfSubjectReview>(SELF_SUBJECT_REVIEWS, {
          apiVersion: 'authentication.k8s.io/v1',
          kind: 'SelfSubjectReview',
          metadata: {},
        })
      } finally {
        close()
      }
    }
    const { username, extra } = (await whoIs('')).status?.userInfo ?? {}
    equal(username, 'system:serviceaccount:default:web')
    deepEqual(extra?.['authentication.kubernetes.io/pod-name'], ['web'])
    await rejects(whoIs('vault'), { code: 401 })
    await assertNothingTold(cluster)
  },
)

test(
  'S4-35, S4-42: forty pods are served at once, each by a token of its own, asked for once however often it is used',
  LIMIT,
  async (t) => {
    const cluster = await startSecretCluster(t, { volumes: { republishMs: 500 } })
    await cluster.apply('csidriver.yaml')
    const [account, pod] = readManifest('pod.yaml')
    await cluster.api.create(SERVICE_ACCOUNTS, account as never)
    const names = Array.from({ length: 40 }, (_, index) => `web-${index}`)
    for (const name of names)
      await cluster.api.create(PODS, { ...(pod as Pod), metadata: { namespace: 'default', name } })
    await cluster.until(
      'all run',
      () => cluster.published.length >= names.length && names.every((name) => isRunning(cluster.pod(name))),
    )
    const before = names.map((name) => cluster.read(name)['password'])
    await cluster.until('all have new content', () =>
      names.every((name, index) => cluster.read(name)['password'] !== before[index]),
    )
    equal(tokensOf(cluster.published).size, names.length)
    for (const name of names) {
      const target = cluster.targetOf(cluster.pod(name))
      equal(tokensOf(cluster.published.filter(({ request }) => request.targetPath === target)).size, 1)
    }
    deepEqual(
      cluster.published.flatMap(({ error }) => error?.message ?? []),
      [],
    )
    await assertNothingTold(cluster)
  },
)
