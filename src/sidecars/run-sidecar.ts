import { Registry } from 'prom-client'
import type { Api } from '../api/api.ts'
import { startDeadline } from '../base/abort.ts'
import type { Clock } from '../base/clock.ts'
import type { Logger } from '../base/logger.ts'
import type { Random } from '../base/random.ts'
import { connectDriver, createCallMetrics, printableMessage } from '../csi/index.ts'
import type { CallObserver, Connection, Driver } from '../csi/index.ts'
import { createEventRecorder } from '../kube/event-recorder.ts'
import { createInformers } from '../kube/informers.ts'
import type { Informers } from '../kube/informers.ts'
import { startLeaderElection } from '../kube/leader-election.ts'
import { createQueueMetrics } from '../kube/queue-metrics.ts'
import type { QueueMetrics } from '../kube/queue-metrics.ts'
import { discoverDriver } from './discover-driver.ts'
import type { DriverFacts } from './discover-driver.ts'
import type { RoleParts, RunningRole } from './role.ts'
import { serveHttp } from './serve-http.ts'
import type { StandardConfig } from './standard-options.ts'
import { superviseRole } from './supervise-role.ts'
import type { SupervisedRole } from './supervise-role.ts'

/** A role as the process sees it; its own options are bound already. */
export type RoleDefinition = {
  readonly name: string
  /** Of the events that it makes. */
  component(driver: string): string
  leaseName(driver: string): string
  /** Why this driver needs no such role, or undefined. */
  notNeeded(facts: DriverFacts): string | undefined
  start(parts: RoleParts, signal: AbortSignal): Promise<RunningRole>
}

export type SidecarParts = {
  config: StandardConfig
  /** Longest wait for one call that names no limit of its own. */
  callTimeoutMs: number
  api: Api
  /** On a connection of its own. */
  electionApi: Api
  /** Of this replica, and where its lease is. */
  identity: string
  namespace: string
  clock: Clock
  random: Random
  log: Logger
}

export interface RunningSidecar {
  readonly driverName: string
  /** Where metrics and health are served, if they are. */
  readonly httpPort: number | undefined
  roles(): readonly SupervisedRole[]
  stop(): Promise<void>
}

const CONNECT_TIMEOUT_MS = 30_000

/**
 * One process for one driver: connects, asks what the driver can do, and runs the roles that it needs. When the driver's
 * connection is lost, all roles stop and give their leases back; when it is there again, they begin anew with what the
 * driver says then.
 */
export async function runSidecar(definitions: readonly RoleDefinition[], parts: SidecarParts): Promise<RunningSidecar> {
  const { config, clock, log } = parts
  const registry = new Registry()
  const metrics = createCallMetrics(registry)
  const queues = createQueueMetrics(registry, clock)
  const observe: CallObserver = (call) => {
    metrics.observe(call)
    if (config.v >= 5) log.debug('CSI call', { rpc: call.rpc.path, request: printableMessage(call.rpc.requestName, call.request), code: call.code, tookMs: call.tookMs })
  }
  const { driver, connection } = connectDriver({ endpoint: config.csiAddress, clock, timeoutMs: parts.callTimeoutMs, observe })
  let roles: SupervisedRole[] = []
  let stopping = false
  try {
    const facts = await waitForDriver(driver, connection, parts)
    metrics.setDriverName(facts.name)
    const http = config.httpEndpoint || config.metricsAddress ? await serveHttp(config.httpEndpoint || config.metricsAddress, routesOf(registry, config, () => roles), log) : undefined
    const informers = createInformers({ api: parts.api, clock, random: parts.random, log })
    const startAll = (current: DriverFacts): void => {
      roles = definitions.flatMap((definition) => startRole(definition, current, driver, informers, queues, parts) ?? [])
    }
    startAll(facts)
    // One change after the other: a connection may be lost again while the roles still stop.
    let turn = Promise.resolve()
    connection.watch((state) => {
      if (stopping) return
      if (state.kind === 'lost') {
        log.error('the connection to the driver is lost: all roles stop')
        turn = turn.then(() => stopRoles(roles))
      } else if (state.kind === 'ready') {
        turn = turn.then(async () => startAll(await waitForDriver(driver, connection, parts))).catch((error: unknown) => log.error('the driver came back but does not answer', { error }))
      }
    })
    const stop = async (): Promise<void> => {
      stopping = true
      await turn
      await stopRoles(roles)
      await informers.stop()
      await http?.close()
      connection.close()
    }
    return { driverName: facts.name, httpPort: http?.port, roles: () => roles, stop }
  } catch (error) {
    connection.close()
    throw error
  }
}

async function waitForDriver(driver: Driver, connection: Connection, { clock, log, callTimeoutMs, config }: SidecarParts): Promise<DriverFacts> {
  using deadline = startDeadline(clock, CONNECT_TIMEOUT_MS, () => new Error(`no driver answers on ${config.csiAddress} within ${CONNECT_TIMEOUT_MS / 1000} s`))
  await connection.ready(deadline.signal)
  return discoverDriver(driver, { clock, log, timeoutMs: callTimeoutMs })
}

function startRole(definition: RoleDefinition, facts: DriverFacts, driver: Driver, informers: Informers, queues: QueueMetrics, parts: SidecarParts): SupervisedRole | undefined {
  const { config, clock, random, api } = parts
  const log = parts.log.with({ role: definition.name })
  const why = definition.notNeeded(facts)
  if (why !== undefined) {
    log.info('this role is not needed', { why })
    return undefined
  }
  const events = createEventRecorder({ api, clock, log, component: definition.component(facts.name) })
  const election = config.leaderElection
    ? startLeaderElection({
        api: parts.electionApi,
        clock,
        random,
        log,
        namespace: parts.namespace,
        name: definition.leaseName(facts.name),
        identity: parts.identity,
        labels: config.leaderElectionLabels,
        leaseDurationMs: config.leaderElectionLeaseDurationMs,
        renewDeadlineMs: config.leaderElectionRenewDeadlineMs,
        retryPeriodMs: config.leaderElectionRetryPeriodMs,
      })
    : undefined
  const start = (signal: AbortSignal): Promise<RunningRole> => definition.start({ driver, facts, api, informers, events, clock, random, log, queues }, signal)
  return superviseRole({ name: definition.name, start, clock, random, log, ...(election ? { election } : {}) })
}

async function stopRoles(roles: readonly SupervisedRole[]): Promise<void> {
  await Promise.all(roles.map((role) => role.stop()))
}

function routesOf(registry: Registry, config: StandardConfig, roles: () => readonly SupervisedRole[]) {
  const health = async () => {
    const failed = roles().flatMap((role) => {
      const state = role.state()
      return state.kind === 'failed' ? [`${role.name}: ${state.error.message}`] : []
    })
    return { status: failed.length === 0 ? 200 : 500, contentType: 'text/plain', body: failed.length === 0 ? 'ok' : failed.join('\n') }
  }
  return {
    [config.metricsPath]: async () => ({ status: 200, contentType: registry.contentType, body: await registry.metrics() }),
    ...(config.httpEndpoint ? { '/healthz/leader-election': health } : {}),
  }
}
