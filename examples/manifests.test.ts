import { deepEqual, equal, match, notEqual } from 'node:assert/strict'
import { execFile, spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { parseAllDocuments } from 'yaml'
import { isAlreadyExists } from '../src/api/api-error.ts'
import type { Api } from '../src/api/api.ts'
import { findResourceType } from '../src/api/kinds/all-resource-types.ts'
import { CSI_DRIVERS } from '../src/api/kinds/csi-driver.ts'
import type { CSIDriver } from '../src/api/kinds/csi-driver.ts'
import { PERSISTENT_VOLUME_CLAIMS } from '../src/api/kinds/persistent-volume-claim.ts'
import { STATEFUL_SETS } from '../src/api/kinds/stateful-set.ts'
import { VOLUME_GROUP_SNAPSHOTS } from '../src/api/kinds/volume-group-snapshot.ts'
import { VOLUME_SNAPSHOTS } from '../src/api/kinds/volume-snapshot.ts'
import type { KubeObject } from '../src/api/object.ts'
import type { ResourceType } from '../src/api/resource-type.ts'
import { createSystemClock } from '../src/base/clock.ts'
import { untilObject } from '../src/cli/testing/driver-under-test.ts'
import { mountsBelow, openClusterDirectory, startUp } from '../src/cluster/testing/describe-up.ts'
import type { Seen, Up } from '../src/cluster/testing/describe-up.ts'
import { isMirror } from '../src/compat/mirror-csi-driver.ts'
import { ALPHA_CSI_DRIVERS } from '../src/compat/alpha-csi-driver.ts'
import { AccessMode, connectDriver } from '../src/csi/index.ts'
import type { Driver } from '../src/csi/index.ts'

const HERE = import.meta.dirname
const DRIVER = 'hostpath.holdfast.dev'
const NAMESPACE = 'default'
const HAS_KUBECTL = spawnSync('kubectl', ['version', '--client']).status === 0

type Example = {
  readonly shows: string
  /** Applied in this order and deleted in the reverse one. */
  readonly files: readonly string[]
  /** What comes about by itself while its pods run. */
  until?(seen: Seen): boolean
  /** What is to be seen then. */
  check?(seen: Seen): void
  /** Resolves when the rest of it is as it should be. */
  settled?(api: Api): Promise<void>
}

const EXAMPLES: readonly Example[] = [
  {
    shows: 'S3-1, S3-39, S3-40: a class, a claim and a pod',
    files: ['claim.yaml'],
    check: ({ claims }) => equal(claims[0]?.spec.storageClassName, 'fast'),
  },
  {
    shows: 'a claim that is expanded while its pod is running',
    files: ['claim.yaml', 'grow.yaml'],
    until: ({ claims }) => claims[0]?.status?.capacity?.['storage'] === '2Gi',
    check: ({ volumes }) => equal(volumes[0]?.spec.capacity?.['storage'], '2Gi'),
  },
  {
    shows: 'a volume that is modified while its pod is running',
    files: ['claim.yaml', 'modify.yaml'],
    until: ({ claims }) => claims[0]?.status?.currentVolumeAttributesClassName === 'gold',
    check: ({ claims, volumes }) =>
      deepEqual(
        [claims[0]?.status?.modifyVolumeStatus, volumes[0]?.spec.volumeAttributesClassName],
        [undefined, 'gold'],
      ),
  },
  {
    shows: 'S3-63, S3-64: the pod decides on the zone, and the next one follows the volume',
    files: ['zones.yaml'],
    check: (seen) => deepEqual(placesOf(seen), ['node-3', 'node-3']),
  },
  {
    shows: 'S2-1: a volume in the pod',
    files: ['in-line.yaml'],
    check: ({ claims, volumes }) => deepEqual([claims, volumes], [[], []]),
  },
  { shows: 'S0-3: a driver that asks for the pod', files: ['pod-info.yaml'] },
  { shows: 'a driver that asks for tokens', files: ['tokens.yaml'] },
  {
    shows: 'S3-168, S3-172: secrets for the driver',
    files: ['secrets-admin.yaml', 'secrets.yaml'],
    check: ({ volumes }) =>
      deepEqual(volumes[0]?.spec.csi?.nodePublishSecretRef, { name: 'storage-node', namespace: NAMESPACE }),
  },
  { shows: 'S3-104: a volume by hand', files: ['static.yaml'], check: (seen) => deepEqual(placesOf(seen), ['node-1']) },
  { shows: 'a raw device', files: ['block.yaml'], check: ({ volumes }) => equal(volumes[0]?.spec.volumeMode, 'Block') },
  {
    shows: 'a claim that comes and goes with its pod',
    files: ['ephemeral-claim.yaml'],
    check: ({ claims }) => equal(claims[0]?.metadata.name, 'batch-scratch'),
  },
  { shows: 'S1-2, S1-6: a driver in the words of the registry', files: ['registry.yaml'] },
  {
    shows: 'a copy of another volume',
    files: ['clone.yaml'],
    check: ({ volumes }) => notEqual(volumes[0]?.spec.csi?.volumeHandle, volumes[1]?.spec.csi?.volumeHandle),
  },
  {
    shows: 'a snapshot, and a volume restored from it',
    files: ['snapshot.yaml', 'restore.yaml'],
    check: ({ volumes }) => equal(volumes.length, 2),
  },
  {
    shows: 'a snapshot of several claims at one moment',
    files: ['group-snapshot.yaml'],
    check: ({ volumes }) => equal(volumes.length, 2),
    settled: async (api) => {
      await untilObject(api, VOLUME_GROUP_SNAPSHOTS, ({ status }) => status?.readyToUse === true)
      for (const claim of ['ledger-data', 'ledger-log'])
        await untilObject(
          api,
          VOLUME_SNAPSHOTS,
          ({ spec, status }) => spec.source.persistentVolumeClaimName === claim && status?.readyToUse === true,
        )
    },
  },
  {
    shows: 'S3-56: a StatefulSet, with its volumes spread over the zones, that keeps its claims when it is scaled down',
    files: ['stateful.yaml'],
    until: ({ pods }) => pods.length === 3 && pods.every(({ status }) => status?.phase === 'Running'),
    check: (seen) => deepEqual(placesOf(seen).toSorted(), ['node-1', 'node-2', 'node-3']),
    settled: async (api) => {
      const ref = { namespace: NAMESPACE, name: 'db' }
      await api.patch(STATEFUL_SETS, ref, { type: 'merge', value: { spec: { replicas: 1 } } }, { subresource: 'scale' })
      await untilObject(api, STATEFUL_SETS, ({ status }) => status?.replicas === 1 && status.readyReplicas === 1)
      equal((await api.list(PERSISTENT_VOLUME_CLAIMS)).items.length, 3)
    },
  },
]

const placesOf = ({ pods }: Seen): string[] => pods.map(({ spec }) => spec.nodeName ?? '')

test('every manifest here is one of the examples', () => {
  const known = EXAMPLES.flatMap(({ files }) => files)
  deepEqual(
    readdirSync(HERE)
      .filter((name) => name.endsWith('.yaml'))
      .sort(),
    [...new Set(known)].toSorted(),
  )
})

test('S0-38: the manifest of a driver that asks for the pod turns the option on, and the page of examples shows it', () => {
  const [driver] = objectsOf(readFileSync(join(HERE, 'pod-info.yaml'), 'utf8')) as [CSIDriver]
  deepEqual([driver.kind, driver.metadata.name, driver.spec.podInfoOnMount], ['CSIDriver', DRIVER, true])
  match(readFileSync(join(HERE, '../docs/examples.md'), 'utf8'), /^\| `pod-info\.yaml` \|/m)
})

test(
  'every example comes up as it stands, and nothing of it is left when it is deleted',
  { timeout: 240_000 },
  async (context) => {
    const directory = await openClusterDirectory(context)
    const up = await startUp(directory, '--nodes=3', '--zones=a,b,c')
    const { driver, connection } = connectDriver({
      endpoint: join(directory, 'node-1/plugins', DRIVER, 'csi.sock'),
      clock: createSystemClock(),
    })
    context.after(() => connection.close())
    const cluster: ClusterInUse = {
      up,
      directory,
      client: HAS_KUBECTL ? kubectlOf(directory) : clientOf(up.api),
      driver,
    }
    for (const example of EXAMPLES)
      await context.test(example.shows, { timeout: 60_000 }, () => tryExample(example, cluster))
    equal(await up.stop(), 0)
  },
)

type ClusterInUse = { readonly up: Up; readonly directory: string; readonly client: Client; readonly driver: Driver }
type Client = { apply(manifest: string): Promise<void>; delete(manifest: string): Promise<void> }

async function tryExample(
  { files, until, check, settled }: Example,
  { up, directory, client, driver }: ClusterInUse,
): Promise<void> {
  const texts = files.map((name) => readFileSync(join(HERE, name), 'utf8'))
  // What a person does by hand first.
  const handle = texts.some((text) => text.includes('VOLUME_ID')) ? await createVolume(driver) : ''
  const manifests = texts.map((text) => text.replaceAll(/VOLUME_ID$/gm, handle))
  const objects = manifests.flatMap(objectsOf)
  for (const manifest of manifests) {
    await client.apply(manifest)
    const pods = objectsOf(manifest).filter(({ kind }) => kind === 'Pod')
    await up.until((now) =>
      pods.every(({ metadata: { name } }) =>
        now.pods.some(({ metadata, status }) => metadata.name === name && status?.phase === 'Running'),
      ),
    )
  }
  const seen = await up.until((now) => until?.(now) ?? true)
  check?.(seen)
  await settled?.(up.api)
  for (const [index, manifest] of [...manifests.entries()].toReversed()) {
    await client.delete(manifest)
    const kept = manifests.slice(0, index).flatMap(objectsOf)
    const isKept = ({ kind, metadata }: KubeObject): boolean =>
      kept.some((object) => object.kind === kind && object.metadata.name === metadata.name)
    await up.until(
      ({ claims, pods: left, attachments, volumes }) =>
        [...claims, ...left].every(isKept) &&
        (left.length > 0 || attachments.length === 0) &&
        (left.length > 0 || volumes.every(({ spec }) => spec.persistentVolumeReclaimPolicy === 'Retain')),
    )
  }
  for (const object of objects) await untilGone(up.api, object)
  // The registry's mirror is no object of the manifest. That of the cluster itself may stay.
  const [driverObject] = (await up.api.list(CSI_DRIVERS, { fieldSelector: `metadata.name=${DRIVER}` })).items
  if (driverObject && isMirror(driverObject)) await untilGone(up.api, driverObject)
  if (handle) await driver.deleteVolume({ volumeId: handle })
  deepEqual((await driver.listVolumes({})).entries, [])
  deepEqual(await mountsBelow(directory), [])
  for (const node of ['node-1', 'node-2', 'node-3']) deepEqual(await readdir(join(directory, node, 'pods')), [])
}

async function createVolume(driver: Driver): Promise<string> {
  const capability = {
    accessMode: { mode: AccessMode.SINGLE_NODE_WRITER },
    accessType: { $case: 'mount', value: {} },
  } as const
  const { volume } = await driver.createVolume({
    name: 'by-hand',
    capacityRange: { requiredBytes: 1024n ** 3n },
    volumeCapabilities: [capability],
  })
  return volume?.volumeId ?? ''
}

const objectsOf = (manifest: string): KubeObject[] =>
  parseAllDocuments(manifest).map((document) => inNamespace(document.toJS() as KubeObject))

function inNamespace(object: KubeObject): KubeObject {
  return typeOf(object).namespaced ? { ...object, metadata: { namespace: NAMESPACE, ...object.metadata } } : object
}

function typeOf(object: KubeObject): ResourceType {
  const type = object.apiVersion === 'csi.storage.k8s.io/v1alpha1' ? ALPHA_CSI_DRIVERS : findResourceType(object)
  if (!type) throw new Error(`${object.apiVersion} ${object.kind} is not known`)
  return type
}

/** Resolves when there is no such object, or no longer. */
async function untilGone(api: Api, object: KubeObject): Promise<void> {
  const { name = '', namespace } = object.metadata
  const selection = { fieldSelector: `metadata.name=${name}`, ...(namespace ? { namespace } : {}) }
  const { items, resourceVersion } = await api.list(typeOf(object), selection)
  if (items.length === 0) return
  for await (const event of api.watch(typeOf(object), { ...selection, resourceVersion }))
    if (event.type === 'DELETED') return
  throw new Error(`the watch of ${object.kind} ${name} has ended`)
}

const clientOf = (api: Api): Client => ({
  apply: async (manifest) => {
    for (const object of objectsOf(manifest)) {
      await api.create(typeOf(object), object, { fieldValidation: 'Strict' }).catch((error: unknown) => {
        if (!isAlreadyExists(error)) throw error
        return api.patch(
          typeOf(object),
          {
            name: object.metadata.name ?? '',
            ...(object.metadata.namespace ? { namespace: object.metadata.namespace } : {}),
          },
          { type: 'merge', value: object },
        )
      })
    }
  },
  delete: async (manifest) => {
    for (const { metadata, ...object } of objectsOf(manifest))
      await api.delete(typeOf({ metadata, ...object }), {
        name: metadata.name ?? '',
        ...(metadata.namespace ? { namespace: metadata.namespace } : {}),
      })
  },
})

function kubectlOf(directory: string): Client {
  const run = (manifest: string, ...words: string[]): Promise<void> =>
    new Promise((resolve, reject) => {
      const flags = [`--kubeconfig=${join(directory, 'kubeconfig')}`, `--cache-dir=${join(directory, 'kubectl-cache')}`]
      const child = execFile('kubectl', [...words, ...flags, '-f', '-'], (error, _out, errors) =>
        error ? reject(new Error(`kubectl ${words.join(' ')}: ${errors}`)) : resolve(),
      )
      child.stdin?.end(manifest)
    })
  return { apply: (manifest) => run(manifest, 'apply'), delete: (manifest) => run(manifest, 'delete', '--wait=false') }
}
