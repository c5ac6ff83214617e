import { Gauge, Registry } from 'prom-client'
import { startDeadline } from '../../base/abort.ts'
import { startWhole } from '../../base/stops.ts'
import type { Connection } from '../../csi/connect.ts'
import { CsiError } from '../../csi/csi-error.ts'
import { connectDriver, createCallMetrics } from '../../csi/index.ts'
import type { Driver } from '../../csi/rpc.ts'
import type { RoleWorld } from '../../kube/process/role-world.ts'
import { metricsPage, serveHttp, textAnswer } from '../../kube/process/serve-http.ts'
import type { HttpAnswer, HttpRoutes } from '../../kube/process/serve-http.ts'
import { readDriverInfo } from '../discover-driver.ts'
import type { LivenessConfig } from './liveness-options.ts'

export type LivenessParts = Pick<RoleWorld, 'clock' | 'log'> & { signal: AbortSignal }

export interface RunningLiveness {
  readonly driverName: string
  readonly httpPort: number
  readonly metricsPort: number | undefined
  stop(): Promise<void>
}

// The first call waits for the driver without a limit: a day stands for that.
const WITHOUT_LIMIT_MS = 86_400_000

/** Serves the driver's health over HTTP. Waits for the driver however long it takes. */
export const startLiveness = (
  config: LivenessConfig,
  { clock, log, signal }: LivenessParts,
): Promise<RunningLiveness> =>
  startWhole(async (stops) => {
    const { csiAddress: endpoint, probeTimeoutMs: timeoutMs, httpEndpoint, metricsAddress } = config
    const registry = new Registry()
    const metrics = createCallMetrics(registry)
    const latency = new Gauge({
      name: 'holdfast_liveness_last_probe_seconds',
      help: 'How long the last probe of the driver took',
      registers: [registry],
    })
    const connect = () => connectDriver({ endpoint, clock, timeoutMs, observe: metrics.observe })
    const driverName = await askName(connect(), endpoint, signal)
    metrics.setDriverName(driverName)

    const onProbed = (tookMs: number) => latency.set(tookMs / 1000)
    const prober = createProber({ clock, timeoutMs, connect, onProbed })
    stops.onStop(prober.close)
    let lastText = 'ok'
    const health = async (): Promise<HttpAnswer> => {
      const answer = await prober.probe()
      if (answer.body !== lastText)
        log.warn('the health of the driver has changed', { status: answer.status, was: lastText, is: answer.body })
      lastText = answer.body
      return answer
    }
    const showMetrics: HttpRoutes = { [config.metricsPath]: metricsPage(registry) }
    // The same response at a path that no liveness probe uses, so that a request for it never restarts the driver.
    const routes = { '/healthz': health, '/readyz': health, ...(httpEndpoint ? showMetrics : {}) }
    const http = await serveHttp(httpEndpoint || `0.0.0.0:${config.healthPort}`, routes, log)
    stops.onStop(http.close)
    const metricsHttp = metricsAddress ? await serveHttp(metricsAddress, showMetrics, log) : undefined
    stops.onStop(() => metricsHttp?.close())
    return { driverName, httpPort: http.port, metricsPort: metricsHttp?.port, stop: stops.run }
  })

async function askName(
  { driver, connection }: ReturnType<typeof connectDriver>,
  path: string,
  signal: AbortSignal,
): Promise<string> {
  try {
    await connection.ready(signal)
    return (await readDriverInfo(driver, path, { timeoutMs: WITHOUT_LIMIT_MS, signal })).name
  } finally {
    connection.close()
  }
}

type ProberParts = {
  readonly clock: RoleWorld['clock']
  readonly timeoutMs: number
  /** Opens a separate connection for the prober, independent of the driver's other work. */
  connect(): { driver: Driver; connection: Connection }
  onProbed(tookMs: number): void
}

/** Asks a driver whether it is ready. Keeps its connection while the driver is healthy, and opens a new one after each failure. */
function createProber({ clock, timeoutMs, connect, onProbed }: ProberParts) {
  let current: ReturnType<ProberParts['connect']> | undefined
  let running: Promise<HttpAnswer> | undefined

  const probeOnce = async (): Promise<HttpAnswer> => {
    const startedMs = clock.monotonicMs()
    try {
      return (await isReady()) ? textAnswer(200, 'ok') : textAnswer(500, 'the driver is not ready')
    } catch (error) {
      close()
      return textAnswer(500, error instanceof Error ? error.message : String(error))
    } finally {
      onProbed(clock.monotonicMs() - startedMs)
    }
  }
  const isReady = async (): Promise<boolean> => {
    current ??= connect()
    const { driver, connection } = current
    const tooLate = (): Error => new CsiError('DEADLINE_EXCEEDED', `no answer within ${timeoutMs} ms`, { rpc: 'Probe' })
    using deadline = startDeadline(clock, timeoutMs, tooLate)
    await connection.ready(deadline.signal)
    return (await driver.probe({}, { timeoutMs, signal: deadline.signal })).ready ?? true
  }
  const close = (): void => {
    current?.connection.close()
    current = undefined
  }
  /** Callers share the running probe: a slow driver must not be asked more and more often. */
  const probe = (): Promise<HttpAnswer> => (running ??= probeOnce().finally(() => void (running = undefined)))
  return { probe, close }
}
