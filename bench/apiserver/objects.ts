import type { PersistentVolumeClaim } from '../../src/api/kinds/persistent-volume-claim.ts'
import type { PersistentVolume } from '../../src/api/kinds/persistent-volume.ts'
import type { Pod } from '../../src/api/kinds/pod.ts'

/** Where everything with a namespace is. */
export const NAMESPACE = 'default'

const DRIVER = 'bench.csi.example.com'
const CLASS = 'bench-standard-retained'

// As long as names that are made from a uid.
const uidLike = (index: number): string => `0f6c1c3e-7d6b-4a55-9b1e-${String(index).padStart(12, '0')}`

export const volumeName = (index: number): string => `pvc-${uidLike(index)}`
export const claimName = (index: number): string => `data-database-${String(index).padStart(6, '0')}`
export const podName = (index: number): string => `database-${index}`
export const nodeName = (index: number): string => `node-${index}`

/** A volume as a provisioner writes it: 1.2 kB. */
export function volume(index: number): PersistentVolume {
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: {
      name: volumeName(index),
      annotations: {
        'pv.kubernetes.io/provisioned-by': DRIVER,
        'volume.kubernetes.io/provisioner-deletion-secret-name': 'bench-provisioner-secret',
        'volume.kubernetes.io/provisioner-deletion-secret-namespace': 'kube-system',
      },
      labels: { 'topology.kubernetes.io/zone': 'europe-west1-b', 'app.kubernetes.io/managed-by': 'bench' },
      finalizers: ['external-provisioner.volume.kubernetes.io/finalizer'],
    },
    spec: {
      capacity: { storage: '10Gi' },
      accessModes: ['ReadWriteOnce'],
      persistentVolumeReclaimPolicy: 'Retain',
      storageClassName: CLASS,
      volumeMode: 'Filesystem',
      claimRef: {
        apiVersion: 'v1',
        kind: 'PersistentVolumeClaim',
        namespace: NAMESPACE,
        name: claimName(index),
        uid: uidLike(index),
      },
      nodeAffinity: {
        required: {
          nodeSelectorTerms: [
            { matchExpressions: [{ key: 'topology.kubernetes.io/zone', operator: 'In', values: ['europe-west1-b'] }] },
          ],
        },
      },
      csi: {
        driver: DRIVER,
        volumeHandle: `projects/bench/zones/europe-west1-b/disks/pvc-${uidLike(index)}`,
        fsType: 'ext4',
        volumeAttributes: {
          'storage.kubernetes.io/csiProvisionerIdentity': `1700000000000-${index}-${DRIVER}`,
          replication: 'none',
        },
        nodeStageSecretRef: { name: 'bench-node-secret', namespace: 'kube-system' },
      },
    },
  }
}

/** A claim with the annotations that one has after it was provisioned for: 1.2 kB. */
export function claim(index: number): PersistentVolumeClaim {
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: {
      name: claimName(index),
      namespace: NAMESPACE,
      annotations: {
        'volume.kubernetes.io/storage-provisioner': DRIVER,
        'volume.beta.kubernetes.io/storage-provisioner': DRIVER,
        'volume.kubernetes.io/selected-node': nodeName(index),
        'example.com/description':
          'The data of one replica of a database, kept when the replica is gone, so that the next one of its name finds it again. Nobody owns it: an owner that is not there would have it deleted.',
        'example.com/backup': JSON.stringify({
          schedule: '0 3 * * *',
          keep: { daily: 7, weekly: 4, monthly: 12 },
          target: 's3://backups/database',
          verify: { schedule: '0 5 * * 0', sample: '1Gi' },
        }),
      },
      labels: {
        'app.kubernetes.io/name': 'database',
        'app.kubernetes.io/instance': `database-${index % 100}`,
        'app.kubernetes.io/component': 'storage',
        'app.kubernetes.io/part-of': 'bench',
        'app.kubernetes.io/managed-by': 'bench',
      },
    },
    spec: {
      accessModes: ['ReadWriteOnce'],
      resources: { requests: { storage: '10Gi' } },
      storageClassName: CLASS,
      volumeMode: 'Filesystem',
      volumeName: volumeName(index),
    },
  }
}

/** A small pod on the node of the same number. */
export function pod(index: number): Pod {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: podName(index), namespace: NAMESPACE, labels: { app: 'database' } },
    spec: {
      nodeName: nodeName(index),
      automountServiceAccountToken: false,
      containers: [
        {
          name: 'database',
          image: 'registry.example.com/database:1.0',
          volumeMounts: [{ name: 'data', mountPath: '/data' }],
        },
      ],
      volumes: [{ name: 'data', persistentVolumeClaim: { claimName: claimName(index) } }],
    },
  }
}

/** What a controller writes into the status of a claim; the number makes each one a change. */
export const claimStatus = (index: number): object => ({
  status: {
    phase: 'Bound',
    accessModes: ['ReadWriteOnce'],
    capacity: { storage: '10Gi' },
    conditions: [
      {
        type: 'Resizing',
        status: 'True',
        reason: 'Bench',
        message: `change ${index}`,
        lastTransitionTime: '2026-01-01T00:00:00Z',
      },
    ],
  },
})
