import { equal } from 'node:assert/strict'
import type { TestContext } from 'node:test'
import type { Api } from '../../../api/api.ts'
import { CSI_NODES } from '../../../api/kinds/csi-node.ts'
import { PERSISTENT_VOLUMES } from '../../../api/kinds/persistent-volume.ts'
import type { PersistentVolume } from '../../../api/kinds/persistent-volume.ts'
import { VOLUME_ATTACHMENTS } from '../../../api/kinds/volume-attachment.ts'
import type { VolumeAttachment } from '../../../api/kinds/volume-attachment.ts'
import { isNotFound } from '../../../api/api-error.ts'
import { openTestCore } from '../../../apiserver/testing/open-test-core.ts'
import type { TestCore } from '../../../apiserver/testing/open-test-core.ts'
import type { Clock } from '../../../base/clock.ts'
import { createSimulatedHost } from '../../../base/host/index.ts'
import { defaultsOf } from '../../../base/options/index.ts'
import { createSilentLogger } from '../../../base/logger.ts'
import { createSeededRandom } from '../../../base/random.ts'
import { joinDriver } from '../../../csi/index.ts'
import type { Driver } from '../../../csi/index.ts'
import { createLockTable, defineDriver } from '../../../csi/kit/index.ts'
import type { CsiHandlers, DriverFeatures } from '../../../csi/kit/index.ts'
import { createHostpathDriver, openHostpath } from '../../../drivers/hostpath/index.ts'
import { attacherFinalizer } from '../../attacher-finalizer.ts'
import { attacherOptions } from '../attacher-options.ts'
import type { AttacherConfig } from '../attacher-options.ts'
import { startRoleUnderTest } from '../../testing/describe-role.ts'
import type { RoleUnderTest } from '../../testing/describe-role.ts'
import { startAttacher } from '../start-attacher.ts'
import { createOn, volumeOf } from '../../../testing/objects.ts'

// Shared by the tests of the whole attacher. Each test has a server in memory, a stopped clock, and a driver in process.

export const DRIVER = 'test.holdfast.dev'
export const FINALIZER = attacherFinalizer(DRIVER)

export const DEFAULTS = defaultsOf(attacherOptions)

/** A driver that only attaches, with a record of what it did. */
export type ScriptedDriver = {
  readonly driver: Driver
  /** `publish v1 n1`, in the order of the calls' starts. */
  readonly calls: string[]
  /** `v1 n1` for each publication that exists now. */
  readonly published: Set<string>
  /** The most concurrent calls for one volume and node. */
  mostAtOnce: number
  /** Replaces the behavior; the default publishes. */
  publish: NonNullable<CsiHandlers['controllerPublishVolume']>
  unpublish: NonNullable<CsiHandlers['controllerUnpublishVolume']>
}

export function createScriptedDriver(
  clock: Clock,
  {
    features = {},
    trivial = false,
    more = {},
  }: { features?: DriverFeatures; trivial?: boolean; more?: CsiHandlers } = {},
): ScriptedDriver {
  const calls: string[] = []
  const published = new Set<string>()
  const running = new Map<string, number>()
  const counted = async <T>(what: string, volumeId: string, nodeId: string, act: () => Promise<T>): Promise<T> => {
    const id = `${volumeId} ${nodeId}`
    calls.push(`${what} ${id}`)
    running.set(id, (running.get(id) ?? 0) + 1)
    script.mostAtOnce = Math.max(script.mostAtOnce, running.get(id) ?? 0)
    try {
      return await act()
    } finally {
      running.set(id, (running.get(id) ?? 0) - 1)
    }
  }
  const handlers: CsiHandlers = {
    controllerPublishVolume: (request, call) =>
      counted('publish', request.volumeId, request.nodeId, () => script.publish(request, call)),
    controllerUnpublishVolume: (request, call) =>
      counted('unpublish', request.volumeId, request.nodeId, () => script.unpublish(request, call)),
  }
  const server = defineDriver(
    { name: DRIVER, version: '1', features },
    { handlers: { ...(trivial ? {} : handlers), ...more }, log: createSilentLogger() },
  )
  const script: ScriptedDriver = {
    driver: joinDriver(server, { clock }),
    calls,
    published,
    mostAtOnce: 0,
    publish: ({ volumeId, nodeId }) => {
      published.add(`${volumeId} ${nodeId}`)
      return Promise.resolve({ publishContext: { device: `/dev/${volumeId}` } })
    },
    unpublish: ({ volumeId, nodeId }) => {
      published.delete(`${volumeId} ${nodeId}`)
      return Promise.resolve({})
    },
  }
  return script
}

/** From now on the driver publishes only after `resolve`. */
export function holdPublish(script: ScriptedDriver): { resolve(): void } {
  const { publish } = script
  const { promise, resolve } = Promise.withResolvers<void>()
  script.publish = async (request, call) => {
    await promise
    return publish(request, call)
  }
  return { resolve }
}

/** The bundled driver in attach mode, with its nodes, on a simulated machine. */
export async function openHostpathDriver(
  clock: Clock,
  nodeIds: readonly string[],
  machine = createSimulatedHost({ random: createSeededRandom(1) }),
): Promise<Driver> {
  const log = createSilentLogger()
  const hostpath = await openHostpath({ root: '/data', host: machine, clock, random: createSeededRandom(2), log })
  const locks = createLockTable()
  const drivers: Driver[] = []
  for (const id of nodeIds) {
    const { server } = await createHostpathDriver({
      hostpath,
      node: { id, topology: {}, attachLimit: 0 },
      name: DRIVER,
      version: '1',
      attach: true,
      publish: 'link',
      locks,
    })
    drivers.push(joinDriver(server, { clock }))
  }
  const [first] = drivers
  if (!first) throw new Error('a driver needs a node')
  return first
}

export type AttacherUnderTest = TestCore &
  RoleUnderTest & {
    readonly script: ScriptedDriver
    attachment(name?: string): Promise<VolumeAttachment>
  }

export type UnderTestOptions = {
  config?: Partial<AttacherConfig>
  driver?: Parameters<typeof createScriptedDriver>[1]
  /** The attacher's API. Default: it may do everything. */
  apiOf?: (core: TestCore) => Api
  /** Before the attacher starts. */
  before?: (core: TestCore) => Promise<void>
  /** Replaces the scripted one. */
  openDriver?: (clock: Clock) => Promise<Driver>
}

/** A running attacher on a server with two nodes, `node-1` and `node-2`, whose IDs are `id-1` and `id-2`. */
export async function startUnderTest(context: TestContext, options: UnderTestOptions = {}): Promise<AttacherUnderTest> {
  const core = await openTestCore(context)
  const { api, clock } = core
  const script = createScriptedDriver(clock, options.driver)
  await registerNode(api, 'node-1', 'id-1')
  await registerNode(api, 'node-2', 'id-2')
  await options.before?.(core)
  const driver = (await options.openDriver?.(clock)) ?? script.driver
  const role = await startRoleUnderTest(context, core, {
    driver,
    component: `external-attacher ${DRIVER}`,
    ...(options.apiOf ? { api: options.apiOf(core) } : {}),
    progress: () => script.calls.length,
    startRole: (parts) => startAttacher({ ...DEFAULTS, ...options.config }, parts, new AbortController().signal),
  })
  return { ...core, ...role, script, attachment: (name = 'a1') => api.get(VOLUME_ATTACHMENTS, { name }) }
}

export async function registerNode(api: Api, name: string, nodeID: string): Promise<void> {
  await api.create(CSI_NODES, {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'CSINode',
    metadata: { name },
    spec: { drivers: [{ name: DRIVER, nodeID, topologyKeys: null }] },
  })
}

export const createVolume = (
  api: Api,
  name: string,
  csi: Partial<NonNullable<PersistentVolume['spec']['csi']>> = {},
  metadata: PersistentVolume['metadata'] = {},
): Promise<PersistentVolume> =>
  createOn(
    api,
    PERSISTENT_VOLUMES,
    volumeOf({ name, metadata, spec: { csi: { driver: DRIVER, volumeHandle: `handle-${name}`, ...csi } } }),
  )

export async function createAttachment(
  api: Api,
  name = 'a1',
  spec: Partial<VolumeAttachment['spec']> = {},
  metadata: VolumeAttachment['metadata'] = {},
): Promise<VolumeAttachment> {
  return api.create(VOLUME_ATTACHMENTS, {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'VolumeAttachment',
    metadata: { ...metadata, name },
    spec: { attacher: DRIVER, nodeName: 'node-1', source: { persistentVolumeName: 'v1' }, ...spec },
  })
}

export async function isGone(api: Api, name = 'a1'): Promise<boolean> {
  try {
    await api.get(VOLUME_ATTACHMENTS, { name })
    return false
  } catch (error) {
    equal(isNotFound(error), true, String(error))
    return true
  }
}

export const deleteAttachment = async (api: Api, name = 'a1'): Promise<void> =>
  void (await api.delete(VOLUME_ATTACHMENTS, { name }))
