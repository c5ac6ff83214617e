import { startDeadline } from '../../base/abort.ts'
import type { Clock } from '../../base/clock.ts'
import type { Connection } from '../../csi/connect.ts'
import { CsiError } from '../../csi/csi-error.ts'
import type { Driver } from '../../csi/rpc.ts'
import { textAnswer } from '../../kube/process/serve-http.ts'
import type { HttpAnswer } from '../../kube/process/serve-http.ts'

export type ProberParts = {
  readonly clock: Clock
  readonly timeoutMs: number
  /** Opens a separate connection for the prober, independent of the driver's other work. */
  connect(): { driver: Driver; connection: Connection }
  onProbed(tookMs: number): void
}

/** Asks a driver whether it is ready. Keeps its connection while the driver is healthy, and opens a new one after each failure. */
export function createProber({ clock, timeoutMs, connect, onProbed }: ProberParts) {
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
