import { join } from 'node:path'
import type { Api } from '../../api/api.ts'
import { CSI_DRIVERS } from '../../api/kinds/csi-driver.ts'
import { createMemoryBackend, createSigningKey, openServer } from '../../apiserver/index.ts'
import { makeDirectories } from '../../base/host/index.ts'
import { createSilentLogger } from '../../base/logger.ts'
import type { Random } from '../../base/random.ts'
import { createLife } from '../../base/life.ts'
import { startWhole } from '../../base/stops.ts'
import type { ClusterNode } from '../../cluster/cluster-options.ts'
import { findTooLongSocket } from '../../cluster/socket-room.ts'
import { serveParts } from '../../cluster/serve-parts.ts'
import type { NodeDriver } from '../../cluster/start-drivers.ts'
import { registerDriver, startAgent } from '../../cluster/start-nodes.ts'
import { startControllers } from '../../cluster/start-controllers.ts'
import { startSidecar } from '../../cluster/start-sidecar.ts'
import { createUntilObject } from '../../cluster/until-object.ts'
import type { UntilObject } from '../../cluster/until-object.ts'
import { untilRegistered } from '../../cluster/until-registered.ts'
import type { OpenCase } from '../case-context.ts'
import { Unexpected } from '../expectation.ts'
import type { RunCaseParts } from '../run-case.ts'
import { createCheckedSockets } from './checked-sockets.ts'
import { startProcess } from './start-process.ts'
import { watchProgress } from './watch-progress.ts'
import type { Begin, ClusterProcess } from './start-process.ts'

/** A node of the cluster, and the process of its agent. */
export type CheckedClusterNode = ClusterNode & { readonly agent: ClusterProcess }

/** The cluster of one case. */
export interface CheckedCluster {
  readonly api: Api
  readonly untilObject: UntilObject
  /** All sidecars of the driver, in one process. */
  readonly sidecars: ClusterProcess
  /** One for each node socket, in the same order. */
  readonly nodes: readonly CheckedClusterNode[]
  /** Calls back when a call of this RPC starts, for a kill in the middle of it. The result ends that. */
  onCall(rpc: string, callback: () => void): Disposable
  /** When the driver last did something new. */
  lastProgressMs(): number
  /** Ends everything at once, without waiting for calls. */
  kill(): void
  stop(): Promise<void>
}

// Only for drivers whose CSIDriver asks for it, as one case does.
const REPUBLISH_MS = 300

/** Names of volumes and snapshots begin with it, so that they can be recognized at the driver. */
export const namePrefix = (run: string): string => `holdfast-check-${run}`

/** Starts a cluster for the driver, with a node for each of its node sockets. */
export async function openCluster(parts: RunCaseParts, random: Random, opened: OpenCase): Promise<CheckedCluster> {
  const { host, clock, features, settings } = parts
  const log = createSilentLogger()
  const machine = { host, clock, random, log, version: 'check' }
  const waiting = new Map<string, () => void>()
  const onCall = (rpc: string): void => waiting.get(rpc)?.()
  const progress = watchProgress(clock)
  const socketsOf = createCheckedSockets(machine, opened, { ...parts, onCall, onEnd: progress.onEnd })
  const nodes = parts.nodes.map((_, index): ClusterNode => {
    const name = `node-${index + 1}`
    return { name, rootDir: join(opened.context.directory, name), zone: undefined }
  })
  const tooLong = findTooLongSocket(opened.context.directory, nodes, [features.name])
  if (tooLong !== undefined) throw new Unexpected('a shorter --work', tooLong)
  return startWhole(async (stops) => {
    const server = await openServer({
      backend: createMemoryBackend(),
      clock,
      random,
      log,
      authorizationMode: 'Node,RBAC',
      signingKey: await createSigningKey(),
      rootCaPem: '',
    })
    stops.onStop(() => server.close())
    const { api, apiOf } = serveParts(server)
    await createDriverObject(api, features)
    const processParts = { ...machine, socketsOf }
    const processes: ClusterProcess[] = []
    const start = async (name: string, begin: Begin): Promise<ClusterProcess> => {
      const process = await startProcess(name, processParts, begin)
      processes.push(process)
      stops.onStop(() => process.stop())
      return process
    }
    await start('controllers', async (own, through) => [await startControllers(own, through(api))])
    const sidecars = await start('sidecars', async (own, through) => [
      await startSidecar(own, {
        connect: (observe) =>
          own.sockets.connectDriver(parts.controller.endpoint, { observe, timeoutMs: settings.callTimeoutMs }),
        hostname: 'node-1',
        api: through(api),
        namePrefix: namePrefix(parts.run),
      }),
    ])
    const drivers = nodes.map(({ name }, index): NodeDriver => ({
      driverName: features.name,
      node: name,
      endpoint: `unix://${parts.nodes[index]?.endpoint ?? ''}`,
    }))
    const running: CheckedClusterNode[] = []
    for (const [index, node] of nodes.entries()) {
      await makeDirectories(host.files, node.rootDir, { mode: 0o750 })
      const driver = drivers[index]
      const agent = await start(node.name, async (own, through) => [
        ...(driver ? [await registerDriver(own, node, driver)] : []),
        await startAgent(own, node, {
          apiOf: (name) => through(apiOf(name)),
          drivers: driver ? [driver] : [],
          volumes: { remountMs: REPUBLISH_MS, republishMs: REPUBLISH_MS },
        }),
      ])
      running.push({ ...node, agent })
    }
    const unregistered = await untilRegistered({ ...machine, sockets: socketsOf(createLife('check')) }, api, {
      nodes,
      drivers,
    })
    const [problem] = unregistered
    if (problem) throw new Unexpected(`node ${problem.node} registers the driver`, problem.problem)
    return {
      api,
      untilObject: createUntilObject({ api, clock, random, log }),
      sidecars,
      nodes: running,
      onCall: (rpc, callback) => {
        waiting.set(rpc, callback)
        return { [Symbol.dispose]: () => waiting.delete(rpc) }
      },
      lastProgressMs: progress.lastMs,
      kill: () => processes.forEach((process) => process.kill()),
      stop: stops.run,
    }
  })
}

/** As the manifests of a driver would have it. */
async function createDriverObject(api: Api, { name, controller }: RunCaseParts['features']): Promise<void> {
  await api.create(CSI_DRIVERS, {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'CSIDriver',
    metadata: { name },
    spec: { attachRequired: controller.has('PUBLISH_UNPUBLISH_VOLUME'), podInfoOnMount: true },
  })
}
