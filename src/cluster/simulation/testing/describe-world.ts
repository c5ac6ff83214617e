import { join } from 'node:path'
import type { Api } from '../../../api/api.ts'
import { nodeUser } from '../../../apiserver/authorization/node-identity.ts'
import { sleep } from '../../../base/clock.ts'
import { createSimulatedHost, hostThrough, makeDirectories } from '../../../base/host/index.ts'
import type { SimulatedHost } from '../../../base/host/index.ts'
import { createSeededRandom } from '../../../base/random.ts'
import { createSimulatedSockets } from '../../../csi/index.ts'
import type { Driver, Sockets } from '../../../csi/index.ts'
import { DEFAULT_DRIVER_NAME } from '../../../drivers/hostpath/index.ts'
import { startSimulation } from '../../../testing/index.ts'
import type {
  ProcessBody,
  ProcessWorld,
  SimulatedProcess,
  Simulation,
  SimulationOptions,
} from '../../../testing/index.ts'
import { nodesOf } from '../../cluster-options.ts'
import type { ClusterNode, MachineParts, StartedPart } from '../../cluster-options.ts'
import { ensureDefaultClass } from '../../ensure-default-class.ts'
import { startControllers } from '../../start-controllers.ts'
import { startDrivers } from '../../start-drivers.ts'
import { registerDriver, startAgent } from '../../start-nodes.ts'
import { startSidecar } from '../../start-sidecar.ts'
import { createJudge } from './judge.ts'
import type { Judge } from './judge.ts'
import { knownToCluster } from './known-to-cluster.ts'

export const DATA = '/cluster'
export const NAMESPACE = 'default'
export const ZONES = ['a', 'b']
const NODES = 2
const LONGEST_STEP_MS = 50
const MOST_TRIES = 10

/** A whole cluster of processes that can be killed one by one, on a machine and an API server that outlive them. */
export type ClusterWorld = {
  readonly simulation: Simulation
  readonly api: Api
  readonly machine: SimulatedHost
  readonly judge: Judge
  /** The driver, the controllers, the sidecars, and each node. */
  readonly processes: readonly SimulatedProcess[]
  /** Whoever is down comes back. */
  revive(): Promise<void>
  /** The driver of the first node, without faults. */
  readonly driver: Driver
  /** What the driver lists, without faults: sizes of its volumes by id, and ids of its snapshots. */
  lookAtDriver(): Promise<{ sizes: ReadonlyMap<string, bigint>; snapshots: readonly string[] }>
}

export async function openClusterWorld(options: SimulationOptions): Promise<ClusterWorld> {
  const simulation = await startSimulation(options)
  const { api, clock } = simulation
  const machine = createSimulatedHost({ random: createSeededRandom(options.seed), nowMs: () => clock.nowMs() })
  const socketsOf = createSimulatedSockets(machine)
  const nodes = nodesOf({ nodes: NODES, zones: options.seed % 2 === 0 ? ZONES : [], dataDirectory: DATA })
  const judge = createJudge(() => clock.monotonicMs(), knownToCluster(api))
  for (const { rootDir } of nodes) await makeDirectories(machine.files, rootDir)
  await ensureDefaultClass(api, DEFAULT_DRIVER_NAME, { hasZones: options.seed % 2 === 0 })

  const partsOf = ({ life, clock: own, random, log }: ProcessWorld): MachineParts => ({
    host: hostThrough(machine, (act) =>
      life.call(async () => {
        // A disk takes its time: what runs beside must not count on it.
        if (random.fraction() < 0.1) await sleep(own, random.below(LONGEST_STEP_MS))
        return act()
      }),
    ),
    sockets: socketsOf({ clock: own, around: (call) => life.call(call), onEnd: (callback) => life.onEnd(callback) }),
    clock: own,
    random,
    log,
    version: 'simulated',
  })
  const start = (
    name: string,
    begin: (parts: MachineParts, world: ProcessWorld) => Promise<StartedPart[]>,
  ): Promise<SimulatedProcess> =>
    simulation.startProcess(name, (world) => Promise.resolve(inBackground(world, () => begin(partsOf(world), world))))
  const socketOf = ({ rootDir }: ClusterNode): string =>
    `unix://${join(rootDir, 'plugins', DEFAULT_DRIVER_NAME, 'csi.sock')}`
  const [first] = nodes
  if (!first) throw new Error('no node')

  const processes = [
    await start('driver', (parts) => startDrivers(parts, DATA, nodes)),
    await start('controllers', async (parts, world) => [await startControllers(parts, world.api())]),
    await start('sidecar', async (parts, world) => {
      const sockets = judged(parts.sockets, first.name, world, judge)
      return [
        await startSidecar(parts, {
          hostname: first.name,
          api: world.api(),
          connect: (observe) => sockets.connectDriver(socketOf(first), { observe }),
        }),
      ]
    }),
  ]
  for (const node of nodes) {
    processes.push(
      await start(node.name, async (parts, world) => {
        const driver = { driverName: DEFAULT_DRIVER_NAME, node: node.name, endpoint: socketOf(node) }
        const apiOf = (name: string): Api => world.api(nodeUser(name))
        const agent = await startAgent({ ...parts, sockets: judged(parts.sockets, node.name, world, judge) }, node, {
          apiOf,
          drivers: [driver],
        })
        return [agent, await registerDriver(parts, node, driver)]
      }),
    )
  }
  const revive = async (): Promise<void> => {
    for (const process of processes) if (!process.isRunning()) await process.restart()
  }
  const { driver: undisturbed } = socketsOf({ clock }).connectDriver(socketOf(first))
  const lookAtDriver: ClusterWorld['lookAtDriver'] = async () => {
    for (let tries = 0; ; tries++) {
      // A kill that was ordered earlier may only now hit the driver.
      await revive()
      await simulation.advance(1000)
      const looking = Promise.allSettled([undisturbed.listVolumes({}), undisturbed.listSnapshots({})])
      await simulation.advance(1000)
      const [volumes, snapshots] = await looking
      if (volumes.status === 'fulfilled' && snapshots.status === 'fulfilled')
        return {
          sizes: new Map(
            volumes.value.entries.map(({ volume }) => [volume?.volumeId ?? '', volume?.capacityBytes ?? 0n]),
          ),
          snapshots: snapshots.value.entries.map(({ snapshot }) => snapshot?.snapshotId ?? ''),
        }
      if (tries === MOST_TRIES) throw new Error('the driver does not answer')
    }
  }
  return { simulation, api, machine, judge, processes, revive, driver: undisturbed, lookAtDriver }
}

/** What a driver is asked is seen as it arrives; things go wrong on the way to it and back. */
function judged(sockets: Sockets, node: string, { driver: withFaults }: ProcessWorld, judge: Judge): Sockets {
  return {
    ...sockets,
    connectDriver: (endpoint, options) => {
      const { driver, connection } = sockets.connectDriver(endpoint, options)
      const watched: Driver = judge.watch(node, driver)
      return { connection, driver: withFaults({ current: () => watched, restart: () => Promise.resolve() }) }
    },
  }
}

/** A process that can't start ends; it is started again like one that was killed. */
function inBackground({ life }: ProcessWorld, begin: () => Promise<StartedPart[]>): ProcessBody {
  let parts: StartedPart[] | undefined
  begin().then(
    (started) => void (parts = started),
    () => life.kill(),
  )
  const stop = async (): Promise<void> => {
    for (const part of (parts ?? []).toReversed()) await part.stop()
  }
  return { isIdle: () => parts?.every(({ isIdle }) => isIdle?.() ?? true) ?? true, stop }
}
