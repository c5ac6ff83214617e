import { deepEqual, equal, match, notEqual, rejects } from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { ApiError } from '../../api/api-error.ts'
import { CONFIG_MAPS } from '../../api/kinds/config-map.ts'
import type { ConfigMap } from '../../api/kinds/config-map.ts'
import { CSI_DRIVERS } from '../../api/kinds/csi-driver.ts'
import { LEASES } from '../../api/kinds/lease.ts'
import type { Lease } from '../../api/kinds/lease.ts'
import { NODES } from '../../api/kinds/node.ts'
import { PERSISTENT_VOLUME_CLAIMS } from '../../api/kinds/persistent-volume-claim.ts'
import type { PersistentVolumeClaim } from '../../api/kinds/persistent-volume-claim.ts'
import { PODS } from '../../api/kinds/pod.ts'
import { VOLUME_ATTACHMENTS } from '../../api/kinds/volume-attachment.ts'
import type { VolumeAttachment } from '../../api/kinds/volume-attachment.ts'
import { isRefusal } from '../testing/is-refusal.ts'
import { configMap, ownedBy, pod } from '../testing/objects-under-test.ts'
import { executeRequest } from '../testing/execute-request.ts'
import { openServerUnderTest, recordWatch } from '../testing/open-server-under-test.ts'
import type { ServerUnderTest } from '../testing/open-server-under-test.ts'

let server: ServerUnderTest
before(async () => void (server = await openServerUnderTest()))
after(() => server.close())

const make = (name: string, metadata: ConfigMap['metadata'] = {}): Promise<ConfigMap> =>
  server.api.create(CONFIG_MAPS, configMap(name, metadata, { a: '1' }))
const read = (name: string): Promise<ConfigMap> => server.api.get(CONFIG_MAPS, { namespace: 'default', name })
const withoutVersion = <T extends { metadata: object }>(object: T): T => ({
  ...object,
  metadata: { ...object.metadata, resourceVersion: undefined },
})
const claim = (name: string): PersistentVolumeClaim => ({
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: { namespace: 'default', name },
  spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
})
const attachment = (name: string): VolumeAttachment => ({
  apiVersion: 'storage.k8s.io/v1',
  kind: 'VolumeAttachment',
  metadata: { name },
  spec: { attacher: 'd.example.com', nodeName: 'n1', source: { persistentVolumeName: 'v1' } },
})
const lease = (name: string): Lease => ({
  apiVersion: 'coordination.k8s.io/v1',
  kind: 'Lease',
  metadata: { namespace: 'default', name },
  spec: { holderIdentity: 'me', leaseDurationSeconds: 15 },
})

describe('update', () => {
  test('replaces the object and gives it a new revision', async () => {
    const made = await make('replaced')
    const changed = await server.api.update(CONFIG_MAPS, { ...made, data: { b: '2' } })
    deepEqual(changed.data, { b: '2' })
    equal(Number(changed.metadata.resourceVersion) > Number(made.metadata.resourceVersion), true)
    deepEqual(await read('replaced'), changed)
  })

  test('meets a conflict when the object has changed since', async () => {
    const made = await make('conflict')
    await server.api.update(CONFIG_MAPS, { ...made, data: { b: '2' } })
    await rejects(server.api.update(CONFIG_MAPS, { ...made, data: { c: '3' } }), (error: ApiError) => {
      equal(
        error.message,
        'Operation cannot be fulfilled on configmaps "conflict": the object has been modified; please apply your changes to the latest version and try again',
      )
      deepEqual([error.code, error.reason, error.details], [409, 'Conflict', { name: 'conflict', kind: 'configmaps' }])
      return true
    })
    deepEqual((await read('conflict')).data, { b: '2' })
  })

  test('lets one of many with the same version win', async () => {
    const made = await make('race')
    const results = await Promise.allSettled(
      Array.from({ length: 20 }, (_, index) =>
        server.api.update(CONFIG_MAPS, { ...made, data: { by: String(index) } }),
      ),
    )
    equal(results.filter(({ status }) => status === 'fulfilled').length, 1)
  })

  test('means the object with this uid, or none', async () => {
    const made = await make('reborn')
    await server.api.delete(CONFIG_MAPS, { namespace: 'default', name: 'reborn' })
    await make('reborn')
    await rejects(
      server.api.update(CONFIG_MAPS, withoutVersion(made)),
      isRefusal(
        'Conflict',
        new RegExp(`Precondition failed: UID in precondition: ${made.metadata.uid}, UID in object meta: `),
      ),
    )
  })

  test('without a version is taken by some kinds', async () => {
    const made = await make('unconditional')
    await server.api.update(CONFIG_MAPS, { ...made, data: { b: '2' } })
    for (const resourceVersion of [undefined, '', '0']) {
      const sent = {
        ...made,
        metadata: { ...made.metadata, resourceVersion },
        data: { c: String(resourceVersion) },
      } as ConfigMap
      deepEqual((await server.api.update(CONFIG_MAPS, sent)).data, sent.data)
    }
  })

  test('without a version is refused by others', async () => {
    const driver = await server.api.create(CSI_DRIVERS, {
      apiVersion: 'storage.k8s.io/v1',
      kind: 'CSIDriver',
      metadata: { name: 'd.example.com' },
      spec: {},
    })
    const attached = await server.api.create(VOLUME_ATTACHMENTS, attachment('va-unconditional'))
    const held = await server.api.create(LEASES, lease('held'))
    const refused = isRefusal('Invalid', /metadata\.resourceVersion: Invalid value: 0: must be specified for an update/)
    await rejects(server.api.update(CSI_DRIVERS, withoutVersion(driver)), refused)
    await rejects(server.api.update(VOLUME_ATTACHMENTS, withoutVersion(attached)), refused)
    await rejects(server.api.update(LEASES, withoutVersion(held)), refused)
    await rejects(server.api.update(LEASES, { ...held, metadata: { ...held.metadata, resourceVersion: '' } }), refused)
  })

  test('of a name that is not there is refused, for some kinds it creates', async () => {
    await rejects(
      server.api.update(CONFIG_MAPS, configMap('absent')),
      isRefusal('NotFound', /configmaps "absent" not found/),
    )
    // Even without a version: no version could match.
    await rejects(
      server.api.update(CSI_DRIVERS, {
        apiVersion: 'storage.k8s.io/v1',
        kind: 'CSIDriver',
        metadata: { name: 'absent' },
        spec: {},
      }),
      isRefusal('NotFound', /csidrivers\.storage\.k8s\.io "absent" not found/),
    )
    const made = await server.api.update(LEASES, lease('put'))
    notEqual(made.metadata.uid, undefined)
    equal((await server.api.get(LEASES, { namespace: 'default', name: 'put' })).spec?.holderIdentity, 'me')
  })

  test('does not bring back an object that was deleted', async () => {
    const held = await server.api.create(LEASES, lease('lost'))
    await server.api.delete(LEASES, { namespace: 'default', name: 'lost' })
    await rejects(server.api.update(LEASES, held), isRefusal('Conflict', /Precondition failed: UID in precondition/))
    await rejects(server.api.get(LEASES, { namespace: 'default', name: 'lost' }), isRefusal('NotFound', /lost/))
  })

  test('keeps what only the server sets', async () => {
    const made = await make('kept')
    const metadata = {
      ...made.metadata,
      creationTimestamp: '2001-01-01T00:00:00Z',
      generation: 5,
      deletionTimestamp: '2001-01-01T00:00:00Z',
      deletionGracePeriodSeconds: 3,
    }
    const { metadata: after } = await server.api.update(CONFIG_MAPS, { ...made, metadata, data: { b: '2' } })
    deepEqual({ ...after, resourceVersion: '' }, { ...made.metadata, resourceVersion: '' })
  })

  test('refuses another name or namespace in the body than in the path', async () => {
    const made = await make('named')
    const kind = server.core.parts.kinds.findByResource('', 'v1', 'configmaps')
    const send = (metadata: object) =>
      executeRequest(server.core, {
        user: { name: 'u', groups: [] },
        kind: kind as NonNullable<typeof kind>,
        namespace: 'default',
        name: 'named',
        subresource: '',
        source: { requestUri: '', userAgent: '', sourceIps: [] },
        verb: 'update',
        body: { ...made, metadata: { ...made.metadata, ...metadata } },
        options: { dryRun: false, fieldValidation: 'Strict', duplicateFields: [] },
      })
    await rejects(
      send({ name: 'other' }),
      isRefusal('BadRequest', /name of the object \(other\) does not match the name on the URL \(named\)/),
    )
    await rejects(
      send({ namespace: 'other' }),
      isRefusal('BadRequest', /namespace of the provided object does not match/),
    )
  })

  test('drops owners that are named twice', async () => {
    const owner = await make('owner')
    const made = await make('twice')
    const changed = await server.api.update(CONFIG_MAPS, {
      ...made,
      metadata: { ...made.metadata, ownerReferences: [ownedBy(owner), ownedBy(owner)] },
    })
    deepEqual(changed.metadata.ownerReferences, [ownedBy(owner)])
  })
})

describe('a write that changes nothing', () => {
  test('keeps the revision and sends no event', async () => {
    const made = await make('same', { labels: { x: 'y' } })
    const revision = server.core.parts.store.revision()
    using watch = recordWatch((signal) =>
      server.api.watch(CONFIG_MAPS, {
        resourceVersion: made.metadata.resourceVersion ?? '',
        namespace: 'default',
        signal,
      }),
    )
    await server.settled()
    const reordered = {
      data: made.data,
      metadata: Object.fromEntries(Object.entries(made.metadata).reverse()),
      kind: made.kind,
      apiVersion: made.apiVersion,
    } as ConfigMap
    for (const sent of [made, reordered, withoutVersion(made)])
      equal((await server.api.update(CONFIG_MAPS, sent)).metadata.resourceVersion, made.metadata.resourceVersion)
    equal(
      (
        await server.api.patch(
          CONFIG_MAPS,
          { namespace: 'default', name: 'same' },
          { type: 'merge', value: { data: { a: '1' } } },
        )
      ).metadata.resourceVersion,
      made.metadata.resourceVersion,
    )
    await server.settled()
    deepEqual(watch.events, [])
    equal(server.core.parts.store.revision(), revision)
  })

  test('still meets a conflict when its version is old', async () => {
    const made = await make('same-old')
    const changed = await server.api.update(CONFIG_MAPS, { ...made, data: { b: '2' } })
    await rejects(
      server.api.update(CONFIG_MAPS, { ...changed, metadata: made.metadata }),
      isRefusal('Conflict', /has been modified/),
    )
  })

  test('is one when only what the server sets differs', async () => {
    const made = await make('same-server')
    const sent = { ...made, metadata: { ...made.metadata, creationTimestamp: '2001-01-01T00:00:00Z', generation: 7 } }
    equal((await server.api.update(CONFIG_MAPS, sent)).metadata.resourceVersion, made.metadata.resourceVersion)
  })
})

describe('update with a dry run', () => {
  test('shows the result and leaves no trace', async () => {
    const made = await make('dry')
    const revision = server.core.parts.store.revision()
    const shown = await server.api.update(CONFIG_MAPS, { ...made, data: { b: '2' } }, { dryRun: true })
    const patched = await server.api.patch(
      CONFIG_MAPS,
      { namespace: 'default', name: 'dry' },
      { type: 'merge', value: { data: { c: '3' } } },
      { dryRun: true },
    )
    deepEqual([shown.data, patched.data], [{ b: '2' }, { a: '1', c: '3' }])
    deepEqual(await read('dry'), made)
    equal(server.core.parts.store.revision(), revision)
  })

  test('meets the conflicts of the real one', async () => {
    const made = await make('dry-conflict')
    await server.api.update(CONFIG_MAPS, { ...made, data: { b: '2' } })
    await rejects(
      server.api.update(CONFIG_MAPS, { ...made, data: {} }, { dryRun: true }),
      isRefusal('Conflict', /modified/),
    )
  })
})

describe('generation', () => {
  test('of a pod grows with its spec, and with nothing else', async () => {
    const made = await server.api.create(PODS, pod('counted'))
    const ref = { namespace: 'default', name: 'counted' }
    const generation = async (value: object, subresource?: string) =>
      (await server.api.patch(PODS, ref, { type: 'merge', value }, subresource ? { subresource } : {})).metadata
        .generation
    equal(made.metadata.generation, 1)
    equal(await generation({ metadata: { labels: { a: 'b' } } }), 1)
    equal(await generation({ status: { phase: 'Running' } }, 'status'), 1)
    equal(await generation({ spec: { activeDeadlineSeconds: 100 } }), 2)
    equal(await generation({ spec: { activeDeadlineSeconds: 100 } }), 2)
  })
})

describe('status', () => {
  const ref = { namespace: 'default', name: 'c1' }
  before(async () => void (await server.api.create(PERSISTENT_VOLUME_CLAIMS, claim('c1'))))

  test('is not touched by writes to the object', async () => {
    const made = await server.api.get(PERSISTENT_VOLUME_CLAIMS, ref)
    const changed = await server.api.update(PERSISTENT_VOLUME_CLAIMS, {
      ...made,
      metadata: { ...made.metadata, labels: { a: 'b' } },
      status: { phase: 'Lost' },
    })
    deepEqual([changed.status, changed.metadata.labels], [{ phase: 'Pending' }, { a: 'b' }])
    const patched = await server.api.patch(PERSISTENT_VOLUME_CLAIMS, ref, {
      type: 'merge',
      value: { status: { phase: 'Lost' } },
    })
    equal(patched.metadata.resourceVersion, changed.metadata.resourceVersion)
  })

  test('is all that a write to it takes, with labels where the kind allows it', async () => {
    const made = await server.api.get(PERSISTENT_VOLUME_CLAIMS, ref)
    const sent = {
      ...made,
      metadata: { ...made.metadata, labels: { from: 'status' } },
      spec: { ...made.spec, volumeName: 'v1' },
      status: { phase: 'Bound' as const },
    }
    const changed = await server.api.update(PERSISTENT_VOLUME_CLAIMS, sent, { subresource: 'status' })
    deepEqual(
      [changed.status, changed.spec, changed.metadata.labels],
      [{ phase: 'Bound' }, made.spec, { from: 'status' }],
    )
  })

  test('comes without metadata where the kind says so', async () => {
    const made = await server.api.create(VOLUME_ATTACHMENTS, attachment('va1'))
    const sent = {
      ...made,
      metadata: { ...made.metadata, labels: { from: 'status' }, finalizers: ['example.com/x'] },
      status: { attached: true },
    }
    const changed = await server.api.update(VOLUME_ATTACHMENTS, sent, { subresource: 'status' })
    deepEqual(
      [changed.status, changed.metadata.labels, changed.metadata.finalizers],
      [{ attached: true }, undefined, undefined],
    )
  })

  test('of something that has none is not served', async () => {
    await make('statusless')
    await rejects(
      server.api.update(CONFIG_MAPS, await read('statusless'), { subresource: 'status' }),
      isRefusal('NotFound', /could not find/),
    )
    await rejects(
      server.api.get(CONFIG_MAPS, { namespace: 'default', name: 'statusless' }, { subresource: 'status' }),
      isRefusal('NotFound', /could not find/),
    )
  })

  test('can be read by itself: it is the whole object', async () => {
    deepEqual(
      await server.api.get(PERSISTENT_VOLUME_CLAIMS, ref, { subresource: 'status' }),
      await server.api.get(PERSISTENT_VOLUME_CLAIMS, ref),
    )
  })

  test('of a node keeps its labels as sent', async () => {
    const made = await server.api.create(NODES, { apiVersion: 'v1', kind: 'Node', metadata: { name: 'n1' } })
    const changed = await server.api.patch(
      NODES,
      { name: 'n1' },
      { type: 'merge', value: { metadata: { labels: { zone: 'a' } }, status: { nodeInfo: { kernelVersion: '6' } } } },
      { subresource: 'status' },
    )
    equal(changed.metadata.labels?.['zone'], 'a')
    match(changed.metadata.resourceVersion ?? '', /^\d+$/)
    notEqual(changed.metadata.resourceVersion, made.metadata.resourceVersion)
  })
})
