import type { ConfigOf } from '../base/options/index.ts'
import { runControllers } from '../controllers/index.ts'
import type { ControllerDefinition } from '../controllers/index.ts'
import { metricsPage, serveHttp, textAnswer } from '../kube/process/serve-http.ts'
import { createSidecarElections } from '../sidecars/sidecar-elections.ts'
import { createElectionMetrics } from '../sidecars/sidecar-metrics.ts'
import { shownOptions } from '../sidecars/standard-options.ts'
import { openProcess } from './open-process.ts'
import { replicaIdentity } from './replica-identity.ts'
import type { World } from './world.ts'

// Without those about a driver.
const { csiAddress: _address, exitOnDriverLoss: _exit, metricsAddress: _metrics, ...processOptions } = shownOptions

/** The flags of a process that runs controllers for the whole cluster. */
export const controllerProcessOptions = processOptions

export type ControllerProcess = {
  /** How it names itself to the server. */
  readonly program: string
  readonly lease: string
  /** Where the lease is if neither the flag nor the pod says it. */
  readonly leaseNamespace: string
  readonly config: ConfigOf<typeof controllerProcessOptions>
  readonly definitions: readonly ControllerDefinition[]
}

/** Runs controllers until a signal asks to stop, with metrics, health and leader election. */
export async function runClusterControllers(
  { program, lease, leaseNamespace, config, definitions }: ControllerProcess,
  world: World,
): Promise<number> {
  const { clock, random, env } = world
  const { log, stopped, kubernetes, registry, tracing } = await openProcess(config, world, { program })
  await using _sent = tracing
  const elections = createSidecarElections(
    {
      config,
      electionApi: kubernetes.electionApi,
      identity: replicaIdentity(world),
      namespace: config.leaderElectionNamespace || env['POD_NAMESPACE'] || leaseNamespace,
      clock,
      random,
      log,
    },
    createElectionMetrics(registry),
  )
  const routes = {
    [config.metricsPath]: metricsPage(registry),
    '/healthz': () => Promise.resolve(textAnswer(200, 'ok')),
    ...(config.leaderElection ? { '/healthz/leader-election': elections.healthPage } : {}),
  }
  const http = config.httpEndpoint === '' ? undefined : await serveHttp(config.httpEndpoint, routes, log)
  if (http) log.info('serving metrics and health', { port: http.port })
  const election = config.leaderElection ? { election: elections.campaign(lease) } : {}
  const running = runControllers(definitions, {
    api: kubernetes.api,
    clock,
    random,
    log,
    registry,
    tracer: tracing.tracer,
    ...election,
  })
  try {
    const signal = await Promise.race([stopped, running.settled.then(() => undefined)])
    if (signal === undefined) {
      world.out.write(`ready controllers=${definitions.map(({ name }) => name).join(',')}\n`)
      log.info('stopping', { signal: await stopped })
    }
  } finally {
    await running.stop()
    await http?.close()
    kubernetes.close()
  }
  return 0
}
