import { choice, count, decimal, duration, flag, integer, map, path, text } from '../base/options/index.ts'
import type { ConfigOf } from '../base/options/index.ts'
import { otlpEndpoint } from '../base/tracing/otlp-option.ts'

const log = { section: 'logging' } as const
const election = { section: 'leader election' } as const

const accepted = { hidden: true } as const
const ACCEPTED = 'Accepted for Go manifests: nothing is held back here.'

/** Flags of the Go programs that are accepted for their manifests, and do nothing here. */
export const goProgramOptions = {
  automaxprocs: flag(false, 'Accepted for Go manifests; there are no threads to size here.', accepted),
  vmodule: text('', 'Accepted for Go manifests.', accepted),
  logFlushFrequencyMs: duration('5s', ACCEPTED, accepted),
  logJsonInfoBufferSize: text('0', ACCEPTED, accepted),
  logJsonSplitStream: flag(false, ACCEPTED, accepted),
  logTextInfoBufferSize: text('0', ACCEPTED, accepted),
  logTextSplitStream: flag(false, ACCEPTED, accepted),
}

/** The flags for logs that every sidecar of Kubernetes has. */
export const loggingOptions = {
  v: integer(0, 'Verbosity, as in the Go sidecars: 4 and above logs decisions, 5 and above every CSI call.', log),
  loggingFormat: choice(
    ['auto', 'text', 'json'],
    'auto',
    'Log format. auto is text on a terminal and JSON otherwise.',
    log,
  ),
}

/** Those of the standard options that do something. */
export const shownOptions = {
  csiAddress: path('/run/csi/socket', 'Socket of the CSI driver, as a path or unix:// address.'),
  kubeconfig: path.optional('Kubeconfig to use. Default: the service account of the pod.'),
  kubeApiQps: decimal(0, 'Maximum requests per second to the API server. 0 means no client-side limit.', {
    minimum: 0,
  }),
  kubeApiBurst: count(10, 'Maximum burst of requests if --kube-api-qps is set.'),
  exitOnDriverLoss: flag(
    false,
    'Exit with code 1 if the driver is not ready in time or is lost. By default, wait for it.',
  ),
  httpEndpoint: text('', 'Address for metrics and health checks, for example :8080. Empty: none.'),
  metricsAddress: text('', 'Address for metrics only.', { deprecated: '--http-endpoint' }),
  metricsPath: text('/metrics', 'HTTP path of the metrics.'),
  leaderElection: flag(false, 'Use leader election, so that only one of several replicas is active.', election),
  leaderElectionNamespace: text('', 'Namespace of the lease. Default: the namespace of the pod.', election),
  leaderElectionLeaseDurationMs: duration('15s', 'How long other replicas wait before they take over.', election),
  leaderElectionRenewDeadlineMs: duration(
    '10s',
    'How long a leader tries to renew its lease before it stops leading.',
    election,
  ),
  leaderElectionRetryPeriodMs: duration('5s', 'Interval between attempts.', election),
  leaderElectionLabels: map({}, 'Labels of the lease, as key:value.', {
    pairSeparator: ':',
    exactlyOne: true,
    ...election,
  }),
  otlpEndpoint,
  ...loggingOptions,
}

/** The flags that every controller sidecar of Kubernetes has, with the same names and defaults, except that requests are not limited, and two flags of ours. */
export const standardOptions = { ...shownOptions, ...goProgramOptions }

export type StandardConfig = ConfigOf<typeof standardOptions>

type Checked = 'LeaseDurationMs' | 'RenewDeadlineMs' | 'RetryPeriodMs'
type CheckedConfig = Pick<StandardConfig, 'httpEndpoint' | 'metricsAddress' | `leaderElection${Checked}`>

export function checkStandardConfig(config: CheckedConfig): string[] {
  const { leaderElectionRenewDeadlineMs: renewMs } = config
  const problems = [
    config.httpEndpoint !== '' &&
      config.metricsAddress !== '' &&
      '--http-endpoint and --metrics-address exclude each other',
    config.leaderElectionLeaseDurationMs <= renewMs &&
      '--leader-election-lease-duration has to be longer than --leader-election-renew-deadline',
    renewMs <= 1.2 * config.leaderElectionRetryPeriodMs &&
      '--leader-election-renew-deadline has to be longer than 1.2 times --leader-election-retry-period',
  ]
  return problems.filter((problem) => problem !== false)
}
