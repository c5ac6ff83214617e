import { connect as connectHttp2, performServerHandshake } from 'node:http2'
import type { ClientHttp2Session, ServerHttp2Session, ServerHttp2Stream } from 'node:http2'
import { connect } from 'node:net'
import type { Socket } from 'node:net'
import { repairAuthority } from '../../csi/http2/repair-authority.ts'

export type IncomingCall = {
  readonly caller: ServerHttp2Stream
  /** Alternating names and values, as the caller sent them. */
  readonly rawHeaders: readonly string[]
  /** To the driver. */
  readonly session: ClientHttp2Session
  /** Closes the caller's connection, with all its calls. */
  cut(): void
}

export type JoinParts = {
  /** The path of the driver's socket. */
  readonly to: string
  onCall(call: IncomingCall): void
  /** The driver cannot be reached, or has closed the connection. */
  onLost(error: Error | undefined): void
}

const SETTINGS = { maxHeaderListSize: 1024 * 1024, initialWindowSize: 1024 * 1024, enablePush: false }
const SESSION = { maxSessionMemory: 256, maxSessionInvalidFrames: 1000 }

/**
 * Connects a caller to the driver: one connection to the driver for each of a caller, so that the end of one is the end of the other. The caller's
 * connection is not answered before the driver's is ready: a caller never takes a dead driver for a living one.
 */
export function joinConnections(socket: Socket, { to, onCall, onLost }: JoinParts): { close(): void } {
  const session = connectHttp2('http://localhost', {
    ...SESSION,
    createConnection: () => connect(to),
    settings: SETTINGS,
  })
  let served: ServerHttp2Session | undefined
  let failure: Error | undefined
  const cut = (): void => {
    served?.destroy()
    socket.destroy()
    session.destroy()
  }
  session.on('error', (error: Error) => void (failure = error))
  session.on('close', () => {
    if (!socket.destroyed) onLost(failure)
    cut()
  })
  session.on('goaway', () => served?.close())
  socket.on('error', () => {})
  socket.on('close', cut)
  session.once('remoteSettings', ({ maxConcurrentStreams }) => {
    if (socket.destroyed) return
    served = performServerHandshake(repairAuthority(socket, { keepOriginal: true }), {
      ...SESSION,
      settings: { ...SETTINGS, ...(maxConcurrentStreams === undefined ? {} : { maxConcurrentStreams }) },
    })
    served.on('error', () => {})
    served.on('close', cut)
    served.on('stream', ((caller: ServerHttp2Stream, _headers: unknown, _flags: number, rawHeaders: string[]) => {
      caller.on('error', () => {})
      onCall({ caller, rawHeaders, session, cut })
    }) as () => void)
  })
  return { close: cut }
}
