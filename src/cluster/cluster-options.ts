import { join } from 'node:path'
import type { Clock } from '../base/clock.ts'
import type { Host } from '../base/host/index.ts'
import type { Logger } from '../base/logger.ts'
import type { Random } from '../base/random.ts'
import type { Tracer } from '../base/tracing/index.ts'
import type { SnapshotGates } from '../api/snapshot-gates.ts'
import type { DriverGates } from '../api/driver-gates.ts'
import type { MeasuredNode, RegistrationConfig, VolumeConfig } from '../node/index.ts'
import type { CallObserver, CallStartObserver, Sockets } from '../csi/index.ts'
import type { ProxyOptions } from '../proxy/index.ts'
import type { ProvisionerConfig } from '../sidecars/provisioner/index.ts'

/** The world of a cluster. */
export type ClusterParts = {
  host: Host
  clock: Clock
  random: Random
  log: Logger
  version: string
  /** Records what controllers, sidecars, nodes and the bundled driver do for each volume. Default: none. */
  tracer?: Tracer | undefined
}

export type MachineParts = ClusterParts & { sockets: Sockets }

export type ClusterOptions = {
  /** All data of the cluster is below this directory. */
  dataDirectory: string
  /** Do not store API objects; volumes are kept. Default false. */
  inMemory?: boolean
  /** If stored objects are damaged, copy the files and continue with what can be read. Default false: the start fails. */
  acceptDataLoss?: boolean
  /** How long earlier versions of objects can be listed at least. Default five minutes. */
  versionsKeptMs?: number
  /** Default 1. */
  nodes?: number
  /** Nodes are spread over them in turn. Default none: a cluster without topology. */
  zones?: readonly string[]
  /** Of the API server. Default 0: a free one. */
  port?: number
  /** If the port is in use, use a free one. Default false: the start fails. */
  orFreePort?: boolean
  /** Label prefixes below kubernetes.io and k8s.io that nodes may set on themselves. Default none. */
  nodeLabelPrefixes?: readonly string[]
  /** Default: `kubeconfig` in the data directory. */
  kubeconfigPath?: string
  /** Of every node agent, over its defaults. */
  volumes?: Partial<Omit<VolumeConfig, 'gates'>>
  /** Of API server, controllers, sidecars and nodes. Default: all enabled. */
  gates?: DriverGates & SnapshotGates
  /** Of the provisioner of each driver, over its defaults. */
  provisionerGates?: Partial<ProvisionerConfig['featureGates']>
  /** Of every node agent, over its defaults. With `createCsiDrivers`, nodes are given the right to create CSIDrivers. */
  registration?: Partial<Omit<RegistrationConfig, 'endpointDirectories'>>
  /** Drivers that are already running, in addition to the bundled one. Default none. */
  drivers?: readonly GivenDriver[]
  /** Default true. */
  bundledDriver?: boolean
  /** Cancels the start; parts that were started are stopped. */
  signal?: AbortSignal
  /** Receives every call to a driver when it has ended. `by` is the caller: `sidecars`, `node-1`. */
  observeCsi?: (by: string, driver: string) => CallObserver
  /** The same when a call starts. */
  observeCsiStart?: (by: string, driver: string) => CallStartObserver
  /** Puts a proxy in front of every driver, which applies faults and records calls. Default none. */
  proxy?: Pick<ProxyOptions, 'faults' | 'recorder'>
}

/** A driver that is already running. One socket serves one node. */
export type GivenDriver = { readonly node: string; readonly endpoint: string }

/** A part that runs. */
export type StartedPart = {
  readonly name: string
  readonly detail: string
  /** Not worth a separate line. */
  readonly isHidden?: boolean
  isIdle?(): boolean
  /** Of a node: how full its volumes are. */
  readonly stats?: MeasuredNode['stats']
  stop(): Promise<void>
  /** Starts a part again that was stopped. */
  start?(): Promise<void>
}

export type ClusterNode = { readonly name: string; readonly rootDir: string; readonly zone: string | undefined }

/** The nodes of a cluster. */
export function nodesOf({
  nodes = 1,
  zones = [],
  dataDirectory,
}: Pick<ClusterOptions, 'nodes' | 'zones' | 'dataDirectory'>): ClusterNode[] {
  return Array.from({ length: nodes }, (_, index) => {
    const name = `node-${index + 1}`
    return { name, rootDir: join(dataDirectory, name), zone: zones[index % zones.length] }
  })
}
