import { deepEqual, equal, match, notEqual, ok, rejects } from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { ApiError } from '../../api/api-error.ts'
import { CONFIG_MAPS } from '../../api/kinds/config-map.ts'
import { CSI_DRIVERS } from '../../api/kinds/csi-driver.ts'
import { NAMESPACES } from '../../api/kinds/namespace.ts'
import { PERSISTENT_VOLUMES } from '../../api/kinds/persistent-volume.ts'
import type { PersistentVolume } from '../../api/kinds/persistent-volume.ts'
import { PODS } from '../../api/kinds/pod.ts'
import type { KubeObject } from '../../api/object.ts'
import { createSeededRandom } from '../../base/random.ts'
import { isRefusal } from '../testing/is-refusal.ts'
import { configMap, ownedBy, pod } from '../testing/objects-under-test.ts'
import { executeRequest } from '../testing/execute-request.ts'
import { openServerUnderTest, recordWatch } from '../testing/open-server-under-test.ts'
import type { ServerUnderTest } from '../testing/open-server-under-test.ts'

let server: ServerUnderTest
before(async () => void (server = await openServerUnderTest()))
after(() => server.close())

const volume = (name: string): PersistentVolume => ({
  apiVersion: 'v1',
  kind: 'PersistentVolume',
  metadata: { name },
  spec: {
    accessModes: ['ReadWriteOnce'],
    capacity: { storage: '1Gi' },
    csi: { driver: 'd.example.com', volumeHandle: name },
  },
})

describe('create', () => {
  test('gives what only the server can: uid, time, revision', async () => {
    const made = await server.api.create(
      CONFIG_MAPS,
      configMap('given', {
        uid: 'mine',
        resourceVersion: '7',
        creationTimestamp: '2001-01-01T00:00:00Z',
        generation: 9,
      }),
    )
    match(made.metadata.uid ?? '', /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    equal(made.metadata.creationTimestamp, '2030-01-01T00:00:00Z')
    equal(made.metadata.resourceVersion, String(server.core.parts.store.revision()))
    equal(made.metadata.generation, undefined)
    deepEqual(await server.api.get(CONFIG_MAPS, { namespace: 'default', name: 'given' }), made)
  })

  test('ignores that something new should be on its way out', async () => {
    const made = await server.api.create(
      CONFIG_MAPS,
      configMap('new', { deletionTimestamp: '2001-01-01T00:00:00Z', deletionGracePeriodSeconds: 5 }),
    )
    equal(made.metadata.deletionTimestamp, undefined)
    equal(made.metadata.deletionGracePeriodSeconds, undefined)
  })

  test('refuses a name that is taken, with its resource and name in the details', async () => {
    await server.api.create(CONFIG_MAPS, configMap('taken'))
    await rejects(server.api.create(CONFIG_MAPS, configMap('taken')), (error: ApiError) => {
      equal(error.message, 'configmaps "taken" already exists')
      deepEqual(
        [error.code, error.reason, error.details],
        [409, 'AlreadyExists', { name: 'taken', kind: 'configmaps' }],
      )
      return true
    })
  })

  test('has one of many that want the same name succeed', async () => {
    const results = await Promise.allSettled(
      Array.from({ length: 20 }, (_, index) =>
        server.api.create(CONFIG_MAPS, configMap('contested', {}, { by: String(index) })),
      ),
    )
    equal(results.filter(({ status }) => status === 'fulfilled').length, 1)
    for (const result of results)
      if (result.status === 'rejected') isRefusal('AlreadyExists', /already exists/)(result.reason)
  })

  test('needs a namespace that exists', async () => {
    await rejects(
      server.api.create(CONFIG_MAPS, configMap('x', { namespace: 'nowhere' })),
      isRefusal('NotFound', /^namespaces "nowhere" not found$/),
    )
  })

  test('needs a namespace for what lives in one, and takes none for what does not', async () => {
    await rejects(
      server.api.create(CONFIG_MAPS, configMap('x', { namespace: '' })),
      isRefusal('BadRequest', /empty namespace/),
    )
    await rejects(
      server.api.create(PERSISTENT_VOLUMES, { ...volume('x'), metadata: { name: 'x', namespace: 'default' } }),
      isRefusal('BadRequest', /namespace is not allowed/),
    )
  })

  test('refuses another kind, another version, and what is no object', async () => {
    const send = (object: unknown) => server.api.create(CONFIG_MAPS, object as KubeObject as never)
    await rejects(send({ ...configMap('x'), kind: 'Secret' }), isRefusal('BadRequest', /must be of type ConfigMap/))
    await rejects(
      send({ ...configMap('x'), apiVersion: 'v2' }),
      isRefusal('BadRequest', /API version in the data \(v2\)/),
    )
    await rejects(
      send({ ...configMap('x'), data: 'text' }),
      isRefusal('BadRequest', /ConfigMap in version "v1" cannot be handled/),
    )
  })

  test('takes kind and version from the path when the body has none', async () => {
    const { metadata, data } = configMap('bare', {}, { a: 'b' })
    const made = await server.api.create(CONFIG_MAPS, { metadata, data } as never)
    deepEqual([made.apiVersion, made.kind, made.data], ['v1', 'ConfigMap', { a: 'b' }])
  })

  test('tells all problems at once, by field', async () => {
    const wrong = configMap('Not_A_Name', { labels: { 'bad key': 'x', ok: 'bad value!' } })
    await rejects(server.api.create(CONFIG_MAPS, wrong), (error: ApiError) => {
      equal(error.code, 422)
      equal(error.details?.kind, 'ConfigMap')
      deepEqual(
        error.causes.map(({ field }) => field),
        ['metadata.name', 'metadata.labels', 'metadata.labels'],
      )
      return true
    })
  })

  test('sends one ADDED event, and none for a refusal', async () => {
    using watch = recordWatch((signal) =>
      server.api.watch(CONFIG_MAPS, { namespace: 'default', fieldSelector: 'metadata.name=watched', signal }),
    )
    await server.settled()
    await server.api.create(CONFIG_MAPS, configMap('watched'))
    await rejects(server.api.create(CONFIG_MAPS, configMap('watched')))
    await server.settled()
    deepEqual(watch.texts(), ['ADDED watched'])
  })
})

describe('generateName', () => {
  test('is followed by five characters that no word is made of', async () => {
    const names = await Promise.all(
      Array.from(
        { length: 20 },
        async () => (await server.api.create(CONFIG_MAPS, configMap('', { generateName: 'gen-' }))).metadata.name ?? '',
      ),
    )
    for (const name of names) match(name, /^gen-[bcdfghjklmnpqrstvwxz2456789]{5}$/)
    equal(new Set(names).size, 20)
  })

  test('is cut so that the name fits', async () => {
    const made = await server.api.create(CONFIG_MAPS, configMap('', { generateName: 'x'.repeat(100) }))
    equal(made.metadata.name?.length, 63)
    equal(made.metadata.generateName, 'x'.repeat(100))
  })

  test('does not matter when there is a name', async () => {
    equal(
      (await server.api.create(CONFIG_MAPS, configMap('own-name', { generateName: 'gen-' }))).metadata.name,
      'own-name',
    )
  })

  test('is required when there is none', async () => {
    await rejects(
      server.api.create(CONFIG_MAPS, configMap('')),
      isRefusal('Invalid', /metadata\.name: Required value: name or generateName is required/),
    )
  })

  test('gives up after eight names that are taken, and asks to come back', async () => {
    // Generates the same names again and again.
    const stuck = { ...createSeededRandom(1), below: () => 0 }
    await using unlucky = await openServerUnderTest({ random: stuck })
    await unlucky.api.create(CONFIG_MAPS, configMap('', { generateName: 'gen-' }))
    await rejects(unlucky.api.create(CONFIG_MAPS, configMap('', { generateName: 'gen-' })), (error: ApiError) => {
      deepEqual([error.reason, error.details?.retryAfterSeconds], ['AlreadyExists', 1])
      match(error.message, /"gen-bbbbb" already exists, the server was not able to generate a unique name/)
      return true
    })
  })
})

describe('create with a dry run', () => {
  test('shows the object and leaves no trace', async () => {
    const revision = server.core.parts.store.revision()
    using watch = recordWatch((signal) =>
      server.api.watch(CONFIG_MAPS, { namespace: 'default', fieldSelector: 'metadata.name=dry', signal }),
    )
    await server.settled()
    const shown = await server.api.create(CONFIG_MAPS, configMap('dry', {}, { a: 'b' }), { dryRun: true })
    await server.settled()
    deepEqual(shown.data, { a: 'b' })
    notEqual(shown.metadata.uid, undefined)
    equal(server.core.parts.store.revision(), revision)
    deepEqual(watch.events, [])
    await rejects(
      server.api.get(CONFIG_MAPS, { namespace: 'default', name: 'dry' }),
      isRefusal('NotFound', /"dry" not found/),
    )
  })

  test('refuses whatever the real one would', async () => {
    await server.api.create(CONFIG_MAPS, configMap('dry-taken'))
    await rejects(
      server.api.create(CONFIG_MAPS, configMap('dry-taken'), { dryRun: true }),
      isRefusal('AlreadyExists', /exists/),
    )
    await rejects(
      server.api.create(CONFIG_MAPS, configMap('Dry'), { dryRun: true }),
      isRefusal('Invalid', /metadata\.name/),
    )
    await rejects(
      server.api.create(CONFIG_MAPS, configMap('x', { namespace: 'nowhere' }), { dryRun: true }),
      isRefusal('NotFound', /nowhere/),
    )
  })
})

describe('metadata of a new object', () => {
  test('begins with generation 1 where the kind counts it', async () => {
    equal((await server.api.create(PODS, pod('counted'))).metadata.generation, 1)
    const driver = {
      apiVersion: 'storage.k8s.io/v1',
      kind: 'CSIDriver',
      metadata: { name: 'd.example.com' },
      spec: {},
    } as const
    equal((await server.api.create(CSI_DRIVERS, driver)).metadata.generation, undefined)
    equal((await server.api.create(PERSISTENT_VOLUMES, volume('not-counted'))).metadata.generation, undefined)
  })

  test('has no status of its sender', async () => {
    const made = await server.api.create(PERSISTENT_VOLUMES, { ...volume('no-status'), status: { phase: 'Bound' } })
    deepEqual(made.status, { phase: 'Pending', lastPhaseTransitionTime: '2030-01-01T00:00:00Z' })
    const namespace = {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: 'fresh' },
      status: { phase: 'Terminating' },
    } as const
    deepEqual((await server.api.create(NAMESPACES, namespace)).status, { phase: 'Active' })
  })

  test('names each owner once; the rest is dropped with a warning', async () => {
    const owner = await server.api.create(CONFIG_MAPS, configMap('owner'))
    const one = ownedBy(owner)
    const repeated = { uid: one.uid, name: one.name, kind: one.kind, apiVersion: one.apiVersion }
    const kind = server.core.parts.kinds.findByResource('', 'v1', 'configmaps')
    ok(kind)
    const body = configMap('owned', { ownerReferences: [one, repeated, { ...one, controller: true }] })
    const request = {
      user: { name: 'u', groups: [] },
      kind,
      namespace: 'default',
      name: '',
      subresource: '',
      source: { requestUri: '', userAgent: '', sourceIps: [] },
    }
    const response = await executeRequest(server.core, {
      ...request,
      verb: 'create',
      body,
      options: { dryRun: false, fieldValidation: 'Strict', duplicateFields: [] },
    })
    ok(response.kind === 'object')
    deepEqual(response.stored.object.metadata.ownerReferences, [one, { ...one, controller: true }])
    equal(response.warnings.length, 1)
    match(response.warnings[0] ?? '', new RegExp(`duplicate entries.*${one.uid}`))
  })

  test('names one controller at most', async () => {
    const references = ['a', 'b'].map((name) => ({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      name,
      uid: name,
      controller: true,
    }))
    await rejects(
      server.api.create(CONFIG_MAPS, configMap('two-heads', { ownerReferences: references })),
      isRefusal('Invalid', /Only one reference can have Controller set to true/),
    )
  })

  test('may name an owner that is not there', async () => {
    await using other = await openServerUnderTest()
    const made = await other.api.create(
      CONFIG_MAPS,
      configMap('early', { ownerReferences: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'later', uid: 'u' }] }),
    )
    equal(made.metadata.ownerReferences?.[0]?.name, 'later')
  })
})

describe('unknown fields', () => {
  const withUnknown = (name: string) => ({ ...configMap(name), surprise: 1 })

  test('are refused when asked to be strict, and dropped otherwise', async () => {
    await rejects(
      server.api.create(CONFIG_MAPS, withUnknown('strict'), { fieldValidation: 'Strict' }),
      isRefusal('BadRequest', /strict decoding error: unknown field "surprise"/),
    )
    const made = await server.api.create(CONFIG_MAPS, withUnknown('lax'), { fieldValidation: 'Ignore' })
    equal('surprise' in made, false)
  })
})
