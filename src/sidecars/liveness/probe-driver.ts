import { startDeadline } from '../../base/abort.ts'
import type { Clock } from '../../base/clock.ts'
import type { Connection } from '../../csi/connect.ts'
import { CsiError } from '../../csi/csi-error.ts'
import type { Driver } from '../../csi/rpc.ts'

/** What a probe found. */
export type ProbeResult =
  | { readonly kind: 'ready' }
  | { readonly kind: 'not-ready' }
  | { readonly kind: 'failed'; readonly error: Error }

export type ProberParts = {
  clock: Clock
  timeoutMs: number
  /** A connection of the prober's own: whatever else the driver is busy with. */
  connect(): { driver: Driver; connection: Connection }
  /** Told of every probe. */
  onProbe?(result: ProbeResult, tookMs: number): void
}

/** Asks a driver whether it is well. */
export interface Prober {
  /** Whoever asks while a probe is under way gets its result: a slow driver must not be asked ever more often. */
  probe(): Promise<ProbeResult>
  close(): void
}

/** Keeps its connection while all is well, and begins with a new one after each failure. */
export function createProber({ clock, timeoutMs, connect, onProbe }: ProberParts): Prober {
  let current: { driver: Driver; connection: Connection } | undefined
  let running: Promise<ProbeResult> | undefined

  const probeOnce = async (): Promise<ProbeResult> => {
    const startedMs = clock.monotonicMs()
    const result = await ask().catch((error: unknown): ProbeResult => {
      close()
      return { kind: 'failed', error: error instanceof Error ? error : new Error(String(error)) }
    })
    onProbe?.(result, clock.monotonicMs() - startedMs)
    return result
  }
  const ask = async (): Promise<ProbeResult> => {
    current ??= connect()
    const { driver, connection } = current
    using deadline = startDeadline(
      clock,
      timeoutMs,
      () => new CsiError('DEADLINE_EXCEEDED', `no answer within ${timeoutMs} ms`, { rpc: 'Probe' }),
    )
    await connection.ready(deadline.signal)
    const { ready } = await driver.probe({}, { timeoutMs, signal: deadline.signal })
    return { kind: (ready ?? true) ? 'ready' : 'not-ready' }
  }
  const close = (): void => {
    current?.connection.close()
    current = undefined
  }
  return { probe: () => (running ??= probeOnce().finally(() => void (running = undefined))), close }
}
