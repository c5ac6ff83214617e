import type { Logger } from '../base/logger.ts'
import { connectDriver } from '../csi/index.ts'
import type { DriverFacts } from '../sidecars/discover-driver.ts'
import type { RoleDefinition } from '../sidecars/role.ts'
import { runSidecar } from '../sidecars/run-sidecar.ts'
import type { StandardConfig } from '../sidecars/standard-options.ts'
import type { ConnectExtras, KubernetesConfig, KubernetesConnection } from './connect-kubernetes.ts'
import { openProcess } from './open-process.ts'
import { replicaIdentity } from './replica-identity.ts'
import type { World } from './world.ts'

export type RolesOptions = ConnectExtras & {
  config: StandardConfig & KubernetesConfig
  /** Longest wait for what the driver is asked about itself. */
  callTimeoutMs: number
  sharedElection?: boolean
  /** What to run, once it is known where. */
  roles(kubernetes: KubernetesConnection, namespace: string): readonly RoleDefinition[]
  /** Lines for standard output before the one that begins with `ready`, and for the log whenever the driver comes back. */
  describe?(facts: DriverFacts): readonly string[]
}

// Where Kubernetes looks for why a container ended.
const TERMINATION_LOG = '/dev/termination-log'

/** Runs roles for one driver until a signal asks to stop: what all sidecar commands do. */
export async function runRoles(
  { config, callTimeoutMs, sharedElection = false, roles, describe = () => [], ...extras }: RolesOptions,
  world: World,
): Promise<number> {
  const { clock, random, env } = world
  const { log, stopped, kubernetes, registry, tracing } = await openProcess(config, world, extras)
  await using _sent = tracing
  const { tracer } = tracing
  const namespace = config.leaderElectionNamespace || env['POD_NAMESPACE'] || kubernetes.namespace || 'default'
  try {
    const sidecar = await runSidecar(roles(kubernetes, namespace), {
      config,
      callTimeoutMs,
      sharedElection,
      registry,
      connect: (observe) =>
        connectDriver({ endpoint: config.csiAddress, clock, timeoutMs: callTimeoutMs, observe, tracer }),
      onDriver: (facts) => {
        for (const line of describe(facts)) log.warn(line)
      },
      api: kubernetes.api,
      electionApi: kubernetes.electionApi,
      identity: replicaIdentity(world),
      namespace,
      clock,
      random,
      log,
      tracer,
    })
    // A stop before the driver was ever there has nothing to announce.
    void sidecar.ready.then(
      (facts) =>
        world.out.write(
          [
            ...describe(facts),
            readyLine(
              config.csiAddress,
              facts,
              sidecar.roles().map(({ name }) => name),
            ),
          ]
            .map((line) => `${line}\n`)
            .join(''),
        ),
      () => {},
    )
    try {
      const signal = await Promise.race([stopped, sidecar.ended])
      log.info('stopping', { signal })
    } catch (error) {
      await leaveMessage(world, log, error)
      throw error
    } finally {
      await sidecar.stop()
    }
  } finally {
    kubernetes.close()
  }
  return 0
}

function readyLine(address: string, { name }: DriverFacts, roles: readonly string[]): string {
  return `ready unix://${address.replace(/^unix:\/\//, '')} driver=${name} roles=${roles.join(',') || 'none'}`
}

async function leaveMessage({ host }: World, log: Logger, error: unknown): Promise<void> {
  try {
    // Kubernetes mounts the file. If it is missing, nothing would read the message.
    if (!(await host.files.findStat(TERMINATION_LOG))) return
    await host.files.writeFile(
      TERMINATION_LOG,
      new TextEncoder().encode(`${error instanceof Error ? error.message : String(error)}\n`),
    )
  } catch (cause) {
    log.warn('writing the termination message failed', { error: cause })
  }
}
