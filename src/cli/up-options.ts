import { validateLabelValue } from '../api/names.ts'
import { choice, count, featureGates, flag, list, path } from '../base/options/index.ts'
import type { ConfigOf } from '../base/options/index.ts'
import { DRIVER_GATES } from '../api/driver-gates.ts'
import type { GivenDriver } from '../cluster/index.ts'
import { registrationOptions } from '../node/index.ts'
import { ACCEPT_DATA_LOSS } from './accept-data-loss.ts'
import { loggingOptions } from './logging.ts'
import { checkNodeLabelPrefixes, nodeLabelPrefixes } from './node-label-prefixes.ts'

export const upOptions = {
  data: path.optional(
    'Directory that keeps everything. Default: holdfast in the data directory of the user (XDG_DATA_HOME).',
  ),
  inMemory: flag(false, 'Keep no objects of the API: they are gone when the cluster stops. Volumes are kept.'),
  acceptDataLoss: flag(false, ACCEPT_DATA_LOSS),
  nodes: count.optional(
    'Nodes of the cluster. Default: as many as it had before; at first one, or one for each zone.',
    { minimum: 1, maximum: 100, example: '3' },
  ),
  zones: list(
    [],
    'Zones that the nodes are spread over, for example a,b,c. Default: those it had before; at first none.',
    { example: 'a,b,c' },
  ),
  port: count(0, 'Port of the API server; 0 picks a free one.', { maximum: 65535, example: '6443' }),
  driver: list(
    [],
    'A driver that runs already, as unix:///path or NODE=unix:///path; node-1 where none is named. May be given several times.',
    {
      repeated: true,
      example: 'unix:///tmp/csi.sock',
    },
  ),
  noBundledDriver: flag(false, 'Leave out the bundled driver.'),
  traceCsi: flag(false, 'Log every call to a driver, without secrets.'),
  ...registrationOptions,
  nodeLabelPrefixes,
  featureGates: featureGates(DRIVER_GATES, 'Features of API server, controllers and nodes to switch on or off.'),
  kubeconfig: path.optional('File to write the kubeconfig to. Default: kubeconfig in the data directory.'),
  ...loggingOptions,
  logLevel: choice(['debug', 'info', 'warn', 'error'], 'warn', 'The least level that is logged.'),
}

export type UpConfig = ConfigOf<typeof upOptions>

/** What is wrong between the words, as far as that can be told without looking at the machine. */
export function checkUp({ nodes, zones, driver, nodeLabelPrefixes: prefixes }: UpConfig): string[] {
  return [
    ...checkNodeLabelPrefixes(prefixes),
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
