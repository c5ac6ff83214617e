import { equal, match, notEqual } from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import type { TestContext } from 'node:test'
import { parseAllDocuments } from 'yaml'
import type { Api } from '../api/api.ts'
import { EVENTS } from '../api/kinds/event.ts'
import { findResourceType } from '../api/kinds/all-resource-types.ts'
import { PERSISTENT_VOLUME_CLAIMS } from '../api/kinds/persistent-volume-claim.ts'
import { PERSISTENT_VOLUMES } from '../api/kinds/persistent-volume.ts'
import { PODS } from '../api/kinds/pod.ts'
import { VOLUME_SNAPSHOT_CLASSES, VOLUME_SNAPSHOTS } from '../api/kinds/volume-snapshot.ts'
import type { KubeObject } from '../api/object.ts'
import { REFERENCE_GRANTS } from '../sidecars/provisioner/content-source.ts'
import type { ReferenceGrant } from '../sidecars/provisioner/content-source.ts'
import { createClaim, createPod, DRIVER, getClaim, getPod, startClusterUnderTest } from './testing/describe-cluster.ts'
import type { ClusterUnderTest } from './testing/describe-cluster.ts'

const EXAMPLE = join(import.meta.dirname, '../../examples/cross-namespace')
const GOLDEN = 'golden'
const ON = { provisionerGates: { CrossNamespaceVolumeDataSource: true } }

/** As `kubectl apply -f` of a file of the example. */
async function apply(api: Api, file: string, wants: (object: KubeObject) => boolean = () => true): Promise<void> {
  for (const document of parseAllDocuments(readFileSync(join(EXAMPLE, file), 'utf8'))) {
    const object = document.toJS() as KubeObject
    if (!wants(object)) continue
    const type = object.kind === 'ReferenceGrant' ? REFERENCE_GRANTS : findResourceType(object)
    if (!type) throw new Error(`no such kind: ${object.kind}`)
    const namespace = object.metadata.namespace ?? 'default'
    await api.create(type, { ...object, metadata: { ...object.metadata, ...(type.namespaced ? { namespace } : {}) } })
  }
}
const isGrant = ({ kind }: KubeObject): boolean => kind === 'ReferenceGrant'

const runs = async (api: Api, namespace: string, name: string): Promise<boolean> =>
  (await api.get(PODS, { namespace, name })).status?.phase === 'Running'

/** Where the bundled driver keeps the content of a claim's volume. */
async function contentOf({ api }: ClusterUnderTest, namespace: string, name: string): Promise<string> {
  const { spec } = await api.get(PERSISTENT_VOLUME_CLAIMS, { namespace, name })
  const { spec: volume } = await api.get(PERSISTENT_VOLUMES, { name: spec.volumeName ?? '' })
  return `/cluster/volumes/volumes/${volume.csi?.volumeHandle}/data`
}
const write = async (cluster: ClusterUnderTest, namespace: string, name: string, text: string): Promise<void> =>
  cluster.machine.files.writeFile(join(await contentOf(cluster, namespace, name), 'greeting'), Buffer.from(text))
const read = async (cluster: ClusterUnderTest, namespace: string, name: string): Promise<string> =>
  Buffer.from(
    await cluster.machine.files.readFile(join(await contentOf(cluster, namespace, name), 'greeting')),
  ).toString()

const failures = async (api: Api): Promise<string[]> =>
  (await api.list(EVENTS)).items
    .filter(({ involvedObject, reason }) => involvedObject.name === 'copy' && reason === 'ProvisioningFailed')
    .map(({ message = '' }) => message)

/** Claim `image` of namespace `golden`, in use and with content. */
async function startWithSource(
  context: TestContext,
  { hasGrants = true, ...options }: typeof ON & { hasGrants?: boolean },
): Promise<ClusterUnderTest> {
  const cluster = await startClusterUnderTest(context, options)
  const { api, until } = cluster
  if (hasGrants) {
    await apply(api, 'referencegrant-crd.yaml')
    // A kind that was not there at the start is looked for at intervals.
    await cluster.advance(300_000)
  }
  await apply(api, 'source.yaml', (object) => !isGrant(object))
  await until('the source is in use', () => runs(api, GOLDEN, 'writer'))
  await write(cluster, GOLDEN, 'image', 'hello')
  return cluster
}

test('a clone of a claim in the same namespace has its content, and is a volume of its own', async (context) => {
  const cluster = await startClusterUnderTest(context, {})
  const { api, until } = cluster
  await createClaim(api, 'data')
  await createPod(api, 'writer', 'data')
  await until('the source is in use', () => runs(api, 'default', 'writer'))
  await write(cluster, 'default', 'data', 'hello')
  await createClaim(api, 'copy', { dataSource: { kind: 'PersistentVolumeClaim', name: 'data' } })
  await createPod(api, 'reader', 'copy')
  await until('the copy is in use', async () => (await getPod(api, 'reader')).status?.phase === 'Running')
  equal(await read(cluster, 'default', 'copy'), 'hello')
  notEqual((await getClaim(api, 'copy')).spec.volumeName, (await getClaim(api, 'data')).spec.volumeName)
})

describe('a source in another namespace', () => {
  test('is used once its owner has granted that', async (context) => {
    const cluster = await startWithSource(context, ON)
    const { api, until } = cluster
    await apply(api, 'copy.yaml')
    await until('the user is told', async () => (await failures(api)).length > 0)
    match(
      (await failures(api))[0] ?? '',
      /accessing golden\/image of PersistentVolumeClaim dataSource from default isn't allowed/,
    )
    // For claims of another namespace, and for another claim: neither helps.
    const grant: ReferenceGrant = {
      apiVersion: 'gateway.networking.k8s.io/v1beta1',
      kind: 'ReferenceGrant',
      metadata: { namespace: GOLDEN, name: 'others' },
      spec: {
        from: [{ group: '', kind: 'PersistentVolumeClaim', namespace: 'other' }],
        to: [{ group: '', kind: 'PersistentVolumeClaim' }],
      },
    }
    await api.create(REFERENCE_GRANTS, grant)
    await cluster.advance(600_000)
    equal((await getClaim(api, 'copy')).status?.phase, 'Pending')
    await apply(api, 'source.yaml', isGrant)
    await until('the copy is in use', () => runs(api, 'default', 'reader'), { limitMs: 10_000 })
    equal(await read(cluster, 'default', 'copy'), 'hello')
  })

  test('can be a snapshot', async (context) => {
    const cluster = await startWithSource(context, ON)
    const { api, until } = cluster
    const apiVersion = 'snapshot.storage.k8s.io/v1'
    await api.create(VOLUME_SNAPSHOT_CLASSES, {
      apiVersion,
      kind: 'VolumeSnapshotClass',
      metadata: { name: 'snaps' },
      driver: DRIVER,
      deletionPolicy: 'Delete',
    })
    const ref = { namespace: GOLDEN, name: 'monday' }
    await api.create(VOLUME_SNAPSHOTS, {
      apiVersion,
      kind: 'VolumeSnapshot',
      metadata: ref,
      spec: { volumeSnapshotClassName: 'snaps', source: { persistentVolumeClaimName: 'image' } },
    })
    await until('the snapshot is ready', async () => (await api.get(VOLUME_SNAPSHOTS, ref)).status?.readyToUse === true)
    await api.create(REFERENCE_GRANTS, {
      apiVersion: 'gateway.networking.k8s.io/v1beta1',
      kind: 'ReferenceGrant',
      metadata: { namespace: GOLDEN, name: 'snapshots' },
      spec: {
        from: [{ group: '', kind: 'PersistentVolumeClaim', namespace: 'default' }],
        to: [{ group: 'snapshot.storage.k8s.io', kind: 'VolumeSnapshot', name: 'monday' }],
      },
    })
    const dataSourceRef = { apiGroup: 'snapshot.storage.k8s.io', kind: 'VolumeSnapshot', ...ref }
    await createClaim(api, 'copy', { dataSourceRef })
    await createPod(api, 'reader', 'copy')
    await until('the copy is in use', () => runs(api, 'default', 'reader'))
    equal(await read(cluster, 'default', 'copy'), 'hello')
  })

  test('is refused without the kind ReferenceGrant, and used once it is installed', async (context) => {
    const { api, until } = await startWithSource(context, { ...ON, hasGrants: false })
    await apply(api, 'copy.yaml')
    await until('the user is told', async () => (await failures(api)).length > 0)
    match((await failures(api))[0] ?? '', /isn't allowed/)
    await apply(api, 'referencegrant-crd.yaml')
    await apply(api, 'source.yaml', isGrant)
    await until('the copy is in use', () => runs(api, 'default', 'reader'), { limitMs: 400_000 })
  })

  test('is refused without the feature gate, whatever is granted', async (context) => {
    const off = { provisionerGates: { CrossNamespaceVolumeDataSource: false } }
    const cluster = await startWithSource(context, off)
    const { api, until } = cluster
    await apply(api, 'source.yaml', isGrant)
    await apply(api, 'copy.yaml')
    await until('the user is told', async () => (await failures(api)).length > 0)
    match((await failures(api))[0] ?? '', /the data source golden\/image is in another namespace/)
    await cluster.advance(600_000)
    equal((await getClaim(api, 'copy')).status?.phase, 'Pending')
  })
})
