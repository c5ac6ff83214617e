import { join } from 'node:path'
import { startApiServer, writeAdminKubeconfig } from '../apiserver/index.ts'
import type { Clock } from '../base/clock.ts'
import type { Host } from '../base/host/index.ts'
import { makeDirectories } from '../base/host/index.ts'
import type { Logger } from '../base/logger.ts'
import type { Random } from '../base/random.ts'
import { startDrivers } from './start-drivers.ts'

export type ClusterParts = { host: Host; clock: Clock; random: Random; log: Logger; version: string }

export type ClusterOptions = {
  /** Everything that a cluster keeps is below this directory. */
  dataDirectory: string
  /** Objects of the API server are lost at the end; volumes are kept. */
  inMemory: boolean
  nodes: number
  /** Nodes are spread over them in turn; empty for a cluster without topology. */
  zones: readonly string[]
  /** Of the API server; 0 picks a free one. */
  port: number
  kubeconfigPath: string
}

/** A part that runs. */
export type StartedPart = { readonly name: string; readonly detail: string; stop(): Promise<void> }

export interface Cluster {
  readonly started: readonly Pick<StartedPart, 'name' | 'detail'>[]
  /** What a whole cluster has and this version does not. */
  readonly missing: readonly string[]
  readonly address: string
  /** In reverse order; nothing that a restart will want is undone. */
  stop(): Promise<void>
}

const MISSING = ['controllers', 'sidecars', 'node agents']

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
