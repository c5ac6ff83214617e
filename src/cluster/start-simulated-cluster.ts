import { join } from 'node:path'
import type { DriverGates } from '../api/driver-gates.ts'
import type { SnapshotGates } from '../api/snapshot-gates.ts'
import type { Api } from '../api/api.ts'
import { createMemoryBackend, createSigningKey, openServer } from '../apiserver/index.ts'
import { createSimulatedHost, makeDirectories } from '../base/host/index.ts'
import type { SimulatedHost } from '../base/host/index.ts'
import { createSilentLogger } from '../base/logger.ts'
import type { Logger } from '../base/logger.ts'
import { createSeededRandom } from '../base/random.ts'
import { createSimulatedClock } from '../base/simulated-clock.ts'
import type { SimulatedClock } from '../base/simulated-clock.ts'
import { startWhole } from '../base/stops.ts'
import { createSimulatedSockets } from '../csi/index.ts'
import type { CallObserver } from '../csi/index.ts'
import type { Dispatcher } from '../csi/kit/index.ts'
import { startControllers } from '../kube/controller/index.ts'
import { createEventRecorder } from '../kube/controller/event-recorder.ts'
import { createInformers } from '../kube/cache/informers.ts'
import { nodesOf } from './cluster-options.ts'
import type { ClusterOptions, GivenDriver, StartedPart } from './cluster-options.ts'
import { serveParts } from './serve-parts.ts'
import { startParts } from './start-parts.ts'
import { createUntilObject, DEFAULT_LIMIT_MS } from './until-object.ts'
import type { UntilObject } from './until-object.ts'
import { timedOut } from './why.ts'

export type SimulatedClusterOptions = {
  /** Default 1. */
  nodes?: number
  /** Nodes are spread over them in turn. Default none: a cluster without topology. */
  zones?: readonly string[]
  /** Drivers of your own, each on one node, by default `node-1`: what `defineDriver` returns. Default: the bundled one on every node. */
  drivers?: (world: SimulatedWorld) => readonly { readonly node?: string; readonly server: Dispatcher }[]
  /** Whether to run the bundled driver. Default: only without drivers of your own. */
  bundledDriver?: boolean
  /** Of controllers, sidecars and nodes. Default: all enabled. */
  gates?: DriverGates & SnapshotGates
  /** Seed of all random choices: the same seed produces the same names. Default 1. */
  seed?: number
  /** Default: nothing is logged. */
  log?: Logger
  /** Receives every call to a driver. `by` is the caller: `sidecars`, `node-1`. */
  observeCsi?: (by: string) => CallObserver
  /** Of the provisioner of each driver, over its defaults. */
  provisionerGates?: ClusterOptions['provisionerGates']
}

/** What a driver in a simulated cluster receives. */
export type SimulatedWorld = { readonly machine: SimulatedHost; readonly clock: SimulatedClock; readonly log: Logger }

/** A whole cluster in memory: no ports, sockets, files or mounts, and a clock that only moves when it is advanced. */
export interface SimulatedCluster extends AsyncDisposable {
  /** With every right. */
  readonly api: Api
  readonly clock: SimulatedClock
  /** The machine that all nodes share. Node `node-1` keeps its files below `/cluster/node-1`. */
  readonly machine: SimulatedHost
  advance(byMs: number): Promise<void>
  /**
   * Advances the clock in small steps until `holds` returns true. Rejects after `limitMs` of the cluster's time, by default a minute, with what
   * was awaited and what `why` says about each pod and claim that is not ready.
   */
  until(what: string, holds: () => boolean | Promise<boolean>, options?: { limitMs?: number }): Promise<void>
  /** As `until`, for one object, which is undefined while it does not exist. The error says what `why` says about that object. */
  readonly untilObject: UntilObject
  /** Runs controllers of your own on the cluster, with every right, until it stops. Resolves when they are working. */
  startControllers(assemble: Parameters<typeof startControllers>[2]): Promise<void>
  /** Stops a part, as if its process had ended: `controllers`, `sidecars`, `registrar`, or the agent of a node: `node-1`. */
  stopPart(name: string): Promise<void>
  /** Starts a part again. It reads the gates that the cluster was started with anew. */
  startPart(name: string): Promise<void>
  stop(): Promise<void>
}

const DATA = '/cluster'
const STEP_MS = 50
// Turns of the event loop in which work that needs no time completes.
const TURNS_BEFORE_TIME_PASSES = 100

export async function startSimulatedCluster(options: SimulatedClusterOptions = {}): Promise<SimulatedCluster> {
  const {
    nodes = 1,
    zones = [],
    drivers,
    bundledDriver = !drivers,
    gates = {},
    seed = 1,
    log = createSilentLogger(),
    observeCsi,
    provisionerGates = {},
  } = options
  const seeds = createSeededRandom(seed)
  const random = () => createSeededRandom(seeds.below(2 ** 32))
  const clock = createSimulatedClock()
  const machine = createSimulatedHost({ random: random(), nowMs: () => clock.nowMs() })
  const sockets = createSimulatedSockets(machine)({ clock })
  const run = <T>(work: Promise<T>): Promise<T> => moveUntilDone(clock, work)
  return startWhole(async (stops) => {
    const server = await openServer({
      backend: createMemoryBackend(),
      clock,
      random: random(),
      log,
      authorizationMode: 'Node,RBAC',
      signingKey: await createSigningKey(),
      rootCaPem: '',
    })
    stops.onStop(() => server.close())
    const given: GivenDriver[] = []
    for (const [index, { node = 'node-1', server: dispatcher }] of (
      drivers?.({ machine, clock, log }) ?? []
    ).entries()) {
      const path = join(DATA, node, 'plugins', `given-${index + 1}`, 'csi.sock')
      await makeDirectories(machine.files, join(path, '..'))
      const { stop } = await sockets.serve(path, dispatcher)
      stops.onStop(stop)
      given.push({ node, endpoint: `unix://${path}` })
    }
    const served = serveParts(server)
    const parts = { host: machine, sockets, clock, random: random(), log, version: 'simulated' }
    const place = {
      dataDirectory: DATA,
      nodes,
      zones,
      drivers: given,
      bundledDriver,
      provisionerGates,
      // A driver of a test need not mount on the simulated machine.
      volumes: { allowUnmounted: drivers !== undefined },
      ...(observeCsi ? { observeCsi } : {}),
    }
    for (const { rootDir } of nodesOf(place)) await makeDirectories(machine.files, rootDir)
    const started = await run(startParts(parts, { ...place, gates }, served))
    for (const part of started) stops.onStop(() => run(part.stop()))
    const findParts = (name: string): StartedPart[] => {
      const found = started.filter((part) => part.name === name || part.name.startsWith(`${name} of `))
      if (found.length === 0) throw new Error(`the cluster has no part ${name}`)
      return found
    }
    const { api } = served
    const until: SimulatedCluster['until'] = async (what, holds, { limitMs = DEFAULT_LIMIT_MS } = {}) => {
      const endMs = clock.monotonicMs() + limitMs
      for (let turns = 0; !(await holds()); turns++) {
        if (clock.monotonicMs() >= endMs) throw await timedOut(api, { what, limitMs })
        await clock.advance(turns < TURNS_BEFORE_TIME_PASSES ? 0 : STEP_MS)
      }
    }
    const startOwn: SimulatedCluster['startControllers'] = async (assemble) => {
      const own = { api, clock, random: random(), log }
      const informers = createInformers(own)
      stops.onStop(() => informers.stop())
      const events = createEventRecorder({ ...own, component: 'controllers-under-test' })
      stops.onStop(() => run(events.flush()))
      const running = await run(startControllers({ ...own, informers, events }, new AbortController().signal, assemble))
      stops.onStop(() => run(running.stop()))
    }
    const untilObject = createUntilObject({ api, clock, random: random(), log })
    return {
      api,
      clock,
      machine,
      advance: (byMs) => clock.advance(byMs),
      until,
      untilObject: (...wait) => run(untilObject(...wait)),
      startControllers: startOwn,
      stopPart: async (name) => {
        for (const part of findParts(name)) await run(part.stop())
      },
      startPart: async (name) => {
        for (const part of findParts(name)) if (part.start) await run(part.start())
      },
      stop: stops.run,
      [Symbol.asyncDispose]: stops.run,
    }
  })
}

/** Advances the clock until the work is done. */
export async function moveUntilDone<T>(clock: SimulatedClock, work: Promise<T>): Promise<T> {
  let isDone = false
  const end = (): void => void (isDone = true)
  work.then(end, end)
  for (let turns = 0; !isDone; turns++) await clock.advance(turns < TURNS_BEFORE_TIME_PASSES ? 0 : STEP_MS)
  return work
}
