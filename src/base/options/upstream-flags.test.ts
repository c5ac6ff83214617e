import { deepEqual, equal, throws } from 'node:assert/strict'
import { test } from 'node:test'
import {
  choice,
  count,
  decimal,
  defineCommand,
  duration,
  featureGates,
  flag,
  integer,
  map,
  parseArguments,
  path,
  text,
  type OptionTable,
} from './index.ts'

// The flags of the upstream attacher, which a manifest may give in any of the forms that Go programs take.
const options = {
  csiAddress: path('/run/csi/socket', 'Socket of the driver.'),
  kubeconfig: path.optional('Configuration of the client; absent means the one of the pod.'),
  timeoutMs: duration('15s', 'Longest wait for one driver call.'),
  workerThreads: count(10, 'Workers of each queue.', { minimum: 1 }),
  retryIntervalStartMs: duration('1s', 'First wait after a failure.'),
  retryIntervalMaxMs: duration('5m', 'Longest wait after failures.'),
  resyncMs: duration('10m', 'Period in which everything is looked at again.'),
  reconcileSyncMs: duration('1m', 'Period in which the driver is asked what is attached.'),
  maxEntries: count(0, 'Volumes in one answer; 0 means all.'),
  defaultFstype: text('', 'File system of volumes that name none.'),
  kubeApiQps: decimal(5, 'Calls to the API server.', { unit: 'a second' }),
  kubeApiBurst: count(10, 'Calls to the API server at once.'),
  leaderElection: flag(false, 'Run on one replica only.'),
  leaderElectionNamespace: text('', 'Namespace of the lease.'),
  leaderElectionLeaseDurationMs: duration('15s', 'Life of the lease.'),
  leaderElectionRenewDeadlineMs: duration('10s', 'Time to renew the lease.'),
  leaderElectionRetryPeriodMs: duration('5s', 'Wait between tries.'),
  leaderElectionLabels: map({}, 'Labels of the lease.', { pairSeparator: ':', exactlyOne: true }),
  httpEndpoint: text('', 'Address of metrics and health.'),
  metricsAddress: text('', 'Address of metrics.', { deprecated: 'use --http-endpoint' }),
  metricsPath: text('/metrics', 'Path of metrics.'),
  maxGrpcLogLength: integer(-1, 'Longest answer in the log; -1 means any.', { minimum: -1 }),
  featureGates: featureGates(
    {
      ReleaseLeaderElectionOnExit: { default: false, stage: 'alpha' },
      MutableCSINodeAllocatableCount: { default: true, stage: 'GA' },
    },
    'Features.',
  ),
  automaxprocs: flag(false, 'Nothing.', { hidden: true }),
  v: count(0, 'Level of the log.'),
  vmodule: text('', 'Nothing.', { hidden: true }),
  loggingFormat: choice(['text', 'json'], 'text', 'Form of the log.'),
  logFlushFrequencyMs: duration('5s', 'Nothing.', { hidden: true }),
} satisfies OptionTable

const attacher = defineCommand({
  name: 'csi-attacher',
  summary: 'Attaches volumes.',
  options,
  check: ({ httpEndpoint, metricsAddress }) =>
    httpEndpoint !== '' && metricsAddress !== ''
      ? ['--metrics-address and --http-endpoint exclude each other; keep --http-endpoint']
      : [],
})

test('the arguments of an upstream manifest are understood as they are', () => {
  const words = [
    '--v=5',
    '-csi-address=/csi/csi.sock',
    '--timeout',
    '1m30s',
    '--leader-election',
    '--leader-election-labels=app:attacher,tier:storage',
    '--leader-election-lease-duration=137s',
    '--kube-api-qps=50.5',
    '--http-endpoint=:8080',
    '--feature-gates=ReleaseLeaderElectionOnExit=true',
    '--automaxprocs=true',
    '--vmodule=csi=5',
    '--max-grpc-log-length',
    '-1',
    '--log-flush-frequency=10s',
  ]
  const parsed = parseArguments(attacher, words)
  if (parsed.kind !== 'run') throw new Error(parsed.kind)
  const defaults = parseArguments(attacher, [])
  if (defaults.kind !== 'run') throw new Error(defaults.kind)
  deepEqual(parsed.config, {
    ...defaults.config,
    v: 5,
    csiAddress: '/csi/csi.sock',
    timeoutMs: 90_000,
    leaderElection: true,
    leaderElectionLabels: { app: 'attacher', tier: 'storage' },
    leaderElectionLeaseDurationMs: 137_000,
    kubeApiQps: 50.5,
    httpEndpoint: ':8080',
    featureGates: { ReleaseLeaderElectionOnExit: true, MutableCSINodeAllocatableCount: true },
    automaxprocs: true,
    vmodule: 'csi=5',
    logFlushFrequencyMs: 10_000,
  })
  equal(defaults.config.retryIntervalMaxMs, 300_000)
})

test('flags that exclude each other are refused', () => {
  throws(() => parseArguments(attacher, ['--http-endpoint=:80', '--metrics-address=:81']), /exclude each other/)
})
