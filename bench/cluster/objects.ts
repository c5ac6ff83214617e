import type { CSINode } from '../../src/api/kinds/csi-node.ts'
import type { Node } from '../../src/api/kinds/node.ts'
import type { PersistentVolumeClaim } from '../../src/api/kinds/persistent-volume-claim.ts'
import type { PersistentVolume } from '../../src/api/kinds/persistent-volume.ts'
import type { Pod } from '../../src/api/kinds/pod.ts'
import type { StorageClass } from '../../src/api/kinds/storage-class.ts'

export const DRIVER = 'null.bench.holdfast.dev'
export const NAMESPACE = 'default'
const CLASS = 'bench'
/** The played nodes send no heartbeats, and must not be taken for lost during a run. */
export const NODE_GRACE_MS = 24 * 60 * 60_000
// As Kubernetes has it in its own measurements of scheduling.
const VOLUME_LIMIT = 39

export const storageClass = (isDelayed: boolean): StorageClass => ({
  apiVersion: 'storage.k8s.io/v1',
  kind: 'StorageClass',
  metadata: { name: CLASS },
  provisioner: DRIVER,
  reclaimPolicy: 'Delete',
  volumeBindingMode: isDelayed ? 'WaitForFirstConsumer' : 'Immediate',
})

export const nodeName = (index: number): string => `node-${index}`

export const node = (index: number): Node => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: {
    name: nodeName(index),
    labels: { 'kubernetes.io/hostname': nodeName(index), 'kubernetes.io/os': 'linux' },
    annotations: { 'volumes.kubernetes.io/controller-managed-attach-detach': 'true' },
  },
})

export const nodeStatus = (): NonNullable<Node['status']> => {
  const resources = { cpu: '64', memory: '256Gi', pods: '250' }
  return {
    capacity: resources,
    allocatable: resources,
    conditions: [
      {
        type: 'Ready',
        status: 'True',
        reason: 'KubeletReady',
        message: '',
        lastTransitionTime: '2026-01-01T00:00:00Z',
      },
    ],
  }
}

export const csiNode = (index: number, isLimited: boolean): CSINode => ({
  apiVersion: 'storage.k8s.io/v1',
  kind: 'CSINode',
  metadata: { name: nodeName(index) },
  spec: {
    drivers: [
      {
        name: DRIVER,
        nodeID: nodeName(index),
        topologyKeys: null,
        ...(isLimited ? { allocatable: { count: VOLUME_LIMIT } } : {}),
      },
    ],
  },
})

export const claim = (name: string): PersistentVolumeClaim => ({
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: { namespace: NAMESPACE, name },
  spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } }, storageClassName: CLASS },
})

/** Uses the claim of its own name. */
export const pod = (name: string): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { namespace: NAMESPACE, name },
  spec: {
    automountServiceAccountToken: false,
    containers: [
      {
        name: 'main',
        image: 'none',
        resources: { requests: { cpu: '100m', memory: '100Mi' } },
        volumeMounts: [{ name: 'data', mountPath: '/data' }],
      },
    ],
    volumes: [{ name: 'data', persistentVolumeClaim: { claimName: name } }],
  },
})

const BOUND = { 'pv.kubernetes.io/bind-completed': 'yes', 'pv.kubernetes.io/bound-by-controller': 'yes' }

/** A volume that belongs to the claim of its own name; both have to be stored, and their status. */
export const boundVolume = (name: string, claimUid: string): PersistentVolume => ({
  apiVersion: 'v1',
  kind: 'PersistentVolume',
  metadata: { name },
  spec: {
    capacity: { storage: '1Gi' },
    accessModes: ['ReadWriteOnce'],
    persistentVolumeReclaimPolicy: 'Retain',
    storageClassName: CLASS,
    volumeMode: 'Filesystem',
    claimRef: { apiVersion: 'v1', kind: 'PersistentVolumeClaim', namespace: NAMESPACE, name, uid: claimUid },
    csi: { driver: DRIVER, volumeHandle: name },
  },
})

export function boundClaim(name: string): PersistentVolumeClaim {
  const made = claim(name)
  return { ...made, metadata: { ...made.metadata, annotations: BOUND }, spec: { ...made.spec, volumeName: name } }
}

export const boundClaimStatus: NonNullable<PersistentVolumeClaim['status']> = {
  phase: 'Bound',
  accessModes: ['ReadWriteOnce'],
  capacity: { storage: '1Gi' },
}
