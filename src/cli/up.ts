import { join, resolve } from 'node:path'
import { count, defineCommand, flag, list, path, UsageError } from '../base/options/index.ts'
import { startCluster } from '../cluster/index.ts'
import type { Cluster, GivenDriver } from '../cluster/index.ts'
import { printableMessage } from '../csi/index.ts'
import type { CallObserver } from '../csi/index.ts'
import { createCommandModule } from './command-module.ts'
import { defaultDataDirectory } from './default-data-directory.ts'
import { lockDirectory } from './lock-directory.ts'
import { createCommandLogger, loggingOptions } from './logging.ts'

const command = defineCommand({
  name: 'holdfast up',
  summary: 'Starts a whole cluster in one process: API server, controllers, nodes, the bundled driver and its sidecars.',
  options: {
    data: path.optional('Directory that keeps everything. Default: holdfast/default in the data directory of the user (XDG_DATA_HOME).'),
    inMemory: flag(false, 'Keep no objects of the API: they are gone when the cluster stops. Volumes are kept.'),
    nodes: count(1, 'Nodes of the cluster.', { minimum: 1, maximum: 100 }),
    zones: list([], 'Zones that the nodes are spread over, for example a,b,c.'),
    port: count(0, 'Port of the API server; 0 picks a free one.', { maximum: 65535 }),
    driver: list([], 'A driver that runs already, as unix:///path or NODE=unix:///path; node-1 where none is named. May be given several times.', { repeated: true }),
    noBundledDriver: flag(false, 'Leave out the bundled driver.'),
    traceCsi: flag(false, 'Log every call to a driver, without secrets.'),
    kubeconfig: path.optional('File to write the kubeconfig to. Default: kubeconfig in the data directory.'),
    ...loggingOptions,
  },
  examples: [
    { text: 'One node, data kept for the next time', command: 'holdfast up' },
    { text: 'Three nodes in three zones', command: 'holdfast up --nodes=3 --zones=a,b,c' },
    { text: 'With a driver of your own, every call shown', command: 'holdfast up --driver=unix:///tmp/my-driver.sock --no-bundled-driver --trace-csi' },
  ],
})

/** The whole cluster in one process. */
export const upCommand = createCommandModule(command, async (config, world) => {
  const log = createCommandLogger(config, world)
  const dataDirectory = resolve(config.data ?? defaultDataDirectory(world))
  const kubeconfigPath = resolve(config.kubeconfig ?? join(dataDirectory, 'kubeconfig'))
  await using _held = await lockDirectory(world.host, dataDirectory)
  const stopped = world.untilStopped()
  const { host, clock, random, version } = world
  const startedMs = clock.monotonicMs()
  const { inMemory, nodes, zones, port, noBundledDriver, traceCsi } = config
  const drivers = config.driver.map(parseDriver)
  const observeCsi = (by: string): CallObserver => (call) => log.info('CSI call', { by, ...printableCall(call) })
  const options = { dataDirectory, kubeconfigPath, inMemory, nodes, zones, port, drivers, bundledDriver: !noBundledDriver, ...(traceCsi ? { observeCsi } : {}) }
  const cluster = await startCluster({ host, clock, random, log, version }, options)
  world.out.write(formatCluster(cluster, { dataDirectory, kubeconfigPath, tookMs: clock.monotonicMs() - startedMs }))
  const signal = await stopped
  log.info('stopping', { signal })
  await cluster.stop()
  return 0
})

function parseDriver(word: string): GivenDriver {
  const [, node = 'node-1', endpoint = ''] = /^(?:([a-z0-9.-]+)=)?((?:unix:\/\/)?\/.+)$/.exec(word) ?? []
  if (endpoint === '') throw new UsageError([`--driver: ${JSON.stringify(word)} is no socket; write --driver=unix:///path/to/csi.sock or --driver=node-2=unix:///path`])
  return { node, endpoint: endpoint.startsWith('unix://') ? endpoint : `unix://${endpoint}` }
}

const printableCall = ({ rpc, request, response, code, error, tookMs }: Parameters<CallObserver>[0]): object => ({
  rpc: rpc.path,
  request: printableMessage(rpc.requestName, request),
  ...(response === undefined ? {} : { response: printableMessage(rpc.responseName, response) }),
  code: code ?? 'none',
  ...(error ? { error: error.message } : {}),
  tookMs: Math.round(tookMs * 10) / 10,
})

type Shown = { dataDirectory: string; kubeconfigPath: string; tookMs: number }

function formatCluster({ started, address }: Cluster, { dataDirectory, kubeconfigPath, tookMs }: Shown): string {
  const width = Math.max(...started.map(({ name }) => name.length))
  return [
    ...started.map(({ name, detail }) => `  ${name.padEnd(width)}  ${detail}`),
    `  data is kept in ${dataDirectory}`,
    '',
    `  export KUBECONFIG=${kubeconfigPath}`,
    '  kubectl apply -f examples/claim.yaml',
    '  kubectl get pods,persistentvolumeclaims,volumeattachments',
    '',
    `ready ${address} in ${Math.round(tookMs)} ms; Ctrl-C stops`,
    '',
  ].join('\n')
}
