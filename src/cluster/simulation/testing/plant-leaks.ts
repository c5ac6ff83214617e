import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { CSI_NODES } from '../../../api/kinds/csi-node.ts'
import { CSI_STORAGE_CAPACITIES } from '../../../api/kinds/csi-storage-capacity.ts'
import { NODES } from '../../../api/kinds/node.ts'
import { PERSISTENT_VOLUME_CLAIMS } from '../../../api/kinds/persistent-volume-claim.ts'
import { PERSISTENT_VOLUMES } from '../../../api/kinds/persistent-volume.ts'
import type { PersistentVolume } from '../../../api/kinds/persistent-volume.ts'
import { PODS } from '../../../api/kinds/pod.ts'
import { VOLUME_ATTACHMENTS } from '../../../api/kinds/volume-attachment.ts'
import { VOLUME_GROUP_SNAPSHOT_CONTENTS, VOLUME_GROUP_SNAPSHOTS } from '../../../api/kinds/volume-group-snapshot.ts'
import { VOLUME_SNAPSHOT_CONTENTS, VOLUME_SNAPSHOTS } from '../../../api/kinds/volume-snapshot.ts'
import type { DeletionPolicy } from '../../../api/kinds/volume-snapshot.ts'
import { makeDirectories } from '../../../base/host/index.ts'
import { AccessMode } from '../../../csi/index.ts'
import { DEFAULT_DRIVER_NAME as DRIVER } from '../../../drivers/hostpath/index.ts'
import type { Leak, LeakKind } from '../../../sidecars/sweep/index.ts'
import { PROVISIONED_BY, STORAGE_PROVISIONER } from '../../../storage/names.ts'
import { uniqueVolumeName } from '../../../storage/unique-volume-name.ts'
import { claimOf, createWithStatus, podOf, volumeOf } from '../../../testing/objects.ts'
import { DATA, NAMESPACE } from './describe-world.ts'
import type { ClusterWorld } from './describe-world.ts'

export const NODE = 'node-1'
const ROOT = join(DATA, NODE)
const ZONE = 'topology.holdfast.dev/zone'
const GONE = '00000000-0000-0000-0000-00000000dead'
const CAPABILITY = {
  accessMode: { mode: AccessMode.SINGLE_NODE_WRITER },
  accessType: { $case: 'mount', value: {} },
} as const

/** Plants a leak and says how it has to be reported. `id` makes its names unique. */
type Plant = (world: ClusterWorld, id: string) => Promise<Omit<Leak, 'kind'>>

/** Takes the promise of a call to the driver, while the simulated time passes. */
export async function during<T>({ simulation }: ClusterWorld, call: Promise<T>): Promise<T> {
  const settled = call.then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  )
  for (let tries = 0; tries < 100; tries++) {
    await simulation.advance(1000)
    const result = await Promise.race([settled, Promise.resolve(undefined)])
    if (!result) continue
    if ('error' in result) throw result.error
    return result.value
  }
  throw new Error('the call does not end')
}

/** `nodeName`: a node that can reach it. */
const makeVolume = async (world: ClusterWorld, name: string, nodeName = NODE): Promise<string> => {
  const zone = (await world.api.get(NODES, { name: nodeName })).metadata.labels?.[ZONE]
  const request = { name, capacityRange: { requiredBytes: 2n ** 20n }, volumeCapabilities: [CAPABILITY] }
  const places =
    zone === undefined ? {} : { accessibilityRequirements: { requisite: [{ segments: { [ZONE]: zone } }] } }
  return (await during(world, world.driver.createVolume({ ...request, ...places }))).volume?.volumeId ?? ''
}

const makeObject = (
  world: ClusterWorld,
  name: string,
  volumeHandle: string,
  spec: Partial<PersistentVolume['spec']> = {},
) =>
  createWithStatus(
    world.api,
    PERSISTENT_VOLUMES,
    volumeOf({
      name,
      size: '1Mi',
      metadata: { annotations: { [PROVISIONED_BY]: DRIVER } },
      spec: { csi: { driver: DRIVER, volumeHandle }, persistentVolumeReclaimPolicy: 'Delete', ...spec },
    }),
  )

/** A volume with its object. */
const makeBoth = async (world: ClusterWorld, id: string, nodeName = NODE): Promise<string> => {
  const handle = await makeVolume(world, id, nodeName)
  await makeObject(world, id, handle)
  return handle
}

const nodeIdOf = async ({ api }: ClusterWorld, name: string): Promise<string> =>
  (await api.get(CSI_NODES, { name })).spec.drivers?.find((driver) => driver.name === DRIVER)?.nodeID ?? ''

const publish = async (world: ClusterWorld, volumeId: string, nodeId: string): Promise<void> => {
  await during(
    world,
    world.driver.controllerPublishVolume({ volumeId, nodeId, volumeCapability: CAPABILITY, readonly: false }),
  )
}

const attach = (world: ClusterWorld, id: string, nodeName: string, attached: boolean) =>
  createWithStatus(world.api, VOLUME_ATTACHMENTS, {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'VolumeAttachment',
    metadata: { name: `va-${id}` },
    spec: { attacher: DRIVER, nodeName, source: { persistentVolumeName: id } },
    status: { attached },
  })

/** A pod on the node that has the volume through a claim. */
const use = async (world: ClusterWorld, id: string): Promise<void> => {
  const claim = await createWithStatus(
    world.api,
    PERSISTENT_VOLUME_CLAIMS,
    claimOf({ name: id, size: '1Mi', spec: { volumeName: id }, status: { phase: 'Bound' } }),
  )
  const claimRef = { kind: claim.kind, namespace: NAMESPACE, name: id, uid: claim.metadata.uid ?? '' }
  await world.api.patch(PERSISTENT_VOLUMES, { name: id }, { type: 'merge', value: { spec: { claimRef } } })
  await createWithStatus(world.api, PODS, podOf(id, { nodeName: NODE, claims: [id] }))
}

const makeSnapshot = async (world: ClusterWorld, id: string): Promise<string> => {
  const sourceVolumeId = await makeBoth(world, `source-${id}`)
  const { snapshot } = await during(world, world.driver.createSnapshot({ name: id, sourceVolumeId }))
  return snapshot?.snapshotId ?? ''
}

const makeContent = (
  world: ClusterWorld,
  name: string,
  snapshotHandle: string,
  { uid = '', deletionPolicy = 'Delete' as DeletionPolicy } = {},
) =>
  createWithStatus(world.api, VOLUME_SNAPSHOT_CONTENTS, {
    apiVersion: 'snapshot.storage.k8s.io/v1',
    kind: 'VolumeSnapshotContent',
    metadata: { name },
    spec: {
      driver: DRIVER,
      deletionPolicy,
      source: { snapshotHandle },
      volumeSnapshotRef: { namespace: NAMESPACE, name: `of-${name}`, ...(uid ? { uid } : {}) },
    },
  })

const listOnNode = async (
  { api }: ClusterWorld,
  change: (lists: { attached: readonly { name: string; devicePath: string }[]; inUse: readonly string[] }) => object,
): Promise<void> => {
  const { status } = await api.get(NODES, { name: NODE })
  const lists = { attached: status?.volumesAttached ?? [], inUse: status?.volumesInUse ?? [] }
  await api.patch(NODES, { name: NODE }, { type: 'merge', value: { status: change(lists) } }, { subresource: 'status' })
}

const makePath = async ({ machine }: ClusterWorld, path: string): Promise<string> => {
  await makeDirectories(machine.files, path)
  return path
}

/** One for each kind. Those that need an earlier life have `before`, which is done before the journal is written. */
export const PLANTS: Readonly<Record<LeakKind, { readonly before?: Plant; readonly plant: Plant }>> = {
  'volume-without-object': { plant: async (world, id) => ({ handle: await makeVolume(world, id) }) },
  'own-volume-without-object': {
    before: async (world, id) => ({ handle: await makeBoth(world, id) }),
    plant: async ({ api }, id) => {
      const { spec } = await api.get(PERSISTENT_VOLUMES, { name: id })
      await api.patch(PERSISTENT_VOLUMES, { name: id }, { type: 'merge', value: { metadata: { finalizers: null } } })
      await api.delete(PERSISTENT_VOLUMES, { name: id })
      return { handle: spec.csi?.volumeHandle ?? '' }
    },
  },
  'object-without-volume': {
    plant: async (world, id) => {
      await makeObject(world, id, `handle-${id}`)
      return { handle: `handle-${id}`, object: `PersistentVolume/${id}` }
    },
  },
  'objects-share-volume': {
    plant: async (world, id) => {
      const handle = await makeBoth(world, id)
      await makeObject(world, `${id}-too`, handle)
      return { handle, object: `PersistentVolume/${id}, PersistentVolume/${id}-too` }
    },
  },
  'claim-without-volume': {
    plant: async ({ api }, id) => {
      const metadata = { annotations: { [STORAGE_PROVISIONER]: DRIVER } }
      const claim = claimOf({ name: id, metadata, spec: { volumeName: `gone-${id}` }, status: { phase: 'Lost' } })
      await createWithStatus(api, PERSISTENT_VOLUME_CLAIMS, claim)
      return { object: `PersistentVolumeClaim/${NAMESPACE}/${id}` }
    },
  },
  'retained-volume': {
    plant: async (world, id) => {
      const handle = await makeVolume(world, id)
      await makeObject(world, id, handle, { persistentVolumeReclaimPolicy: 'Retain' })
      const released = { type: 'merge', value: { status: { phase: 'Released' } } } as const
      await world.api.patch(PERSISTENT_VOLUMES, { name: id }, released, { subresource: 'status' })
      return { handle, object: `PersistentVolume/${id}` }
    },
  },
  'attached-without-object': {
    plant: async (world, id) => {
      const handle = await makeBoth(world, id)
      await publish(world, handle, await nodeIdOf(world, NODE))
      return { handle, node: NODE }
    },
  },
  'attached-to-unknown-node': {
    plant: async (world, id) => {
      const handle = await makeBoth(world, id, 'node-2')
      const node = await nodeIdOf(world, 'node-2')
      await publish(world, handle, node)
      // Like a node that was deleted, with its registration.
      await world.api.delete(CSI_NODES, { name: 'node-2' })
      return { handle, node }
    },
  },
  'object-without-attachment': {
    plant: async (world, id) => {
      const handle = await makeBoth(world, id)
      await use(world, id)
      await attach(world, id, NODE, true)
      return { handle, node: NODE, object: `VolumeAttachment/va-${id}` }
    },
  },
  'attachment-without-volume': {
    plant: async (world, id) => {
      await attach(world, id, NODE, true)
      return { node: NODE, object: `VolumeAttachment/va-${id}` }
    },
  },
  'attachment-without-node': {
    plant: async (world, id) => {
      const handle = await makeBoth(world, id)
      await attach(world, id, `gone-${id}`, false)
      return { handle, node: `gone-${id}`, object: `VolumeAttachment/va-${id}` }
    },
  },
  'attachment-without-pod': {
    plant: async (world, id) => {
      const handle = await makeBoth(world, id)
      await publish(world, handle, await nodeIdOf(world, NODE))
      await attach(world, id, NODE, true)
      return { handle, node: NODE, object: `VolumeAttachment/va-${id}` }
    },
  },
  'listed-without-attachment': {
    plant: async (world, id) => {
      const entry = { name: uniqueVolumeName(DRIVER, id), devicePath: '' }
      await listOnNode(world, ({ attached }) => ({ volumesAttached: [...attached, entry] }))
      return { handle: id, node: NODE }
    },
  },
  'in-use-without-attachment': {
    plant: async (world, id) => {
      await listOnNode(world, ({ inUse }) => ({ volumesInUse: [...inUse, uniqueVolumeName(DRIVER, id)] }))
      return { handle: id, node: NODE }
    },
  },
  'snapshot-without-object': { plant: async (world, id) => ({ handle: await makeSnapshot(world, id) }) },
  'object-without-snapshot': {
    plant: async (world, id) => {
      await makeContent(world, id, `handle-${id}`)
      return { handle: `handle-${id}`, object: `VolumeSnapshotContent/${id}` }
    },
  },
  'content-without-snapshot': {
    plant: async (world, id) => {
      const handle = await makeSnapshot(world, id)
      await makeContent(world, id, handle, { uid: GONE })
      return { handle, object: `VolumeSnapshotContent/${id}` }
    },
  },
  'retained-content': {
    plant: async (world, id) => {
      const handle = await makeSnapshot(world, id)
      await makeContent(world, id, handle, { uid: GONE, deletionPolicy: 'Retain' })
      return { handle, object: `VolumeSnapshotContent/${id}` }
    },
  },
  'snapshot-without-content': {
    plant: async ({ api }, id) => {
      await createWithStatus(api, VOLUME_SNAPSHOTS, {
        apiVersion: 'snapshot.storage.k8s.io/v1',
        kind: 'VolumeSnapshot',
        metadata: { namespace: NAMESPACE, name: id },
        spec: { volumeSnapshotClassName: 'delete', source: { persistentVolumeClaimName: 'a' } },
        status: { boundVolumeSnapshotContentName: `gone-${id}`, readyToUse: true },
      })
      return { object: `VolumeSnapshot/${NAMESPACE}/${id}` }
    },
  },
  'contents-share-snapshot': {
    plant: async (world, id) => {
      const handle = await makeSnapshot(world, id)
      for (const name of [id, `${id}-too`]) await makeContent(world, name, handle)
      return { handle, object: `VolumeSnapshotContent/${id}, VolumeSnapshotContent/${id}-too` }
    },
  },
  'group-content-without-group': {
    plant: async ({ api }, id) => {
      await createWithStatus(api, VOLUME_GROUP_SNAPSHOT_CONTENTS, {
        apiVersion: 'groupsnapshot.storage.k8s.io/v1',
        kind: 'VolumeGroupSnapshotContent',
        metadata: { name: id },
        spec: {
          driver: DRIVER,
          deletionPolicy: 'Delete',
          source: { groupSnapshotHandles: { volumeGroupSnapshotHandle: id, volumeSnapshotHandles: [] } },
          volumeGroupSnapshotRef: { namespace: NAMESPACE, name: `of-${id}`, uid: GONE },
        },
      })
      return { object: `VolumeGroupSnapshotContent/${id}` }
    },
  },
  'group-without-content': {
    plant: async ({ api }, id) => {
      await createWithStatus(api, VOLUME_GROUP_SNAPSHOTS, {
        apiVersion: 'groupsnapshot.storage.k8s.io/v1',
        kind: 'VolumeGroupSnapshot',
        metadata: { namespace: NAMESPACE, name: id },
        spec: { volumeGroupSnapshotClassName: 'delete', source: { selector: { matchLabels: { group: id } } } },
        status: { boundVolumeGroupSnapshotContentName: `gone-${id}` },
      })
      return { object: `VolumeGroupSnapshot/${NAMESPACE}/${id}` }
    },
  },
  'capacity-without-class': {
    plant: async ({ api }, id) => {
      await api.create(CSI_STORAGE_CAPACITIES, {
        apiVersion: 'storage.k8s.io/v1',
        kind: 'CSIStorageCapacity',
        metadata: { namespace: NAMESPACE, name: id, labels: { 'csi.storage.k8s.io/drivername': DRIVER } },
        storageClassName: `gone-${id}`,
        capacity: '1Gi',
      })
      return { object: `CSIStorageCapacity/${NAMESPACE}/${id}` }
    },
  },
  'registration-without-node': {
    plant: async ({ api }, id) => {
      const drivers = [{ name: DRIVER, nodeID: `id-${id}`, topologyKeys: [] }]
      await api.create(CSI_NODES, {
        apiVersion: 'storage.k8s.io/v1',
        kind: 'CSINode',
        metadata: { name: id },
        spec: { drivers },
      })
      return { object: `CSINode/${id}`, node: id }
    },
  },
  'mount-without-pod': {
    plant: async (world, id) => {
      const path = join(ROOT, 'pods', id, 'volumes/kubernetes.io~csi', id)
      const source = await makePath(world, join(DATA, `source-${id}`))
      await world.machine.mounts.bind(source, await makePath(world, join(path, 'mount')), { readOnly: false })
      return { node: NODE, path }
    },
  },
  'directory-without-pod': {
    plant: async (world, id) => ({
      node: NODE,
      path: await makePath(world, join(ROOT, 'pods', id, 'volumes/kubernetes.io~csi', id)),
    }),
  },
  'staged-without-pod': {
    plant: async (world, id) => ({
      node: NODE,
      path: await makePath(
        world,
        join(ROOT, 'plugins/kubernetes.io/csi', DRIVER, createHash('sha256').update(id).digest('hex')),
      ),
    }),
  },
  'device-without-pod': {
    plant: async (world, id) => ({
      node: NODE,
      path: await makePath(world, join(ROOT, 'pods', id, 'volumeDevices/kubernetes.io~csi', id)),
    }),
  },
}
