import type { TestContext } from 'node:test'
import type { Api } from '../api/api.ts'
import { isNotFound } from '../api/api-error.ts'
import { CSI_NODES } from '../api/kinds/csi-node.ts'
import { NODES } from '../api/kinds/node.ts'
import { PERSISTENT_VOLUME_CLAIMS } from '../api/kinds/persistent-volume-claim.ts'
import type { PersistentVolumeClaim, PersistentVolumeClaimSpec } from '../api/kinds/persistent-volume-claim.ts'
import { PODS } from '../api/kinds/pod.ts'
import type { Pod, PodSpec } from '../api/kinds/pod.ts'
import { openTestCore } from '../apiserver/testing/open-test-core.ts'
import type { TestCore } from '../apiserver/testing/open-test-core.ts'
import { createSimulatedHost } from '../base/host/index.ts'
import { createSilentLogger } from '../base/logger.ts'
import { defaultsOf } from '../base/options/index.ts'
import { createSeededRandom } from '../base/random.ts'
import { controllerDefinitions, controllersOptions, runControllers } from '../controllers/index.ts'
import { joinDriver } from '../csi/index.ts'
import type { Driver } from '../csi/index.ts'
import { createLockTable } from '../csi/kit/index.ts'
import { createHostpathDriver, DEFAULT_DRIVER_NAME, openHostpath } from '../drivers/hostpath/index.ts'
import { ensureDefaultClass } from './ensure-default-class.ts'
import { startSidecar } from './start-sidecar.ts'

export const DRIVER = DEFAULT_DRIVER_NAME
export const NAMESPACE = 'default'
export const ZONE = 'topology.holdfast.dev/zone'

export type ClusterUnderTest = TestCore & {
  readonly driver: Driver
  /** Lets time pass in small steps until it holds; fails with what was asked for when it does not within a minute of the cluster's time. */
  until(what: string, holds: () => Promise<boolean>): Promise<void>
  advance(byMs: number): Promise<void>
  /** Ids of the volumes that the driver has. */
  volumes(): Promise<string[]>
}

/** Server, controllers and sidecars with the bundled driver, in process, under a clock that is moved by hand. The test plays the nodes. */
export async function startClusterUnderTest(context: TestContext, { zones }: { zones: readonly (string | undefined)[] }): Promise<ClusterUnderTest> {
  const core = await openTestCore(context)
  const { api, clock } = core
  const random = createSeededRandom(3)
  const log = createSilentLogger()
  const host = createSimulatedHost({ random: createSeededRandom(1) })
  const hostpath = await openHostpath({ root: '/data', host, clock, random: createSeededRandom(2), log })
  const locks = createLockTable()
  const drivers: Driver[] = []
  for (const [index, zone] of zones.entries()) {
    const [id, topology] = [`node-${index + 1}`, zone === undefined ? {} : { [ZONE]: zone }]
    const { server } = await createHostpathDriver({ hostpath, node: { id, topology, attachLimit: 0 }, name: DRIVER, version: '1', attach: true, publish: 'link', locks })
    drivers.push(joinDriver(server, { clock }))
    await registerNode(api, id, topology)
  }
  const [driver] = drivers
  if (!driver) throw new Error('a cluster needs a node')
  await ensureDefaultClass(api, DRIVER, { hasZones: zones.some((zone) => zone !== undefined) })
  const controllers = runControllers(controllerDefinitions(defaultsOf(controllersOptions)), { api, clock, random, log })
  const parts = { host, clock, random, log, version: 'test' }
  const advanceUntil = async <T>(work: Promise<T>): Promise<T> => {
    let isDone = false
    const end = (): void => void (isDone = true)
    work.then(end, end)
    for (let turns = 0; !isDone && turns < 2000; turns++) await clock.advance(turns < 200 ? 0 : 50)
    return work
  }
  await advanceUntil(controllers.settled)
  const connection = { path: '', state: () => ({ kind: 'ready', times: 1 }) as const, watch: () => () => {}, ready: () => Promise.resolve(), close: () => {} }
  const sidecar = await advanceUntil(startSidecar(parts, { hostname: 'node-1', api, connect: () => ({ driver, connection }) }))
  context.after(async () => {
    await advanceUntil(sidecar.stop())
    await advanceUntil(controllers.stop())
  })
  const until = async (what: string, holds: () => Promise<boolean>): Promise<void> => {
    for (let turns = 0; turns < 1200; turns++) {
      if (await holds()) return
      await clock.advance(turns < 100 ? 0 : 50)
    }
    throw new Error(`not within a minute: ${what}`)
  }
  const volumes = async (): Promise<string[]> => (await driver.listVolumes({})).entries.map(({ volume }) => volume?.volumeId ?? '')
  return { ...core, driver, until, advance: (byMs) => clock.advance(byMs), volumes }
}

/** As the node agent does it. */
async function registerNode(api: Api, name: string, topology: Readonly<Record<string, string>>): Promise<void> {
  await api.create(NODES, { apiVersion: 'v1', kind: 'Node', metadata: { name, labels: topology, annotations: { 'volumes.kubernetes.io/controller-managed-attach-detach': 'true' } } })
  await api.patch(NODES, { name }, { type: 'merge', value: { status: { conditions: [{ type: 'Ready', status: 'True' }] } } }, { subresource: 'status' })
  await api.create(CSI_NODES, { apiVersion: 'storage.k8s.io/v1', kind: 'CSINode', metadata: { name }, spec: { drivers: [{ name: DRIVER, nodeID: name, topologyKeys: Object.keys(topology) }] } })
}

export const createClaim = (api: Api, name: string, spec: Partial<PersistentVolumeClaimSpec> = {}): Promise<PersistentVolumeClaim> =>
  api.create(PERSISTENT_VOLUME_CLAIMS, {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { namespace: NAMESPACE, name },
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Mi' } }, ...spec },
  })

/** A pod that uses one claim. */
export const createPod = (api: Api, name: string, claimName: string, spec: Partial<PodSpec> = {}): Promise<Pod> =>
  api.create(PODS, {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { namespace: NAMESPACE, name },
    spec: { containers: [{ name: 'main', image: 'none', volumeMounts: [{ name: 'data', mountPath: '/data' }] }], volumes: [{ name: 'data', persistentVolumeClaim: { claimName } }], ...spec },
  })

export const getClaim = (api: Api, name: string): Promise<PersistentVolumeClaim> => api.get(PERSISTENT_VOLUME_CLAIMS, { namespace: NAMESPACE, name })
export const getPod = (api: Api, name: string): Promise<Pod> => api.get(PODS, { namespace: NAMESPACE, name })

/** As when the node has nothing of the pod left. */
export async function deletePod(api: Api, name: string): Promise<void> {
  await api.delete(PODS, { namespace: NAMESPACE, name }, { gracePeriodSeconds: 0 })
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
