import { join } from 'node:path'
import { ROOT } from '../../../scripts/run.ts'
import type { VolumeAttributesClass } from '../../../src/api/kinds/volume-attributes-class.ts'

/** Elections of a test need not wait for long. */
const QUICK_ELECTION = { leaseDuration: '6s', renewDeadline: '4s', retryPeriod: '1s' }

export type SharedDriver = {
  /** Name of the driver. */
  readonly driver: string
  /** The directory of its volumes, which all nodes share. */
  readonly backend: string
  /** Whether the process on a node serves the controller part too. Default false. */
  readonly isAllInOne?: boolean
}

/** What a third party gives to the chart: the name of its driver, and its containers. */
export function sharedDriverValues({ driver, backend, isAllInOne = false }: SharedDriver) {
  const part = (...args: string[]) => ({
    container: {
      image: 'localhost/holdfast-node:0.1.0',
      command: ['/usr/bin/node', '/opt/holdfast/driver/shared-driver.ts'],
      args: [...args, `--name=${driver}`],
      volumeMounts: [
        { name: 'backend', mountPath: '/backend' },
        { name: 'source', mountPath: '/opt/holdfast/driver' },
      ],
    },
    volumes: [
      { name: 'backend', hostPath: { path: backend, type: 'DirectoryOrCreate' } },
      { name: 'source', hostPath: { path: join(ROOT, 'test/kubernetes/cluster') } },
    ],
  })
  return {
    images: { pullPolicy: 'Never' },
    driver: {
      name: driver,
      csiDriver: {
        spec: {
          attachRequired: true,
          podInfoOnMount: true,
          volumeLifecycleModes: ['Persistent', 'Ephemeral'],
          tokenRequests: [{ audience: 'vault' }],
        },
      },
      controller: part('--controller'),
      node: part(isAllInOne ? '--all' : '--node'),
    },
    controller: { replicas: 2, leaderElection: QUICK_ELECTION },
  }
}

export const BUNDLED_DRIVER = 'hostpath.holdfast.dev'
/** Each node is a topology of its own. */
export const BUNDLED_TOPOLOGY_KEY = 'topology.holdfast.dev/node'
/** Attributes that the specs give to a volume. */
export const BUNDLED_ATTRIBUTES_CLASS: VolumeAttributesClass = {
  apiVersion: 'storage.k8s.io/v1',
  kind: 'VolumeAttributesClass',
  metadata: { name: 'bundled-gold' },
  driverName: BUNDLED_DRIVER,
  parameters: { tier: 'gold', iops: '3000' },
}

/**
 * The bundled driver. One process serves a data directory, so driver, registrar and sidecars share the pod of the node. `fsGroupPolicy` is what the
 * storage specs of Kubernetes assume of a driver with fsGroup.
 */
export const bundledDriverValues = (dataDirectory: string): object => ({
  images: { pullPolicy: 'Never' },
  driver: {
    name: BUNDLED_DRIVER,
    csiDriver: {
      spec: {
        attachRequired: true,
        podInfoOnMount: true,
        fsGroupPolicy: 'File',
        volumeLifecycleModes: ['Persistent', 'Ephemeral'],
        storageCapacity: true,
      },
    },
    node: {
      container: {
        image: 'localhost/holdfast-node:0.1.0',
        args: [
          'driver',
          '--endpoint=$(CSI_ENDPOINT)',
          '--node-id=$(NODE_NAME)',
          '--data=/data',
          '--capacity=100Gi',
          '--attach',
          `--topology=${BUNDLED_TOPOLOGY_KEY}=$(NODE_NAME)`,
        ],
        volumeMounts: [{ name: 'data', mountPath: '/data' }],
      },
      volumes: [{ name: 'data', hostPath: { path: dataDirectory, type: 'DirectoryOrCreate' } }],
    },
  },
  roles: { provisioner: { args: ['--provisioner-enable-capacity', '--provisioner-capacity-for-immediate-binding'] } },
  controller: { kind: 'DaemonSet', leaderElection: QUICK_ELECTION },
})
