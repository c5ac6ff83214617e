import { join } from 'node:path'
import type { Api } from '../api/api.ts'
import { startApiServer, writeAdminKubeconfig } from '../apiserver/index.ts'
import type { OpenServer, User } from '../apiserver/index.ts'
import { connectDriver } from '../csi/index.ts'
import { makeDirectories } from '../base/host/index.ts'
import type { ClusterOptions, ClusterParts, StartedPart } from './cluster-options.ts'
import { DEFAULT_DRIVER_NAME } from '../drivers/hostpath/index.ts'
import { ensureDefaultClass } from './ensure-default-class.ts'
import { startControllers } from './start-controllers.ts'
import { startDrivers } from './start-drivers.ts'
import { startNodes } from './start-nodes.ts'
import { startSidecar } from './start-sidecar.ts'

export interface Cluster {
  readonly started: readonly Pick<StartedPart, 'name' | 'detail'>[]
  readonly address: string
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
    const drivers = await startDrivers(parts, options)
    started.push(...drivers)
    await ensureDefaultClass(api, DEFAULT_DRIVER_NAME, { hasZones: options.zones.length > 0 })
    started.push(await startControllers(parts, api))
    const [first] = drivers
    if (first) started.push(await startSidecar(parts, { connect: (observe) => connectDriver({ endpoint: first.endpoint, clock: parts.clock, observe }), hostname: first.node, api }))
    started.push(...(await startNodes(parts, server, drivers)))
    return { started: started.filter(({ isHidden = false }) => !isHidden), address, stop }
  } catch (error) {
    await stop()
    throw error
  }
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
