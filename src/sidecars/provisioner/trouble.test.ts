import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { ApiError } from '../../api/api-error.ts'
import type { Api } from '../../api/api.ts'
import { LEASES } from '../../api/kinds/lease.ts'
import { PERSISTENT_VOLUME_CLAIMS } from '../../api/kinds/persistent-volume-claim.ts'
import { PERSISTENT_VOLUMES } from '../../api/kinds/persistent-volume.ts'
import { STORAGE_CLASSES } from '../../api/kinds/storage-class.ts'
import { sleep } from '../../base/clock.ts'
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
  volumeFor,
  volumeOf,
} from './testing/describe-provisioner.ts'
import type { ScriptedDriver } from './testing/describe-provisioner.ts'
import { SELECTED_NODE, VOLUME_FINALIZER } from '../../storage/names.ts'

/** Does not answer before the caller has given up. */
const hang: ScriptedDriver['create'] = (_request, call) =>
  new Promise((_, reject) => call.signal.addEventListener('abort', () => reject(new Error('given up')), { once: true }))
const failWith =
  (code: ConstructorParameters<typeof CsiError>[0], message = 'no') =>
  () =>
    Promise.reject(new CsiError(code, message, { rpc: 'CreateVolume' }))
const createsOf = ({ calls }: ScriptedDriver): number => calls.filter((call) => call.startsWith('create')).length

describe('a driver that is not to be trusted', () => {
  test('S3-40: one that hangs on a volume keeps no other volume waiting, and is asked again', async (context) => {
    const { api, settled, advance, script } = await startUnderTest(context)
    const { create } = script
    const stuck = await createClaim(api, 'stuck')
    script.create = (request, call) => (request.name === volumeOf(stuck) ? hang(request, call) : create(request, call))
    await settled()
    const other = await createClaim(api, 'other')
    await settled()
    equal((await getVolume(api, other)).spec.claimRef?.name, 'other')
    script.create = create
    // The deadline, then the first wait.
    await advance(10_000)
    await advance(2000)
    equal((await getVolume(api, stuck)).spec.claimRef?.name, 'stuck')
    equal(script.mostAtOnce <= 2, true)
  })
  test('more claims than workers, all hanging: the deadline frees the workers', async (context) => {
    const { api, settled, advance, script } = await startUnderTest(context, { config: { workerThreads: 2 } })
    const { create } = script
    script.create = hang
    for (const name of ['a', 'b', 'c']) await createClaim(api, name)
    await settled()
    equal(createsOf(script), 2)
    script.create = create
    await advance(10_000)
    await advance(3000)
    equal((await api.list(PERSISTENT_VOLUMES)).items.length, 3)
  })
  test('a volume that is too small is deleted again, the user is told, and the next try may be better', async (context) => {
    const { api, settled, advance, script, events } = await startUnderTest(context)
    const { create } = script
    script.create = async (request, call) => {
      await create(request, call)
      return { volume: { ...volumeFor(request), capacityBytes: 1n } }
    }
    const claim = await createClaim(api)
    await settled()
    deepEqual(script.calls, [`create ${volumeOf(claim)}`, `delete id-of-${volumeOf(claim)}`])
    equal(script.volumes.size, 0)
    ok((await events()).some((event) => /ProvisioningFailed: .*less than requested capacity/.test(event)))
    script.create = create
    await advance(2000)
    equal(script.volumes.size, 1)
  })
  test('an answer without a volume, or without its id, is in doubt: asked again and never stored', async (context) => {
    const { api, settled, advance, script } = await startUnderTest(context)
    const { create } = script
    script.create = () => Promise.resolve({})
    const claim = await createClaim(api)
    await settled()
    deepEqual((await api.list(PERSISTENT_VOLUMES)).items, [])
    script.create = create
    await advance(2000)
    equal((await getVolume(api, claim)).spec.csi?.volumeHandle, `id-of-${volumeOf(claim)}`)
  })
  test('a place that was not asked for is stored as the driver says, and logged', async (context) => {
    const { api, settled, script } = await startUnderTest(context, { driver: { features: { topology: true } } })
    script.create = (request) =>
      Promise.resolve({ volume: { ...volumeFor(request), accessibleTopology: [{ segments: { zone: 'elsewhere' } }] } })
    await createClass(api, {
      metadata: { name: 'near' },
      allowedTopologies: [{ matchLabelExpressions: [{ key: 'zone', values: ['here'] }] }],
    })
    const claim = await createClaim(api, 'data', { storageClassName: 'near' })
    await settled()
    deepEqual((await getVolume(api, claim)).spec.nodeAffinity?.required?.nodeSelectorTerms?.[0]?.matchExpressions, [
      { key: 'zone', operator: 'In', values: ['elsewhere'] },
    ])
  })
  test('a request that can never work is not repeated for five minutes, unless the class is made anew', async (context) => {
    const { api, settled, advance, script } = await startUnderTest(context)
    const { create } = script
    script.create = failWith('INVALID_ARGUMENT', 'no such colour')
    await createClaim(api)
    await settled()
    await advance(299_000)
    equal(createsOf(script), 1)
    script.create = create
    await api.delete(STORAGE_CLASSES, { name: 'fast' })
    await createClass(api)
    await settled()
    equal(createsOf(script), 2)
    equal(script.volumes.size, 1)
  })
  test('S3-155: no room at the selected node sends the claim back to the scheduler', async (context) => {
    const { api, settled, script } = await startUnderTest(context, {
      driver: { features: { topology: true } },
      before: async ({ api: admin }) => {
        const { NODES } = await import('../../api/kinds/node.ts')
        const { CSI_NODES } = await import('../../api/kinds/csi-node.ts')
        await admin.create(NODES, { apiVersion: 'v1', kind: 'Node', metadata: { name: 'n1', labels: { zone: 'a' } } })
        await admin.create(CSI_NODES, {
          apiVersion: 'storage.k8s.io/v1',
          kind: 'CSINode',
          metadata: { name: 'n1' },
          spec: { drivers: [{ name: DRIVER, nodeID: 'n1', topologyKeys: ['zone'] }] },
        })
      },
    })
    script.create = failWith('RESOURCE_EXHAUSTED')
    await createClass(api, { metadata: { name: 'late' }, volumeBindingMode: 'WaitForFirstConsumer' })
    await createClaim(api, 'data', { storageClassName: 'late' }, { annotations: { [SELECTED_NODE]: 'n1' } })
    await settled()
    const { metadata } = await api.get(PERSISTENT_VOLUME_CLAIMS, { namespace: NAMESPACE, name: 'data' })
    equal(metadata.annotations?.[SELECTED_NODE], undefined)
    equal(createsOf(script), 1)
  })
  test('an error of a driver is told without the secrets that went along', async (context) => {
    const { api, settled, script, events } = await startUnderTest(context)
    const { SECRETS } = await import('../../api/kinds/secret.ts')
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
    script.create = ({ secrets }) =>
      Promise.reject(
        new CsiError('INTERNAL', `could not log in with ${Object.keys(secrets ?? {}).join()}`, { rpc: 'CreateVolume' }),
      )
    await createClaim(api, 'data', { storageClassName: 'safe' })
    await settled()
    const told = (await events()).join('\n')
    match(told, /could not log in/)
    ok(!told.includes('sesame'))
    const lease = await api.get(LEASES, { namespace: 'kube-system', name: 'holdfast-journal-test-holdfast-dev' })
    ok(!JSON.stringify(lease).includes('sesame'))
  })
})

describe('volumes never leak', () => {
  test('the call times out, the claim is deleted: what was made is found and deleted again', async (context) => {
    const { api, settled, advance, script, clock } = await startUnderTest(context)
    const { create } = script
    script.create = async (request, call) => {
      await create(request, call)
      await sleep(clock, 60_000, call.signal)
      return { volume: volumeFor(request) }
    }
    await createClaim(api)
    await settled()
    await deleteClaim(api)
    script.create = create
    await advance(10_000)
    await advance(3000)
    equal(script.volumes.size, 0)
    deepEqual((await api.list(PERSISTENT_VOLUMES)).items, [])
  })
  test('the same, and the process is started anew in between', async (context) => {
    const { api, settled, advance, script, clock, stop, start } = await startUnderTest(context)
    const { create } = script
    script.create = async (request, call) => {
      await create(request, call)
      await sleep(clock, 60_000, call.signal)
      return { volume: volumeFor(request) }
    }
    await createClaim(api)
    await settled()
    await stop()
    await deleteClaim(api)
    script.create = create
    await start()
    await advance(3000)
    equal(script.volumes.size, 0)
    await advance(10_000)
    match(
      JSON.stringify(await api.get(LEASES, { namespace: 'kube-system', name: 'holdfast-journal-test-holdfast-dev' })),
      /\\"volumes\\":\[\]/,
    )
  })
  test('in doubt and the claim no longer qualifies: it is followed up all the same', async (context) => {
    const { api, settled, advance, script } = await startUnderTest(context)
    const { create } = script
    script.create = failWith('ABORTED')
    const claim = await createClaim(api)
    await settled()
    await api.patch(
      PERSISTENT_VOLUME_CLAIMS,
      { namespace: NAMESPACE, name: 'data' },
      { type: 'merge', value: { metadata: { annotations: { 'volume.kubernetes.io/storage-provisioner': 'other' } } } },
    )
    await api.delete(STORAGE_CLASSES, { name: 'fast' })
    script.create = create
    await advance(3000)
    equal((await getVolume(api, claim)).spec.csi?.volumeHandle, `id-of-${volumeOf(claim)}`)
  })
  test('the name is taken by a volume that is leaving: it is waited for, and the volume made anew', async (context) => {
    const { api, settled, script } = await startUnderTest(context)
    const { create } = script
    const gate = Promise.withResolvers<void>()
    script.create = async (request, call) => {
      await gate.promise
      return create(request, call)
    }
    const claim = await createClaim(api)
    await settled()
    const old = persistentVolumeOf({
      name: volumeOf(claim),
      metadata: { finalizers: ['example.com/keep'] },
      spec: { csi: { driver: 'other', volumeHandle: 'x' } },
    })
    await createOn(api, PERSISTENT_VOLUMES, old)
    await api.delete(PERSISTENT_VOLUMES, { name: volumeOf(claim) })
    gate.resolve()
    script.create = create
    await settled()
    equal((await getVolume(api, claim)).spec.csi?.driver, 'other')
    await api.patch(
      PERSISTENT_VOLUMES,
      { name: volumeOf(claim) },
      { type: 'merge', value: { metadata: { finalizers: null } } },
    )
    await settled()
    equal((await getVolume(api, claim)).spec.csi?.driver, DRIVER)
    equal(script.volumes.size, 1)
  })
  test('a PersistentVolume that the server refuses for good is told on the claim, and kept in mind', async (context) => {
    let refuses = true
    const { api, settled, advance, script, events } = await startUnderTest(context, {
      apiOf: ({ api: admin }): Api => ({
        ...admin,
        create: (type, object, options) =>
          refuses && type.plural === 'persistentvolumes'
            ? Promise.reject(new ApiError('Forbidden', 'a policy says no'))
            : admin.create(type, object, options),
      }),
    })
    const claim = await createClaim(api)
    await settled()
    ok((await events()).some((event) => /ProvisioningFailed: .*a policy says no/.test(event)))
    equal(script.volumes.size, 1)
    refuses = false
    await advance(2000)
    equal((await getVolume(api, claim)).spec.csi?.volumeHandle, `id-of-${volumeOf(claim)}`)
  })
  test('a replica that has lost the journal begins nothing more', async (context) => {
    const { api, settled, advance, script, events } = await startUnderTest(context)
    await api.patch(
      LEASES,
      { namespace: 'kube-system', name: 'holdfast-journal-test-holdfast-dev' },
      { type: 'merge', value: { spec: { holderIdentity: 'another' } } },
    )
    await createClaim(api)
    await settled()
    await advance(1000)
    equal(createsOf(script), 0)
    ok((await events()).some((event) => /taken over by another/.test(event)))
  })
  test('without the right to write leases volumes are made all the same', async (context) => {
    const { api, settled, script } = await startUnderTest(context, {
      apiOf: ({ api: admin }): Api => ({
        ...admin,
        create: (type, object, options) =>
          type.plural === 'leases'
            ? Promise.reject(new ApiError('Forbidden', 'no leases'))
            : admin.create(type, object, options),
      }),
    })
    await createClaim(api)
    await settled()
    equal(script.volumes.size, 1)
  })
})

describe('deletion', () => {
  test('S3-160: a failing DeleteVolume is told, repeated, and leaves the object', async (context) => {
    const { api, settled, advance, script, events } = await startUnderTest(context)
    const { delete: remove } = script
    const claim = await createClaim(api)
    await settled()
    await bind(api, claim)
    await deleteClaim(api)
    script.delete = () => Promise.reject(new CsiError('INTERNAL', 'the array is on fire', { rpc: 'DeleteVolume' }))
    await releaseVolume(api, volumeOf(claim))
    await settled()
    equal((await getVolume(api, claim)).metadata.deletionTimestamp, undefined)
    ok(
      (await events()).some((event) =>
        /PersistentVolume Warning VolumeFailedDelete: .*the array is on fire/.test(event),
      ),
    )
    script.delete = remove
    await advance(2000)
    deepEqual((await api.list(PERSISTENT_VOLUMES)).items, [])
    equal(script.volumes.size, 0)
  })
  test('a volume of the driver that somebody wrote by hand gets our finalizer when it is bound, and is deleted in the end', async (context) => {
    const { api, settled, script } = await startUnderTest(context)
    await createOn(
      api,
      PERSISTENT_VOLUMES,
      persistentVolumeOf({
        name: 'mine',
        spec: { persistentVolumeReclaimPolicy: 'Delete', csi: { driver: DRIVER, volumeHandle: 'by-hand' } },
      }),
    )
    await api.patch(
      PERSISTENT_VOLUMES,
      { name: 'mine' },
      { type: 'merge', value: { status: { phase: 'Bound' } } },
      { subresource: 'status' },
    )
    await settled()
    ok((await api.get(PERSISTENT_VOLUMES, { name: 'mine' })).metadata.finalizers?.includes(VOLUME_FINALIZER))
    await releaseVolume(api, 'mine')
    await settled()
    deepEqual(script.calls, ['delete by-hand'])
    deepEqual((await api.list(PERSISTENT_VOLUMES)).items, [])
  })
  test('volumes of other drivers are left alone', async (context) => {
    const { api, settled, script } = await startUnderTest(context)
    await createOn(
      api,
      PERSISTENT_VOLUMES,
      persistentVolumeOf({
        name: 'other',
        spec: { persistentVolumeReclaimPolicy: 'Delete', csi: { driver: 'other', volumeHandle: 'x' } },
      }),
    )
    await releaseVolume(api, 'other')
    await settled()
    deepEqual(script.calls, [])
  })
})
