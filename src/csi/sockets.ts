import type { Clock } from '../base/clock.ts'
import type { HostFiles } from '../base/host/host.ts'
import type { Logger } from '../base/logger.ts'
import type { Random } from '../base/random.ts'
import type { Tracer } from '../base/tracing/index.ts'
import { connectDriver, connectRegistrar } from './connect-driver.ts'
import type { DriverConnectionOptions } from './connect-driver.ts'
import type { Connection } from './connect.ts'
import type { RunningServer } from './kit/serve.ts'
import type { Dispatcher } from './kit/dispatch.ts'
import type { Driver, Registrar } from './rpc.ts'

export type SocketCallOptions = Pick<DriverConnectionOptions, 'timeoutMs' | 'observe' | 'observeStart'>

/** How programs on one machine reach each other: by socket paths. Every endpoint is a path or a unix:// address. */
export interface Sockets {
  serve(endpoint: string, server: Dispatcher): Promise<RunningServer>
  connectDriver(endpoint: string, options?: SocketCallOptions): { driver: Driver; connection: Connection }
  connectRegistrar(endpoint: string, options?: SocketCallOptions): { registrar: Registrar; connection: Connection }
}

/** Unix sockets, with gRPC. */
export function createSystemSockets(parts: {
  files: HostFiles
  clock: Clock
  random: Random
  log: Logger
  /** Of the calls to drivers. Default: none. */
  tracer?: Tracer | undefined
}): Sockets {
  const { clock, tracer } = parts
  return {
    // Loaded with the first server: programs that only call drivers do without the library of gRPC servers.
    serve: async (endpoint, server) => {
      const { serve } = await import('./kit/serve.ts')
      return serve({ ...parts, endpoint, servers: [server] })
    },
    connectDriver: (endpoint, options = {}) => connectDriver({ ...options, endpoint, clock, tracer }),
    connectRegistrar: (endpoint, options = {}) => connectRegistrar({ ...options, endpoint, clock }),
  }
}
