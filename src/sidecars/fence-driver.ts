import { CsiError } from '../csi/csi-error.ts'
import type { Driver } from '../csi/rpc.ts'

/** The driver until the signal aborts. Running calls end normally; later ones are not sent. */
export function fenceDriver(driver: Driver, signal: AbortSignal): Driver {
  type Call = (request: object, options?: object) => unknown
  const fenced = Object.entries(driver).map(([name, call]): [string, Call] => [
    name,
    (request, options) => {
      if (!signal.aborted) return (call as Call)(request, options)
      const refused = new CsiError('CANCELLED', 'not sent: the role has ended', { rpc: name, cause: signal.reason })
      return isStream(name) ? refusedStream(refused) : Promise.reject(refused)
    },
  ])
  // The same names, with calls of the same shape.
  return Object.freeze(Object.fromEntries(fenced)) as unknown as Driver
}

const STREAMS: ReadonlySet<string> = new Set<keyof Driver>(['getMetadataAllocated', 'getMetadataDelta'])
const isStream = (name: string): boolean => STREAMS.has(name)

// oxlint-disable-next-line require-yield
async function* refusedStream(error: Error): AsyncGenerator<never, void> {
  throw error
}
