import { deepEqual, equal, match } from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Api } from '../../api/api.ts'
import { LEASES } from '../../api/kinds/lease.ts'
import { PERSISTENT_VOLUMES } from '../../api/kinds/persistent-volume.ts'
import { SECRETS } from '../../api/kinds/secret.ts'
import { recordWrites } from '../../kube/testing/record-writes.ts'
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

describe('from a claim to its volume and back', () => {
  test('S3-38, S3-40, S3-59: a claim of the driver gets a volume', async (context) => {
    const { api, settled, script, writes } = await startUnderTest(context)
    writes.length = 0
    const claim = await createClaim(api)
    await settled()
    const volume = await getVolume(api, claim)
    equal(volume.spec.csi?.volumeHandle, `id-of-${volumeOf(claim)}`)
    equal(volume.spec.csi?.driver, DRIVER)
    equal(volume.spec.claimRef?.uid, claim.metadata.uid)
    deepEqual(script.calls, [`create ${volumeOf(claim)}`])
    deepEqual(writes, [
      'update leases holdfast-journal-test-holdfast-dev',
      `create persistentvolumes ${volumeOf(claim)}`,
    ])
  })
  test('S3-65, S3-160: a released volume is deleted, then its object', async (context) => {
    const { api, settled, script, writes, advance } = await startUnderTest(context)
    const claim = await createClaim(api)
    await settled()
    await bind(api, claim)
    await deleteClaim(api)
    await advance(10_000)
    writes.length = 0
    await releaseVolume(api, volumeOf(claim))
    await settled()
    deepEqual(script.calls, [`create ${volumeOf(claim)}`, `delete id-of-${volumeOf(claim)}`])
    deepEqual((await api.list(PERSISTENT_VOLUMES)).items, [])
    deepEqual(writes, [`patch persistentvolumes ${volumeOf(claim)}`, `delete persistentvolumes ${volumeOf(claim)}`])
    equal(script.volumes.size, 0)
  })
  test('a hundred claims that come together share one write of the journal, which is empty in the end', async (context) => {
    const { api, writes, advance, events, start, stop } = await startUnderTest(context)
    await stop()
    for (let number = 0; number < 100; number++) await createClaim(api, `data-${number}`)
    writes.length = 0
    await start()
    equal((await api.list(PERSISTENT_VOLUMES)).items.length, 100)
    // One to take it over, one for all.
    equal(writes.filter((write) => write.startsWith('update leases')).length, 2)
    equal(writes.length, 102)
    await advance(10_000)
    const lease = await api.get(LEASES, { namespace: 'kube-system', name: 'holdfast-journal-test-holdfast-dev' })
    match(lease.metadata.annotations?.['provisioner.holdfast.dev/volumes-in-flight'] ?? '', /"volumes":\[\]/)
    equal((await events()).filter((event) => event.includes('Normal ProvisioningSucceeded')).length, 100)
  })
})

describe('API calls, counted exactly', () => {
  const calls = (api: Api, made: string[]): Api => {
    const counted = recordWrites(api, made)
    return { ...counted, get: (type, ref, options) => (made.push(`get ${type.plural}`), api.get(type, ref, options)) }
  }
  test('S3-40: provisioning is one write and one event, and one write of the journal', async (context) => {
    const made: string[] = []
    const { api, settled, events } = await startUnderTest(context, { apiOf: (core) => calls(core.api, made) })
    made.length = 0
    await createClaim(api)
    await settled()
    deepEqual(
      made.map((call) => call.replace(/ pvc-.*/, '')),
      ['update leases holdfast-journal-test-holdfast-dev', 'create persistentvolumes'],
    )
    equal((await events()).length, 1)
  })
  test('S3-168: a secret is one read more', async (context) => {
    const made: string[] = []
    const { api, settled } = await startUnderTest(context, { apiOf: (core) => calls(core.api, made) })
    await api.create(SECRETS, {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { namespace: NAMESPACE, name: 'pass' },
      stringData: { key: 'x' },
    })
    await createClass(api, {
      metadata: { name: 'safe' },
      parameters: { csiProvisionerSecretName: 'pass', csiProvisionerSecretNamespace: NAMESPACE },
    })
    made.length = 0
    await createClaim(api, 'data', { storageClassName: 'safe' })
    await settled()
    deepEqual(
      made.map((call) => call.replace(/ pvc-.*/, '')),
      ['get secrets', 'update leases holdfast-journal-test-holdfast-dev', 'create persistentvolumes'],
    )
  })
  test('S3-65: deleting is two writes, and binding in between none', async (context) => {
    const made: string[] = []
    const { api, settled, advance } = await startUnderTest(context, { apiOf: (core) => calls(core.api, made) })
    const claim = await createClaim(api)
    await advance(10_000)
    made.length = 0
    await bind(api, claim)
    await settled()
    await deleteClaim(api)
    await settled()
    deepEqual(made, [])
    await releaseVolume(api, volumeOf(claim))
    await settled()
    deepEqual(made, [`patch persistentvolumes ${volumeOf(claim)}`, `delete persistentvolumes ${volumeOf(claim)}`])
  })
  test('with the finalizer of the attacher, deleting is two writes too, and nothing is left', async (context) => {
    const made: string[] = []
    const { api, settled, advance } = await startUnderTest(context, {
      apiOf: (core) => calls(core.api, made),
      config: { attacherFinalizer: true },
    })
    const claim = await createClaim(api)
    await advance(10_000)
    made.length = 0
    await bind(api, claim)
    await settled()
    await deleteClaim(api)
    await settled()
    deepEqual(made, [])
    await releaseVolume(api, volumeOf(claim))
    await settled()
    deepEqual(made, [`patch persistentvolumes ${volumeOf(claim)}`, `delete persistentvolumes ${volumeOf(claim)}`])
    deepEqual((await api.list(PERSISTENT_VOLUMES)).items, [])
  })
})
