import { deepEqual, equal, rejects } from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Patch } from '../../api/api.ts'
import { CUSTOM_RESOURCE_DEFINITIONS } from '../../api/kinds/custom-resource-definition.ts'
import { STATEFUL_SETS } from '../../api/kinds/stateful-set.ts'
import type { StatefulSet } from '../../api/kinds/stateful-set.ts'
import type { KubeObject } from '../../api/object.ts'
import type { ResourceType } from '../../api/resource-type.ts'
import { gadget, gadgetCrd, gadgets, versionOf } from '../crd/testing/crd-under-test.ts'
import { isRefusal } from '../testing/is-refusal.ts'
import { openServerUnderTest } from '../testing/open-server-under-test.ts'
import type { ServerUnderTest } from '../testing/open-server-under-test.ts'

type Scale = KubeObject & { spec: { replicas: number }; status: { replicas: number; selector?: string } }

let server: ServerUnderTest
before(async () => {
  server = await openServerUnderTest()
  await server.api.create(STATEFUL_SETS, set)
})
after(() => server.close())

const ref = { namespace: 'default', name: 'web' }
const labels = { app: 'web', tier: 'front' }
const set: StatefulSet = {
  apiVersion: 'apps/v1',
  kind: 'StatefulSet',
  metadata: ref,
  spec: {
    serviceName: 'web',
    replicas: 2,
    selector: { matchLabels: labels },
    template: { metadata: { labels }, spec: { containers: [{ name: 'main', image: 'busybox' }] } },
  },
}
// The response is a Scale, whatever was requested.
const SCALES = STATEFUL_SETS as unknown as ResourceType<Scale>
const getScale = (): Promise<Scale> => server.api.get(SCALES, ref, { subresource: 'scale' })
const patchScale = (patch: Patch): Promise<Scale> => server.api.patch(SCALES, ref, patch, { subresource: 'scale' })

describe('scale', () => {
  test('shows the numbers of an object, with its identity', async () => {
    const { metadata } = await server.api.get(STATEFUL_SETS, ref)
    deepEqual(await getScale(), {
      kind: 'Scale',
      apiVersion: 'autoscaling/v1',
      metadata: {
        ...ref,
        uid: metadata.uid,
        resourceVersion: metadata.resourceVersion,
        creationTimestamp: metadata.creationTimestamp,
      },
      spec: { replicas: 2 },
      status: { replicas: 0, selector: 'app=web,tier=front' },
    })
  })

  test('is changed as a whole, or by a patch', async () => {
    const { generation = 0 } = (await server.api.get(STATEFUL_SETS, ref)).metadata
    const scale = await getScale()
    equal(
      (await server.api.update(SCALES, { ...scale, spec: { replicas: 3 } }, { subresource: 'scale' })).spec.replicas,
      3,
    )
    equal((await patchScale({ type: 'merge', value: { spec: { replicas: 4 } } })).spec.replicas, 4)
    equal((await patchScale({ type: 'strategic', value: { spec: { replicas: 5 } } })).spec.replicas, 5)
    equal(
      (await patchScale({ type: 'json', operations: [{ op: 'replace', path: '/spec/replicas', value: 6 }] })).spec
        .replicas,
      6,
    )
    const read = await server.api.get(STATEFUL_SETS, ref)
    deepEqual([read.spec?.replicas, read.metadata.generation], [6, generation + 4])
  })

  test('meets a conflict when it names another version or uid', async () => {
    const scale = await getScale()
    await patchScale({ type: 'merge', value: { spec: { replicas: 7 } } })
    await rejects(
      server.api.update(SCALES, scale, { subresource: 'scale' }),
      isRefusal('Conflict', /has been modified/),
    )
    const other = { ...scale, metadata: { ...ref, uid: 'other' } }
    await rejects(
      server.api.update(SCALES, other, { subresource: 'scale' }),
      isRefusal('Conflict', /UID in precondition: other/),
    )
  })

  test('is refused when it makes no sense', async () => {
    const body = async (more: object) => ({ ...(await getScale()), ...more }) as Scale
    await rejects(
      server.api.update(SCALES, await body({ spec: { replicas: -1 } }), { subresource: 'scale' }),
      isRefusal('Invalid', /Scale\.autoscaling "web" is invalid: spec\.replicas/),
    )
    await rejects(
      server.api.update(SCALES, await body({ spec: { replicas: 'many' } }), { subresource: 'scale' }),
      isRefusal('BadRequest', /spec\.replicas/),
    )
    await rejects(
      server.api.update(SCALES, await body({ kind: 'StatefulSet' }), { subresource: 'scale' }),
      isRefusal('BadRequest', /must be of type Scale/),
    )
    await rejects(
      patchScale({ type: 'json', operations: [{ op: 'remove', path: '/spec/missing' }] }),
      isRefusal('Invalid', /rejected our request/),
    )
    await rejects(
      server.api.get(SCALES, { ...ref, name: 'absent' }, { subresource: 'scale' }),
      isRefusal('NotFound', /"absent" not found/),
    )
  })

  test('is applied: its owner, conflicts, force, and what happens to a number that is no longer applied', async () => {
    const at = { namespace: 'default', name: 'applied' }
    const template = { metadata: { labels }, spec: { containers: [{ name: 'main', image: 'busybox' }] } }
    const spec = { replicas: 2, serviceName: 'web', selector: { matchLabels: labels }, template }
    const value = { apiVersion: 'apps/v1', kind: 'StatefulSet', metadata: at, spec } as StatefulSet
    await server.api.patch(STATEFUL_SETS, at, { type: 'apply', value }, { fieldManager: 'deployer' })
    const applyScale = (replicas: number | undefined, fieldManager: string, force = false): Promise<Scale> => {
      const scale = { apiVersion: 'autoscaling/v1', kind: 'Scale', metadata: at, spec: { replicas } }
      const patch = { type: 'apply', value: JSON.parse(JSON.stringify(scale)) as Scale, force } as const
      return server.api.patch(SCALES, at, patch, { fieldManager, subresource: 'scale' })
    }
    await rejects(
      applyScale(3, 'autoscaler'),
      isRefusal('Conflict', /^Apply failed with 1 conflict: conflict with "deployer": \.spec\.replicas$/),
    )
    equal((await applyScale(3, 'autoscaler', true)).spec.replicas, 3)
    const ownersOf = async (): Promise<Map<string, Record<string, unknown>>> => {
      const { managedFields = [] } = (await server.api.get(STATEFUL_SETS, at)).metadata
      return new Map((managedFields as Record<string, unknown>[]).map((entry) => [String(entry['manager']), entry]))
    }
    const { time, ...owner } = (await ownersOf()).get('autoscaler') ?? {}
    equal(typeof time, 'string')
    const fieldsV1 = { 'f:spec': { 'f:replicas': {} } }
    deepEqual(owner, {
      manager: 'autoscaler',
      operation: 'Apply',
      apiVersion: 'apps/v1',
      fieldsType: 'FieldsV1',
      fieldsV1,
      subresource: 'scale',
    })
    const left = (await ownersOf()).get('deployer')?.['fieldsV1'] as { 'f:spec': object }
    equal('f:replicas' in left['f:spec'], false)
    await rejects(
      server.api.patch(STATEFUL_SETS, at, { type: 'apply', value }, { fieldManager: 'deployer' }),
      isRefusal('Conflict', /conflict with "autoscaler" with subresource "scale": \.spec\.replicas$/),
    )

    await server.api.patch(
      SCALES,
      at,
      { type: 'merge', value: { spec: { replicas: 4 } } },
      { fieldManager: 'kubectl', subresource: 'scale' },
    )
    const after = await ownersOf()
    deepEqual([after.get('autoscaler'), after.get('kubectl')?.['subresource']], [undefined, 'scale'])
    await rejects(
      applyScale(5, 'autoscaler'),
      isRefusal(
        'Conflict',
        /conflict with "kubectl" with subresource "scale" using autoscaling\/v1: \.spec\.replicas$/,
      ),
    )
    equal((await applyScale(5, 'autoscaler', true)).spec.replicas, 5)
    equal((await applyScale(undefined, 'autoscaler')).spec.replicas, 0)
  })

  test('that is applied is checked like any applied configuration', async () => {
    const apply = (value: object, fieldManager = 'one') =>
      server.api.patch(SCALES, ref, { type: 'apply', value: value as Scale }, { fieldManager, subresource: 'scale' })
    const scale = { apiVersion: 'autoscaling/v1', kind: 'Scale', metadata: ref, spec: { replicas: 1 } }
    await rejects(apply(scale, ''), isRefusal('Invalid', /fieldManager: Required value/))
    await rejects(apply({ ...scale, apiVersion: 'apps/v1' }), isRefusal('BadRequest', /Incorrect version specified/))
    await rejects(apply({ ...scale, spec: { size: 1 } }), isRefusal('BadRequest', /\.spec\.size: field not declared/))
    await rejects(apply({ ...scale, spec: { replicas: 'x' } }), isRefusal('BadRequest', /spec\.replicas/))
    const missing = { ...ref, name: 'absent' }
    const patch = { type: 'apply', value: { ...scale, metadata: missing } as Scale } as const
    await rejects(
      server.api.patch(SCALES, missing, patch, { fieldManager: 'one', subresource: 'scale' }),
      isRefusal('NotFound', /"absent" not found/),
    )
  })

  test('shows the whole selector of every kind that has one', async () => {
    const template = { metadata: { labels }, spec: { containers: [{ name: 'main', image: 'busybox' }] } }
    const matchExpressions = [{ key: 'tier', operator: 'In', values: ['front', 'back'] }]
    const sets = {
      ...STATEFUL_SETS,
      plural: 'replicasets',
      kind: 'ReplicaSet',
    } as unknown as ResourceType<KubeObject>
    const controllers = { ...sets, group: '', plural: 'replicationcontrollers', kind: 'ReplicationController' }
    const made = async (type: ResourceType<KubeObject>, selector: object): Promise<string | undefined> => {
      const apiVersion = type.group === '' ? 'v1' : 'apps/v1'
      const metadata = { namespace: 'default', name: 'selecting' }
      await server.api.create(type, {
        apiVersion,
        kind: type.kind,
        metadata,
        spec: { selector, template },
      } as KubeObject)
      const scale = await server.api.get(type, metadata, { subresource: 'scale' })
      return (scale as Scale).status.selector
    }
    equal(await made(sets, { matchLabels: { app: 'web' }, matchExpressions }), 'app=web,tier in (back,front)')
    equal(await made(controllers, { app: 'web' }), 'app=web')
  })

  test('with a dry run changes nothing', async () => {
    const before = await getScale()
    const shown = await server.api.patch(
      SCALES,
      ref,
      { type: 'merge', value: { spec: { replicas: 99 } } },
      { subresource: 'scale', dryRun: true },
    )
    equal(shown.spec.replicas, 99)
    deepEqual(await getScale(), before)
  })

  test('of a custom object is where its definition says', async () => {
    const integer = { type: 'integer' }
    const scale = {
      specReplicasPath: '.spec.pool.count',
      statusReplicasPath: '.status.ready',
      labelSelectorPath: '.status.selector',
    }
    const version = versionOf(
      { pool: { type: 'object', properties: { count: integer } } },
      { subresources: { status: {}, scale } },
    )
    await server.api.create(CUSTOM_RESOURCE_DEFINITIONS, gadgetCrd({ versions: [version] }))
    await server.api.create(gadgets(), gadget('g', { pool: { count: 1 } }))
    const at = { namespace: 'default', name: 'g' }
    await server.api.patch(
      gadgets(),
      at,
      { type: 'merge', value: { status: { ready: 1, selector: 'a=b' } } },
      { subresource: 'status' },
    )
    const scales = gadgets() as unknown as ResourceType<Scale>
    const read = await server.api.get(scales, at, { subresource: 'scale' })
    deepEqual([read.spec, read.status], [{ replicas: 1 }, { replicas: 1, selector: 'a=b' }])
    await server.api.patch(scales, at, { type: 'merge', value: { spec: { replicas: 5 } } }, { subresource: 'scale' })
    deepEqual((await server.api.get(gadgets(), at)).spec, { pool: { count: 5 } })
  })

  test('of a kind without one is not served', async () => {
    const gadgetScales = { ...SCALES, group: '', version: 'v1', plural: 'configmaps' }
    await rejects(server.api.get(gadgetScales, ref, { subresource: 'scale' }), isRefusal('NotFound', /could not find/))
  })
})
