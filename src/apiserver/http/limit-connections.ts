import type { Socket } from 'node:net'
import type { Clock } from '../../base/clock.ts'
import type { Logger } from '../../base/logger.ts'
import { createIdleTimeouts } from './idle-timeouts.ts'
import type { ConnectionLimits } from './limits.ts'

/** What a connection is used for, as reported by its users. */
export interface ConnectionUse {
  begin(): void
  end(): void
  /** A request on the connection was authenticated. */
  authenticated(): void
}

export interface Connections {
  /** Accepts a connection before anything is read from it. If there are too many, closes an idle one. */
  accept(socket: Socket): void
  /** Finds an accepted connection by its addresses: with TLS, requests only know the socket above it. */
  useOf(socket: Addressed): ConnectionUse
  /** Closes what is left, also connections that are still negotiating TLS. */
  stop(): void
}

type Addressed = Pick<Socket, 'remoteAddress' | 'remotePort' | 'localAddress'>

type Connection = {
  readonly key: string
  readonly address: string
  readonly pool: Pool
  readonly socket: Socket
  running: number
  isAuthenticated: boolean
}

/** Connections that share a limit. The sets only have those without a running request, longest idle first. */
class Pool {
  count = 0
  readonly strangers = new Set<Connection>()
  readonly authenticated = new Set<Connection>()

  setIdle(connection: Connection): void {
    if (connection.isAuthenticated) this.authenticated.add(connection)
    else this.strangers.add(connection)
  }
  setBusy(connection: Connection): void {
    this.authenticated.delete(connection)
    this.strangers.delete(connection)
  }
  /** The connection to close for another one: first those without any authenticated request. */
  findDispensable(): Connection | undefined {
    for (const idle of [this.strangers, this.authenticated]) for (const connection of idle) return connection
    return undefined
  }
}

const UNUSED: ConnectionUse = { begin: () => {}, end: () => {}, authenticated: () => {} }

/**
 * Limits connections, so that idle clients cannot keep others out: an idle connection is closed after a short time, and immediately if another client
 * needs its slot. Connections with a running request, such as a watch, are never closed.
 */
export function limitConnections(limits: ConnectionLimits, { clock, log }: { clock: Clock; log: Logger }): Connections {
  const connections = new Map<string, Connection>()
  const everyone = new Pool()
  const byAddress = new Map<string, Pool>()
  const told = new Set<string>()

  const close = (connection: Connection): void => {
    forget(connection)
    connection.socket.destroy()
  }
  const silent = createIdleTimeouts<Connection>(clock, limits.firstRequestMs, close)
  const idleStrangers = createIdleTimeouts<Connection>(clock, limits.idleStrangerMs, close)

  const forget = (connection: Connection): void => {
    const { key, address, pool } = connection
    if (connections.get(key) !== connection) return
    connections.delete(key)
    silent.remove(connection)
    idleStrangers.remove(connection)
    for (const each of [pool, everyone]) {
      each.count--
      each.setBusy(connection)
    }
    if (pool.count === 0) byAddress.delete(address)
    if (pool.count < limits.perAddress) told.delete(address)
  }
  const hasRoom = (pool: Pool, most: number): boolean => {
    const dispensable = pool.count < most ? undefined : pool.findDispensable()
    if (dispensable) close(dispensable)
    return pool.count < most
  }
  const accept = (socket: Socket): void => {
    const { remoteAddress: address } = socket
    // The client has already disconnected.
    if (address === undefined) return void socket.destroy()
    const pool = byAddress.get(address) ?? new Pool()
    if (pool.count >= limits.perAddress || everyone.count >= limits.overall) {
      // Logged once each time the limit is reached, however many connections there are.
      if (!told.has(address)) log.error('too many connections', { address, count: pool.count, overall: everyone.count })
      told.add(address)
      if (!hasRoom(pool, limits.perAddress) || !hasRoom(everyone, limits.overall)) return void socket.destroy()
    }
    const connection: Connection = { key: keyOf(socket), address, pool, socket, running: 0, isAuthenticated: false }
    byAddress.set(address, pool)
    connections.set(connection.key, connection)
    for (const each of [pool, everyone]) {
      each.count++
      each.setIdle(connection)
    }
    silent.touch(connection)
    socket.once('close', () => forget(connection))
  }

  const useOf = (socket: Addressed): ConnectionUse => {
    const connection = connections.get(keyOf(socket))
    if (!connection) return UNUSED
    const { pool } = connection
    const begin = (): void => {
      if (connection.running++ > 0) return
      silent.remove(connection)
      idleStrangers.remove(connection)
      pool.setBusy(connection)
      everyone.setBusy(connection)
    }
    const end = (): void => {
      if (--connection.running > 0 || connections.get(connection.key) !== connection) return
      pool.setIdle(connection)
      everyone.setIdle(connection)
      if (!connection.isAuthenticated) idleStrangers.touch(connection)
    }
    return { begin, end, authenticated: () => void (connection.isAuthenticated = true) }
  }
  const stop = (): void => {
    silent.stop()
    idleStrangers.stop()
    for (const { socket } of connections.values()) socket.destroy()
  }
  return { accept, useOf, stop }
}

const keyOf = ({ remoteAddress, remotePort, localAddress }: Addressed): string =>
  `${remoteAddress} ${remotePort} ${localAddress}`
