import { collectDefaultMetrics, Registry } from 'prom-client'
import type { ConfigOf } from '../base/options/index.ts'
import type { loggingOptions } from '../sidecars/standard-options.ts'
import { connectKubernetes } from './connect-kubernetes.ts'
import type { ConnectExtras, KubernetesConfig } from './connect-kubernetes.ts'
import { createCommandLogger } from './logging.ts'
import { openTracing } from './open-tracing.ts'
import type { World } from './world.ts'

/** The beginning of every program that works for a cluster until a signal asks to stop: its log, its connection and its metrics. */
export async function openProcess(
  config: ConfigOf<typeof loggingOptions> & KubernetesConfig & { readonly otlpEndpoint: string },
  world: World,
  extras: ConnectExtras,
) {
  const logLevel = config.v >= 4 ? 'debug' : 'info'
  const log = createCommandLogger({ logLevel, logFormat: config.loggingFormat }, world)
  const stopped = world.untilStopped()
  const kubernetes = await connectKubernetes(config, world, extras)
  const tracing = await openTracing(config, world, log)
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  return { log, stopped, kubernetes, registry, tracing }
}
