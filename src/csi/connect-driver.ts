import type { Clock } from '../base/clock.ts'
import type { Tracer } from '../base/tracing/index.ts'
import { connect } from './connect.ts'
import type { Connection, ConnectOptions } from './connect.ts'
import { createClient } from './create-client.ts'
import type { CallObserver, CallStartObserver } from './create-client.ts'
import { joinTransport } from './join.ts'
import type { Dispatcher } from './kit/dispatch.ts'
import { CSI_REGISTRATION_SERVICE, CSI_SERVICES, REGISTRATION_SERVICE } from './rpc.ts'
import type { CsiMethods, Driver, Registrar, RegistrationMethods } from './rpc.ts'

export type DriverConnectionOptions = ConnectOptions & {
  /** For calls without a timeout of their own. Default 15 s. */
  timeoutMs?: number
  observe?: CallObserver
  observeStart?: CallStartObserver
  /** Records the calls that are made in a step, and passes the trace on to the driver. Default: none. */
  tracer?: Tracer | undefined
}

type PluginInfo = Awaited<ReturnType<Driver['getPluginInfo']>>

/** The driver behind a socket, and the connection, to observe and close. */
export function connectDriver(options: DriverConnectionOptions): { driver: Driver; connection: Connection } {
  let driverName: string | undefined
  const connection = connect({ ...options, driverName: () => driverName })
  // The first response contains the driver's name; errors about the connection include it from then on.
  const observe: CallObserver = (call) => {
    if (call.rpc.key === 'getPluginInfo' && call.response !== undefined) driverName = (call.response as PluginInfo).name
    options.observe?.(call)
  }
  return {
    driver: createClient<CsiMethods>(CSI_SERVICES, { ...options, observe, transport: connection.transport }),
    connection,
  }
}

/** A driver in this process, with the same encoding and checks as over a socket. */
export function joinDriver(
  server: Dispatcher,
  options: { clock: Clock; timeoutMs?: number; observe?: CallObserver; tracer?: Tracer | undefined },
): Driver {
  return createClient<CsiMethods>(CSI_SERVICES, { ...options, transport: joinTransport(server) })
}

/** The registrar behind a socket in the plugins_registry directory. */
export function connectRegistrar(options: DriverConnectionOptions): { registrar: Registrar; connection: Connection } {
  const connection = connect(options)
  const services = [REGISTRATION_SERVICE, CSI_REGISTRATION_SERVICE]
  return {
    registrar: createClient<RegistrationMethods>(services, { ...options, transport: connection.transport }),
    connection,
  }
}
