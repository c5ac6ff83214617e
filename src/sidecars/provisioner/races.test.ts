import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { Registry } from 'prom-client'
import { ApiError } from '../../api/api-error.ts'
import type { Api, WatchEvent } from '../../api/api.ts'
import { LEASES } from '../../api/kinds/lease.ts'
import { PERSISTENT_VOLUME_CLAIMS } from '../../api/kinds/persistent-volume-claim.ts'
import { PERSISTENT_VOLUMES } from '../../api/kinds/persistent-volume.ts'
import { SECRETS } from '../../api/kinds/secret.ts'
import type { ResourceType } from '../../api/resource-type.ts'
import type { TestCore } from '../../apiserver/testing/open-test-core.ts'
import { createSeededRandom } from '../../base/random.ts'
import { CsiError } from '../../csi/index.ts'
import { createOn, volumeOf as persistentVolumeOf } from '../../testing/objects.ts'
import {
  bind,
  createClaim,
  createClass,
  deleteClaim,
  DRIVER,
  getVolume,
  NAMESPACE,
  releaseVolume,
  startUnderTest,
  volumeOf,
} from './testing/describe-provisioner.ts'
import type { ScriptedDriver } from './testing/describe-provisioner.ts'

const JOURNAL = { namespace: 'kube-system', name: 'holdfast-journal-test-holdfast-dev' }
const createsOf = ({ calls }: ScriptedDriver): number => calls.filter((call) => call.startsWith('create')).length
const journalOf = async (api: Api): Promise<string> =>
  JSON.stringify((await api.get(LEASES, JOURNAL)).metadata.annotations)

/** The API with a gate before writes of leases; open at first. */
function gateLeases() {
  let gate = Promise.resolve()
  const apiOf = ({ api }: TestCore): Api => ({
    ...api,
    update: async (type, object, options) => {
      if (type.plural === 'leases') await gate
      return api.update(type, object, options)
    },
  })
  const close = (): (() => void) => {
    const { promise, resolve } = Promise.withResolvers<void>()
    gate = promise
    return resolve
  }
  return { apiOf, close }
}

describe('the journal and everything else', () => {
  test('it stops at once though the journal can not be written', async (context) => {
    let isDown = false
    const { api, settled, stop, clock } = await startUnderTest(context, {
      apiOf: ({ api: admin }): Api => ({
        ...admin,
        update: (type, object, options) =>
          isDown && type.plural === 'leases'
            ? Promise.reject(new ApiError('ServiceUnavailable', 'down'))
            : admin.update(type, object, options),
      }),
    })
    isDown = true
    await createClaim(api)
    await settled()
    const begunMs = clock.monotonicMs()
    await stop()
    ok(clock.monotonicMs() - begunMs <= 2000, `it took ${clock.monotonicMs() - begunMs} ms`)
  })
  test('a claim that was bound by hand while its plan was written down is not provisioned, and nothing of it stays in the journal', async (context) => {
    const { apiOf, close } = gateLeases()
    const { api, settled, advance, script } = await startUnderTest(context, { apiOf })
    const open = close()
    await createClaim(api)
    await settled()
    await api.patch(
      PERSISTENT_VOLUME_CLAIMS,
      { namespace: NAMESPACE, name: 'data' },
      { type: 'merge', value: { spec: { volumeName: 'by-hand' } } },
    )
    await settled()
    open()
    await settled()
    await advance(6000)
    deepEqual(script.calls, [])
    match(await journalOf(api), /\\"volumes\\":\[\]/)
  })
  test('full of calls in doubt, it keeps no worker from bringing them to an end', async (context) => {
    const { api, settled, advance, script, events } = await startUnderTest(context, { config: { workerThreads: 2 } })
    const { create } = script
    // Noise does not compress.
    const random = createSeededRandom(1)
    const noise = Array.from({ length: 80 }, () =>
      Array.from({ length: 4000 }, () => String.fromCharCode(33 + random.below(90))).join(''),
    )
    for (const [index, parameter] of noise.entries())
      await createClass(api, { metadata: { name: `noisy-${index}` }, parameters: { parameter } })
    script.create = () => Promise.reject(new CsiError('ABORTED', 'at it', { rpc: 'CreateVolume' }))
    for (const index of noise.keys()) await createClaim(api, `data-${index}`, { storageClassName: `noisy-${index}` })
    await settled()
    for (let turn = 0; turn < 10; turn++) await advance(10_000)
    equal(new Set(script.calls).size < noise.length, true, 'all of them had room')
    match((await events()).join('\n'), /Provisioning: the journal of calls in flight is full/)
    script.create = create
    for (let turn = 0; turn < 20; turn++) await advance(10_000)
    equal(script.volumes.size, noise.length)
  })
})

describe('what was kept', () => {
  test('a journal from long ago: a volume that somebody keeps under another name since is not deleted', async (context) => {
    const { api, settled, advance, script, stop, start } = await startUnderTest(context)
    const { create } = script
    script.create = async (request, call) => {
      await create(request, call)
      throw new CsiError('ABORTED', 'at it', { rpc: 'CreateVolume' })
    }
    const claim = await createClaim(api)
    await settled()
    await stop()
    await deleteClaim(api)
    const handle = `id-of-${volumeOf(claim)}`
    await createOn(
      api,
      PERSISTENT_VOLUMES,
      persistentVolumeOf({ name: 'kept', spec: { csi: { driver: DRIVER, volumeHandle: handle } } }),
    )
    script.create = create
    await start()
    await advance(10_000)
    deepEqual([...script.volumes.values()], [handle])
    match(await journalOf(api), /\\"volumes\\":\[\]/)
  })
})

describe('a server that refuses', () => {
  const cases: [what: string, verb: 'get' | 'create' | 'update' | 'patch' | 'delete', plural: string][] = [
    ['to show the secret', 'get', 'secrets'],
    ['to store the volume', 'create', 'persistentvolumes'],
    ['to hold the source', 'update', 'persistentvolumeclaims'],
    ['to delete the volume', 'delete', 'persistentvolumes'],
    ['to take the finalizer off', 'patch', 'persistentvolumes'],
  ]
  for (const reason of ['Forbidden', 'Conflict', 'TooManyRequests', 'InternalError', 'Unauthorized'] as const) {
    for (const [what, verb, plural] of cases) {
      test(`${what} for a while (${reason}): the clone is made and deleted all the same, with one volume at each time`, async (context) => {
        let failures = 0
        const { api, settled, advance, script } = await startUnderTest(context, {
          driver: { features: { cloneVolume: true } },
          apiOf: ({ api: admin }): Api => ({
            ...admin,
            // One of the five, all of the same shape up to here.
            [verb]: (type: ResourceType, ...rest: unknown[]) =>
              type.plural === plural && failures-- > 0
                ? Promise.reject(new ApiError(reason, 'no'))
                : (admin[verb] as (...args: unknown[]) => Promise<unknown>)(type, ...rest),
          }),
        })
        await api.create(SECRETS, {
          apiVersion: 'v1',
          kind: 'Secret',
          metadata: { namespace: NAMESPACE, name: 'pass' },
          stringData: { word: 'open sesame' },
        })
        await createClass(api, {
          metadata: { name: 'safe' },
          parameters: { csiProvisionerSecretName: 'pass', csiProvisionerSecretNamespace: NAMESPACE },
        })
        const source = await createClaim(api, 'source', { storageClassName: 'safe' })
        await settled()
        await bind(api, source)
        failures = 3
        const clone = await createClaim(api, 'clone', {
          storageClassName: 'safe',
          dataSource: { kind: 'PersistentVolumeClaim', name: 'source' },
        })
        await settled()
        for (let turn = 0; turn < 4; turn++) await advance(10_000)
        equal((await getVolume(api, clone)).spec.csi?.volumeHandle, `id-of-${volumeOf(clone)}`)
        await bind(api, clone)
        failures = 3
        await deleteClaim(api, 'clone')
        await releaseVolume(api, volumeOf(clone))
        await settled()
        for (let turn = 0; turn < 4; turn++) await advance(10_000)
        deepEqual([...script.volumes.keys()], [volumeOf(source)])
        deepEqual(
          (await api.list(PERSISTENT_VOLUMES)).items.map(({ metadata }) => metadata.name),
          [volumeOf(source)],
        )
        equal(script.mostAtOnce, 1)
      })
    }
  }
})

describe('what is counted', () => {
  const valueOf = async (registry: Registry, name: string): Promise<number> =>
    (await registry.getSingleMetric(name)?.get())?.values[0]?.value ?? 0

  test('a claim that never gets as far as the driver counts as failed, as one that does', async (context) => {
    const registry = new Registry()
    const { api, settled, events } = await startUnderTest(context, { registry })
    await createClass(api, {
      metadata: { name: 'safe' },
      parameters: { csiProvisionerSecretName: 'missing', csiProvisionerSecretNamespace: NAMESPACE },
    })
    await createClaim(api, 'data', { storageClassName: 'safe' })
    await settled()
    equal(await valueOf(registry, 'controller_persistentvolumeclaim_provision_failed_total'), 1)
    match((await events()).join('\n'), /failed to provision volume with StorageClass "safe": .*missing/)
  })
  test('so does a volume that can not be deleted, whoever refuses', async (context) => {
    const registry = new Registry()
    const { api, settled } = await startUnderTest(context, {
      registry,
      apiOf: ({ api: admin }): Api => ({
        ...admin,
        delete: (type, ref, options) =>
          type.plural === 'persistentvolumes'
            ? Promise.reject(new ApiError('Forbidden', 'no'))
            : admin.delete(type, ref, options),
      }),
    })
    const claim = await createClaim(api)
    await settled()
    await deleteClaim(api)
    await releaseVolume(api, volumeOf(claim))
    await settled()
    ok((await valueOf(registry, 'controller_persistentvolume_delete_failed_total')) > 0)
  })
})

describe('caches that are behind', () => {
  test('the name is taken by a volume that is leaving, and the cache does not know yet: the driver is not asked over and over', async (context) => {
    let gate = Promise.resolve()
    const { api, settled, advance, script } = await startUnderTest(context, {
      apiOf: ({ api: admin }): Api => ({
        ...admin,
        watch: async function* (type, options) {
          for await (const event of admin.watch(type, options)) {
            if (type.plural === 'persistentvolumes') await gate
            yield event as WatchEvent<never>
          }
        },
      }),
    })
    const { create } = script
    const answer = Promise.withResolvers<void>()
    script.create = async (request, call) => {
      await answer.promise
      return create(request, call)
    }
    const claim = await createClaim(api)
    await settled()
    const late = Promise.withResolvers<void>()
    gate = late.promise
    await createOn(
      api,
      PERSISTENT_VOLUMES,
      persistentVolumeOf({
        name: volumeOf(claim),
        metadata: { finalizers: ['example.com/keep'] },
        spec: { csi: { driver: 'other', volumeHandle: 'x' } },
      }),
    )
    await api.delete(PERSISTENT_VOLUMES, { name: volumeOf(claim) })
    answer.resolve()
    await settled()
    await advance(100)
    equal(createsOf(script), 1)
    late.resolve()
    await api.patch(
      PERSISTENT_VOLUMES,
      { name: volumeOf(claim) },
      { type: 'merge', value: { metadata: { finalizers: null } } },
    )
    await advance(2000)
    equal((await getVolume(api, claim)).spec.csi?.volumeHandle, `id-of-${volumeOf(claim)}`)
    equal(script.volumes.size, 1)
  })
})
