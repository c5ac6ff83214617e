import { validateLabelValue } from '../api/names.ts'
import { choice, count, duration, featureGates, flag, list, path, text } from '../base/options/index.ts'
import type { ConfigOf } from '../base/options/index.ts'
import { otlpEndpoint } from '../base/tracing/otlp-option.ts'
import { SNAPSHOT_GATES } from '../api/snapshot-gates.ts'
import { DRIVER_GATES } from '../api/driver-gates.ts'
import type { GivenDriver } from '../cluster/index.ts'
import { registrationOptions } from '../node/index.ts'
import { ACCEPT_DATA_LOSS } from './accept-data-loss.ts'
import { allowUnmounted } from './allow-unmounted.ts'
import { loggingOptions } from './logging.ts'
import { nodeHttpEndpoint } from './node-http-endpoint.ts'
import { checkNodeLabelPrefixes, nodeLabelPrefixes } from './node-label-prefixes.ts'

export const upOptions = {
  data: path.optional('Data directory of the cluster. Default: holdfast in the user data directory (XDG_DATA_HOME).'),
  inMemory: flag(false, 'Do not store API objects: they are lost when the cluster stops. Volumes are kept.'),
  acceptDataLoss: flag(false, ACCEPT_DATA_LOSS),
  versionsKeptMs: duration('5m', 'How long earlier versions of objects can be listed at least, for tests of clients.', {
    hidden: true,
  }),
  nodes: count.optional(
    'Number of nodes. Default: the number at the last start, or at the first start one, or one for each zone.',
    { minimum: 1, maximum: 100, example: '3' },
  ),
  zones: list([], 'Zones to spread the nodes over, for example a,b,c. Default: the zones at the last start, or none.', {
    example: 'a,b,c',
  }),
  port: count.optional(
    'Port of the API server. 0 chooses a free port. Default: the port at the last start, or a free one.',
    { maximum: 65535, example: '6443' },
  ),
  noConsole: flag(false, 'Do not serve the web console.'),
  consolePort: count(0, 'Port of the web console on 127.0.0.1. 0 chooses a free port.', {
    maximum: 65535,
    example: '8080',
  }),
  driver: list(
    [],
    'Endpoint of a running driver, as unix:///path or NODE=unix:///path. The default node is node-1. Can be repeated.',
    {
      repeated: true,
      example: 'unix:///tmp/csi.sock',
    },
  ),
  driverCommand: text.optional(
    'Command that runs your driver, in a shell. It is started for each node with the variables CSI_ENDPOINT and NODE_ID, and again when it ends or its files change. Its log, its calls and what is wrong with it are logged. With --driver, it has to listen there.',
    { example: "'./my-driver --endpoint=$CSI_ENDPOINT --node=$NODE_ID'" },
  ),
  driverWatch: list(
    [],
    'File or directory of the driver of --driver-command. A change restarts it. Default: the files and directories that the command names.',
    { repeated: true, example: './internal' },
  ),
  noBundledDriver: flag(false, 'Do not run the bundled driver.'),
  traceCsi: flag(false, 'Log every call to a driver when it starts and when it ends, without secrets.'),
  faults: path.optional('Faults to apply to the calls of every driver, as YAML; see holdfast proxy.', {
    example: 'faults.yaml',
  }),
  record: path.optional(
    'File to write the calls of every driver to, for holdfast replay. An existing file is replaced.',
    {
      example: 'calls.jsonl',
    },
  ),
  recordSecrets: flag(false, 'Write the values of secrets to the recording.'),
  allowUnmounted,
  httpEndpoint: nodeHttpEndpoint,
  otlpEndpoint,
  ...registrationOptions,
  nodeLabelPrefixes,
  featureGates: featureGates(
    { ...DRIVER_GATES, ...SNAPSHOT_GATES, CrossNamespaceVolumeDataSource: { default: false, stage: 'alpha' } },
    'Features of the cluster to enable or disable.',
  ),
  kubeconfig: path.optional('Where to write the kubeconfig. Default: kubeconfig in the data directory.'),
  ...loggingOptions,
  logLevel: choice(['debug', 'info', 'warn', 'error'], 'warn', 'Minimum log level.'),
}

export type UpConfig = ConfigOf<typeof upOptions>

/** What is wrong between the words, as far as that can be told without looking at the machine. */
export function checkUp({
  nodes,
  zones,
  driver,
  nodeLabelPrefixes: prefixes,
  record,
  recordSecrets,
  driverCommand,
  driverWatch,
}: UpConfig): string[] {
  return [
    ...checkNodeLabelPrefixes(prefixes),
    ...(driverCommand !== undefined && driverCommand.trim() === ''
      ? [
          "--driver-command: the value is empty; write for example --driver-command='./my-driver --endpoint=$CSI_ENDPOINT'",
        ]
      : []),
    ...(driverWatch.length > 0 && driverCommand === undefined
      ? [
          "--driver-watch needs --driver-command; write for example --driver-command='./my-driver --endpoint=$CSI_ENDPOINT'",
        ]
      : []),
    ...(driverCommand !== undefined && driver.length > 1
      ? ['--driver-command: it listens on one socket; give --driver once at most']
      : []),
    ...(recordSecrets && record === undefined
      ? ['--record-secrets needs --record; write for example --record=calls.jsonl']
      : []),
    ...(nodes !== undefined && nodes < zones.length
      ? [
          `--nodes=${nodes} --zones=${zones.join(',')}: no node would be in ${zones.slice(nodes).join(', ')}; give at least --nodes=${zones.length}, or leave --nodes out`,
        ]
      : []),
    ...zones
      .filter((zone) => validateLabelValue(zone).length > 0)
      .map(
        (zone) =>
          `--zones: ${JSON.stringify(zone)} can't be a zone: up to 63 letters, digits, dashes and dots; write for example --zones=a,b,c`,
      ),
    ...driver
      .filter((word) => parseDriver(word) === undefined)
      .map(
        (word) =>
          `--driver: ${JSON.stringify(word)} is no socket; write --driver=unix:///path/to/csi.sock or --driver=node-2=unix:///path`,
      ),
    ...driver
      .filter(
        (word, index) =>
          driver.findIndex((other) => parseDriver(other)?.endpoint === parseDriver(word)?.endpoint) < index,
      )
      .map(
        (word) =>
          `--driver: ${JSON.stringify(word)} is given already, and one socket serves one node; start the driver once more for another node`,
      ),
  ]
}

/** A word after `--driver`; undefined when it is none. */
export function parseDriver(word: string): GivenDriver | undefined {
  const [, node = 'node-1', socket] = /^(?:([a-z0-9.-]+)=)?((?:unix:\/\/)?\/.+)$/.exec(word) ?? []
  return socket === undefined
    ? undefined
    : { node, endpoint: socket.startsWith('unix://') ? socket : `unix://${socket}` }
}
