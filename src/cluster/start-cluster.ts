import { join } from 'node:path'
import type { Api } from '../api/api.ts'
import { startApiServer, writeAdminKubeconfig } from '../apiserver/index.ts'
import type { OpenServer, User } from '../apiserver/index.ts'
import { makeDirectories } from '../base/host/index.ts'
import { connectDriver } from '../csi/index.ts'
import type { CallObserver } from '../csi/index.ts'
import { nodesOf } from './cluster-options.ts'
import type { ClusterOptions, ClusterParts, StartedPart } from './cluster-options.ts'
import { ensureDefaultClass } from './ensure-default-class.ts'
import { findDrivers } from './find-drivers.ts'
import { startControllers } from './start-controllers.ts'
import { startDrivers } from './start-drivers.ts'
import type { NodeDriver } from './start-drivers.ts'
import { startNodes } from './start-nodes.ts'
import { startSidecar } from './start-sidecar.ts'
import type { SidecarOptions } from './start-sidecar.ts'
import { untilRegistered } from './until-registered.ts'

export interface Cluster {
  readonly started: readonly Pick<StartedPart, 'name' | 'detail'>[]
  readonly address: string
  /** With every right. */
  readonly api: Api
  /** In reverse order; nothing that a restart will want is undone. */
  stop(): Promise<void>
}

// The parts of the cluster that are no nodes.
const CLUSTER_USER: User = { name: 'system:holdfast', groups: ['system:masters', 'system:authenticated'] }

/** Starts what there is of a cluster in this process. When a part can't start, those before it are stopped again. */
export async function startCluster(parts: ClusterParts, options: ClusterOptions): Promise<Cluster> {
  const started: StartedPart[] = []
  const stop = async (): Promise<void> => {
    for (const part of started.toReversed()) await part.stop()
  }
  try {
    const { address, api, server, ...apiServer } = await startServer(parts, options)
    started.push(apiServer)
    const nodes = nodesOf(options)
    const given = await findDrivers(parts, options.drivers ?? [], nodes)
    const bundled = (options.bundledDriver ?? true) ? await startDrivers(parts, options.dataDirectory, nodes) : []
    started.push(...bundled, ...given.map(givenPart))
    const drivers: NodeDriver[] = [...bundled, ...given]
    const [first] = drivers
    if (first) await ensureDefaultClass(api, first.driverName, { hasZones: options.zones.length > 0 })
    started.push(await startControllers(parts, api))
    for (const driver of onePerName(drivers)) started.push(await startSidecar(parts, { connect: connector(driver, parts, options), hostname: driver.node, api }))
    started.push(...(await startNodes(parts, { ...options, server, nodes, drivers })))
    await untilRegistered(parts, api, nodes, drivers)
    return { started: started.filter(({ isHidden = false }) => !isHidden), address, api, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

// It is not ours to stop.
const givenPart = ({ driverName, node, endpoint }: NodeDriver): StartedPart => ({ name: `driver ${driverName} on ${node}`, detail: endpoint, stop: () => Promise.resolve() })

/** However many nodes a driver runs on, it has one set of sidecars, at its first socket. */
const onePerName = (drivers: readonly NodeDriver[]): NodeDriver[] => drivers.filter(({ driverName }, index) => drivers.findIndex((other) => other.driverName === driverName) === index)

const connector =
  ({ endpoint }: NodeDriver, { clock }: ClusterParts, { observeCsi }: ClusterOptions): SidecarOptions['connect'] =>
  (observe) => {
    const follow = observeCsi?.('sidecars')
    const both: CallObserver = (call) => {
      observe(call)
      follow?.(call)
    }
    return connectDriver({ endpoint, clock, observe: both })
  }

async function startServer({ host: machine, clock, random, log, version }: ClusterParts, options: ClusterOptions): Promise<StartedPart & { address: string; api: Api; server: OpenServer }> {
  const { dataDirectory, inMemory, port, kubeconfigPath } = options
  await makeDirectories(machine.files, dataDirectory, { mode: 0o700 })
  const apiServer = await startApiServer(
    { port, authorizationMode: 'Node,RBAC', ...(inMemory ? {} : { dataDirectory: join(dataDirectory, 'apiserver') }) },
    { machine, clock, random, log, version },
  )
  const { address, server, stop } = apiServer
  try {
    await writeAdminKubeconfig(kubeconfigPath, apiServer, { machine, random })
  } catch (error) {
    await stop()
    throw error
  }
  return { name: 'API server', detail: address, address, server, api: server.core.as(CLUSTER_USER, { userAgent: 'holdfast-up' }), stop }
}
