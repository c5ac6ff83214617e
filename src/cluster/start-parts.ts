import type { Api } from '../api/api.ts'
import { startWhole } from '../base/stops.ts'
import type { CallObserver } from '../csi/index.ts'
import { nodesOf } from './cluster-options.ts'
import type { ClusterOptions, MachineParts, StartedPart } from './cluster-options.ts'
import { ensureDefaultClass } from './ensure-default-class.ts'
import { findDrivers } from './find-drivers.ts'
import { startControllers } from './start-controllers.ts'
import { startDrivers } from './start-drivers.ts'
import type { NodeDriver } from './start-drivers.ts'
import { startNodes } from './start-nodes.ts'
import { startSidecar } from './start-sidecar.ts'
import type { SidecarOptions } from './start-sidecar.ts'
import { untilRegistered } from './until-registered.ts'

/** The API server as the parts of a cluster reach it. */
export type ServedApi = {
  /** With every right. */
  readonly api: Api
  /** With no more rights than this node has: what works here works for a kubelet. */
  readonly apiOf: (node: string) => Api
}

/** Everything of a cluster but its API server, in the order of its start. */
export async function startParts(parts: MachineParts, options: Omit<ClusterOptions, 'port' | 'kubeconfigPath' | 'inMemory'>, { api, apiOf }: ServedApi): Promise<StartedPart[]> {
  return startWhole(async (stops) => {
    const all: StartedPart[] = []
    const add = (...started: StartedPart[]): void => {
      all.push(...started)
      for (const part of started) stops.onStop(() => part.stop())
    }
    const nodes = nodesOf(options)
    const given = await findDrivers(parts, options.drivers ?? [], nodes)
    const bundled = (options.bundledDriver ?? true) ? await startDrivers(parts, options.dataDirectory, nodes) : []
    add(...bundled, ...given.map(givenPart))
    const drivers: NodeDriver[] = [...bundled, ...given]
    const [first] = drivers
    if (first) await ensureDefaultClass(api, first.driverName, { hasZones: (options.zones ?? []).length > 0 })
    add(await startControllers(parts, api))
    for (const driver of onePerName(drivers)) add(await startSidecar(parts, { connect: connector(driver, parts, options), hostname: driver.node, api }))
    add(...(await startNodes(parts, { ...options, apiOf, nodes, drivers })))
    await untilRegistered(parts, api, nodes, drivers)
    return all
  })
}

// It is not ours to stop.
const givenPart = ({ driverName, node, endpoint }: NodeDriver): StartedPart => ({ name: `driver ${driverName} on ${node}`, detail: endpoint, stop: () => Promise.resolve() })

/** However many nodes a driver runs on, it has one set of sidecars, at its first socket. */
const onePerName = (drivers: readonly NodeDriver[]): NodeDriver[] => drivers.filter(({ driverName }, index) => drivers.findIndex((other) => other.driverName === driverName) === index)

const connector =
  ({ endpoint }: NodeDriver, { sockets }: MachineParts, { observeCsi }: Pick<ClusterOptions, 'observeCsi'>): SidecarOptions['connect'] =>
  (observe) => {
    const follow = observeCsi?.('sidecars')
    const both: CallObserver = (call) => {
      observe(call)
      follow?.(call)
    }
    return sockets.connectDriver(endpoint, { observe: both })
  }
