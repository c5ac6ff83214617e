import type { TLSSocket } from 'node:tls'
import { readClientCertificate } from '../authentication/client-certificate.ts'
import type { ConnectionInfo } from './exchange.ts'

type Socket = Partial<Pick<TLSSocket, 'authorized' | 'authorizationError' | 'remoteAddress'>> & {
  getPeerCertificate?(): Parameters<typeof readClientCertificate>[0] | null
}

/** Reads what a connection, with or without TLS, knows of its client. It is the same for all its requests: ask once. */
export function readConnectionInfo(socket: Socket): ConnectionInfo {
  const sourceIps = socket.remoteAddress === undefined ? [] : [socket.remoteAddress]
  // Without TLS there is no such method. A session that was resumed counts as authorized even where there was never a
  // certificate, so what is there is looked at first.
  const certificate = readClientCertificate(socket.getPeerCertificate?.() ?? {})
  if (!certificate) return { sourceIps }
  if (socket.authorized) return { sourceIps, certificate }
  return { sourceIps, certificateProblem: String(socket.authorizationError ?? 'it could not be verified') }
}
