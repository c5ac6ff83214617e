import { count, defaultsOf, duration, flag, list, map, path, quantity, text } from '../base/options/index.ts'
import type { ConfigOf } from '../base/options/index.ts'
import { MOST_LOAD_VOLUMES } from '../check/run-load.ts'

/** The flags of `holdfast check`. */
export const CHECK_OPTIONS = {
  node: list([], 'Socket of a node service. Repeat it for several nodes. Default: ENDPOINT, if it serves nodes.', {
    separator: null,
  }),
  params: path.optional('YAML file with the parameters of volumes, as in a StorageClass.'),
  mutableParams: path.optional('YAML file with parameters that ControllerModifyVolume accepts.'),
  snapshotParams: path.optional('YAML file with the parameters of snapshots.'),
  secrets: path.optional('YAML file with the secrets of each call, in the format of csi-sanity.'),
  topology: map({}, 'Topology segments in which volumes are created. Default: those of the first node.'),
  size: quantity('1Gi', 'Size of a volume.'),
  expandSize: quantity.optional('Size to which volumes are expanded. Default: twice the size.'),
  restart: text.optional(
    'Command that stops the driver and starts it again, for cases about restarts. It runs in a shell and must return.',
  ),
  only: list([], 'Cases or topics to run: create, create/repeat, create/no-*. Default: all.'),
  skip: list([], 'Cases or topics to leave out.'),
  parallel: count(4, 'Cases that run at the same time.', { minimum: 1, maximum: 64 }),
  timeoutMs: duration('60s', 'Longest wait for one call.', { minimum: '1s' }),
  caseTimeoutMs: duration('10m', 'Longest duration of one case.', { minimum: '1s' }),
  driverLog: path.optional('File to which the driver writes its log. A failed case shows what it wrote meanwhile.'),
  work: path.optional(
    'Directory for journals, and for the paths at which volumes are staged and published. The driver must see the same paths. Default: check in the data directory.',
  ),
  json: flag(false, 'Print the result as JSON instead of text.'),
  junit: path.optional('File for the result as JUnit XML.'),
  html: path.optional('File for the result as one HTML page, which needs no other files.'),
  list: flag(false, 'Print all cases and exit.'),
  dryRun: flag(
    false,
    'Print which cases would run, and what they would create, and exit. Calls only what changes nothing.',
  ),
  load: count(
    0,
    `Volumes to create, use and delete after the cases, as many at a time as --parallel says, to report rate and latency of each RPC. 0: none. At most ${MOST_LOAD_VOLUMES}, and for five minutes.`,
    { maximum: MOST_LOAD_VOLUMES },
  ),
  watch: flag(
    false,
    'Run the cases that failed again whenever the driver comes back, or, with --restart, when a file that the command names changes, until none fails.',
  ),
  clean: text.optional('Remove what an interrupted run left behind, and exit. The value is the ID of the run.'),
} as const

export type CheckConfig = ConfigOf<typeof CHECK_OPTIONS>

export const CHECK_DEFAULTS = defaultsOf(CHECK_OPTIONS)
