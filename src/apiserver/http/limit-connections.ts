import type { Server, Socket } from 'node:net'
import type { Logger } from '../../base/logger.ts'

export type ConnectionLimits = {
  /** Open at the same time from one address. */
  readonly perAddress: number
  /** From all together. */
  readonly overall: number
}

/** Far more than any client needs, and little enough for one server: a connection takes some tens of kilobytes. */
export const DEFAULT_CONNECTION_LIMITS: ConnectionLimits = { perAddress: 2000, overall: 10_000 }

/** Closes connections that are too many before anything is read from them. */
export function limitConnections(server: Pick<Server, 'on' | 'maxConnections'>, { perAddress, overall }: ConnectionLimits, log: Logger): void {
  const counts = new Map<string, number>()
  const told = new Set<string>()
  server.maxConnections = overall
  server.on('connection', (socket: Socket) => {
    const address = socket.remoteAddress ?? ''
    const count = counts.get(address) ?? 0
    if (count >= perAddress) {
      // Once for each time that it comes to this, however many are refused.
      if (!told.has(address)) log.error('connections refused: the address has too many', { address, perAddress })
      told.add(address)
      return void socket.destroy()
    }
    counts.set(address, count + 1)
    socket.once('close', () => {
      const left = (counts.get(address) ?? 1) - 1
      if (left > 0) counts.set(address, left)
      else counts.delete(address)
      told.delete(address)
    })
  })
}
