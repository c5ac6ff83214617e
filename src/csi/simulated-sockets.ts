import type { Clock } from '../base/clock.ts'
import type { Tracer } from '../base/tracing/index.ts'
import { isHostError } from '../base/host/host.ts'
import type { SimulatedHost } from '../base/host/simulated-host.ts'
import type { Connection } from './connect.ts'
import { createConnectionStates } from './connection-states.ts'
import type { ConnectionState } from './connection-states.ts'
import { createClient } from './create-client.ts'
import { CsiError } from './csi-error.ts'
import { joinTransport } from './join.ts'
import type { Dispatcher } from './kit/dispatch.ts'
import { parseEndpoint } from './parse-endpoint.ts'
import { CSI_REGISTRATION_SERVICE, CSI_SERVICES, REGISTRATION_SERVICE } from './rpc.ts'
import type { CsiMethods, RegistrationMethods } from './rpc.ts'
import type { Sockets } from './sockets.ts'
import type { Transport } from './transport.ts'

/** A process that uses the sockets of a simulated machine. */
export type SocketUser = {
  clock: Clock
  /** Of the calls to drivers. Default: none. */
  tracer?: Tracer | undefined
  /** Wraps each call that the process makes. Default: unchanged. */
  around?<T>(call: () => Promise<T>): Promise<T>
  /** When the process ends, its sockets stop responding; their names remain, as after a kill. */
  onEnd?(callback: () => void): void
}

/** The server at a path, if any. */
type Place = { server: Dispatcher | undefined; times: number; readonly changed: Set<() => void> }

/** The sockets of a simulated machine: servers in this process, with the same encoding and checks as over a real socket. */
export function createSimulatedSockets(machine: SimulatedHost): (user: SocketUser) => Sockets {
  const places = new Map<string, Place>()
  const placeOf = (path: string): Place => {
    const place = places.get(path) ?? { server: undefined, times: 0, changed: new Set() }
    places.set(path, place)
    return place
  }
  const change = (place: Place, server: Dispatcher | undefined): void => {
    place.server = server
    place.times++
    for (const tell of [...place.changed]) tell()
  }
  return ({ clock, tracer, around = (call) => call(), onEnd = () => {} }) => {
    const connect = (endpoint: string): Connection => {
      const path = parseEndpoint(endpoint)
      return openConnection(path, placeOf(path), around)
    }
    return {
      serve: async (endpoint, server) => {
        const path = parseEndpoint(endpoint)
        const place = placeOf(path)
        const leave = (): void => {
          if (place.server === server) change(place, undefined)
        }
        onEnd(leave)
        machine.placeSocket(path)
        change(place, server)
        const stop = async (): Promise<void> => {
          if (place.server !== server) return
          leave()
          await machine.files.removeFile(path).catch((error: unknown) => {
            if (!isHostError(error, 'ENOENT')) throw error
          })
        }
        return { path, stop }
      },
      connectDriver: (endpoint, options = {}) => {
        const connection = connect(endpoint)
        return {
          connection,
          driver: createClient<CsiMethods>(CSI_SERVICES, {
            ...options,
            clock,
            tracer,
            transport: connection.transport,
          }),
        }
      },
      connectRegistrar: (endpoint, options = {}) => {
        const connection = connect(endpoint)
        return {
          connection,
          registrar: createClient<RegistrationMethods>([REGISTRATION_SERVICE, CSI_REGISTRATION_SERVICE], {
            ...options,
            clock,
            transport: connection.transport,
          }),
        }
      },
    }
  }
}

function openConnection(path: string, place: Place, around: <T>(call: () => Promise<T>) => Promise<T>): Connection {
  const { state, move, watch, ready } = createConnectionStates(path)
  let times = 0
  // If a new server replaces another, the connection to the old one is lost first.
  const follow = (): void => {
    if (state().kind === 'ready') move({ kind: 'lost', times })
    if (place.server && state().kind !== 'closed') move({ kind: 'ready', times: ++times })
  }
  place.changed.add(follow)
  if (place.server) follow()
  const transport: Transport = {
    unary: (rpc, request, call) =>
      around(async () => {
        const server = reach(place, state(), path, rpc.name)
        const lost = untilLost(place, rpc.name)
        try {
          return await Promise.race([joinTransport(server).unary(rpc, request, call), lost.promise])
        } finally {
          lost.forget()
        }
      }),
    serverStream: (rpc, request, call) =>
      joinTransport(reach(place, state(), path, rpc.name)).serverStream(rpc, request, call),
  }
  return {
    path,
    transport,
    state,
    watch,
    ready,
    close: () => {
      place.changed.delete(follow)
      if (state().kind !== 'closed') move({ kind: 'closed' })
    },
  }
}

function reach({ server }: Place, state: ConnectionState, path: string, rpc: string): Dispatcher {
  if (state.kind === 'closed') throw new CsiError('CANCELLED', `the connection to ${path} was closed`, { rpc })
  if (!server) throw new CsiError('UNAVAILABLE', `connect ECONNREFUSED ${path}`, { rpc })
  return server
}

/** Rejects when the current server stops: the call may have had its effect. */
function untilLost(place: Place, rpc: string): { promise: Promise<never>; forget(): void } {
  const { promise, reject } = Promise.withResolvers<never>()
  promise.catch(() => {})
  const end = (): void => reject(new CsiError('UNAVAILABLE', 'the connection was lost before the response', { rpc }))
  place.changed.add(end)
  return { promise, forget: () => void place.changed.delete(end) }
}
