import { join } from 'node:path'
import { startDeadline } from '../base/abort.ts'
import type { Clock } from '../base/clock.ts'
import { makeDirectories } from '../base/host/index.ts'
import type { Host } from '../base/host/index.ts'
import type { Random } from '../base/random.ts'
import { connect, createClient, CSI_SERVICES, isCsiError, parseEndpoint } from '../csi/index.ts'
import type { Connection, CsiMethods, Driver } from '../csi/index.ts'
import type { Case, CaseInfo, CaseResult } from './case.ts'
import type { Features, NodeFeatures } from './features.ts'
import { readFeatures, readNodeFeatures } from './features.ts'
import type { Offer } from './find-missing.ts'
import { createJournal } from './journal.ts'
import type { RunRecord } from './journal.ts'
import { withSecrets } from './journaled-driver.ts'
import { allSnapshots, allVolumes } from './list-all.ts'
import { planRun } from './plan-run.ts'
import type { RunPlan } from './plan-run.ts'
import { removeDirectory } from './run-case.ts'
import type { DriverLog, RunCaseParts } from './run-case.ts'
import { runCases } from './run-cases.ts'
import type { RpcLoad } from './measure-calls.ts'
import type { CheckSettings } from './settings.ts'

export type CheckWorld = { clock: Clock; random: Random; host: Host }

export type CheckOptions = {
  readonly endpoint: string
  /** Sockets of node services. Empty: the endpoint, if it serves nodes. */
  readonly nodes: readonly string[]
  readonly settings: CheckSettings
  /** Directory for the journals of runs, and for staging and target paths. */
  readonly work: string
  readonly parallel: number
  readonly caseTimeoutMs: number
  /** Stops and starts the driver. It may return before the driver is ready. */
  readonly restart?: () => Promise<void>
  readonly log?: DriverLog
}

/** A driver that is connected, and what it can do. */
export interface CheckSession extends Disposable {
  readonly features: Features
  readonly nodes: readonly NodeFeatures[]
  readonly connections: readonly Connection[]
  readonly offer: Offer
  /** Cases that run at the same time, as many as fit below the limits of the nodes. */
  readonly parallel: number
  /** What a run of these cases creates. */
  plan(cases: readonly CaseInfo[]): RunPlan
  /** Runs the cases, then the phases. */
  run(cases: readonly Case[], listener: RunListener, phases?: readonly Phase[]): Promise<RunReport>
}

/** Further cases that need more than the driver, such as a cluster. */
export type Phase = {
  readonly cases: readonly CaseInfo[]
  run(parts: PhaseParts): Promise<CaseResult[]>
}

export type PhaseParts = {
  readonly parts: RunCaseParts
  readonly offer: Offer
  readonly random: Random
  /** Of the first case of the phase; every case of a run has a number of its own. */
  readonly firstNumber: number
  readonly listener: RunListener
}

export type RunListener = {
  /** Before anything is created. */
  onPlan?(plan: RunPlan, run: string): void
  onStart?(one: CaseInfo): void
  onResult(result: CaseResult): void
  /** No case begins after its abort. Cases that are running end, and remove what they have created. */
  signal?: AbortSignal
}

export type RunReport = {
  readonly run: string
  readonly results: readonly CaseResult[]
  /** What could not be removed. */
  readonly left: readonly string[]
  readonly startedAtMs: number
  readonly tookMs: number
  /** The user stopped the run, so that some cases did not run. */
  readonly isInterrupted?: boolean
  /** Rate and latency of each RPC, if a load was asked for. */
  readonly load?: readonly RpcLoad[]
}

const CONNECT_MS = 10_000

/** Connects to a driver and asks what it can do. */
export async function openCheck(options: CheckOptions, world: CheckWorld): Promise<CheckSession> {
  const connections: Connection[] = []
  const close = (): void => {
    for (const connection of connections) connection.close()
  }
  const open = async (endpoint: string): Promise<{ connection: Connection; driver: Driver }> => {
    const connection = connect({ endpoint, clock: world.clock })
    connections.push(connection)
    await untilReady(connection, world.clock)
    return { connection, driver: clientOf(connection, options, world) }
  }
  try {
    const controller = await open(options.endpoint)
    const features = await readFeatures(controller.driver)
    const nodes = await openNodes(options, controller, open)
    const offer: Offer = {
      features,
      nodes: nodes.map((node) => node.features),
      restart: options.restart !== undefined,
      mutableParameters: Object.keys(options.settings.mutableParameters).length > 0,
    }
    const parallel = fittingParallel(options.parallel, offer.nodes)
    const plan = (cases: readonly CaseInfo[]): RunPlan =>
      planRun(cases, offer, { parallel, settings: options.settings })
    return {
      features,
      nodes: offer.nodes,
      connections,
      offer,
      parallel,
      plan,
      run: async (cases, listener, phases = []) => {
        const run = createRunId(world.random)
        listener.onPlan?.(plan([...cases, ...phases.flatMap((phase) => phase.cases)]), run)
        const targets = {
          controller: toTarget(controller.connection),
          nodes: nodes.map(({ connection, features: of }) => ({ ...toTarget(connection), features: of })),
        }
        const restart = options.restart && (() => restartAll(options, connections, world.clock))
        return runAll({ options, world, run, cases, phases, listener, offer, parallel, features, targets, restart })
      },
      [Symbol.dispose]: close,
    }
  } catch (error) {
    close()
    throw error
  }
}

type Targets = {
  controller: { endpoint: string; transport: Connection['transport'] }
  nodes: { endpoint: string; transport: Connection['transport']; features: NodeFeatures }[]
}

type RunAllParts = {
  options: CheckOptions
  world: CheckWorld
  run: string
  cases: readonly Case[]
  phases: readonly Phase[]
  listener: RunListener
  offer: Offer
  parallel: number
  features: Features
  targets: Targets
  restart: (() => Promise<void>) | undefined
}

async function runAll({ options, world, run, cases, phases, listener, ...parts }: RunAllParts): Promise<RunReport> {
  const { clock, random, host } = world
  const startedAtMs = clock.nowMs()
  const startedMs = clock.monotonicMs()
  const directory = join(options.work, run)
  const work = join(directory, 'paths')
  await makeDirectories(host.files, work, { mode: 0o755 })
  const { controller, nodes } = parts.targets
  const foreign = await listForeign(controller, options, world, parts.features)
  const record = { run, endpoint: controller.endpoint, nodes: nodes.map(({ endpoint }) => endpoint), work, foreign }
  const journal = await createJournal({ files: host.files, random, directory }, record)
  const left: string[] = []
  const shared: RunCaseParts = {
    run,
    settings: options.settings,
    features: parts.features,
    controller,
    nodes,
    journal,
    host,
    clock,
    work,
    caseTimeoutMs: options.caseTimeoutMs,
    onLeft: (what) => void left.push(what),
    ...(parts.restart ? { restart: parts.restart } : {}),
    ...(options.log ? { log: options.log } : {}),
  }
  const results = await runCases({
    cases,
    offer: parts.offer,
    parallel: parts.parallel,
    parts: shared,
    onResult: (result) => listener.onResult(result),
    ...(listener.onStart ? { onStart: (one: Case) => listener.onStart?.(one) } : {}),
    ...(listener.signal ? { signal: listener.signal } : {}),
  })
  let firstNumber = cases.length + 1
  for (const phase of phases) {
    results.push(...(await phase.run({ parts: shared, offer: parts.offer, random, firstNumber, listener })))
    firstNumber += phase.cases.length
  }
  await journal.close()
  if (journal.all().length === 0) left.push(...(await removeDirectory(host, directory)))
  const isInterrupted = listener.signal?.aborted === true
  return { run, results, left, startedAtMs, tookMs: Math.round(clock.monotonicMs() - startedMs), isInterrupted }
}

/** What exists before the run. A driver with a fault may return one of them as new; it must not be touched. */
async function listForeign(
  target: Targets['controller'],
  options: CheckOptions,
  { clock }: CheckWorld,
  features: Features,
): Promise<RunRecord['foreign']> {
  const { callTimeoutMs: timeoutMs, secrets } = options.settings
  const client = createClient<CsiMethods>(CSI_SERVICES, { transport: target.transport, clock, timeoutMs })
  const driver = withSecrets(client, secrets)
  const listed = async (capability: string, list: () => Promise<(string | undefined)[]>): Promise<string[]> => {
    if (!features.controller.has(capability)) return []
    // A case about lists reports what is wrong with one that fails.
    const ids: readonly (string | undefined)[] = await list().catch(() => [])
    return ids.filter((id) => id !== undefined)
  }
  return {
    volume: await listed('LIST_VOLUMES', async () => (await allVolumes(driver)).map(({ volume }) => volume?.volumeId)),
    snapshot: await listed('LIST_SNAPSHOTS', async () =>
      (await allSnapshots(driver)).map(({ snapshot }) => snapshot?.snapshotId),
    ),
  }
}

const toTarget = ({ path, transport }: Connection): Targets['controller'] => ({ endpoint: path, transport })

type OpenNode = { connection: Connection; driver: Driver; features: NodeFeatures }

async function openNodes(
  options: CheckOptions,
  controller: { connection: Connection; driver: Driver },
  open: (endpoint: string) => Promise<{ connection: Connection; driver: Driver }>,
): Promise<OpenNode[]> {
  const nodes: OpenNode[] = []
  for (const endpoint of options.nodes) {
    const isController = parseEndpoint(endpoint) === controller.connection.path
    const opened = isController ? controller : await open(endpoint)
    nodes.push({ ...opened, features: await readNodeFeatures(opened.driver) })
  }
  if (nodes.length > 0) return nodes
  try {
    return [{ ...controller, features: await readNodeFeatures(controller.driver) }]
  } catch (error) {
    if (isCsiError(error, 'UNIMPLEMENTED')) return []
    throw error
  }
}

const clientOf = ({ transport }: Connection, { settings }: CheckOptions, { clock }: CheckWorld): Driver =>
  createClient<CsiMethods>(CSI_SERVICES, { transport, clock, timeoutMs: settings.callTimeoutMs })

async function untilReady(connection: Connection, clock: Clock): Promise<void> {
  using deadline = startDeadline(
    clock,
    CONNECT_MS,
    () => new Error(`no driver is listening on ${connection.path}: it did not answer within ${CONNECT_MS / 1000} s`),
  )
  await connection.ready(deadline.signal)
}

async function restartAll(options: CheckOptions, connections: readonly Connection[], clock: Clock): Promise<void> {
  await options.restart?.()
  for (const connection of connections) await untilReady(connection, clock)
}

// A case attaches up to three volumes to a node, apart from the one that is about the limit.
function fittingParallel(parallel: number, nodes: readonly NodeFeatures[]): number {
  const limits = nodes.map(({ maxVolumes }) => Number(maxVolumes)).filter((limit) => limit > 0)
  return Math.max(1, Math.min(parallel, ...limits.map((limit) => Math.floor(limit / 3))))
}

/** Short, because it is part of every name. */
const createRunId = (random: Random): string => Buffer.from(random.bytes(4)).toString('hex')
