import { Registry } from 'prom-client'
import { startDeadline } from '../base/abort.ts'
import { printableMessage } from '../csi/index.ts'
import type { CallObserver, Driver } from '../csi/index.ts'
import { createEventRecorder } from '../kube/controller/event-recorder.ts'
import { createInformers } from '../kube/cache/informers.ts'
import type { Informers } from '../kube/cache/informers.ts'
import type { LeaderElection } from '../kube/process/leader-election.ts'
import type { DriverFacts } from './discover-driver.ts'
import { fenceApi } from '../kube/process/fence-api.ts'
import { fenceDriver } from './fence-driver.ts'
import { followDriver } from './follow-driver.ts'
import type { DriverConnection } from './follow-driver.ts'
import { untilAborted } from '../kube/process/leadership-term.ts'
import type { RoleDefinition } from './role.ts'
import type { RoleWorld } from '../kube/process/role-world.ts'
import { metricsPage, serveHttp } from '../kube/process/serve-http.ts'
import type { HttpRoutes, RunningHttp } from '../kube/process/serve-http.ts'
import { createDriverReports } from './report-driver.ts'
import type { DriverReports } from './report-driver.ts'
import { createSidecarElections } from './sidecar-elections.ts'
import type { ElectionParts, SidecarElections } from './sidecar-elections.ts'
import { createSidecarMetrics } from './sidecar-metrics.ts'
import type { SidecarMetrics } from './sidecar-metrics.ts'
import type { StandardConfig } from './standard-options.ts'
import { isAwaited } from '../storage/driver-problem.ts'
import { SLOW_CALL_MS } from '../storage/driver-trouble.ts'
import { superviseRole } from '../kube/process/supervise-role.ts'
import type { Leadership, SupervisedRole } from '../kube/process/supervise-role.ts'
import { watchCalls } from './watch-calls.ts'

export type SidecarParts = ElectionParts & {
  api: RoleWorld['api']
  config: StandardConfig
  /** Starts connecting. Calls `observe` for every call. */
  connect(observe: CallObserver): { driver: Driver; connection: DriverConnection }
  /** Longest wait for the driver's responses about its identity and capabilities. */
  callTimeoutMs: number
  /** One lease for all roles instead of one for each. Default false. */
  sharedElection?: boolean
  /** Called each time the driver has reported its capabilities, before the roles start. */
  onDriver?(facts: DriverFacts): void
  /** May already contain metrics of the process. Default: a new one. */
  registry?: Registry
  /** Records the steps of the roles. Default: none. */
  tracer?: RoleWorld['tracer']
}

export interface RunningSidecar {
  /** The port of metrics and health, if they are served. */
  readonly httpPort: number | undefined
  /** Resolves when the driver has responded for the first time and the roles start; rejects if the sidecar ends before. */
  readonly ready: Promise<DriverFacts>
  /** Resolves when it was stopped; rejects if it ended by itself, as requested by `--exit-on-driver-loss`. */
  readonly ended: Promise<void>
  roles(): readonly SupervisedRole[]
  stop(): Promise<void>
}

const FLUSH_LIMIT_MS = 2000
/**
 * One process for one driver: waits for it, asks for its capabilities, and runs the roles that it needs. When the connection is lost, all roles stop
 * and release their leases; when the driver is back, they start again with its new capabilities. Resolves immediately.
 */
export async function runSidecar(definitions: readonly RoleDefinition[], parts: SidecarParts): Promise<RunningSidecar> {
  const { config, clock, random, log } = parts
  const metrics = createSidecarMetrics(parts.registry ?? new Registry(), clock)
  const elections = createSidecarElections(parts, metrics)
  const { driver, connection } = parts.connect(createObserver(parts, metrics))
  const reports = createDriverReports(parts)
  const http = await serveIfAsked(parts, {
    ...routesOf(parts, metrics, elections),
    ...Object.assign({}, ...definitions.map(({ routes }) => routes ?? {})),
  }).catch((error: unknown) => {
    connection.close()
    reports[Symbol.dispose]()
    throw error
  })
  const informers = createInformers({ api: parts.api, clock, random, log })
  const stopping = new AbortController()
  const ready = Promise.withResolvers<DriverFacts>()
  let roles: readonly SupervisedRole[] = []

  const serve = async (facts: DriverFacts, session: AbortSignal): Promise<void> => {
    metrics.calls.setDriverName(facts.name)
    parts.onDriver?.(facts)
    reports.well(facts.name)
    const needed = chooseNeeded(definitions, facts, parts, reports)
    const watched = watchCalls(driver, clock, {
      onSlow: (call) => reports.tell(facts.name, { kind: 'no-answer', call, forMs: SLOW_CALL_MS }),
      onOver: () => reports.well(facts.name),
    })
    const shared =
      parts.sharedElection && config.leaderElection ? elections.campaign(sharedLeaseName(facts.name)) : undefined
    roles = needed.map((definition) =>
      startRole(definition, { facts, driver: watched, informers, metrics, elections, shared }, parts),
    )
    ready.resolve(facts)
    await untilAborted(session)
    if (!stopping.signal.aborted)
      log.error('the connection to the driver is lost: all roles stop', { driver: facts.name })
    await Promise.all(roles.map((role) => role.stop()))
    await shared?.stop()
  }
  const follow = async (): Promise<void> => {
    try {
      await followDriver(
        {
          driver,
          connection,
          timeoutMs: parts.callTimeoutMs,
          exitOnLoss: config.exitOnDriverLoss,
          onProblem: reports.tell,
          clock,
          random,
          log,
        },
        serve,
        stopping.signal,
      )
    } finally {
      reports[Symbol.dispose]()
      await informers.stop()
      connection.close()
      await http?.close()
    }
  }
  const ended = follow()
  ended.then(() => ready.reject(new Error('the sidecar was stopped')), ready.reject)
  // An unhandled rejection if no caller awaits it.
  ready.promise.catch(() => {})
  const stop = async (): Promise<void> => {
    stopping.abort(new Error('the sidecar stops'))
    await ended.catch(() => {})
  }
  return { httpPort: http?.port, ready: ready.promise, ended, roles: () => roles, stop }
}

/** The name of the `--leader-election-shared` lease: no Go sidecar uses it. */
export const sharedLeaseName = (driver: string): string => `holdfast-sidecar-${driver}`

function chooseNeeded(
  definitions: readonly RoleDefinition[],
  facts: DriverFacts,
  { log }: SidecarParts,
  reports: DriverReports,
): RoleDefinition[] {
  const idle = definitions.flatMap(({ name, notNeeded }) => {
    const why = notNeeded?.(facts)
    return why === undefined ? [] : [{ role: name, why }]
  })
  for (const { role, why } of idle) log.info('this role is not needed', { role, why: `the driver ${why}` })
  reports.lacks(
    facts.name,
    idle.flatMap(({ role, why }) => (isAwaited(role) ? [{ kind: 'cannot', role, why }] : [])),
  )
  return definitions.filter(({ name }) => idle.every(({ role }) => role !== name))
}

type Session = {
  facts: DriverFacts
  driver: Driver
  informers: Informers
  metrics: SidecarMetrics
  elections: SidecarElections
  shared: LeaderElection | undefined
}

function startRole(definition: RoleDefinition, session: Session, parts: SidecarParts): SupervisedRole {
  const { name } = definition
  const { facts, driver, informers, metrics } = session
  const { clock, random, api } = parts
  const log = parts.log.with({ role: name, driver: facts.name })
  const tracer = parts.tracer?.as(name)
  const events = createEventRecorder({ api, clock, log, component: definition.component(facts.name) })
  const role = superviseRole({
    name,
    leadership: leadershipOf(definition, session, parts),
    onState: (state) => metrics.roleMoved(name, state),
    start: (ending, fence) => {
      const fenced = { driver: fenceDriver(driver, fence), api: fenceApi(api, fence) }
      return definition.start(
        {
          ...fenced,
          facts,
          informers,
          events,
          clock,
          random,
          log,
          queues: metrics.queues,
          registry: metrics.registry,
          tracer,
        },
        ending,
      )
    },
    clock,
    random,
    log: parts.log,
  })
  const stop = async (): Promise<void> => {
    await role.stop()
    using limit = startDeadline(clock, FLUSH_LIMIT_MS, () => new Error(`no answer within ${FLUSH_LIMIT_MS / 1000} s`))
    await events.flush(limit.signal).catch((error: unknown) => log.warn('the last events were not written', { error }))
  }
  return { ...role, stop }
}

function leadershipOf(
  { name, leaseName }: RoleDefinition,
  { facts, elections, shared }: Session,
  { config, log }: SidecarParts,
): Leadership {
  if (!config.leaderElection) return { kind: 'none' }
  const lease = leaseName(facts.name)
  if (lease === undefined) {
    log.info('this role works on every replica: it takes part in no election', { role: name })
    return { kind: 'none' }
  }
  return shared ? { kind: 'shared', election: shared } : { kind: 'own', campaign: () => elections.campaign(lease) }
}

function createObserver({ config, log }: SidecarParts, { calls }: SidecarMetrics): CallObserver {
  return (call) => {
    calls.observe(call)
    if (config.v < 5) return
    const { rpc, code, tookMs } = call
    log.debug('CSI call', { rpc: rpc.path, request: printableMessage(rpc.requestName, call.request), code, tookMs })
  }
}

async function serveIfAsked({ config, log }: SidecarParts, routes: HttpRoutes): Promise<RunningHttp | undefined> {
  const address = config.httpEndpoint || config.metricsAddress
  return address === '' ? undefined : serveHttp(address, routes, log)
}

// The health of elections is served only at the newer address, and only if there are any: otherwise it is not found, as upstream.
function routesOf({ config }: SidecarParts, { registry }: SidecarMetrics, elections: SidecarElections): HttpRoutes {
  return {
    [config.metricsPath]: metricsPage(registry),
    ...(config.httpEndpoint !== '' && config.leaderElection
      ? { '/healthz/leader-election': elections.healthPage }
      : {}),
  }
}
