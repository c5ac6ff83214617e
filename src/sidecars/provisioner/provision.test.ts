import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { LEASES } from '../../api/kinds/lease.ts'
import { PERSISTENT_VOLUMES } from '../../api/kinds/persistent-volume.ts'
import { bind, createClaim, deleteClaim, DRIVER, getVolume, releaseVolume, startUnderTest, volumeOf } from './describe-provisioner.ts'

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
    deepEqual(writes, ['update leases holdfast-journal-test-holdfast-dev', `create persistentvolumes ${volumeOf(claim)}`])
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
    deepEqual(writes, [`delete persistentvolumes ${volumeOf(claim)}`, `patch persistentvolumes ${volumeOf(claim)}`])
    equal(script.volumes.size, 0)
  })
  test('a hundred claims at once share the writes of the journal, which is empty in the end', async (context) => {
    const { api, settled, writes, advance, events } = await startUnderTest(context)
    writes.length = 0
    for (let number = 0; number < 100; number++) await createClaim(api, `data-${number}`)
    await settled()
    equal((await api.list(PERSISTENT_VOLUMES)).items.length, 100)
    ok(writes.filter((write) => write.startsWith('update leases')).length < 60, writes.filter((write) => write.startsWith('update leases')).length.toString())
    await advance(10_000)
    const lease = await api.get(LEASES, { namespace: 'kube-system', name: 'holdfast-journal-test-holdfast-dev' })
    match(lease.metadata.annotations?.['provisioner.holdfast.dev/volumes-in-flight'] ?? '', /"volumes":\[\]/)
    equal((await events()).filter((event) => event.includes('Normal ProvisioningSucceeded')).length, 100)
  })
})
