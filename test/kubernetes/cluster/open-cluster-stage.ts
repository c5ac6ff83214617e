import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '../../../scripts/run.ts'
import type { Api } from '../../../src/api/api.ts'
import { ignoreNotFound } from '../../../src/api/api-error.ts'
import { hasCondition } from '../../../src/api/conditions.ts'
import { CSI_NODES } from '../../../src/api/kinds/csi-node.ts'
import { CUSTOM_RESOURCE_DEFINITIONS } from '../../../src/api/kinds/custom-resource-definition.ts'
import { DAEMON_SETS } from '../../../src/api/kinds/daemon-set.ts'
import type { DaemonSet } from '../../../src/api/kinds/daemon-set.ts'
import { DEPLOYMENTS } from '../../../src/api/kinds/deployment.ts'
import { EVENTS } from '../../../src/api/kinds/event.ts'
import { NAMESPACES } from '../../../src/api/kinds/namespace.ts'
import { PERSISTENT_VOLUME_CLAIMS } from '../../../src/api/kinds/persistent-volume-claim.ts'
import type {
  PersistentVolumeClaim,
  PersistentVolumeClaimSpec,
} from '../../../src/api/kinds/persistent-volume-claim.ts'
import { PODS } from '../../../src/api/kinds/pod.ts'
import type { Pod, PodSpec, Volume } from '../../../src/api/kinds/pod.ts'
import { SERVICE_ACCOUNTS } from '../../../src/api/kinds/service-account.ts'
import type { ObjectRef } from '../../../src/api/object.ts'
import type { ResourceType } from '../../../src/api/resource-type.ts'
import { SNAPSHOT_CRDS } from '../../../src/apiserver/crd/snapshot-crds.ts'
import type { UntilObject } from '../../../src/cluster/until-object.ts'
import { BUSYBOX_IMAGE } from './build-test-images.ts'
import { CHART, helm } from './chart.ts'
import { startCluster } from './start-cluster.ts'
import type { ClusterOptions, RunningCluster } from './start-cluster.ts'

export const DRIVER = 'shared.test.holdfast.dev'
export const DRIVER_NAMESPACE = 'csi-shared'
export const RELEASE = 'shared'
const NAMESPACE = 'default'
/** Containers start slowly on a machine that does much else. */
export const POD_LIMIT = { limitMs: 240_000 }

export type DriverCall = {
  readonly method: string
  readonly nodeId: string
  readonly volumeId: string
  readonly context: Readonly<Record<string, string>>
  readonly secrets: readonly string[]
}

/** A cluster of Kubernetes with a driver that our chart has installed, and shorthands for the stories. */
export interface ClusterStage extends RunningCluster {
  createClaim(name: string, spec?: Partial<PersistentVolumeClaimSpec>): Promise<PersistentVolumeClaim>
  createPod(name: string, script: string, more?: PodParts): Promise<Pod>
  untilClaim(name: string, holds: (claim: PersistentVolumeClaim) => boolean): Promise<PersistentVolumeClaim>
  untilRunning(name: string): Promise<Pod>
  /** Runs the script in a pod to its end, deletes the pod, and returns what it wrote to /result. */
  runPod(name: string, script: string, more?: PodParts): Promise<string>
  deletePod(name: string): Promise<void>
  untilGone(type: ResourceType, ref: ObjectRef): Promise<void>
  /** What the driver was asked, in order. */
  driverCalls(): DriverCall[]
  driverPods(component: 'csi-controller' | 'csi-node'): Promise<Pod[]>
  /** Installs or upgrades the chart, with the driver's values and these. */
  install(...settings: string[]): Promise<void>
  /** Goes back to the release before the last `install`. */
  rollBack(): Promise<void>
  /** Waits until the driver is registered on the node. */
  untilRegistered(node: string): Promise<void>
}

export type PodParts = {
  /** The claim to mount at /data. */
  readonly claim?: string
  /** The claim to have as the device /dev/data. */
  readonly blockClaim?: string
  readonly volumes?: readonly Volume[]
  readonly spec?: Partial<PodSpec>
}

export type StageOptions = ClusterOptions & {
  /** Arguments of Helm, beside the values of the driver. */
  readonly settings?: readonly string[]
}

export async function openClusterStage({ settings = [], ...options }: StageOptions = {}): Promise<ClusterStage> {
  const cluster = await startCluster(options)
  try {
    const stage = await prepare(cluster)
    await stage.install(...settings)
    await stage.untilRegistered('node-1')
    return stage
  } catch (error) {
    const events = await listEvents(cluster.api).catch(String)
    const logs = cluster.logs()
    await cluster.stop()
    if (error instanceof Error) error.message += `\n\n${events}\n\n${logs}`
    throw error
  }
}

async function prepare(cluster: RunningCluster): Promise<ClusterStage> {
  const { api, until, backend } = cluster
  mkdirSync(backend, { recursive: true })
  await cluster.addNode('node-1')
  for (const definition of SNAPSHOT_CRDS) {
    await api.create(CUSTOM_RESOURCE_DEFINITIONS, definition)
    const name = definition.metadata.name ?? ''
    await until(CUSTOM_RESOURCE_DEFINITIONS, { name }, (made) => hasCondition(made?.status?.conditions, 'Established'))
  }
  await api.create(NAMESPACES, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: DRIVER_NAMESPACE } })
  // Pods are refused before their service account exists.
  await until(SERVICE_ACCOUNTS, { namespace: NAMESPACE, name: 'default' }, (account) => account !== undefined)
  const values = join(backend, '..', 'values.json')
  writeFileSync(values, JSON.stringify(driverValues(backend)))

  const createPod = (name: string, script: string, more: PodParts = {}): Promise<Pod> =>
    api.create(PODS, podWith(name, script, more))
  const deletePod = async (name: string): Promise<void> => {
    await api.delete(PODS, named(name)).catch(ignoreNotFound)
    await until(PODS, named(name), (pod) => pod === undefined, POD_LIMIT)
  }
  return {
    ...cluster,
    createPod,
    deletePod,
    createClaim: (name, spec = {}) => api.create(PERSISTENT_VOLUME_CLAIMS, claimWith(name, spec)),
    untilClaim: async (name, holds) =>
      (await until(
        PERSISTENT_VOLUME_CLAIMS,
        named(name),
        (claim) => claim !== undefined && holds(claim),
        POD_LIMIT,
      )) as PersistentVolumeClaim,
    untilRunning: async (name) =>
      (await until(PODS, named(name), (pod) => pod?.status?.phase === 'Running', POD_LIMIT)) as Pod,
    runPod: async (name, script, more) => {
      await createPod(name, script, more)
      const hasEnded = (pod?: Pod): boolean => ['Succeeded', 'Failed'].includes(pod?.status?.phase ?? '')
      const pod = await until(PODS, named(name), hasEnded, POD_LIMIT)
      const ended = pod?.status?.containerStatuses?.[0]?.state?.terminated
      if (pod?.status?.phase !== 'Succeeded') throw new Error(`pod ${name} failed: ${JSON.stringify(ended)}`)
      await deletePod(name)
      return ended?.message ?? ''
    },
    untilGone: async (type, ref) => void (await until(type, ref, (object) => object === undefined, POD_LIMIT)),
    driverCalls: () =>
      readFileSync(join(backend, 'calls'), 'utf8')
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as DriverCall),
    driverPods: async (component) => {
      const labelSelector = `app.kubernetes.io/component=${component}`
      const { items } = await api.list(PODS, { namespace: DRIVER_NAMESPACE, labelSelector })
      return items.filter(({ metadata }) => metadata.deletionTimestamp === undefined)
    },
    install: async (...settings) => {
      const command = ['upgrade', '--install', RELEASE, CHART, `--namespace=${DRIVER_NAMESPACE}`]
      await helm([...command, `--values=${values}`, ...settings], { KUBECONFIG: cluster.kubeconfig })
      await untilRolledOut(until)
    },
    rollBack: async () => {
      await helm(['rollback', RELEASE, `--namespace=${DRIVER_NAMESPACE}`], { KUBECONFIG: cluster.kubeconfig })
      await untilRolledOut(until)
    },
    untilRegistered: async (name) =>
      void (await until(
        CSI_NODES,
        { name },
        (node) => node?.spec.drivers?.some((driver) => driver.name === DRIVER) ?? false,
        POD_LIMIT,
      )),
  }
}

async function untilRolledOut(until: UntilObject): Promise<void> {
  const local = (name: string) => ({ namespace: DRIVER_NAMESPACE, name })
  await until(DEPLOYMENTS, local(`${RELEASE}-controller`), isRolledOut, POD_LIMIT)
  await until(DAEMON_SETS, local(`${RELEASE}-node`), isOnEveryNode, POD_LIMIT)
}

function isOnEveryNode(set: DaemonSet | undefined): boolean {
  const { observedGeneration, desiredNumberScheduled = 0, updatedNumberScheduled, numberReady } = set?.status ?? {}
  return (
    observedGeneration === set?.metadata.generation &&
    desiredNumberScheduled > 0 &&
    updatedNumberScheduled === desiredNumberScheduled &&
    numberReady === desiredNumberScheduled
  )
}

type Rollout = {
  readonly metadata: { readonly generation?: number }
  readonly spec?: { readonly replicas?: number }
  readonly status?: {
    readonly observedGeneration?: number
    readonly updatedReplicas?: number
    readonly replicas?: number
    readonly availableReplicas?: number
  }
}

function isRolledOut(workload: Rollout | undefined): boolean {
  const { metadata, spec, status } = workload ?? { metadata: {} }
  const wanted = spec?.replicas ?? 1
  return (
    status?.observedGeneration === metadata.generation &&
    status?.updatedReplicas === wanted &&
    status.replicas === wanted &&
    status.availableReplicas === wanted
  )
}

const named = (name: string) => ({ namespace: NAMESPACE, name })

/** What a third party gives to the chart: the name of its driver, and its containers. */
function driverValues(backend: string): object {
  const part = (...args: string[]) => ({
    container: {
      image: 'localhost/holdfast-node:0.1.0',
      command: ['/usr/bin/node', '/opt/holdfast/driver/shared-driver.ts'],
      args,
      env: [{ name: 'DRIVER_NAME', value: DRIVER }],
      volumeMounts: [
        { name: 'backend', mountPath: '/backend' },
        { name: 'source', mountPath: '/opt/holdfast/driver' },
      ],
    },
    volumes: [
      { name: 'backend', hostPath: { path: backend } },
      { name: 'source', hostPath: { path: join(ROOT, 'test/kubernetes/cluster') } },
    ],
  })
  return {
    images: { pullPolicy: 'Never' },
    driver: {
      name: DRIVER,
      csiDriver: {
        spec: {
          attachRequired: true,
          podInfoOnMount: true,
          volumeLifecycleModes: ['Persistent', 'Ephemeral'],
          tokenRequests: [{ audience: 'vault' }],
        },
      },
      controller: part('--controller'),
      node: part('--node'),
    },
    controller: {
      replicas: 2,
      leaderElection: { leaseDuration: '6s', renewDeadline: '4s', retryPeriod: '1s' },
    },
    rbac: { secrets: 'namespace', secretsNamespace: NAMESPACE },
    snapshotController: { enabled: true, replicas: 1 },
  }
}

const claimWith = (name: string, spec: Partial<PersistentVolumeClaimSpec>): PersistentVolumeClaim => ({
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: named(name),
  spec: {
    accessModes: ['ReadWriteOnce'],
    storageClassName: 'shared',
    resources: { requests: { storage: '1Mi' } },
    ...spec,
  },
})

function podWith(name: string, script: string, { claim, blockClaim, volumes = [], spec = {} }: PodParts): Pod {
  const claimName = claim ?? blockClaim
  const all = claimName === undefined ? volumes : [{ name: 'data', persistentVolumeClaim: { claimName } }, ...volumes]
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: named(name),
    spec: {
      restartPolicy: 'Never',
      terminationGracePeriodSeconds: 1,
      containers: [
        {
          name: 'story',
          image: BUSYBOX_IMAGE,
          imagePullPolicy: 'Never',
          command: ['/bin/sh', '-c', script],
          terminationMessagePath: '/result',
          volumeMounts: all
            .filter(() => blockClaim === undefined)
            .map((volume) => ({ name: volume.name, mountPath: `/${volume.name}` })),
          ...(blockClaim === undefined ? {} : { volumeDevices: [{ name: 'data', devicePath: '/dev/data' }] }),
        },
      ],
      volumes: [...all],
      ...spec,
    },
  }
}

/** The warnings of the cluster, for the message of a failed story. */
export async function listEvents(api: Api): Promise<string> {
  const { items } = await api.list(EVENTS)
  return items
    .filter(({ type }) => type === 'Warning')
    .slice(-25)
    .map(
      ({ involvedObject, reason, message }) => `${involvedObject?.kind}/${involvedObject?.name} ${reason}: ${message}`,
    )
    .join('\n')
}
