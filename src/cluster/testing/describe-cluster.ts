import type { TestContext } from 'node:test'
import type { Api } from '../../api/api.ts'
import { isNotFound } from '../../api/api-error.ts'
import { PERSISTENT_VOLUME_CLAIMS } from '../../api/kinds/persistent-volume-claim.ts'
import type { PersistentVolumeClaim, PersistentVolumeClaimSpec } from '../../api/kinds/persistent-volume-claim.ts'
import { PODS } from '../../api/kinds/pod.ts'
import type { Pod, PodSpec } from '../../api/kinds/pod.ts'
import { DEFAULT_DRIVER_NAME } from '../../drivers/hostpath/index.ts'
import { startSimulatedCluster } from '../start-simulated-cluster.ts'
import type { SimulatedCluster, SimulatedClusterOptions } from '../start-simulated-cluster.ts'
import { claimOf, createOn, podOf, volumeOfClaim } from '../../testing/objects.ts'

export const DRIVER = DEFAULT_DRIVER_NAME
export const NAMESPACE = 'default'
export const ZONE = 'topology.holdfast.dev/zone'

export type ClusterUnderTest = SimulatedCluster & {
  /** Ids of the volumes that the driver has. */
  volumes(): Promise<string[]>
  /** Where something is mounted below the directories of nodes. */
  mounted(): Promise<string[]>
}

/** The whole cluster in memory, ended with the test. */
export async function startClusterUnderTest(
  context: Pick<TestContext, 'after'>,
  options: SimulatedClusterOptions,
): Promise<ClusterUnderTest> {
  const cluster = await startSimulatedCluster(options)
  context.after(() => cluster.stop())
  const { machine } = cluster
  // The driver keeps each in a directory of its own.
  const volumes = async (): Promise<string[]> =>
    (await machine.files.list('/cluster/volumes/volumes')).map(({ name }) => name)
  const mounted = async (): Promise<string[]> =>
    (await machine.mounts.list()).map(({ target }) => target).filter((target) => target.startsWith('/cluster/node-'))
  return { ...cluster, volumes, mounted }
}

/** A claim of the default class, unless `spec` names another one. */
export const createClaim = (
  api: Api,
  name: string,
  spec: Partial<PersistentVolumeClaimSpec> = {},
): Promise<PersistentVolumeClaim> =>
  createOn(api, PERSISTENT_VOLUME_CLAIMS, claimOf({ name, size: '1Mi', className: undefined, spec }))

/** A pod that uses one claim. */
export const createPod = (api: Api, name: string, claimName: string, spec: Partial<PodSpec> = {}): Promise<Pod> =>
  createOn(api, PODS, podOf(name, { volumes: [volumeOfClaim(claimName, 'data')], spec }))

export const getClaim = (api: Api, name: string): Promise<PersistentVolumeClaim> =>
  api.get(PERSISTENT_VOLUME_CLAIMS, { namespace: NAMESPACE, name })
export const getPod = (api: Api, name: string): Promise<Pod> => api.get(PODS, { namespace: NAMESPACE, name })

/** As people do: its node lets it go. */
export async function deletePod(api: Api, name: string): Promise<void> {
  await api.delete(PODS, { namespace: NAMESPACE, name })
}

export async function isGone(get: Promise<unknown>): Promise<boolean> {
  try {
    await get
    return false
  } catch (error) {
    if (!isNotFound(error)) throw error
    return true
  }
}
