import { dirname, join, resolve } from 'node:path'
import type { Logger } from '../base/logger.ts'
import { HostError } from '../base/host/index.ts'
import { defineCommand, UsageError } from '../base/options/index.ts'
import { kebabCase } from '../base/options/flag-name.ts'
import {
  chooseShape,
  DEFAULT_DRIVER_NAME,
  ensureBundledDriver,
  findDrivers,
  findTooLongSocket,
  nodesOf,
  readShape,
  startCluster,
  writeShape,
} from '../cluster/index.ts'
import type { CallSubjects, Cluster, ClusterOptions, ClusterParts } from '../cluster/index.ts'
import { createSystemSockets } from '../csi/index.ts'
import { createCallLog, createSpanLog, startConsole } from '../console/index.ts'
import type { ConsoleOptions, ConsoleParts } from '../console/index.ts'
import type { Rpc } from '../csi/index.ts'
import { findCallSubject } from '../proxy/index.ts'
import { serveHttp } from '../kube/process/serve-http.ts'
import { createStatsRoutes, pickRegistration } from '../node/index.ts'
import { createCallObservers, followObjects } from './call-observers.ts'
import { createCommandModule } from './command-module.ts'
import { defaultDataDirectory } from './default-data-directory.ts'
import { describeHostError } from './describe-host-error.ts'
import { refuseUnwatchable, startDriverCommands } from './driver-command.ts'
import type { DriverCommands } from './driver-command.ts'
import { findClusterLeaks } from './find-cluster-leaks.ts'
import { formatUp } from './format-up.ts'
import { lockDirectory } from './lock-directory.ts'
import { openTracing } from './open-tracing.ts'
import { createCommandLogger } from './logging.ts'
import { openRecording, readFaults, refuseUnwritable } from './proxy-files.ts'
import { checkUp, parseDriver, upOptions } from './up-options.ts'
import type { UpConfig } from './up-options.ts'
import type { World } from './world.ts'

const command = defineCommand({
  name: 'holdfast up',
  summary:
    'Starts a whole cluster in one process: API server, controllers, nodes, the bundled driver and its sidecars.',
  options: upOptions,
  check: checkUp,
  examples: [
    { text: 'One node; the data is kept for the next start', command: 'holdfast up' },
    { text: 'Three nodes in three zones', command: 'holdfast up --zones=a,b,c' },
    {
      text: 'With your own driver; log every call',
      command: 'holdfast up --driver=unix:///tmp/my-driver.sock --no-bundled-driver --trace-csi',
    },
    {
      text: 'While you write a driver: restarted with each change, and what is wrong with it',
      command: "holdfast up --no-bundled-driver --driver-command='./my-driver --endpoint=$CSI_ENDPOINT'",
    },
  ],
})

/** The whole cluster in one process. */
export const upCommand = createCommandModule(command, async (config, world, _positionals, given) => {
  const { host, clock, random, version } = world
  const startedMs = clock.monotonicMs()
  const options = await planCluster(config, world, given)
  const { dataDirectory, nodes, zones, port, kubeconfigPath } = options
  const faults = await readFiles(config, world)
  const log = createCommandLogger(config, world)
  const { calls, spans } = config.noConsole ? {} : { calls: createCallLog(clock), spans: createSpanLog() }
  await using tracing = await openTracing(config, world, log, spans?.add)
  await using _held = await lockDirectory(host, dataDirectory)
  const { stopping, stopped } = awaitStop(world)
  // With --trace-csi the calls are logged whatever the log level.
  const callLog = createCommandLogger({ ...config, logLevel: 'info' }, world)
  let subjects: CallSubjects | undefined
  const subjectOf = (rpc: Rpc, request: unknown): string | undefined =>
    subjects ? subjects.find(rpc, request) : findCallSubject(rpc.requestName, request)
  const parts = { host, clock, random, log, version, tracer: tracing.tracer }
  using recording = config.record === undefined ? undefined : openRecording(resolve(config.record), config, world)
  try {
    await using own = await startOwnDrivers(config, options, { log: callLog, subjectOf, world })
    await own?.ready(stopping.signal)
    const drivers = own?.drivers ?? options.drivers
    await refuseUnusable({ ...options, drivers }, { ...parts, signal: stopping.signal })
    const keepShape = (usedPort: number): Promise<void> =>
      writeShape({ files: host.files, random }, dataDirectory, { nodes, zones, port: usedPort })
    await keepShape(port)
    await using cluster = await startCluster(parts, {
      ...options,
      drivers,
      signal: stopping.signal,
      ...createCallObservers({ config, calls, own: own?.calls, log: callLog, subjectOf }),
      ...(faults || recording
        ? {
            proxy: {
              ...(faults ? { faults: faults.chooser } : {}),
              ...(recording ? { recorder: recording.recorder } : {}),
            },
          }
        : {}),
    })
    await keepShape(Number(new URL(cluster.address).port))
    await using following = followObjects(cluster, { ...parts, config, own })
    ;({ subjects } = following)
    await using _http = await serveStats(config.httpEndpoint, cluster, log)
    if (options.bundledDriver) await ensureBundledDriver(cluster.api, DEFAULT_DRIVER_NAME)
    await using console =
      calls && (await serveUpConsole(cluster, { ...parts, calls, spans, signal: stopping.signal }, config))
    if (!stopping.signal.aborted)
      world.out.write(
        formatUp(cluster, {
          dataDirectory,
          kubeconfigPath,
          hasBundledDriver: options.bundledDriver,
          isInMemory: config.inMemory,
          tookMs: clock.monotonicMs() - startedMs,
          faults,
          consoleAddress: console?.address,
        }),
      )
    log.info('stopping', { signal: await stopped })
  } catch (error) {
    if (stopping.signal.aborted && error === stopping.signal.reason) return 0
    throw error instanceof HostError
      ? new Error(`${describeHostError(error)}${cureOf(error, options)}`, { cause: error })
      : error
  }
  return 0
})

/** The faults, if there are any. Refuses files and directories that do not exist before anything is started. */
async function readFiles(config: UpConfig, world: World): Promise<Awaited<ReturnType<typeof readFaults>> | undefined> {
  if (config.record !== undefined) refuseUnwritable(resolve(config.record))
  await refuseUnwatchable(config.driverWatch, world)
  return config.faults === undefined ? undefined : readFaults(config.faults, world)
}

/** The drivers of `--driver-command`. */
async function startOwnDrivers(
  config: UpConfig,
  options: UpOptions,
  { log, subjectOf, world }: { log: Logger; subjectOf(rpc: Rpc, request: unknown): string | undefined; world: World },
): Promise<DriverCommands | undefined> {
  if (config.driverCommand === undefined) return undefined
  const describe = (rpc: Rpc, request: unknown): string => {
    const subject = subjectOf(rpc, request)
    return subject === undefined ? rpc.name : `${rpc.name} for ${subject}`
  }
  const { dataDirectory, drivers: given } = options
  return startDriverCommands(
    config.driverCommand,
    { config, nodes: nodesOf(options), dataDirectory, given, log, describe },
    world,
  )
}

/** Asks the drivers for their names, and refuses what cannot work together. */
async function refuseUnusable(options: UpOptions, parts: ClusterParts & { signal: AbortSignal }): Promise<void> {
  const { host, clock, random, log, signal } = parts
  const sockets = createSystemSockets({ files: host.files, clock, random, log })
  const all = nodesOf(options)
  const bundled = options.bundledDriver ? all.map(({ name }) => ({ driverName: DEFAULT_DRIVER_NAME, node: name })) : []
  const found = await findDrivers({ ...parts, sockets }, options.drivers, all, { bundled, signal })
  refuseLongPath(
    options,
    found.map(({ driverName }) => driverName),
  )
}

/** The signal that asks to stop, and what it aborts. */
function awaitStop(world: World): { stopping: AbortController; stopped: Promise<string> } {
  const stopping = new AbortController()
  const stopped = world.untilStopped()
  void stopped.then((signal) => stopping.abort(new Error(`stopped by ${signal}`)))
  return { stopping, stopped }
}
type UpConsoleParts = Pick<ConsoleOptions, 'calls' | 'spans' | 'signal' | 'version'>

async function serveUpConsole(
  cluster: Cluster,
  { calls, spans, signal, version, ...parts }: ConsoleParts & UpConsoleParts,
  { consolePort: port }: UpConfig,
): Promise<AsyncDisposable & { readonly address: string }> {
  const { api, address: server } = cluster
  const findLeaks = (until: AbortSignal) => findClusterLeaks(cluster, parts, until)
  const running = await startConsole(parts, { api, server, version, port, calls, spans, findLeaks, signal })
  return { address: running.address, [Symbol.asyncDispose]: () => running.stop() }
}

async function serveStats(endpoint: string, { nodes }: Cluster, log: Logger): Promise<AsyncDisposable | undefined> {
  if (endpoint === '') return undefined
  const http = await serveHttp(endpoint, createStatsRoutes(nodes), log)
  return { [Symbol.asyncDispose]: () => http.close() }
}

type UpOptions = ClusterOptions &
  Required<Pick<ClusterOptions, 'nodes' | 'zones' | 'port' | 'kubeconfigPath' | 'drivers' | 'bundledDriver'>>

/** What to start. Refused is what can be told to fail without starting or making anything. */
async function planCluster(config: UpConfig, world: World, given: ReadonlySet<string>): Promise<UpOptions> {
  const { files } = world.host
  const empty = (['data', 'kubeconfig', 'driver', 'driverCommand'] as const).find(
    (key) => given.has(key) && (config[key] ?? []).length === 0,
  )
  if (empty) throw new UsageError([`--${kebabCase(empty)}: the value is empty; set it or leave the flag out`])
  const dataDirectory = resolve(config.data ?? defaultDataDirectory(world))
  const shape = chooseShape(await readShape(files, dataDirectory), {
    nodes: config.nodes,
    zones: given.has('zones') ? config.zones : undefined,
    port: config.port,
  })
  if (shape.kind === 'refused')
    throw new Error(
      `the cluster in ${dataDirectory} is incompatible: ${shape.problem}. To start a new cluster, choose another directory with --data`,
    )
  if (config.inMemory && (await files.findStat(join(dataDirectory, 'apiserver')))) {
    throw new Error(
      `the cluster in ${dataDirectory} stores its objects there, and without them its volumes could not be deleted: leave --in-memory out, or choose another directory with --data`,
    )
  }
  const drivers = config.driver.map(parseDriver).filter((driver) => driver !== undefined)
  const options = {
    ...shape.shape,
    dataDirectory,
    kubeconfigPath: await checkedKubeconfig(files, config.kubeconfig, dataDirectory),
    inMemory: config.inMemory,
    acceptDataLoss: config.acceptDataLoss,
    versionsKeptMs: config.versionsKeptMs,
    port: shape.shape.port ?? 0,
    orFreePort: config.port === undefined,
    drivers,
    bundledDriver: !config.noBundledDriver,
    registration: pickRegistration(config),
    volumes: { allowUnmounted: config.allowUnmounted },
    gates: config.featureGates,
    provisionerGates: {
      CrossNamespaceVolumeDataSource: config.featureGates.CrossNamespaceVolumeDataSource,
    },
    nodeLabelPrefixes: config.nodeLabelPrefixes,
  }
  const names = nodesOf(options).map(({ name }) => name)
  const lost = drivers.filter(({ node }) => !names.includes(node))
  if (lost.length > 0)
    throw new UsageError(
      lost.map(
        ({ node, endpoint }) =>
          `--driver=${node}=${endpoint}: there is no ${node}; the nodes are ${names.join(', ')}, more with --nodes`,
      ),
    )
  refuseLongPath(options, [])
  return options
}

function refuseLongPath(options: UpOptions, given: readonly string[]): void {
  const problem = findTooLongSocket(options.dataDirectory, nodesOf(options), [
    ...(options.bundledDriver ? [DEFAULT_DRIVER_NAME] : []),
    ...given,
  ])
  if (problem !== undefined) throw new Error(`${problem}; choose a shorter one, for example --data=/tmp/holdfast`)
}

async function checkedKubeconfig(
  files: World['host']['files'],
  path: string | undefined,
  dataDirectory: string,
): Promise<string> {
  if (path === undefined) return join(dataDirectory, 'kubeconfig')
  const full = resolve(path)
  if ((await files.findStat(full))?.kind === 'directory')
    throw new Error(`--kubeconfig: ${full} is a directory; specify a file`)
  // That of the data is made on the way.
  if (dirname(full) !== dataDirectory && !(await files.findStat(dirname(full))))
    throw new Error(`--kubeconfig: directory ${dirname(full)} does not exist; create it first`)
  return full
}

/** Which flag gets around it. */
function cureOf({ path }: HostError, { dataDirectory, kubeconfigPath }: UpOptions): string {
  if (path === dataDirectory || path.startsWith(`${dataDirectory}/`)) return '; choose another directory with --data'
  return dirname(path) === dirname(kubeconfigPath) ? '; choose another file with --kubeconfig' : ''
}
