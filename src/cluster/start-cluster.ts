import { join } from 'node:path'
import { startApiServer, writeAdminKubeconfig } from '../apiserver/index.ts'
import { makeDirectories } from '../base/host/index.ts'
import type { ClusterOptions, ClusterParts, StartedPart } from './cluster-options.ts'
import { startDrivers } from './start-drivers.ts'

export interface Cluster {
  readonly started: readonly Pick<StartedPart, 'name' | 'detail'>[]
  /** What a whole cluster has and this version does not. */
  readonly missing: readonly string[]
  readonly address: string
  /** In reverse order; nothing that a restart will want is undone. */
  stop(): Promise<void>
}

const MISSING = ['controllers', 'provisioner', 'node agents']

/** Starts what there is of a cluster in this process. When a part can't start, those before it are stopped again. */
export async function startCluster(parts: ClusterParts, options: ClusterOptions): Promise<Cluster> {
  const started: StartedPart[] = []
  const stop = async (): Promise<void> => {
    for (const part of started.toReversed()) await part.stop()
  }
  try {
    const { address, ...apiServer } = await startServer(parts, options)
    started.push(apiServer)
    started.push(...(await startDrivers(parts, options)))
    return { started, missing: MISSING, address, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

async function startServer({ host: machine, clock, random, log, version }: ClusterParts, options: ClusterOptions): Promise<StartedPart & { address: string }> {
  const { dataDirectory, inMemory, port, kubeconfigPath } = options
  await makeDirectories(machine.files, dataDirectory, { mode: 0o700 })
  const apiServer = await startApiServer(
    { port, authorizationMode: 'Node,RBAC', ...(inMemory ? {} : { dataDirectory: join(dataDirectory, 'apiserver') }) },
    { machine, clock, random, log, version },
  )
  const { address, stop } = apiServer
  try {
    await writeAdminKubeconfig(kubeconfigPath, apiServer, { machine, random })
  } catch (error) {
    await stop()
    throw error
  }
  return { name: 'API server', detail: address, address, stop }
}
