import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Api } from '../../../src/api/api.ts'
import { ignoreNotFound } from '../../../src/api/api-error.ts'
import { hasCondition } from '../../../src/api/conditions.ts'
import { CUSTOM_RESOURCE_DEFINITIONS } from '../../../src/api/kinds/custom-resource-definition.ts'
import { EVENTS } from '../../../src/api/kinds/event.ts'
import { PERSISTENT_VOLUME_CLAIMS } from '../../../src/api/kinds/persistent-volume-claim.ts'
import type {
  PersistentVolumeClaim,
  PersistentVolumeClaimSpec,
} from '../../../src/api/kinds/persistent-volume-claim.ts'
import { PERSISTENT_VOLUMES } from '../../../src/api/kinds/persistent-volume.ts'
import { PODS } from '../../../src/api/kinds/pod.ts'
import type { Pod } from '../../../src/api/kinds/pod.ts'
import { SERVICE_ACCOUNTS } from '../../../src/api/kinds/service-account.ts'
import type { ObjectRef } from '../../../src/api/object.ts'
import type { ResourceType } from '../../../src/api/resource-type.ts'
import { SNAPSHOT_CRDS } from '../../../src/apiserver/crd/snapshot-crds.ts'
import { sharedDriverValues } from './driver-values.ts'
import { openRelease, POD_LIMIT } from './release.ts'
import type { Release, ReleaseSpec } from './release.ts'
import { startCluster } from './start-cluster.ts'
import type { ClusterOptions, RunningCluster } from './start-cluster.ts'
import { claimWith, named, NAMESPACE, podWith } from './story-objects.ts'
import type { PodParts } from './story-objects.ts'

export const DRIVER = 'shared.test.holdfast.dev'
export const DRIVER_NAMESPACE = 'csi-shared'
export const RELEASE = 'shared'

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
  /** Deletes the claim, and waits until it and its volume are gone. */
  removeClaim(name: string): Promise<void>
  untilGone(type: ResourceType, ref: ObjectRef): Promise<void>
  /** What the driver was asked, in order. */
  driverCalls(): DriverCall[]
  /** What the chart installed with the cluster: the driver of the stories. */
  readonly release: Release
  /** A further installation of the chart, not installed yet. */
  openRelease(spec: ReleaseSpec): Promise<Release>
}

export type StageOptions = ClusterOptions & {
  /** Arguments of Helm, beside the values of the driver. */
  readonly settings?: readonly string[]
}

export async function openClusterStage({ settings = [], ...options }: StageOptions = {}): Promise<ClusterStage> {
  const cluster = await startCluster(options)
  try {
    const stage = await prepare(cluster)
    await stage.release.install(...settings)
    await stage.release.untilRegistered('node-1')
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
  // Pods are refused before their service account exists.
  await until(SERVICE_ACCOUNTS, { namespace: NAMESPACE, name: 'default' }, (account) => account !== undefined)
  const values = {
    ...sharedDriverValues({ driver: DRIVER, backend }),
    rbac: { secrets: 'namespace', secretsNamespace: NAMESPACE },
    snapshotController: { enabled: true, replicas: 1 },
  }
  const release = await openRelease(cluster, { name: RELEASE, namespace: DRIVER_NAMESPACE, driver: DRIVER, values })

  const createPod = (name: string, script: string, more: PodParts = {}): Promise<Pod> =>
    api.create(PODS, podWith(name, script, more))
  const deletePod = async (name: string): Promise<void> => {
    await api.delete(PODS, named(name)).catch(ignoreNotFound)
    await until(PODS, named(name), (pod) => pod === undefined, POD_LIMIT)
  }
  const untilGone = async (type: ResourceType, ref: ObjectRef): Promise<void> =>
    void (await until(type, ref, (object) => object === undefined, POD_LIMIT))
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
    untilGone,
    removeClaim: async (name) => {
      const { spec } = await api.get(PERSISTENT_VOLUME_CLAIMS, named(name))
      await api.delete(PERSISTENT_VOLUME_CLAIMS, named(name))
      await untilGone(PERSISTENT_VOLUME_CLAIMS, named(name))
      if (spec.volumeName !== undefined) await untilGone(PERSISTENT_VOLUMES, { name: spec.volumeName })
    },
    driverCalls: () =>
      readFileSync(join(backend, 'calls'), 'utf8')
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as DriverCall),
    release,
    openRelease: (spec) => openRelease(cluster, spec),
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
