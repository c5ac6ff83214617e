import type { TLSSocket } from 'node:tls'
import { readClientCertificate } from '../authentication/client-certificate.ts'
import type { ConnectionInfo } from './exchange.ts'

type Socket = Partial<Pick<TLSSocket, 'authorized' | 'authorizationError' | 'remoteAddress'>> & {
  getPeerCertificate?(): Parameters<typeof readClientCertificate>[0] | null
}

/** What a connection, with or without TLS, knows about its client. The same for all its requests: read it once. */
export function readConnectionInfo(socket: Socket): ConnectionInfo {
  const sourceIps = socket.remoteAddress === undefined ? [] : [socket.remoteAddress]
  // Without TLS the method is missing. A resumed session counts as authorized even without a certificate, so the certificate is checked first.
  const certificate = readClientCertificate(socket.getPeerCertificate?.() ?? {})
  if (!certificate) return { sourceIps }
  if (socket.authorized) return { sourceIps, certificate }
  return { sourceIps, certificateProblem: String(socket.authorizationError ?? 'it could not be verified') }
}
