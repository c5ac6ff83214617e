import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Api } from '../../api/api.ts'
import { ApiError } from '../../api/api-error.ts'
import { CUSTOM_RESOURCE_DEFINITIONS } from '../../api/kinds/custom-resource-definition.ts'
import type { CustomResourceDefinition } from '../../api/kinds/custom-resource-definition.ts'
import { PERSISTENT_VOLUME_CLAIMS } from '../../api/kinds/persistent-volume-claim.ts'
import { VOLUME_ATTRIBUTES_CLASSES } from '../../api/kinds/volume-attributes-class.ts'
import { VOLUME_SNAPSHOT_CONTENTS, VOLUME_SNAPSHOTS } from '../../api/kinds/volume-snapshot.ts'
import {
  bind,
  createClaim,
  createClass,
  deleteClaim,
  DRIVER,
  getVolume,
  NAMESPACE,
  startUnderTest,
  volumeOf,
} from './testing/describe-provisioner.ts'
import type { ProvisionerUnderTest, UnderTestOptions } from './testing/describe-provisioner.ts'
import { VOLUME_POPULATORS } from './content-source.ts'
import { CLONE_SOURCE_FINALIZER, SNAPSHOT_SOURCE_FINALIZER } from './names.ts'
import { decorateApi } from '../../kube/controller/decorate-api.ts'
import { DEFAULT_CONFIG } from './testing/describe-parts.ts'

const CLONES: UnderTestOptions = { driver: { features: { cloneVolume: true } } }
const SNAPSHOTS: UnderTestOptions = {
  driver: {
    features: {},
    more: { createSnapshot: () => Promise.resolve({}), deleteSnapshot: () => Promise.resolve({}) },
  },
}
const fromClaim = (name: string) => ({ dataSource: { kind: 'PersistentVolumeClaim', name } }) as const
const fromSnapshot = (name: string) =>
  ({ dataSource: { apiGroup: 'snapshot.storage.k8s.io', kind: 'VolumeSnapshot', name } }) as const
const claimOf = (api: Api, name: string) => api.get(PERSISTENT_VOLUME_CLAIMS, { namespace: NAMESPACE, name })

describe('a clone', () => {
  async function withSource(under: ProvisionerUnderTest): Promise<void> {
    const source = await createClaim(under.api, 'source')
    await under.settled()
    await bind(under.api, source)
    await under.settled()
  }
  test('S3-59: begins with the volume of its source, which is held until the clone is bound', async (context) => {
    const under = await startUnderTest(context, CLONES)
    await withSource(under)
    const source = await claimOf(under.api, 'source')
    const clone = await createClaim(under.api, 'clone', fromClaim('source'))
    await under.settled()
    deepEqual(under.script.requests[1]?.volumeContentSource?.type, {
      $case: 'volume',
      value: { volumeId: `id-of-${volumeOf(source)}` },
    })
    ok((await claimOf(under.api, 'source')).metadata.finalizers?.includes(CLONE_SOURCE_FINALIZER))
    await bind(under.api, clone)
    await under.advance(600_000)
    equal((await claimOf(under.api, 'source')).metadata.finalizers?.includes(CLONE_SOURCE_FINALIZER), false)
  })
  test('waits for its source to be bound, and goes on as soon as it is', async (context) => {
    const under = await startUnderTest(context, CLONES)
    const source = await createClaim(under.api, 'source')
    await under.settled()
    await createClaim(under.api, 'clone', fromClaim('source'))
    await under.settled()
    equal(under.script.requests.length, 1)
    await bind(under.api, source)
    await under.settled()
    equal(under.script.requests.length, 2)
  })
  test('of a smaller size than its source is refused, with what to ask for', async (context) => {
    const under = await startUnderTest(context, CLONES)
    await withSource(under)
    await createClaim(under.api, 'clone', { ...fromClaim('source'), resources: { requests: { storage: '1Mi' } } })
    await under.settled()
    equal(under.script.requests.length, 1)
    match((await under.events()).join('\n'), /ProvisioningFailed: .*Ask for at least 1Gi/)
  })
  test('in doubt whose source is deleted meanwhile keeps the source until it is done', async (context) => {
    const under = await startUnderTest(context, CLONES)
    await withSource(under)
    const { create } = under.script
    under.script.create = () => Promise.reject(new Error('who knows'))
    const clone = await createClaim(under.api, 'clone', fromClaim('source'))
    await under.settled()
    await under.api.delete(PERSISTENT_VOLUME_CLAIMS, { namespace: NAMESPACE, name: 'source' })
    await under.advance(1000)
    ok((await claimOf(under.api, 'source')).metadata.finalizers?.includes(CLONE_SOURCE_FINALIZER))
    under.script.create = create
    await under.advance(600_000)
    equal((await getVolume(under.api, clone)).spec.csi?.volumeHandle, `id-of-${volumeOf(clone)}`)
    await bind(under.api, clone)
    await deleteClaim(under.api, 'clone')
    await under.advance(600_000)
    equal((await claimOf(under.api, 'source')).metadata.finalizers?.includes(CLONE_SOURCE_FINALIZER), false)
  })
  test('by a driver that can not clone is refused', async (context) => {
    const under = await startUnderTest(context)
    await withSource(under)
    await createClaim(under.api, 'clone', fromClaim('source'))
    await under.settled()
    match((await under.events()).join('\n'), /ProvisioningFailed: .*CLONE_VOLUME/)
  })
  test('of a source that the driver ignored is deleted again', async (context) => {
    const under = await startUnderTest(context, CLONES)
    await withSource(under)
    const { create } = under.script
    under.script.create = async (request, call) => {
      const { volume } = await create(request, call)
      return { volume: { ...volume, contentSource: undefined } }
    }
    const clone = await createClaim(under.api, 'clone', fromClaim('source'))
    await under.settled()
    ok(under.script.calls.includes(`delete id-of-${volumeOf(clone)}`))
    equal(under.script.volumes.has(volumeOf(clone)), false)
  })
})

describe('a volume from a snapshot', () => {
  async function createSnapshot(api: Api, readyToUse = true): Promise<void> {
    const { metadata } = await api.create(VOLUME_SNAPSHOTS, {
      apiVersion: 'snapshot.storage.k8s.io/v1',
      kind: 'VolumeSnapshot',
      metadata: { namespace: NAMESPACE, name: 'snap' },
      spec: { source: { persistentVolumeClaimName: 'source' } },
    })
    const status = { boundVolumeSnapshotContentName: 'content', readyToUse, restoreSize: '1Gi' }
    await api.patch(
      VOLUME_SNAPSHOTS,
      { namespace: NAMESPACE, name: 'snap' },
      { type: 'merge', value: { status } },
      { subresource: 'status' },
    )
    await api.create(VOLUME_SNAPSHOT_CONTENTS, {
      apiVersion: 'snapshot.storage.k8s.io/v1',
      kind: 'VolumeSnapshotContent',
      metadata: { name: 'content' },
      spec: {
        driver: DRIVER,
        deletionPolicy: 'Delete',
        source: { volumeHandle: 'v' },
        volumeSnapshotRef: { namespace: NAMESPACE, name: 'snap', uid: metadata.uid ?? '' },
      },
    })
    await api.patch(
      VOLUME_SNAPSHOT_CONTENTS,
      { name: 'content' },
      { type: 'merge', value: { status: { snapshotHandle: 'snap-1' } } },
      { subresource: 'status' },
    )
  }
  const snapshotOf = (api: Api) => api.get(VOLUME_SNAPSHOTS, { namespace: NAMESPACE, name: 'snap' })

  test('S3-59: begins with it, and the snapshot is held until the volume is bound', async (context) => {
    const under = await startUnderTest(context, SNAPSHOTS)
    await createSnapshot(under.api)
    const claim = await createClaim(under.api, 'restored', fromSnapshot('snap'))
    await under.settled()
    deepEqual(under.script.requests[0]?.volumeContentSource?.type, {
      $case: 'snapshot',
      value: { snapshotId: 'snap-1' },
    })
    ok((await snapshotOf(under.api)).metadata.finalizers?.includes(SNAPSHOT_SOURCE_FINALIZER))
    await bind(under.api, claim)
    await under.advance(600_000)
    equal((await snapshotOf(under.api)).metadata.finalizers?.includes(SNAPSHOT_SOURCE_FINALIZER) ?? false, false)
  })
  test('that is not there or not ready yet waits for it, and begins when that changes', async (context) => {
    const under = await startUnderTest(context, SNAPSHOTS)
    const claim = await createClaim(under.api, 'restored', fromSnapshot('snap'))
    await under.settled()
    await createSnapshot(under.api, false)
    await under.settled()
    equal(under.script.requests.length, 0)
    match((await under.events()).join('\n'), /ProvisioningFailed: .*snapshot default\/snap is not Ready/)
    await under.api.patch(
      VOLUME_SNAPSHOTS,
      { namespace: NAMESPACE, name: 'snap' },
      { type: 'merge', value: { status: { readyToUse: true } } },
      { subresource: 'status' },
    )
    await under.settled()
    equal((await getVolume(under.api, claim)).spec.csi?.volumeHandle, `id-of-${volumeOf(claim)}`)
  })
  test('goes on where snapshots may not be written', async (context) => {
    const apiOf: UnderTestOptions['apiOf'] = ({ api }) => ({
      ...api,
      update: (type, object, options) =>
        type.plural === 'volumesnapshots'
          ? Promise.reject(new ApiError('Forbidden', 'no'))
          : api.update(type, object, options),
    })
    const under = await startUnderTest(context, { ...SNAPSHOTS, apiOf })
    await createSnapshot(under.api)
    await createClaim(under.api, 'restored', fromSnapshot('snap'))
    await under.settled()
    equal(under.script.requests.length, 1)
  })
})

const POPULATOR_CRD: CustomResourceDefinition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: {
    name: 'volumepopulators.populator.storage.k8s.io',
    annotations: { 'api-approved.kubernetes.io': 'unapproved, for tests' },
  },
  spec: {
    group: 'populator.storage.k8s.io',
    scope: 'Cluster',
    names: { plural: 'volumepopulators', kind: 'VolumePopulator' },
    versions: [
      {
        name: 'v1beta1',
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
      },
    ],
  },
}

describe('other beginnings', () => {
  test('a source of a kind that only a populator knows is left to it, and the user is told once', async (context) => {
    const under = await startUnderTest(context)
    await createClaim(under.api, 'data', { dataSourceRef: { apiGroup: 'example.com', kind: 'Backup', name: 'b' } })
    await under.settled()
    await under.advance(60_000)
    equal(under.script.requests.length, 0)
    const told = (await under.events()).filter((event) => event.includes('populator'))
    equal(told.length, 1)
  })
  test('a kind that no VolumePopulator names is reported once, and left to its populator once there is one', async (context) => {
    const under = await startUnderTest(context, {
      before: async ({ api }) => void (await api.create(CUSTOM_RESOURCE_DEFINITIONS, POPULATOR_CRD)),
    })
    await createClaim(under.api, 'data', { dataSourceRef: { apiGroup: 'example.com', kind: 'Backup', name: 'b' } })
    await under.advance(60_000)
    const told = async () => (await under.events()).filter((event) => /populator/i.test(event))
    const unknown =
      'PersistentVolumeClaim Warning UnrecognizedDataSourceKind: The datasource for this PVC does not match any registered VolumePopulator. ' +
      'Install a populator for Backup.example.com, or create the VolumePopulator of the one that is installed.'
    deepEqual(await told(), [unknown])
    await under.api.create(VOLUME_POPULATORS, {
      apiVersion: 'populator.storage.k8s.io/v1beta1',
      kind: 'VolumePopulator',
      metadata: { name: 'backups' },
      sourceKind: { group: 'example.com', kind: 'Backup' },
    })
    await under.settled()
    deepEqual(await told(), [
      unknown,
      'PersistentVolumeClaim Normal Provisioning: Assuming an external populator will provision the volume.',
    ])
    equal(under.script.requests.length, 0)
  })
  test('a VolumeAttributesClass gives its parameters, and is waited for', async (context) => {
    const under = await startUnderTest(context, {
      driver: { more: { controllerModifyVolume: () => Promise.resolve({}) } },
    })
    const claim = await createClaim(under.api, 'data', { volumeAttributesClassName: 'gold' })
    await under.settled()
    equal(under.script.requests.length, 0)
    await under.api.create(VOLUME_ATTRIBUTES_CLASSES, {
      apiVersion: 'storage.k8s.io/v1',
      kind: 'VolumeAttributesClass',
      metadata: { name: 'gold' },
      driverName: DRIVER,
      parameters: { iops: '9000' },
    })
    await under.settled()
    deepEqual(under.script.requests[0]?.mutableParameters, { iops: '9000' })
    equal((await getVolume(under.api, claim)).spec.volumeAttributesClassName, 'gold')
  })
  test('attributes classes are off where the server has none, or by their gate', async (context) => {
    const apiOf: UnderTestOptions['apiOf'] = ({ api }) =>
      decorateApi(api, {
        request: ({ type }, send) =>
          type.plural === VOLUME_ATTRIBUTES_CLASSES.plural
            ? Promise.reject(new ApiError('NotFound', 'the server could not find the requested resource'))
            : send(),
      })
    const { featureGates } = DEFAULT_CONFIG
    const config = { featureGates: { ...featureGates, VolumeAttributesClass: false } }
    for (const options of [{ apiOf }, { config }]) {
      const under = await startUnderTest(context, options)
      await createClaim(under.api, 'data', { volumeAttributesClassName: 'gold' })
      await under.settled()
      deepEqual(under.script.requests[0]?.mutableParameters, {})
    }
  })
  test('S3-39: a class that comes after its claims starts them at once', async (context) => {
    const under = await startUnderTest(context)
    await createClaim(under.api, 'data', { storageClassName: 'later' })
    await under.settled()
    equal(under.script.requests.length, 0)
    await createClass(under.api, { metadata: { name: 'later' } })
    await under.settled()
    equal(under.script.requests.length, 1)
  })
})
