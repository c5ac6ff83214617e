import { sleep } from '../base/clock.ts'
import type { Clock } from '../base/clock.ts'
import type { Random } from '../base/random.ts'
import type { Code } from '../csi/codes.ts'
import { CsiError } from '../csi/csi-error.ts'
import type { CsiMethod, Driver } from '../csi/rpc.ts'
import { CSI_RPCS } from '../csi/rpc.ts'
import type { Life } from '../base/life.ts'
import type { Transcript } from './transcript.ts'

/** How often what goes wrong, as shares of 1. */
export type DriverFaults = {
  delay: number
  longestDelayMs: number
  /** Refused before it has any effect, with one of these codes. */
  refusal: number
  refusalCodes: readonly Code[]
  /** The effect happens and the answer does not arrive. */
  lostReply: number
  /** The driver is killed and started anew before or after the call takes effect; the caller only sees that it is gone. */
  restart: number
}

export const NO_DRIVER_FAULTS: DriverFaults = {
  delay: 0,
  longestDelayMs: 0,
  refusal: 0,
  refusalCodes: [],
  lostReply: 0,
  restart: 0,
}

export const SOME_DRIVER_FAULTS: DriverFaults = {
  delay: 0.3,
  longestDelayMs: 2000,
  refusal: 0.05,
  refusalCodes: ['INTERNAL', 'UNAVAILABLE', 'ABORTED', 'RESOURCE_EXHAUSTED', 'DEADLINE_EXCEEDED'],
  lostReply: 0.05,
  restart: 0.02,
}

/** A driver that can be killed and started anew, with only what it had made durable. */
export type RestartableDriver = { current(): Driver; restart(): Promise<void> }

export type FaultyDriverParts = {
  driver: RestartableDriver
  life: Life
  clock: Clock
  random: Random
  faults: DriverFaults
  transcript: Transcript
}

type Unary = (request: object, options?: object) => Promise<unknown>

/** A driver between which and its caller things go wrong, as the seed has it. Streams pass as they are. */
export function createFaultyDriver({ driver, life, clock, random, faults, transcript }: FaultyDriverParts): Driver {
  const happens = (share: number): boolean => share > 0 && random.fraction() < share
  const faulty =
    (name: string, call: () => Unary): Unary =>
    (request, options) =>
      life.call(async () => {
        if (happens(faults.delay)) await sleep(clock, random.below(faults.longestDelayMs + 1))
        const outcome = await attempt(name, () => call()(request, options))
        transcript.add(life.name, `${name} ${outcome.kind === 'done' ? 'ok' : (outcome.error.code ?? 'no status')}`)
        if (outcome.kind === 'failed') throw outcome.error
        return outcome.value
      })
  const attempt = async (
    rpc: string,
    act: () => Promise<unknown>,
  ): Promise<{ kind: 'done'; value: unknown } | { kind: 'failed'; error: CsiError }> => {
    if (happens(faults.refusal)) {
      const code = faults.refusalCodes[random.below(faults.refusalCodes.length)] ?? 'INTERNAL'
      return { kind: 'failed', error: new CsiError(code, 'simulated', { rpc }) }
    }
    const gone = (why: string) => ({
      kind: 'failed' as const,
      error: new CsiError('UNAVAILABLE', `simulated: ${why}`, { rpc }),
    })
    if (happens(faults.restart)) {
      if (random.fraction() < 0.5) await act().catch(() => {})
      await driver.restart()
      return gone('the driver was restarted')
    }
    try {
      const value = await act()
      return happens(faults.lostReply) ? gone('the answer was lost') : { kind: 'done', value }
    } catch (error) {
      return { kind: 'failed', error: CsiError.from(error, rpc) }
    }
  }
  const calls = Array.from(CSI_RPCS.values(), ({ key, name, responseStream }) => {
    const call = (): Unary => driver.current()[key as CsiMethod] as Unary
    return [key, responseStream ? (...args: Parameters<Unary>) => call()(...args) : faulty(name, call)]
  })
  // The same keys and shapes as the driver that it stands before.
  return Object.fromEntries(calls) as Driver
}
