import { choice, count, decimal, duration, flag, integer, map, path, text } from '../base/options/index.ts'
import type { ConfigOf } from '../base/options/index.ts'

const log = { section: 'logging' } as const
const election = { section: 'leader election' } as const

/** The flags that every controller sidecar of Kubernetes has, with the same names and defaults, except that requests are not limited, and one flag of ours. */
export const standardOptions = {
  csiAddress: path('/run/csi/socket', 'Socket of the CSI driver, as a path or unix:// address.'),
  kubeconfig: path.optional('Kubeconfig to use; without it, the account of the pod.'),
  kubeApiQps: decimal(0, 'Requests to the API server a second; 0 leaves it to the server to say when it is too much.', {
    minimum: 0,
  }),
  kubeApiBurst: count(10, 'Requests that may go at once when --kube-api-qps is set.'),
  exitOnDriverLoss: flag(
    false,
    'End with exit code 1 when the driver is not there in time, or goes; otherwise wait for it.',
  ),
  httpEndpoint: text('', 'Address for metrics and health, for example :8080. Empty: none.'),
  metricsAddress: text('', 'Address for metrics alone.', { deprecated: '--http-endpoint' }),
  metricsPath: text('/metrics', 'Path of the metrics.'),
  leaderElection: flag(false, 'Only one of several replicas works.', election),
  leaderElectionNamespace: text('', 'Namespace of the lease. Empty: the one of the pod.', election),
  leaderElectionLeaseDurationMs: duration('15s', 'How long others wait before they take over.', election),
  leaderElectionRenewDeadlineMs: duration('10s', 'How long a leader tries to renew before it gives up.', election),
  leaderElectionRetryPeriodMs: duration('5s', 'Time between two tries.', election),
  leaderElectionLabels: map({}, 'Labels for the lease, as key:value.', {
    pairSeparator: ':',
    exactlyOne: true,
    ...election,
  }),
  automaxprocs: flag(false, 'Accepted for Go manifests; there are no threads to size here.', { hidden: true }),
  v: integer(0, 'Verbosity as the Go sidecars have it: 4 and above logs what was considered, 5 every CSI call.', log),
  loggingFormat: choice(
    ['auto', 'text', 'json'],
    'auto',
    'How log lines look; auto is text on a terminal and JSON elsewhere.',
    log,
  ),
  vmodule: text('', 'Accepted for Go manifests.', { hidden: true }),
  logFlushFrequencyMs: duration('5s', 'Accepted for Go manifests: nothing is held back here.', { hidden: true }),
}

export type StandardConfig = ConfigOf<typeof standardOptions>

type CheckedConfig = Pick<
  StandardConfig,
  | 'httpEndpoint'
  | 'metricsAddress'
  | 'leaderElectionLeaseDurationMs'
  | 'leaderElectionRenewDeadlineMs'
  | 'leaderElectionRetryPeriodMs'
>

/** What is wrong between these options. */
export function checkStandardConfig(config: CheckedConfig): string[] {
  const {
    leaderElectionLeaseDurationMs: lease,
    leaderElectionRenewDeadlineMs: renew,
    leaderElectionRetryPeriodMs: retry,
  } = config
  return [
    ...(config.httpEndpoint !== '' && config.metricsAddress !== ''
      ? ['--http-endpoint and --metrics-address exclude each other']
      : []),
    ...(lease <= renew
      ? ['--leader-election-lease-duration has to be longer than --leader-election-renew-deadline']
      : []),
    ...(renew <= 1.2 * retry
      ? ['--leader-election-renew-deadline has to be longer than 1.2 times --leader-election-retry-period']
      : []),
  ]
}
