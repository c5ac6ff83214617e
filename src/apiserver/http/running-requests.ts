import type { ServerHttp2Session } from 'node:http2'
import type { Socket } from 'node:net'
import type { TLSSocket } from 'node:tls'
import { readConnectionInfo } from './connection-info.ts'
import type { Exchange, UsedConnection } from './exchange.ts'
import type { Connections } from './limit-connections.ts'
import type { RequestHandler } from './request-handler.ts'

/** The connections of a server and their requests, so that it can stop gracefully. */
export interface RunningRequests {
  readonly isStopping: boolean
  run(exchange: Exchange): void
  addConnection(socket: Socket): void
  addSession(session: ServerHttp2Session): void
  /** What is known about a connection, read once. The owner is the socket, or the HTTP/2 session on it. */
  connectionOf(owner: object, socket: () => Socket): UsedConnection
  /** Ends responses that would never end by themselves, and tells HTTP/2 clients that the connection accepts no more requests. */
  stop(): void
  /** Resolves when every request has its response. */
  whenIdle(): Promise<void>
  /** Closes connections after pending data was sent. */
  disconnect(): void
  /** Closes them immediately. */
  destroy(): void
}

export function createRunningRequests(
  connections: Pick<Connections, 'useOf'>,
  handler: RequestHandler,
): RunningRequests {
  const exchanges = new Set<Exchange>()
  const sockets = new Set<Socket>()
  const sessions = new Set<ServerHttp2Session>()
  const infos = new WeakMap<object, UsedConnection>()
  let isStopping = false
  let becameIdle: (() => void) | undefined

  const run = (exchange: Exchange): void => {
    const { use } = exchange.connection
    exchanges.add(exchange)
    use.begin()
    if (isStopping) exchange.stop()
    void handler(exchange).finally(() => {
      exchanges.delete(exchange)
      use.end()
      if (exchanges.size === 0) becameIdle?.()
    })
  }
  const connectionOf = (owner: object, socket: () => Socket): UsedConnection => {
    let info = infos.get(owner)
    if (!info) infos.set(owner, (info = { ...readConnectionInfo(socket()), use: connections.useOf(socket()) }))
    return info
  }
  return {
    get isStopping() {
      return isStopping
    },
    run,
    connectionOf,
    addConnection: (socket) => {
      sockets.add(socket)
      socket.once('close', () => sockets.delete(socket))
    },
    addSession: (session) => {
      sessions.add(session)
      session.once('close', () => {
        sessions.delete(session)
        // A client that is killed while data is still to be written leaves streams that Node never closes.
        const connection = infos.get(session)
        for (const exchange of exchanges) if (exchange.connection === connection) exchange.abort()
      })
    },
    stop: () => {
      isStopping = true
      for (const session of sessions) session.close()
      for (const exchange of exchanges) exchange.stop()
    },
    whenIdle: () => (exchanges.size === 0 ? Promise.resolve() : new Promise((resolve) => void (becameIdle = resolve))),
    // An HTTP/2 session closes its socket itself once its streams have ended.
    disconnect: () => {
      for (const socket of sockets) if ((socket as Partial<TLSSocket>).alpnProtocol !== 'h2') socket.destroySoon()
    },
    destroy: () => {
      for (const session of sessions) session.destroy()
      for (const socket of sockets) socket.destroy()
    },
  }
}
