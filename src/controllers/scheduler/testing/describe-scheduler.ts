import { equal } from 'node:assert/strict'
import type { TestContext } from 'node:test'
import type { Api } from '../../../api/api.ts'
import { findCondition } from '../../../api/conditions.ts'
import type { CSIDriver } from '../../../api/kinds/csi-driver.ts'
import { CSI_NODES } from '../../../api/kinds/csi-node.ts'
import type { CSINode } from '../../../api/kinds/csi-node.ts'
import type { CSIStorageCapacity } from '../../../api/kinds/csi-storage-capacity.ts'
import { EVENTS } from '../../../api/kinds/event.ts'
import { NODES } from '../../../api/kinds/node.ts'
import type { Node } from '../../../api/kinds/node.ts'
import { PERSISTENT_VOLUME_CLAIMS } from '../../../api/kinds/persistent-volume-claim.ts'
import type { PersistentVolumeClaim } from '../../../api/kinds/persistent-volume-claim.ts'
import { PERSISTENT_VOLUMES } from '../../../api/kinds/persistent-volume.ts'
import type { PersistentVolume } from '../../../api/kinds/persistent-volume.ts'
import { PODS } from '../../../api/kinds/pod.ts'
import type { Pod } from '../../../api/kinds/pod.ts'
import type { StorageClass } from '../../../api/kinds/storage-class.ts'
import type { VolumeAttachment } from '../../../api/kinds/volume-attachment.ts'
import type { KubeObject } from '../../../api/object.ts'
import type { ResourceType } from '../../../api/resource-type.ts'
import { claimReferenceTo } from '../../../storage/claim-reference.ts'
import { BIND_COMPLETED, SELECTED_NODE, selectedNodeOf } from '../../../storage/names.ts'
import {
  claimOf,
  classOf,
  createOn,
  createWithStatus,
  nodeOf as plainNodeOf,
  volumeOf,
} from '../../../testing/objects.ts'
import { startControllersUnderTest } from '../../testing/describe-controller.ts'
import { defaultsOf } from '../../../base/options/index.ts'
import type { ControllerTestOptions, ControllerUnderTest } from '../../testing/describe-controller.ts'
import { createClusterView } from '../cluster-view.ts'
import type { ClusterView } from '../cluster-view.ts'
import { schedulerOptions } from '../scheduler-options.ts'
import type { SchedulerConfig } from '../scheduler-options.ts'
import { startScheduler } from '../start-scheduler.ts'
import type { ClaimParts } from '../../../testing/objects.ts'

// Shared by the tests of the scheduler: small objects, a cluster of them, and the whole scheduler on a server in memory.

export const DRIVER = 'test.holdfast.dev'
export const ZONE = 'topology.test.holdfast.dev/zone'

/** Node `n1` in zone `a`. */
export const nodeOf = (
  name = 'n1',
  {
    zone = 'a',
    labels = {},
    ...more
  }: { zone?: string; labels?: Record<string, string> } & Pick<Node, 'spec' | 'status'> = {},
): Node =>
  plainNodeOf(name, { metadata: { labels: { [ZONE]: zone, 'kubernetes.io/hostname': name, ...labels } }, ...more })

/** The driver on that node, with this limit of volumes. */
export const csiNodeOf = (name = 'n1', count?: number, driver = DRIVER): CSINode => ({
  apiVersion: 'storage.k8s.io/v1',
  kind: 'CSINode',
  metadata: { name },
  spec: {
    drivers: [
      { name: driver, nodeID: name, topologyKeys: [ZONE], ...(count === undefined ? {} : { allocatable: { count } }) },
    ],
  },
})

export const lateClass = (more: Partial<StorageClass> = {}, name = 'late'): StorageClass =>
  classOf({ volumeBindingMode: 'WaitForFirstConsumer', ...more }, name)

/** A claim of class `late` that waits for its pod. */
export const lateClaim = (name = 'c1', parts: ClaimParts = {}): PersistentVolumeClaim =>
  claimOf({ name, ...parts, spec: { storageClassName: 'late', ...parts.spec } })

export const boundClaim = (name: string, volumeName: string, parts: ClaimParts = {}): PersistentVolumeClaim =>
  lateClaim(name, {
    ...parts,
    metadata: { annotations: { [BIND_COMPLETED]: 'yes' }, ...parts.metadata },
    spec: { volumeName, ...parts.spec },
    status: { phase: 'Bound' },
  })

export const inZone = (...zones: string[]): NonNullable<PersistentVolume['spec']['nodeAffinity']> => ({
  required: {
    nodeSelectorTerms: zones.map((zone) => ({ matchExpressions: [{ key: ZONE, operator: 'In', values: [zone] }] })),
  },
})

export const allowedIn = (...zones: string[]): NonNullable<StorageClass['allowedTopologies']> => [
  { matchLabelExpressions: [{ key: ZONE, values: zones }] },
]

export const driverOf = (spec: CSIDriver['spec'] = {}): CSIDriver => ({
  apiVersion: 'storage.k8s.io/v1',
  kind: 'CSIDriver',
  metadata: { name: DRIVER },
  spec,
})

export const capacityOf = (
  zone: string,
  capacity: string,
  more: Partial<CSIStorageCapacity> = {},
): CSIStorageCapacity => ({
  apiVersion: 'storage.k8s.io/v1',
  kind: 'CSIStorageCapacity',
  metadata: { namespace: 'default', name: `room-${zone}` },
  storageClassName: 'late',
  nodeTopology: { matchLabels: { [ZONE]: zone } },
  capacity,
  ...more,
})

export const attachmentOf = (nodeName: string, persistentVolumeName: string): VolumeAttachment => ({
  apiVersion: 'storage.k8s.io/v1',
  kind: 'VolumeAttachment',
  metadata: { name: `a-${nodeName}-${persistentVolumeName}` },
  spec: { attacher: DRIVER, nodeName, source: { persistentVolumeName } },
})

export type SchedulerObject =
  | Pod
  | Node
  | CSINode
  | PersistentVolumeClaim
  | PersistentVolume
  | StorageClass
  | CSIDriver
  | CSIStorageCapacity
  | VolumeAttachment

/** A cluster with these objects. */
export function clusterOf(...objects: readonly SchedulerObject[]): ClusterView {
  const state = createClusterView()
  for (const object of objects) putInto(state, object)
  return state
}

function putInto(state: ClusterView, object: SchedulerObject): unknown {
  switch (object.kind) {
    case 'Pod':
      return state.pods.put(object)
    case 'Node':
      return state.nodes.put(object)
    case 'CSINode':
      return state.csiNodes.put(object)
    case 'PersistentVolumeClaim':
      return state.claims.put(object)
    case 'PersistentVolume':
      return state.volumes.put(object)
    case 'StorageClass':
      return state.classes.put(object)
    case 'CSIDriver':
      return state.drivers.put(object)
    case 'CSIStorageCapacity':
      return state.capacities.put(object)
    case 'VolumeAttachment':
      return state.attachments.put(object)
  }
}

export const DEFAULTS: SchedulerConfig = defaultsOf(schedulerOptions)

export type SchedulerUnderTest = ControllerUnderTest & {
  create<T extends KubeObject>(type: ResourceType<T>, object: T): Promise<T>
  /** `n1`, or empty. */
  nodeOfPod(name?: string): Promise<string>
  /** `n1`, or empty. */
  selectedNode(claim?: string): Promise<string>
  /** The message of the condition that explains why the pod has no node. */
  unschedulable(name?: string): Promise<string | undefined>
  /** `FailedScheduling p1: …`, without the count. */
  said(): Promise<string[]>
}

type StartOne = Parameters<typeof startControllersUnderTest>[1][number]
export type SchedulerTestOptions = ControllerTestOptions & {
  config?: Partial<SchedulerConfig>
  /** Controllers that run in addition. */
  beside?: readonly StartOne[]
}

export async function startUnderTest(
  context: TestContext,
  options: SchedulerTestOptions = {},
): Promise<SchedulerUnderTest> {
  const start: StartOne = (world, signal) => startScheduler({ ...DEFAULTS, ...options.config }, world, signal)
  const test = await startControllersUnderTest(context, [start, ...(options.beside ?? [])], options)
  const { api } = test
  const pod = (name = 'p1'): Promise<Pod> => api.get(PODS, { namespace: 'default', name })
  return {
    ...test,
    create: (type, object) => createWithStatus(api, type, object),
    nodeOfPod: async (name) => (await pod(name)).spec.nodeName ?? '',
    selectedNode: async (name = 'c1') =>
      selectedNodeOf(await api.get(PERSISTENT_VOLUME_CLAIMS, { namespace: 'default', name })),
    unschedulable: async (name) => {
      const condition = findCondition((await pod(name)).status?.conditions, 'PodScheduled')
      if (condition?.status === 'False') equal(condition.reason, 'Unschedulable')
      return condition?.status === 'False' ? condition.message : undefined
    },
    said: async () =>
      (await api.list(EVENTS)).items
        .map(({ reason, involvedObject, message }) => `${reason} ${involvedObject.name}: ${message}`)
        .sort(),
  }
}

/** Nodes with their drivers. */
export async function createNodes(api: Api, zones: Readonly<Record<string, string>>, count?: number): Promise<void> {
  for (const [name, zone] of Object.entries(zones)) {
    await createWithStatus(api, CSI_NODES, csiNodeOf(name, count))
    await createWithStatus(api, NODES, nodeOf(name, { zone }))
  }
}

/** Acts as provisioner and binder for a claim whose node is selected. */
export async function provision(
  api: Api,
  name: string,
  nodeAffinity?: PersistentVolume['spec']['nodeAffinity'],
): Promise<void> {
  const claim = await api.get(PERSISTENT_VOLUME_CLAIMS, { namespace: 'default', name })
  const volumeName = `pvc-${claim.metadata.uid}`
  const spec = {
    storageClassName: 'late',
    claimRef: claimReferenceTo(claim),
    ...(nodeAffinity ? { nodeAffinity } : {}),
  }
  await createOn(api, PERSISTENT_VOLUMES, volumeOf({ name: volumeName, spec }))
  await bindClaim(api, name, volumeName)
}

/** Acts as the binder. */
export async function bindClaim(api: Api, name: string, volumeName: string): Promise<void> {
  const claim = await api.get(PERSISTENT_VOLUME_CLAIMS, { namespace: 'default', name })
  const bound = {
    ...claim,
    metadata: { ...claim.metadata, annotations: { ...claim.metadata.annotations, [BIND_COMPLETED]: 'yes' } },
    spec: { ...claim.spec, volumeName },
  }
  const written = await api.update(PERSISTENT_VOLUME_CLAIMS, bound)
  await api.update(
    PERSISTENT_VOLUME_CLAIMS,
    { ...written, status: { ...written.status, phase: 'Bound' } },
    { subresource: 'status' },
  )
}

/** How a provisioner reports that the volume cannot be created for that node. */
export async function refuse(api: Api, name = 'c1'): Promise<void> {
  await api.patch(
    PERSISTENT_VOLUME_CLAIMS,
    { namespace: 'default', name },
    { type: 'merge', value: { metadata: { annotations: { [SELECTED_NODE]: null } } } },
  )
}
