import type { Api } from '../api/api.ts'
import type { CallObserver } from '../csi/index.ts'
import { nodesOf } from './cluster-options.ts'
import type { ClusterOptions, MachineParts, StartedPart } from './cluster-options.ts'
import { allowNodesToCreateCsiDrivers } from './csidriver-access.ts'
import { ensureDefaultClass } from './ensure-default-class.ts'
import { findDrivers } from './find-drivers.ts'
import { restartable } from './restartable.ts'
import { startAll } from './start-all.ts'
import { startControllers } from './start-controllers.ts'
import { startDrivers } from './start-drivers.ts'
import type { NodeDriver } from './start-drivers.ts'
import { startNodes } from './start-nodes.ts'
import { startProxies } from './start-proxies.ts'
import { startSidecar } from './start-sidecar.ts'
import type { SidecarOptions } from './start-sidecar.ts'
import { untilRegistered } from './until-registered.ts'
import type { UnregisteredDriver } from './until-registered.ts'

/** The API server as the parts of a cluster reach it. */
export type ServedApi = {
  /** With every right. */
  readonly api: Api
  /** With only the permissions of this node: what works here works for a kubelet. */
  readonly apiOf: (node: string) => Api
}

/** Everything of a cluster but its API server, in the order of its start. */
export async function startParts(
  parts: MachineParts,
  options: Omit<ClusterOptions, 'port' | 'kubeconfigPath' | 'inMemory'>,
  { api, apiOf }: ServedApi,
): Promise<StartedPart[]> {
  let unregistered: readonly UnregisteredDriver[] = []
  const started = await startAll<StartedPart>(async (add) => {
    const nodes = nodesOf(options)
    const until = options.signal ? { signal: options.signal } : {}
    const found = await findDrivers(parts, options.drivers ?? [], nodes, until)
    const bundled = (options.bundledDriver ?? true) ? await startDrivers(parts, options.dataDirectory, nodes) : []
    add(...bundled, ...found.map(givenPart))
    const behind: NodeDriver[] = [...bundled, ...found]
    const proxies = options.proxy ? await startProxies(parts, options.proxy, { nodes, drivers: behind }) : []
    add(...proxies)
    const drivers = options.proxy ? proxies : behind
    add(await restartable(() => startControllers(parts, api, options.gates)))
    let maker: string | undefined
    for (const driver of onePerName(drivers)) {
      const start = () =>
        startSidecar(parts, {
          connect: connector(driver, parts, options),
          hostname: driver.node,
          api,
          gates: options.gates ?? {},
          provisionerGates: options.provisionerGates,
        })
      const sidecar = await restartable(start)
      add(sidecar)
      if (sidecar.makesVolumes) maker ??= driver.driverName
    }
    if (maker !== undefined) await ensureDefaultClass(api, maker, { hasZones: (options.zones ?? []).length > 0 })
    await allowNodesToCreateCsiDrivers(api, options.registration?.createCsiDrivers ?? false)
    add(...(await startNodes(parts, { ...options, apiOf, nodes, drivers })))
    unregistered = await untilRegistered(parts, api, { nodes, drivers, ...until })
  })
  return started.map((part) => withProblem(part, unregistered))
}

/** A driver that a node could not register is running, but no pod on that node can use it. */
function withProblem(
  part: StartedPart & Partial<NodeDriver>,
  unregistered: readonly UnregisteredDriver[],
): StartedPart {
  const found =
    part.endpoint === undefined ? undefined : unregistered.find(({ endpoint }) => endpoint === part.endpoint)
  return found ? { ...part, detail: `${part.detail} NOT REGISTERED: ${found.problem}` } : part
}

// It is not ours to stop.
const givenPart = (driver: NodeDriver): StartedPart & NodeDriver => ({
  ...driver,
  name: `driver ${driver.driverName} on ${driver.node}`,
  detail: driver.endpoint,
  stop: () => Promise.resolve(),
})

/** However many nodes a driver runs on, it has one set of sidecars, at its first socket. */
const onePerName = (drivers: readonly NodeDriver[]): NodeDriver[] =>
  drivers.filter(({ driverName }, index) => drivers.findIndex((other) => other.driverName === driverName) === index)

const connector =
  (
    { endpoint, driverName }: NodeDriver,
    { sockets }: MachineParts,
    { observeCsi, observeCsiStart }: Pick<ClusterOptions, 'observeCsi' | 'observeCsiStart'>,
  ): SidecarOptions['connect'] =>
  (observe) => {
    const follow = observeCsi?.('sidecars', driverName)
    const both: CallObserver = (call) => {
      observe(call)
      follow?.(call)
    }
    const observeStart = observeCsiStart?.('sidecars', driverName)
    return sockets.connectDriver(endpoint, { observe: both, ...(observeStart ? { observeStart } : {}) })
  }
