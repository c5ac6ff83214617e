import { deepEqual, equal, match, ok, rejects } from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { TestContext } from 'node:test'
import type { Api } from '../../api/api.ts'
import { CSI_NODES } from '../../api/kinds/csi-node.ts'
import { NODES } from '../../api/kinds/node.ts'
import { PERSISTENT_VOLUME_CLAIMS } from '../../api/kinds/persistent-volume-claim.ts'
import type { PersistentVolumeClaim } from '../../api/kinds/persistent-volume-claim.ts'
import { PERSISTENT_VOLUMES } from '../../api/kinds/persistent-volume.ts'
import { SECRETS } from '../../api/kinds/secret.ts'
import { STORAGE_CLASSES } from '../../api/kinds/storage-class.ts'
import type { StorageClass } from '../../api/kinds/storage-class.ts'
import { asShippedSidecar } from '../../apiserver/testing/apply-manifest.ts'
import type { TestCore } from '../../apiserver/testing/open-test-core.ts'
import type { Clock } from '../../base/clock.ts'
import { CSI_NODE_INFOS } from '../../compat/alpha-csi-node-info.ts'
import { createSimulatedHost } from '../../base/host/index.ts'
import { createSilentLogger } from '../../base/logger.ts'
import { createSeededRandom } from '../../base/random.ts'
import { joinDriver } from '../../csi/index.ts'
import type { Driver } from '../../csi/index.ts'
import { createLockTable } from '../../csi/kit/index.ts'
import { createHostpathDriver, openHostpath } from '../../drivers/hostpath/index.ts'
import { createOn, nodeOf } from '../../testing/objects.ts'
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
import type { CreateRequest, ProvisionerUnderTest, UnderTestOptions } from './testing/describe-provisioner.ts'
import { ALPHA_SELECTED_NODE, BETA_STORAGE_PROVISIONER, SELECTED_NODE } from '../../storage/names.ts'

// The bundled driver on a server in memory; the test plays binder, scheduler and kubelet.

const ZONE = 'example.com/zone'
const RACK = 'example.com/rack'
type Place = Record<string, string>

type Recorded = {
  creates: CreateRequest[]
  deletes: Parameters<Driver['deleteVolume']>[0][]
  volumes(): Promise<string[]>
}
type Story = ProvisionerUnderTest & Recorded

/** The bundled driver with a record of what it was asked. It runs on a node in the first of the places, and knows them all. */
async function startStory(
  context: TestContext,
  places: readonly Place[] = [],
  options: UnderTestOptions = {},
): Promise<Story> {
  const creates: CreateRequest[] = []
  const deletes: Parameters<Driver['deleteVolume']>[0][] = []
  let bundled: Driver | undefined
  const openDriver = async (clock: Clock): Promise<Driver> => {
    const log = createSilentLogger()
    const host = createSimulatedHost({ random: createSeededRandom(1) })
    const hostpath = await openHostpath({ root: '/data', host, clock, random: createSeededRandom(2), log })
    const locks = createLockTable()
    for (const [index, topology] of (places.length > 0 ? places : [{}]).entries()) {
      const { server } = await createHostpathDriver({
        hostpath,
        node: { id: `id-${index + 1}`, topology, attachLimit: 0 },
        name: DRIVER,
        version: '1',
        attach: true,
        publish: 'link',
        locks,
      })
      bundled ??= joinDriver(server, { clock })
    }
    if (!bundled) throw new Error('a driver needs a node')
    const { createVolume, deleteVolume } = bundled
    return {
      ...bundled,
      createVolume: (request, call) => (creates.push(request as CreateRequest), createVolume(request, call)),
      deleteVolume: (request, call) => (deletes.push(request), deleteVolume(request, call)),
    }
  }
  const before: UnderTestOptions['before'] = async (core) => {
    for (const [index, place] of places.entries()) await createNode(core.api, `node-${index + 1}`, place)
    await options.before?.(core)
  }
  const under = await startUnderTest(context, { ...options, openDriver, before })
  const volumes = async (): Promise<string[]> =>
    ((await bundled?.listVolumes({}))?.entries ?? []).map(({ volume }) => volume?.volumeId ?? '')
  return { ...under, creates, deletes, volumes }
}

/** A node as the kubelet registers it: labels, and the keys of the driver. */
async function createNode(api: Api, name: string, place: Place, keys = Object.keys(place)): Promise<void> {
  await createOn(api, NODES, nodeOf(name, { metadata: { labels: place } }))
  await api.create(CSI_NODES, {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'CSINode',
    metadata: { name },
    spec: { drivers: [{ name: DRIVER, nodeID: `id-of-${name}`, topologyKeys: keys }] },
  })
}

const onlyRequest = ({ creates }: Recorded): CreateRequest => {
  equal(creates.length, 1)
  const [request] = creates
  if (!request) throw new Error('no request')
  return request
}
const places = (list: readonly { segments: Place }[] | undefined): string[] =>
  (list ?? []).map(({ segments }) => Object.values(segments).join('/'))
const requisite = (story: Recorded): string[] => places(onlyRequest(story).accessibilityRequirements?.requisite)
const preferred = (story: Recorded): string[] => places(onlyRequest(story).accessibilityRequirements?.preferred)
const THREE_ZONES = [{ [ZONE]: 'a' }, { [ZONE]: 'b' }, { [ZONE]: 'c' }]
const createDelayedClass = (api: Api, given: Partial<StorageClass> = {}): Promise<StorageClass> =>
  createClass(api, { metadata: { name: 'late' }, volumeBindingMode: 'WaitForFirstConsumer', ...given })
const selectNode = (api: Api, name: string, node: string): Promise<PersistentVolumeClaim> =>
  api.patch(
    PERSISTENT_VOLUME_CLAIMS,
    { namespace: NAMESPACE, name },
    { type: 'merge', value: { metadata: { annotations: { [SELECTED_NODE]: node } } } },
  )

describe('the request', () => {
  test('S3-38, S3-39, S3-40, S3-41, S3-42, S3-43, S3-159: a claim of a class of the driver becomes one CreateVolume with name, size and parameters', async (context) => {
    const story = await startStory(context)
    await createClass(story.api, {
      metadata: { name: 'shiny' },
      parameters: { colour: 'green', 'csi.storage.k8s.io/fstype': 'ext4' },
      mountOptions: ['noatime'],
    })
    const claim = await createClaim(story.api, 'data', {
      storageClassName: 'shiny',
      resources: { requests: { storage: '3Mi' } },
    })
    await story.settled()
    const request = onlyRequest(story)
    equal(request.name, `pvc-${claim.metadata.uid}`)
    equal(request.capacityRange?.requiredBytes, 3n * 1024n * 1024n)
    deepEqual(request.parameters, { colour: 'green' })
    deepEqual(request.volumeCapabilities?.[0]?.accessType, {
      $case: 'mount',
      value: { fsType: 'ext4', mountFlags: ['noatime'], volumeMountGroup: '' },
    })
  })
  test('S3-43: a reserved parameter that nobody knows is refused, with the reason in an event', async (context) => {
    const story = await startStory(context)
    await createClass(story.api, { metadata: { name: 'wrong' }, parameters: { 'csi.storage.k8s.io/unknown': 'x' } })
    await createClaim(story.api, 'data', { storageClassName: 'wrong' })
    await story.settled()
    equal(story.creates.length, 0)
    ok((await story.events()).some((event) => /ProvisioningFailed: .*csi\.storage\.k8s\.io\/unknown/.test(event)))
  })
  test('S3-39, S3-159: claims of other provisioners, and claims that the binder has not marked, are left alone', async (context) => {
    const story = await startStory(context)
    await createClaim(
      story.api,
      'other',
      {},
      { annotations: { 'volume.kubernetes.io/storage-provisioner': 'other.example.com' } },
    )
    await story.settled()
    equal(story.creates.length, 0)
  })
  test('S3-159: the beta annotation of the binder counts where the new one is absent', async (context) => {
    const story = await startStory(context)
    const claim: PersistentVolumeClaim = {
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: { namespace: NAMESPACE, name: 'old', annotations: { [BETA_STORAGE_PROVISIONER]: DRIVER } },
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Mi' } }, storageClassName: 'fast' },
    }
    await story.api.create(PERSISTENT_VOLUME_CLAIMS, claim)
    await story.settled()
    equal(story.creates.length, 1)
  })
})

describe('the volume', () => {
  test('S3-59: the PersistentVolume says what the driver answered, and belongs to the claim from the beginning', async (context) => {
    const story = await startStory(context)
    const claim = await createClaim(story.api, 'data', { resources: { requests: { storage: '1Mi' } } })
    await story.settled()
    const { metadata, spec } = await getVolume(story.api, claim)
    deepEqual([spec.csi?.volumeHandle], await story.volumes())
    match(
      spec.csi?.volumeAttributes?.['storage.kubernetes.io/csiProvisionerIdentity'] ?? '',
      /^\d+-\d+-test\.holdfast\.dev$/,
    )
    equal(spec.capacity?.['storage'], '1Mi')
    equal(spec.storageClassName, 'fast')
    deepEqual([spec.claimRef?.name, spec.claimRef?.uid], ['data', claim.metadata.uid])
    deepEqual(metadata.annotations, {
      'pv.kubernetes.io/provisioned-by': DRIVER,
      'volume.kubernetes.io/provisioner-deletion-secret-name': '',
      'volume.kubernetes.io/provisioner-deletion-secret-namespace': '',
    })
    equal(spec.nodeAffinity, undefined)
  })
  test('S3-65, S3-160: deleting the claim leads to DeleteVolume, and only then does the object go', async (context) => {
    const story = await startStory(context)
    const claim = await createClaim(story.api)
    await story.settled()
    await bind(story.api, claim)
    await deleteClaim(story.api)
    await story.settled()
    equal(story.deletes.length, 0)
    await releaseVolume(story.api, volumeOf(claim))
    await story.settled()
    equal(story.deletes.length, 1)
    deepEqual(await story.volumes(), [])
    deepEqual((await story.api.list(PERSISTENT_VOLUMES)).items, [])
  })
  test('S3-65: while a VolumeAttachment names the volume it is not deleted; it goes as soon as that is gone', async (context) => {
    const story = await startStory(context)
    const claim = await createClaim(story.api)
    await story.settled()
    await bind(story.api, claim)
    const attachment = {
      apiVersion: 'storage.k8s.io/v1',
      kind: 'VolumeAttachment',
      metadata: { name: 'at' },
      spec: { attacher: DRIVER, nodeName: 'node-1', source: { persistentVolumeName: volumeOf(claim) } },
    } as const
    const { VOLUME_ATTACHMENTS } = await import('../../api/kinds/volume-attachment.ts')
    await story.api.create(VOLUME_ATTACHMENTS, attachment)
    await deleteClaim(story.api)
    await releaseVolume(story.api, volumeOf(claim))
    await story.settled()
    equal(story.deletes.length, 0)
    ok(
      (await story.events()).some((event) =>
        /PersistentVolume Normal VolumeDeleteWaits: .*VolumeAttachment at/.test(event),
      ),
    )
    await story.api.delete(VOLUME_ATTACHMENTS, { name: 'at' })
    await story.settled()
    deepEqual(await story.volumes(), [])
  })
  test('S3-161: what is to be retained stays, in the driver and in the API', async (context) => {
    const story = await startStory(context)
    await createClass(story.api, { metadata: { name: 'kept' }, reclaimPolicy: 'Retain' })
    const claim = await createClaim(story.api, 'data', { storageClassName: 'kept' })
    await story.settled()
    await bind(story.api, claim)
    await deleteClaim(story.api)
    await releaseVolume(story.api, volumeOf(claim))
    await story.advance(60_000)
    equal(story.deletes.length, 0)
    equal((await story.volumes()).length, 1)
    equal((await getVolume(story.api, claim)).status?.phase, 'Released')
  })
  test('S3-161: a volume whose policy was changed to Retain keeps no finalizer of ours', async (context) => {
    const story = await startStory(context)
    const claim = await createClaim(story.api)
    await story.settled()
    await bind(story.api, claim)
    await story.api.patch(
      PERSISTENT_VOLUMES,
      { name: volumeOf(claim) },
      { type: 'merge', value: { spec: { persistentVolumeReclaimPolicy: 'Retain' } } },
    )
    await story.settled()
    deepEqual((await getVolume(story.api, claim)).metadata.finalizers, ['kubernetes.io/pv-protection'])
  })
})

describe('where volumes may be', () => {
  test('S3-45: with delayed binding nothing happens before a node was selected', async (context) => {
    const story = await startStory(context, THREE_ZONES)
    await createDelayedClass(story.api)
    await createClaim(story.api, 'data', { storageClassName: 'late' })
    await story.advance(60_000)
    equal(story.creates.length, 0)
    await selectNode(story.api, 'data', 'node-2')
    await story.settled()
    equal(story.creates.length, 1)
  })
  test('S3-44, S3-48, S3-53, S3-54: the selected node comes first among the places of all nodes', async (context) => {
    const story = await startStory(context, THREE_ZONES)
    await createDelayedClass(story.api)
    await createClaim(story.api, 'data', { storageClassName: 'late' }, { annotations: { [SELECTED_NODE]: 'node-2' } })
    await story.settled()
    deepEqual(requisite(story), ['a', 'b', 'c'])
    deepEqual(preferred(story), ['b', 'c', 'a'])
  })
  test('S3-44: the annotation as the document spells it counts too', async (context) => {
    const story = await startStory(context, THREE_ZONES)
    await createDelayedClass(story.api)
    await createClaim(
      story.api,
      'data',
      { storageClassName: 'late' },
      { annotations: { [ALPHA_SELECTED_NODE]: 'node-3' } },
    )
    await story.settled()
    deepEqual(preferred(story), ['c', 'a', 'b'])
  })
  test('S3-47, S3-62: what the class allows is what is asked for, in the words that nodes and volumes use', async (context) => {
    const story = await startStory(context, THREE_ZONES)
    await createClass(story.api, {
      metadata: { name: 'some' },
      allowedTopologies: [{ matchLabelExpressions: [{ key: ZONE, values: ['b', 'c'] }] }],
    })
    const claim = await createClaim(story.api, 'data', { storageClassName: 'some' })
    await story.settled()
    deepEqual(requisite(story), ['b', 'c'])
    const { nodeAffinity } = (await getVolume(story.api, claim)).spec
    deepEqual(nodeAffinity?.required?.nodeSelectorTerms?.[0]?.matchExpressions?.[0]?.key, ZONE)
    ok(['b', 'c'].includes(nodeAffinity?.required?.nodeSelectorTerms?.[0]?.matchExpressions?.[0]?.values?.[0] ?? ''))
  })
  test('S3-46: with the rule of the document a claim without a node has no preferred place', async (context) => {
    const story = await startStory(context, THREE_ZONES, { config: { preferredTopology: 'ordinal' } })
    await createClaim(story.api, 'data')
    await story.settled()
    deepEqual(requisite(story), ['a', 'b', 'c'])
    deepEqual(preferred(story), [])
  })
  test('S3-56, S3-57: the volumes of a StatefulSet are spread evenly', async (context) => {
    for (const preferredTopology of ['all', 'ordinal'] as const) {
      const story = await startStory(context, THREE_ZONES, { config: { preferredTopology } })
      for (let ordinal = 0; ordinal < 6; ordinal++) {
        await createClaim(story.api, `data-web-${ordinal}`)
        await story.settled()
      }
      const firsts = story.creates.map(
        ({ accessibilityRequirements }) => places(accessibilityRequirements?.preferred)[0],
      )
      deepEqual(firsts, ['a', 'b', 'c', 'a', 'b', 'c'])
    }
  })
  test('S3-58: without the feature no place is asked for', async (context) => {
    const story = await startStory(context, THREE_ZONES, {
      config: {
        featureGates: {
          Topology: false,
          VolumeAttributesClass: true,
          CrossNamespaceVolumeDataSource: false,
          ReleaseLeaderElectionOnExit: false,
        },
      },
    })
    const claim = await createClaim(story.api)
    await story.settled()
    equal(onlyRequest(story).accessibilityRequirements, undefined)
    equal((await getVolume(story.api, claim)).spec.nodeAffinity, undefined)
  })
  test('S3-50, S3-51, S3-52, S3-153: one node alone says which keys count; nodes without them, or without the driver, are left out', async (context) => {
    const story = await startStory(context, [{ [ZONE]: 'a' }, { [ZONE]: 'b' }])
    // A node of an older version, with another key; and one that has the label but not the driver.
    await createNode(story.api, 'older', { 'example.com/old-zone': 'x' })
    await story.api.create(NODES, {
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { name: 'bare', labels: { [ZONE]: 'z' } },
    })
    await createDelayedClass(story.api)
    await createClaim(story.api, 'data', { storageClassName: 'late' }, { annotations: { [SELECTED_NODE]: 'node-1' } })
    await story.settled()
    deepEqual(requisite(story), ['a', 'b'])
  })
  test('S3-16, H55: a node that only CSINodeInfo has counts as well, with the rights that ship', async (context) => {
    const story = await startStory(context, [{ [ZONE]: 'a' }, { [ZONE]: 'b' }, { [ZONE]: 'z' }], {
      ...asShippedSidecar(),
      place: { namespace: 'default', hostname: 'host-1' },
    })
    for (const [name, driver] of [
      ['node-2', DRIVER],
      ['node-3', 'other.example.com'],
    ] as const) {
      await story.api.delete(CSI_NODES, { name })
      await story.api.create(CSI_NODE_INFOS, {
        apiVersion: 'csi.storage.k8s.io/v1alpha1',
        kind: 'CSINodeInfo',
        metadata: { name },
        csiDrivers: [{ name: driver, nodeID: 'x', topologyKeys: [ZONE] }],
      })
    }
    await story.settled()
    await createDelayedClass(story.api)
    await createClaim(story.api, 'data', { storageClassName: 'late' }, { annotations: { [SELECTED_NODE]: 'node-2' } })
    await story.settled()
    deepEqual(
      [requisite(story), preferred(story)],
      [
        ['a', 'b'],
        ['b', 'a'],
      ],
    )
  })
  test('S3-16: the keys come from a CSINodeInfo where no node has a CSINode, and a late one starts the next try at once', async (context) => {
    const shipped = asShippedSidecar()
    const before = async (core: TestCore): Promise<void> => {
      await shipped.before(core)
      await core.api.delete(CSI_NODES, { name: 'node-1' })
    }
    const story = await startStory(context, [{ [ZONE]: 'a' }], { ...shipped, before })
    await createClaim(story.api)
    await story.settled()
    equal(story.creates.length, 0)
    await story.api.create(CSI_NODE_INFOS, {
      apiVersion: 'csi.storage.k8s.io/v1alpha1',
      kind: 'CSINodeInfo',
      metadata: { name: 'node-1' },
      csiDrivers: [{ name: DRIVER, nodeID: 'x', topologyKeys: [ZONE] }],
    })
    await story.settled()
    deepEqual(requisite(story), ['a'])
  })
  test('H56: what a stale CSINodeInfo says of labels that the node no longer has makes no volume', async (context) => {
    const story = await startStory(context, [{ [ZONE]: 'a', [RACK]: '1' }], asShippedSidecar())
    await story.api.create(NODES, {
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { name: 'stale', labels: { [ZONE]: 'a' } },
    })
    await story.api.create(CSI_NODE_INFOS, {
      apiVersion: 'csi.storage.k8s.io/v1alpha1',
      kind: 'CSINodeInfo',
      metadata: { name: 'stale' },
      csiDrivers: [{ name: DRIVER, nodeID: 'x', topologyKeys: [ZONE, RACK] }],
    })
    await story.settled()
    await createDelayedClass(story.api)
    await createClaim(story.api, 'data', { storageClassName: 'late' }, { annotations: { [SELECTED_NODE]: 'stale' } })
    await story.settled()
    equal(story.creates.length, 0)
  })
  test('S3-152: after the values of nodes changed, old and new ones may both be asked for', async (context) => {
    const story = await startStory(context, [{ [ZONE]: 'a' }, { [ZONE]: 'b' }])
    await story.api.patch(
      NODES,
      { name: 'node-1' },
      { type: 'merge', value: { metadata: { labels: { [ZONE]: 'a2' } } } },
    )
    await story.settled()
    await createClaim(story.api)
    await story.settled()
    deepEqual(requisite(story), ['a2', 'b'])
  })
  test('S3-55: the order depends on the places and the node alone, not on the order in which nodes came', async (context) => {
    const orders: string[][] = []
    for (const order of [
      ['a', 'b', 'c', 'd'],
      ['d', 'b', 'a', 'c'],
    ]) {
      const story = await startStory(
        context,
        order.map((zone) => ({ [ZONE]: zone })),
      )
      await createDelayedClass(story.api)
      await createClaim(
        story.api,
        'data',
        { storageClassName: 'late' },
        { annotations: { [SELECTED_NODE]: `node-${order.indexOf('c') + 1}` } },
      )
      await story.settled()
      orders.push(preferred(story))
    }
    deepEqual(orders, [
      ['c', 'd', 'a', 'b'],
      ['c', 'd', 'a', 'b'],
    ])
  })
  test('S3-60, S3-156: the place that the driver answers becomes the node affinity of the volume, one value for each key', async (context) => {
    const story = await startStory(context, [
      { [ZONE]: 'a', [RACK]: '1' },
      { [ZONE]: 'b', [RACK]: '1' },
    ])
    await createDelayedClass(story.api)
    const claim = await createClaim(
      story.api,
      'data',
      { storageClassName: 'late' },
      { annotations: { [SELECTED_NODE]: 'node-2' } },
    )
    await story.settled()
    deepEqual((await getVolume(story.api, claim)).spec.nodeAffinity, {
      required: {
        nodeSelectorTerms: [
          {
            matchExpressions: [
              { key: RACK, operator: 'In', values: ['1'] },
              { key: ZONE, operator: 'In', values: ['b'] },
            ],
          },
        ],
      },
    })
  })
  test('S3-155: a node that registers late is waited for, and its registration starts the next try at once', async (context) => {
    const story = await startStory(context, [{ [ZONE]: 'a' }])
    await story.api.create(NODES, {
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { name: 'late', labels: { [ZONE]: 'b' } },
    })
    await story.api.create(CSI_NODES, {
      apiVersion: 'storage.k8s.io/v1',
      kind: 'CSINode',
      metadata: { name: 'late' },
      spec: { drivers: [] },
    })
    await createDelayedClass(story.api)
    await createClaim(story.api, 'data', { storageClassName: 'late' }, { annotations: { [SELECTED_NODE]: 'late' } })
    await story.settled()
    equal(story.creates.length, 0)
    ok(
      (await story.events()).some((event) => /ProvisioningFailed: .*no topology key found on CSINode late/.test(event)),
    )
    await story.api.patch(
      CSI_NODES,
      { name: 'late' },
      { type: 'merge', value: { spec: { drivers: [{ name: DRIVER, nodeID: 'id-late', topologyKeys: [ZONE] }] } } },
    )
    await story.settled()
    deepEqual(preferred(story)[0], 'b')
  })
  test('S3-155: a claim whose node is gone goes back to the scheduler', async (context) => {
    const story = await startStory(context, [{ [ZONE]: 'a' }])
    await createDelayedClass(story.api)
    await createClaim(story.api, 'data', { storageClassName: 'late' }, { annotations: { [SELECTED_NODE]: 'gone' } })
    await story.settled()
    equal(story.creates.length, 0)
    const { metadata } = await story.api.get(PERSISTENT_VOLUME_CLAIMS, { namespace: NAMESPACE, name: 'data' })
    equal(metadata.annotations?.[SELECTED_NODE], undefined)
  })
})

describe('credentials', () => {
  const createSecret = (api: Api, name: string, data: Record<string, string>): Promise<unknown> =>
    api.create(SECRETS, { apiVersion: 'v1', kind: 'Secret', metadata: { namespace: NAMESPACE, name }, data })
  const keys = {
    today: {
      name: 'csi.storage.k8s.io/provisioner-secret-name',
      namespace: 'csi.storage.k8s.io/provisioner-secret-namespace',
    },
    alpha: { name: 'csiProvisionerSecretName', namespace: 'csiProvisionerSecretNamespace' },
  }

  for (const [era, { name, namespace }] of Object.entries(keys)) {
    test(`S3-167, S3-168, S3-169, S3-170, S3-172, S3-173, S3-174: all keys of the secret go along with making and deleting (${era}'s keys)`, async (context) => {
      const story = await startStory(context)
      await createSecret(story.api, 'pass', {
        user: Buffer.from('ann').toString('base64'),
        word: Buffer.from('grüß').toString('base64'),
      })
      await createClass(story.api, {
        metadata: { name: 'safe' },
        parameters: { [name]: 'pass', [namespace]: NAMESPACE },
      })
      const claim = await createClaim(story.api, 'data', { storageClassName: 'safe' })
      await story.settled()
      deepEqual(onlyRequest(story).secrets, { user: 'ann', word: 'grüß' })
      const { metadata } = await getVolume(story.api, claim)
      equal(metadata.annotations?.['volume.kubernetes.io/provisioner-deletion-secret-name'], 'pass')
      await bind(story.api, claim)
      await deleteClaim(story.api)
      // What the class says by then does not count.
      await story.api.delete(STORAGE_CLASSES, { name: 'safe' })
      await releaseVolume(story.api, volumeOf(claim))
      await story.settled()
      deepEqual(
        story.deletes.map(({ secrets }) => secrets),
        [{ user: 'ann', word: 'grüß' }],
      )
    })
  }
  test('S3-168: a secret that is not there yet is waited for, and starts the next try when it comes', async (context) => {
    const story = await startStory(context)
    await createClass(story.api, {
      metadata: { name: 'safe' },
      parameters: { [keys.today.name]: 'pass', [keys.today.namespace]: NAMESPACE },
    })
    await createClaim(story.api, 'data', { storageClassName: 'safe' })
    await story.settled()
    equal(story.creates.length, 0)
    ok((await story.events()).some((event) => /ProvisioningFailed: .*Secret default\/pass/.test(event)))
    await createSecret(story.api, 'pass', { key: Buffer.from('x').toString('base64') })
    await story.settled()
    equal(story.creates.length, 1)
  })
  test('S3-170, S3-171: what is no text is refused, and its content is not told', async (context) => {
    const story = await startStory(context)
    await createSecret(story.api, 'pass', { key: Buffer.from([0xff, 0xfe, 0x41]).toString('base64') })
    await createClass(story.api, {
      metadata: { name: 'safe' },
      parameters: { [keys.today.name]: 'pass', [keys.today.namespace]: NAMESPACE },
    })
    await createClaim(story.api, 'data', { storageClassName: 'safe' })
    await story.settled()
    equal(story.creates.length, 0)
    const [event = ''] = (await story.events()).filter((text) => text.includes('ProvisioningFailed'))
    match(event, /key/)
    ok(!event.includes('//5B') && !event.includes('�'))
  })
  test('S3-167, S3-177: the secrets for attaching and mounting are only named on the volume', async (context) => {
    const story = await startStory(context)
    const parameters = Object.fromEntries(
      ['controller-publish', 'node-stage', 'node-publish'].flatMap((purpose) => [
        [`csi.storage.k8s.io/${purpose}-secret-name`, `${purpose}-of-\${pvc.name}`],
        [`csi.storage.k8s.io/${purpose}-secret-namespace`, '${pvc.namespace}'],
      ]),
    )
    await createClass(story.api, { metadata: { name: 'safe' }, parameters })
    const claim = await createClaim(story.api, 'data', { storageClassName: 'safe' })
    await story.settled()
    deepEqual(onlyRequest(story).secrets ?? {}, {})
    const { csi } = (await getVolume(story.api, claim)).spec
    deepEqual(
      [csi?.controllerPublishSecretRef, csi?.nodeStageSecretRef, csi?.nodePublishSecretRef].map(
        (ref) => `${ref?.namespace}/${ref?.name}`,
      ),
      ['default/controller-publish-of-data', 'default/node-stage-of-data', 'default/node-publish-of-data'],
    )
  })
  test('S3-175, S3-179: who has all rights in a namespace still can not choose a secret by a class or a volume of his own', async (context) => {
    const { api, server } = await startStory(context)
    const { ROLE_BINDINGS } = await import('../../api/kinds/rbac.ts')
    await api.create(ROLE_BINDINGS, {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'RoleBinding',
      metadata: { namespace: NAMESPACE, name: 'ann' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'admin' },
      subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'ann' }],
    })
    const ann = server.core.as({ name: 'ann', uid: '', groups: ['system:authenticated'], extra: {} })
    await createClaim(ann)
    await rejects(
      createClass(ann, {
        metadata: { name: 'mine' },
        parameters: { [keys.today.name]: 'pass', [keys.today.namespace]: 'kube-system' },
      }),
      /forbidden/,
    )
    const volume = {
      apiVersion: 'v1',
      kind: 'PersistentVolume',
      metadata: { name: 'mine' },
      spec: {
        capacity: { storage: '1Gi' },
        accessModes: ['ReadWriteOnce'],
        csi: { driver: DRIVER, volumeHandle: 'x', nodeStageSecretRef: { namespace: 'kube-system', name: 'pass' } },
      },
    } as const
    await rejects(ann.create(PERSISTENT_VOLUMES, volume), /forbidden/)
  })
})
