import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { isAlreadyExists, isConflict, isInvalid, isNotFound } from '../../api/api-error.ts'
import { CONFIG_MAPS } from '../../api/kinds/config-map.ts'
import type { ConfigMap } from '../../api/kinds/config-map.ts'
import { LEASES } from '../../api/kinds/lease.ts'
import type { Lease } from '../../api/kinds/lease.ts'
import { NODES } from '../../api/kinds/node.ts'
import { PERSISTENT_VOLUME_CLAIMS } from '../../api/kinds/persistent-volume-claim.ts'
import type { PersistentVolumeClaim } from '../../api/kinds/persistent-volume-claim.ts'
import { PERSISTENT_VOLUMES } from '../../api/kinds/persistent-volume.ts'
import type { PersistentVolume } from '../../api/kinds/persistent-volume.ts'
import { SERVICE_ACCOUNTS } from '../../api/kinds/service-account.ts'
import { refOf } from '../../api/object-key.ts'
import type { ResourceType } from '../../api/resource-type.ts'
import { configMap } from './api-under-test.ts'
import type { ApiUnderTest } from './api-under-test.ts'

const FINALIZER = 'holdfast.example/held'

const claim = (name: string): PersistentVolumeClaim => ({
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: { namespace: 'default', name },
  spec: {
    accessModes: ['ReadWriteOnce'],
    storageClassName: 'none-has-this-name',
    resources: { requests: { storage: '1Gi' } },
  },
})
const volume = (name: string): PersistentVolume => ({
  apiVersion: 'v1',
  kind: 'PersistentVolume',
  metadata: { name },
  spec: {
    accessModes: ['ReadWriteOnce'],
    capacity: { storage: '1Gi' },
    storageClassName: 'none-has-this-name',
    csi: { driver: 'none.example', volumeHandle: name },
  },
})
const versionOf = ({ metadata }: Pick<ConfigMap, 'metadata'>): bigint => BigInt(metadata.resourceVersion ?? '')

/** Writing, reading and deleting single objects. */
export function describeApiObjects(test: ApiUnderTest): void {
  const create = (data: Record<string, string> = {}, metadata: ConfigMap['metadata'] = {}): Promise<ConfigMap> =>
    test.api.create(CONFIG_MAPS, configMap(test.nameFor('object'), data, metadata))

  describe('create and get', () => {
    it('give the object with what the server adds, frozen', async () => {
      const created = await create({ key: 'värde' })
      const { uid, resourceVersion, creationTimestamp } = created.metadata
      assert.ok(uid && resourceVersion && creationTimestamp)
      assert.match(resourceVersion, /^[1-9]\d*$/)
      assert.deepEqual(created.data, { key: 'värde' })
      const got = await test.api.get(CONFIG_MAPS, refOf(created))
      assert.deepEqual(got, created)
      assert.deepEqual([got.apiVersion, got.kind], ['v1', 'ConfigMap'])
      for (const part of [created, created.metadata, got, got.metadata, got.data]) assert.ok(Object.isFrozen(part))
    })

    it('copy what goes in', async () => {
      const data = { key: 'before' }
      const created = await create(data)
      data.key = 'after'
      assert.deepEqual((await test.api.get(CONFIG_MAPS, refOf(created))).data, { key: 'before' })
    })

    it('make a name from a prefix', async () => {
      const { name: _none, ...metadata } = configMap('').metadata
      const created = await test.api.create(CONFIG_MAPS, {
        ...configMap(''),
        metadata: { ...metadata, generateName: 'made-' },
      })
      assert.match(created.metadata.name ?? '', /^made-.{5}$/)
    })

    it('say what is not there, and of which kind', async () => {
      const name = test.nameFor('missing')
      await assert.rejects(test.api.get(CONFIG_MAPS, { namespace: 'default', name }), (error: unknown) => {
        assert.ok(isNotFound(error))
        assert.deepEqual([error.code, error.details?.name, error.details?.kind], [404, name, 'configmaps'])
        return true
      })
    })

    it('refuse a name that is taken', async () => {
      const created = await create()
      await assert.rejects(test.api.create(CONFIG_MAPS, configMap(created.metadata.name ?? '')), isAlreadyExists)
    })

    it('refuse what is not valid, and name the field', async () => {
      await assert.rejects(
        test.api.create(CONFIG_MAPS, configMap('Not Valid')),
        (error: unknown) => isInvalid(error) && error.causes.some(({ field }) => field === 'metadata.name'),
      )
    })

    it('refuse a namespace that is not there', async () => {
      await assert.rejects(
        test.api.create(CONFIG_MAPS, configMap('a', {}, { namespace: test.nameFor('nowhere') })),
        isNotFound,
      )
    })

    it('refuse or drop a field that nobody knows, as asked', async () => {
      const odd = (): ConfigMap => ({ ...configMap(test.nameFor('odd')), colour: 'blue' }) as ConfigMap
      await assert.rejects(test.api.create(CONFIG_MAPS, odd(), { fieldValidation: 'Strict' }), {
        reason: 'BadRequest',
        message: /colour/,
      })
      assert.equal('colour' in (await test.api.create(CONFIG_MAPS, odd(), { fieldValidation: 'Ignore' })), false)
    })

    it('change nothing in a dry run, and show what would be', async () => {
      const name = test.nameFor('dry')
      const shown = await test.api.create(CONFIG_MAPS, configMap(name, { a: '1' }), {
        dryRun: true,
        fieldManager: 'holdfast',
      })
      assert.deepEqual(shown.data, { a: '1' })
      await assert.rejects(test.api.get(CONFIG_MAPS, { namespace: 'default', name }), isNotFound)
    })

    it('do not know a kind that the server does not have', async () => {
      const nothings: ResourceType<ConfigMap> = { ...CONFIG_MAPS, plural: 'nothings' }
      await assert.rejects(test.api.get(nothings, { namespace: 'default', name: 'a' }), isNotFound)
    })

    it('keep microseconds', async () => {
      const renewTime = '2030-01-01T00:00:00.123456Z'
      const lease: Lease = {
        apiVersion: 'coordination.k8s.io/v1',
        kind: 'Lease',
        metadata: { namespace: 'default', name: test.nameFor('lease') },
        spec: { holderIdentity: 'me', leaseDurationSeconds: 15, renewTime },
      }
      const created = await test.api.create(LEASES, lease)
      assert.equal((await test.api.get(LEASES, refOf(created))).spec?.renewTime, renewTime)
    })

    it('fill in defaults', async () => {
      const created = await test.api.create(PERSISTENT_VOLUMES, volume(test.nameFor('volume')))
      assert.deepEqual([created.spec.persistentVolumeReclaimPolicy, created.spec.volumeMode], ['Retain', 'Filesystem'])
    })

    it('are given up with the reason of the signal', async () => {
      const signal = AbortSignal.abort(new Error('no patience'))
      await assert.rejects(test.api.get(CONFIG_MAPS, { namespace: 'default', name: 'a' }, { signal }), /no patience/)
      const name = test.nameFor('never')
      await assert.rejects(test.api.create(CONFIG_MAPS, configMap(name), { signal }), /no patience/)
      await assert.rejects(test.api.get(CONFIG_MAPS, { namespace: 'default', name }), isNotFound)
    })
  })

  describe('update', () => {
    it('replaces the object and makes its version grow', async () => {
      const created = await create({ a: '1', b: '1' })
      const updated = await test.api.update(CONFIG_MAPS, { ...created, data: { a: '2' } })
      assert.deepEqual(updated.data, { a: '2' })
      assert.ok(versionOf(updated) > versionOf(created))
      assert.equal(updated.metadata.uid, created.metadata.uid)
    })

    it('that changes nothing leaves the version as it is', async () => {
      const created = await create({ a: '1' })
      assert.equal(versionOf(await test.api.update(CONFIG_MAPS, created)), versionOf(created))
    })

    it('is refused with a conflict when the version is no longer the current one', async () => {
      const created = await create({ a: '1' })
      await test.api.update(CONFIG_MAPS, { ...created, data: { a: '2' } })
      await assert.rejects(test.api.update(CONFIG_MAPS, { ...created, data: { a: '3' } }), isConflict)
      assert.deepEqual((await test.api.get(CONFIG_MAPS, refOf(created))).data, { a: '2' })
    })

    it('succeeds for one of many who saw the same version', async () => {
      const created = await create()
      const results = await Promise.allSettled(
        Array.from({ length: 8 }, (_, index) =>
          test.api.update(CONFIG_MAPS, { ...created, data: { winner: `${index}` } }),
        ),
      )
      const refused = results.filter((result) => result.status === 'rejected')
      assert.equal(refused.length, 7)
      for (const { reason } of refused) assert.ok(isConflict(reason))
    })

    it('is made on whatever is there when it names no version', async () => {
      const created = await create({ a: '1' })
      const { resourceVersion: _any, ...metadata } = created.metadata
      assert.deepEqual((await test.api.update(CONFIG_MAPS, { ...created, metadata, data: { a: '2' } })).data, {
        a: '2',
      })
    })

    it('is refused for what is not there, and for another object of that name', async () => {
      const created = await create()
      await assert.rejects(test.api.update(CONFIG_MAPS, configMap(test.nameFor('missing'))), isNotFound)
      const { resourceVersion: _any, ...metadata } = created.metadata
      await assert.rejects(
        test.api.update(CONFIG_MAPS, {
          ...created,
          metadata: { ...metadata, uid: '00000000-0000-0000-0000-000000000000' },
        }),
        isConflict,
      )
    })

    it('does nothing in a dry run', async () => {
      const created = await create({ a: '1' })
      assert.deepEqual((await test.api.update(CONFIG_MAPS, { ...created, data: { a: '2' } }, { dryRun: true })).data, {
        a: '2',
      })
      assert.deepEqual(await test.api.get(CONFIG_MAPS, refOf(created)), created)
    })
  })

  describe('patch', () => {
    it('of JSON steps changes what they name, all or nothing', async () => {
      const created = await create({ a: '1', b: '1' })
      const patched = await test.api.patch(CONFIG_MAPS, refOf(created), {
        type: 'json',
        operations: [
          { op: 'test', path: '/data/a', value: '1' },
          { op: 'replace', path: '/data/a', value: '2' },
          { op: 'remove', path: '/data/b' },
        ],
      })
      assert.deepEqual(patched.data, { a: '2' })
      const failing = test.api.patch(CONFIG_MAPS, refOf(created), {
        type: 'json',
        operations: [
          { op: 'replace', path: '/data/a', value: '3' },
          { op: 'test', path: '/data/a', value: '1' },
        ],
      })
      await assert.rejects(failing, isInvalid)
      assert.deepEqual((await test.api.get(CONFIG_MAPS, refOf(created))).data, { a: '2' })
    })

    it('that merges sets members and removes those that are null', async () => {
      const created = await create({ a: '1', b: '1' })
      const patched = await test.api.patch(CONFIG_MAPS, refOf(created), {
        type: 'merge',
        value: { metadata: { labels: { x: 'y' } }, data: { a: '2', b: null } },
      })
      assert.deepEqual([patched.data, patched.metadata.labels], [{ a: '2' }, { x: 'y' }])
    })

    it('of the strategic kind merges lists by what tells their items apart', async () => {
      const account = await test.api.create(SERVICE_ACCOUNTS, {
        apiVersion: 'v1',
        kind: 'ServiceAccount',
        metadata: { namespace: 'default', name: test.nameFor('account') },
        secrets: [{ name: 'one' }],
      })
      const patched = await test.api.patch(SERVICE_ACCOUNTS, refOf(account), {
        type: 'strategic',
        value: { secrets: [{ name: 'two' }] },
      })
      assert.deepEqual(patched.secrets?.map(({ name }) => name).sort(), ['one', 'two'])
      const without = await test.api.patch(SERVICE_ACCOUNTS, refOf(account), {
        type: 'strategic',
        value: { secrets: [{ name: 'one', $patch: 'delete' }] },
      })
      assert.deepEqual(without.secrets, [{ name: 'two' }])
    })

    it('is refused with a conflict when it names a version that is no longer the current one', async () => {
      const created = await create({ a: '1' })
      await test.api.patch(CONFIG_MAPS, refOf(created), { type: 'merge', value: { data: { a: '2' } } })
      const { resourceVersion } = created.metadata
      await assert.rejects(
        test.api.patch(CONFIG_MAPS, refOf(created), {
          type: 'merge',
          value: { metadata: { resourceVersion }, data: { a: '3' } },
        }),
        isConflict,
      )
    })

    it('is made on the newest state, however many patch at once', async () => {
      const created = await create()
      const keys = Array.from({ length: 8 }, (_, index) => `key-${index}`)
      await Promise.all(
        keys.map((key) =>
          test.api.patch(CONFIG_MAPS, refOf(created), { type: 'merge', value: { data: { [key]: 'set' } } }),
        ),
      )
      assert.deepEqual(Object.keys((await test.api.get(CONFIG_MAPS, refOf(created))).data ?? {}).sort(), keys)
    })

    it('is refused for what is not there, and does nothing in a dry run', async () => {
      const created = await create({ a: '1' })
      await assert.rejects(
        test.api.patch(
          CONFIG_MAPS,
          { namespace: 'default', name: test.nameFor('missing') },
          { type: 'merge', value: {} },
        ),
        isNotFound,
      )
      assert.deepEqual(
        (
          await test.api.patch(
            CONFIG_MAPS,
            refOf(created),
            { type: 'merge', value: { data: { a: '2' } } },
            { dryRun: true },
          )
        ).data,
        { a: '2' },
      )
      assert.deepEqual(await test.api.get(CONFIG_MAPS, refOf(created)), created)
    })
  })

  describe('the status', () => {
    it('is not written with the object, nor the object with the status', async () => {
      const created = await test.api.create(PERSISTENT_VOLUME_CLAIMS, {
        ...claim(test.nameFor('claim')),
        status: { phase: 'Lost' },
      })
      assert.equal(created.status?.phase, 'Pending')
      const conditions = [{ type: 'Resizing', status: 'True' as const }]
      const both = { metadata: { labels: { ignored: 'yes' } }, status: { conditions } }
      const ignored = await test.api.patch(PERSISTENT_VOLUME_CLAIMS, refOf(created), {
        type: 'merge',
        value: { status: { conditions } },
      })
      assert.equal(ignored.status?.conditions, undefined)
      const patched = await test.api.patch(
        PERSISTENT_VOLUME_CLAIMS,
        refOf(created),
        { type: 'merge', value: { ...both, spec: { volumeName: 'ignored' } } },
        { subresource: 'status' },
      )
      assert.deepEqual(
        patched.status?.conditions?.map(({ type }) => type),
        ['Resizing'],
      )
      assert.equal(patched.spec.volumeName, undefined)
    })

    it('can be replaced and read by itself', async () => {
      const node = await test.api.create(NODES, {
        apiVersion: 'v1',
        kind: 'Node',
        metadata: { name: test.nameFor('node') },
      })
      const volumesInUse = ['kubernetes.io/csi/none.example^handle']
      const updated = await test.api.update(
        NODES,
        { ...node, status: { ...node.status, volumesInUse } },
        { subresource: 'status' },
      )
      assert.deepEqual(updated.status?.volumesInUse, volumesInUse)
      assert.deepEqual(
        (await test.api.get(NODES, refOf(node), { subresource: 'status' })).status?.volumesInUse,
        volumesInUse,
      )
      await assert.rejects(test.api.update(NODES, { ...node, status: {} }, { subresource: 'status' }), isConflict)
    })
  })

  describe('delete', () => {
    const isThere = async (object: ConfigMap): Promise<boolean> =>
      test.api.get(CONFIG_MAPS, refOf(object)).then(
        () => true,
        (error: unknown) => {
          if (isNotFound(error)) return false
          throw error
        },
      )

    it('removes the object', async () => {
      const created = await create()
      const answer = await test.api.delete(CONFIG_MAPS, refOf(created), {
        gracePeriodSeconds: 0,
        propagationPolicy: 'Background',
      })
      assert.ok(Object.isFrozen(answer))
      assert.equal(await isThere(created), false)
      await assert.rejects(test.api.delete(CONFIG_MAPS, refOf(created)), isNotFound)
    })

    it('is refused with a conflict when the object is another, or was changed', async () => {
      const created = await create()
      const { uid = '', resourceVersion = '' } = (await test.api.update(CONFIG_MAPS, { ...created, data: { a: '1' } }))
        .metadata
      for (const preconditions of [
        { uid: '00000000-0000-0000-0000-000000000000' },
        { uid, resourceVersion: created.metadata.resourceVersion ?? '' },
      ]) {
        await assert.rejects(test.api.delete(CONFIG_MAPS, refOf(created), { preconditions }), isConflict)
      }
      assert.equal(await isThere(created), true)
      await test.api.delete(CONFIG_MAPS, refOf(created), { preconditions: { uid, resourceVersion } })
      assert.equal(await isThere(created), false)
    })

    it('waits for finalizers, which can be removed but not added then', async () => {
      const created = await create({}, { finalizers: [FINALIZER] })
      const answer = await test.api.delete(CONFIG_MAPS, refOf(created))
      assert.ok('deletionTimestamp' in answer.metadata)
      const leaving = await test.api.get(CONFIG_MAPS, refOf(created))
      assert.ok(leaving.metadata.deletionTimestamp)
      assert.ok(versionOf(leaving) > versionOf(created))
      await assert.rejects(
        test.api.patch(CONFIG_MAPS, refOf(created), {
          type: 'merge',
          value: { metadata: { finalizers: [FINALIZER, 'holdfast.example/more'] } },
        }),
        isInvalid,
      )
      const last = await test.api.patch(CONFIG_MAPS, refOf(created), {
        type: 'merge',
        value: { metadata: { finalizers: null } },
      })
      assert.equal(last.metadata.finalizers, undefined)
      assert.equal(await isThere(created), false)
    })

    it('does nothing in a dry run', async () => {
      const created = await create()
      await test.api.delete(CONFIG_MAPS, refOf(created), { dryRun: true })
      assert.deepEqual(await test.api.get(CONFIG_MAPS, refOf(created)), created)
    })

    it('makes room for another object of that name', async () => {
      const created = await create()
      await test.api.delete(CONFIG_MAPS, refOf(created))
      const again = await test.api.create(CONFIG_MAPS, configMap(created.metadata.name ?? ''))
      assert.notEqual(again.metadata.uid, created.metadata.uid)
      assert.ok(versionOf(again) > versionOf(created))
    })
  })
}
