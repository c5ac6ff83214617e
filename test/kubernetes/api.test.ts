import { deepEqual, equal, ok } from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Api, WatchOptions } from '../../src/api/api.ts'
import { CONFIG_MAPS } from '../../src/api/kinds/config-map.ts'
import type { ConfigMap } from '../../src/api/kinds/config-map.ts'
import { LEASES } from '../../src/api/kinds/lease.ts'
import { NAMESPACES } from '../../src/api/kinds/namespace.ts'
import { createSilentLogger, createSystemClock, createSystemHost, createSystemRandom } from '../../src/base/index.ts'
import { connectApi } from '../../src/kube/client/connect-api.ts'
import { loadKubeconfig } from '../../src/kube/client/credentials.ts'
import { describeApi } from '../../src/kube/testing/describe-api.ts'
import { startInformer } from '../../src/kube/cache/informer.ts'
import type { Informer } from '../../src/kube/cache/informer.ts'
import { startLeaderElection } from '../../src/kube/process/leader-election.ts'
import type { LeaderElection } from '../../src/kube/process/leader-election.ts'
import type { CacheChange } from '../../src/kube/cache/object-cache.ts'
import { startKubernetes } from './start-kubernetes.ts'
import type { RunningKubernetes } from './start-kubernetes.ts'

const clock = createSystemClock()
const random = createSystemRandom()
const log = createSilentLogger()

// One for all tests here: it takes seconds to start.
let kubernetes: RunningKubernetes
before(async () => {
  kubernetes = await startKubernetes()
})
after(() => kubernetes.stop())

async function connect(): Promise<{ api: Api; close(): void }> {
  const credentials = await loadKubeconfig({
    path: kubernetes.kubeconfig(),
    parts: { host: createSystemHost(), clock, env: {} },
  })
  return connectApi({ credentials, clock, random, userAgent: 'holdfast-test' })
}

describeApi('the API of kube-apiserver', connect)

describe('our client on kube-apiserver', () => {
  const connections: { close(): void }[] = []
  let admin: Api
  before(async () => {
    admin = await connectAnew()
  })
  after(() => {
    for (const { close } of connections) close()
  })
  const connectAnew = async (): Promise<Api> => {
    const connection = await connect()
    connections.push(connection)
    return connection.api
  }
  const makeNamespace = async (name: string): Promise<void> => {
    await admin.create(NAMESPACES, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } })
  }

  test('an informer reads everything in one watch, and then sees each change', async (t) => {
    await makeNamespace('informed')
    await admin.create(CONFIG_MAPS, configMap('before', { step: '1' }))
    const { api, asked } = recordReads(admin)
    const informer = startInformer(CONFIG_MAPS, { namespace: 'informed' }, { api, clock, random, log })
    t.after(() => informer.stop())
    await informer.synced()
    deepEqual(names(informer), ['before'])
    deepEqual(
      asked.map(({ verb, options }) => [verb, options.sendInitialEvents]),
      [['watch', true]],
    )

    await sees(
      informer,
      () => admin.create(CONFIG_MAPS, configMap('after', {})),
      ({ key, before: old, after: now }) => key === 'informed/after' && !old && now !== undefined,
    )
    await sees(
      informer,
      () =>
        admin.patch(
          CONFIG_MAPS,
          { namespace: 'informed', name: 'before' },
          { type: 'merge', value: { data: { step: '2' } } },
        ),
      ({ before: old, after: now }) => old?.data?.['step'] === '1' && now?.data?.['step'] === '2',
    )
    await sees(
      informer,
      () => admin.delete(CONFIG_MAPS, { namespace: 'informed', name: 'before' }),
      ({ key, after: now }) => key === 'informed/before' && now === undefined,
    )
    deepEqual(names(informer), ['after'])
    equal(informer.get('informed/after')?.metadata.managedFields, undefined)
    equal(asked.length, 1, 'one stream brought it all')
  })

  test('one of two leads; the other takes over when the lease is given back, and when its holder goes silent', async (t) => {
    await makeNamespace('elected')
    const elect = async (identity: string): Promise<LeaderElection & { cutOff(): void }> => {
      const { api, cutOff } = cuttable(await connectAnew())
      const election = startLeaderElection({
        api,
        clock,
        random,
        log,
        namespace: 'elected',
        name: 'example.com/one',
        identity,
        leaseDurationMs: 2000,
        renewDeadlineMs: 1500,
        retryPeriodMs: 200,
      })
      t.after(() => election.stop())
      return { ...election, cutOff }
    }
    const first = await elect('first')
    await until(first, () => first.isLeading())
    const second = await elect('second')
    await until(second, () => holderSeenBy(second) === 'first')
    ok(first.isLeading() && !second.isLeading())
    const lease = await admin.get(LEASES, { namespace: 'elected', name: 'example-com-one' })
    equal(lease.spec?.holderIdentity, 'first')
    equal(lease.spec?.leaseTransitions, 0)

    await first.stop()
    await until(second, () => second.isLeading())
    equal((await admin.get(LEASES, { namespace: 'elected', name: 'example-com-one' })).spec?.leaseTransitions, 1)

    const third = await elect('third')
    await until(third, () => holderSeenBy(third) === 'second')
    second.cutOff()
    await until(third, () => third.isLeading())
    ok(!second.isLeading(), 'who could not renew has stopped before')
    equal((await admin.get(LEASES, { namespace: 'elected', name: 'example-com-one' })).spec?.holderIdentity, 'third')
  })
})

const configMap = (name: string, data: Readonly<Record<string, string>>): ConfigMap => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { namespace: 'informed', name },
  data,
})

const names = (informer: Informer<ConfigMap>): string[] =>
  Array.from(informer.all(), ({ metadata }) => metadata.name ?? '').sort()

/** The same API, with a list of what was read through it. */
function recordReads(api: Api): { api: Api; asked: { verb: 'list' | 'watch'; options: WatchOptions }[] } {
  const asked: { verb: 'list' | 'watch'; options: WatchOptions }[] = []
  return {
    asked,
    api: {
      ...api,
      list: (type, options) => {
        asked.push({ verb: 'list', options: {} })
        return api.list(type, options)
      },
      watch: (type, options) => {
        asked.push({ verb: 'watch', options: options ?? {} })
        return api.watch(type, options)
      },
    },
  }
}

/** Does something and waits until the informer tells of it. */
async function sees(
  informer: Informer<ConfigMap>,
  act: () => Promise<unknown>,
  isIt: (change: CacheChange<ConfigMap>) => boolean,
): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const end = informer.onChange((change) => isIt(change) && resolve())
  await act()
  await promise
  end()
}

async function until(election: LeaderElection, holds: () => boolean): Promise<void> {
  if (holds()) return
  const { promise, resolve } = Promise.withResolvers<void>()
  const end = election.onChange(() => holds() && resolve())
  await promise
  end()
}

function holderSeenBy(election: LeaderElection): string | undefined {
  const state = election.state()
  return state.kind === 'following' ? state.holder : undefined
}

/** An API that can stop to answer, as a server behind a broken network does. */
function cuttable(api: Api): { api: Api; cutOff(): void } {
  let isCut = false
  const answer = <T>(ask: () => Promise<T>): Promise<T> => (isCut ? new Promise<T>(() => {}) : ask())
  return {
    cutOff: () => void (isCut = true),
    api: {
      ...api,
      get: (type, ref, options) => answer(() => api.get(type, ref, options)),
      create: (type, object, options) => answer(() => api.create(type, object, options)),
      update: (type, object, options) => answer(() => api.update(type, object, options)),
    },
  }
}
