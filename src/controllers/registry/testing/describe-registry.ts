import type { TestContext } from 'node:test'
import type { Api } from '../../../api/api.ts'
import { CSI_DRIVERS } from '../../../api/kinds/csi-driver.ts'
import type { CSIDriver, CSIDriverSpec } from '../../../api/kinds/csi-driver.ts'
import { CSI_NODES } from '../../../api/kinds/csi-node.ts'
import { EVENTS } from '../../../api/kinds/event.ts'
import { openTestCore } from '../../../apiserver/testing/open-test-core.ts'
import type { TestCore } from '../../../apiserver/testing/open-test-core.ts'
import { createSilentLogger } from '../../../base/logger.ts'
import { createSeededRandom } from '../../../base/random.ts'
import { ALPHA_CSI_DRIVERS } from '../../../compat/alpha-csi-driver.ts'
import type { AlphaCSIDriver, AlphaCSIDriverSpec } from '../../../compat/alpha-csi-driver.ts'
import { createEventRecorder } from '../../../kube/controller/event-recorder.ts'
import { createInformers } from '../../../kube/cache/informers.ts'
import { recordWrites } from '../../../kube/testing/record-writes.ts'
import type { RunningRole } from '../../../kube/process/running-role.ts'
import { startRegistry } from '../start-registry.ts'
import type { RegistryConfig } from '../registry-options.ts'

// Shared by the tests of the whole registry. Each test has a server in memory and a stopped clock.

export const CONFIG: RegistryConfig = { crdCheckMs: 600_000, statusIntervalMs: 5000, nodeAccess: false }

export type RegistryUnderTest = TestCore & {
  /** `create csidrivers d`: every write of the registry except events. */
  readonly writes: string[]
  settled(): Promise<void>
  advance(byMs: number): Promise<void>
  /** `Warning DriverDescribedTwice CSIDriver/two`. */
  events(): Promise<string[]>
  findDriver(name?: string): Promise<CSIDriver | undefined>
  start(): Promise<void>
  stop(): Promise<void>
}

export type RegistryTestOptions = {
  config?: Partial<RegistryConfig>
  apiOf?: (core: TestCore) => Api
  before?: (core: TestCore) => Promise<void>
}

export async function startUnderTest(
  context: TestContext,
  options: RegistryTestOptions = {},
): Promise<RegistryUnderTest> {
  const core = await openTestCore(context)
  const { api, clock, server } = core
  const writes: string[] = []
  let running: { controller: RunningRole; stop(): Promise<void> } | undefined

  const settled = async (): Promise<void> => {
    for (let quiet = 0, turns = 0; quiet < 8; turns++) {
      if (turns > 2000) throw new Error('the registry does not settle')
      await clock.advance(0)
      await server.idle()
      quiet = (running?.controller.isIdle() ?? true) ? quiet + 1 : 0
    }
  }
  const start = async (): Promise<void> => {
    const log = createSilentLogger()
    const random = createSeededRandom(1)
    const own = recordWrites(options.apiOf?.(core) ?? api, writes)
    const informers = createInformers({ api: own, clock, random, log })
    const events = createEventRecorder({ api: own, clock, log, component: 'registry' })
    const starting = startRegistry(
      { ...CONFIG, ...options.config },
      { api: own, informers, events, clock, random, log },
      new AbortController().signal,
    )
    let controller: RunningRole | undefined
    void starting.then((started) => (controller = started))
    for (let turns = 0; !controller; turns++) {
      if (turns > 1000) throw new Error('the registry does not start')
      await clock.advance(0)
    }
    const started = controller
    running = { controller: started, stop: () => started.stop().then(() => informers.stop()) }
    await settled()
  }
  const stop = async (): Promise<void> => {
    await running?.stop()
    running = undefined
  }
  const advance = async (byMs: number): Promise<void> => {
    await clock.advance(byMs)
    await settled()
  }
  await options.before?.(core)
  await start()
  context.after(stop)
  return {
    ...core,
    writes,
    settled,
    advance,
    start,
    stop,
    events: async () =>
      (await api.list(EVENTS)).items.map(
        ({ type, reason, involvedObject }) => `${type} ${reason} ${involvedObject.kind}/${involvedObject.name}`,
      ),
    findDriver: async (name = 'd') =>
      (await api.list(CSI_DRIVERS)).items.find(({ metadata }) => metadata.name === name),
  }
}

export const createSeed = (api: Api, spec: AlphaCSIDriverSpec = {}, name = 'd'): Promise<AlphaCSIDriver> =>
  api.create(ALPHA_CSI_DRIVERS, {
    apiVersion: 'csi.storage.k8s.io/v1alpha1',
    kind: 'CSIDriver',
    metadata: { name },
    spec: { driver: 'd', ...spec },
  })

export const changeAlpha = (api: Api, spec: AlphaCSIDriverSpec, name = 'd'): Promise<AlphaCSIDriver> =>
  api.patch(ALPHA_CSI_DRIVERS, { name }, { type: 'merge', value: { spec } })

export const createOwn = (api: Api, spec: CSIDriverSpec, name = 'd'): Promise<CSIDriver> =>
  api.create(CSI_DRIVERS, { apiVersion: 'storage.k8s.io/v1', kind: 'CSIDriver', metadata: { name }, spec })

export const registerNode = (api: Api, name: string, driver = 'd'): Promise<unknown> =>
  api.create(CSI_NODES, {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'CSINode',
    metadata: { name },
    spec: { drivers: [{ name: driver, nodeID: `id-${name}`, topologyKeys: null }] },
  })

export const alphaStatus = async (api: Api, name = 'd'): Promise<unknown> =>
  (await api.get(ALPHA_CSI_DRIVERS, { name })).status
