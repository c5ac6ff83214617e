import { collectDefaultMetrics, Registry } from 'prom-client'
import { defineCommand, list } from '../base/options/index.ts'
import {
  chooseControllers,
  CONTROLLER_NAMES,
  controllerDefinitions,
  controllersOptions,
  runControllers,
} from '../controllers/index.ts'
import { startLeaderElection } from '../kube/process/leader-election.ts'
import { serveHttp } from '../kube/process/serve-http.ts'
import { checkStandardConfig, standardOptions } from '../sidecars/standard-options.ts'
import { createCommandModule } from './command-module.ts'
import { connectKubernetes } from './connect-kubernetes.ts'
import { createCommandLogger } from './logging.ts'
import { replicaIdentity } from './replica-identity.ts'

// What concerns a driver, or is there only for manifests of Go sidecars.
const {
  csiAddress: _address,
  exitOnDriverLoss: _exit,
  metricsAddress: _metrics,
  automaxprocs: _procs,
  vmodule: _module,
  logFlushFrequencyMs: _flush,
  logJsonInfoBufferSize: _jsonBuffer,
  logJsonSplitStream: _jsonSplit,
  logTextInfoBufferSize: _textBuffer,
  logTextSplitStream: _textSplit,
  ...commonOptions
} = standardOptions
const LEASE = 'holdfast-controllers'

const command = defineCommand({
  name: 'holdfast controllers',
  summary:
    'Runs the controllers for volumes: binder, scheduler, attach/detach, protection, ephemeral volumes, expansion and the driver registry. They work with any Kubernetes API server. Each can be disabled.',
  options: {
    ...commonOptions,
    controllers: list(['*'], `Controllers to run: ${CONTROLLER_NAMES.join(', ')}. * enables all, -name disables one.`, {
      repeated: false,
    }),
    ...controllersOptions,
  },
  examples: [
    { text: 'All controllers', command: 'holdfast controllers --kubeconfig=kubeconfig' },
    {
      text: 'Together with kube-scheduler',
      command: 'holdfast controllers --kubeconfig=kubeconfig --controllers=*,-scheduler',
    },
  ],
  check: (config) => [
    ...checkStandardConfig({ ...config, metricsAddress: '' }),
    ...chooseControllers(config.controllers).unknown.map(
      (word) =>
        `--controllers: there is no controller ${JSON.stringify(word)}; there are ${CONTROLLER_NAMES.join(', ')}`,
    ),
    ...(chooseControllers(config.controllers).chosen.length === 0 ? ['--controllers leaves nothing to run'] : []),
  ],
})

/** The controllers of a cluster in one process. */
export const controllersCommand = createCommandModule(command, async (config, world, _positionals, given) => {
  const log = createCommandLogger(
    { logLevel: config.v >= 4 ? 'debug' : 'info', logFormat: config.loggingFormat },
    world,
  )
  const { clock, random, env } = world
  const stopped = world.untilStopped()
  const kubernetes = await connectKubernetes(config, world, { program: 'holdfast-controllers' })
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const { chosen } = chooseControllers(config.controllers)
  const metrics = async () => ({ status: 200, contentType: registry.contentType, body: await registry.metrics() })
  const health = () => Promise.resolve({ status: 200, contentType: 'text/plain; charset=utf-8', body: 'ok' })
  const http =
    config.httpEndpoint === ''
      ? undefined
      : await serveHttp(config.httpEndpoint, { [config.metricsPath]: metrics, '/healthz': health }, log)
  const election = config.leaderElection
    ? startLeaderElection({
        api: kubernetes.electionApi,
        clock,
        random,
        log,
        namespace: config.leaderElectionNamespace || env['POD_NAMESPACE'] || 'kube-system',
        name: LEASE,
        identity: replicaIdentity(world),
        labels: config.leaderElectionLabels,
        leaseDurationMs: config.leaderElectionLeaseDurationMs,
        renewDeadlineMs: config.leaderElectionRenewDeadlineMs,
        retryPeriodMs: config.leaderElectionRetryPeriodMs,
      })
    : undefined
  const definitions = controllerDefinitions(config, given).filter(({ name }) => chosen.includes(name))
  const running = runControllers(definitions, {
    api: kubernetes.api,
    clock,
    random,
    log,
    registry,
    ...(election ? { election } : {}),
  })
  try {
    const signal = await Promise.race([stopped, running.settled.then(() => undefined)])
    if (signal === undefined) {
      world.out.write(`ready controllers=${chosen.join(',')}\n`)
      log.info('stopping', { signal: await stopped })
    }
  } finally {
    await running.stop()
    await http?.close()
    kubernetes.close()
  }
  return 0
})
