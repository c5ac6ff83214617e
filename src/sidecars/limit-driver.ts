import { createAdaptiveLimit } from '../base/adaptive-limit.ts'
import type { AdaptiveLimit } from '../base/adaptive-limit.ts'
import type { Clock } from '../base/clock.ts'
import type { LimitRules } from '../base/next-limit.ts'
import type { CallOptions } from '../csi/call-options.ts'
import type { Code } from '../csi/codes.ts'
import { CsiError } from '../csi/csi-error.ts'
import type { Driver } from '../csi/rpc.ts'
import { patientCall } from './patient-call.ts'

/** How many objects a role works on at once, and how many calls of one kind it makes at once. */
export type Workers = { readonly passes: number; readonly calls: LimitRules }

// Passes also wait for the API server, whose requests have a limit of their own.
const MOST_PASSES = 200
const REST_MS = 10_000
// Some drivers say RESOURCE_EXHAUSTED about one node or pool: the others must not stand still because of that.
const FEWEST_CALLS = 2

/** A given number is a hard limit. Without one, the calls begin with the default of the Go sidecar, and adapt to the driver. */
export function workersOf(given: number | undefined, byDefault: number): Workers {
  const [start, most] = given === undefined ? [byDefault, MOST_PASSES] : [given, given]
  return { passes: most, calls: { start, ceiling: most, floor: Math.min(FEWEST_CALLS, most), restMs: REST_MS } }
}

/** The calls that change something in the storage backend. Each kind has its own limit: slow deletions never hold up creations. */
const LIMITED = [
  'createVolume',
  'deleteVolume',
  'controllerPublishVolume',
  'controllerUnpublishVolume',
  'controllerExpandVolume',
  'controllerModifyVolume',
  'createSnapshot',
  'deleteSnapshot',
  'createVolumeGroupSnapshot',
  'deleteVolumeGroupSnapshot',
] as const satisfies readonly (keyof Driver)[]

const OVERLOADED: ReadonlySet<Code | undefined> = new Set<Code>([
  'RESOURCE_EXHAUSTED',
  'UNAVAILABLE',
  'ABORTED',
  'DEADLINE_EXCEEDED',
])

type Call = (request: object, options?: CallOptions) => Promise<unknown>

/** The driver, with as many calls at once as it gains from. A call that waits for its turn has not begun: its timeout starts with the turn. */
export function limitDriver(driver: Driver, clock: Clock, { calls }: Workers): Driver {
  const limited = LIMITED.map((name): [string, Call] => [
    name,
    limitCall(patientCall(driver[name] as Call, clock), createAdaptiveLimit(clock, calls), clock),
  ])
  // The same names, with calls of the same shape.
  return Object.freeze({ ...driver, ...Object.fromEntries(limited) }) as unknown as Driver
}

const limitCall =
  (call: Call, limit: AdaptiveLimit, clock: Clock): Call =>
  async (request, options) => {
    const turn = limit.enter('first', options?.signal)
    if (turn) await turn
    const startedMs = clock.monotonicMs()
    let isOverloaded = false
    try {
      return await call(request, options)
    } catch (error) {
      isOverloaded = error instanceof CsiError && OVERLOADED.has(error.code)
      throw error
    } finally {
      limit.leave(startedMs, isOverloaded)
    }
  }
