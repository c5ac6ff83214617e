import type { User } from '../core/user.ts'

/** What is read from a client's certificate, once TLS has checked that our authority signed it. */
export type ClientCertificate = {
  readonly commonName: string
  readonly organizations: readonly string[]
  /** Of the whole certificate, in hexadecimal. */
  readonly sha256?: string
}

/** The part of a TLS peer certificate that is looked at here. */
export type PeerCertificate = {
  readonly subject?: Readonly<Record<string, string | readonly string[] | undefined>>
  /** `AB:CD:…`. */
  readonly fingerprint256?: string
}

/** From what `tls.TLSSocket.getPeerCertificate()` gives; undefined for a client without one. Only for sockets that are `authorized`. */
export function readClientCertificate({ subject, fingerprint256 }: PeerCertificate): ClientCertificate | undefined {
  if (!subject) return undefined
  const [commonName] = [subject['CN'] ?? ''].flat().slice(-1)
  const organizations = [subject['O'] ?? []].flat()
  const sha256 = fingerprint256?.replaceAll(':', '').toLowerCase()
  return { commonName: commonName ?? '', organizations, ...(sha256 ? { sha256 } : {}) }
}

/** The name is the user, the organizations are the groups. A certificate without a name says nothing. */
export function certificateUser({ commonName, organizations, sha256 }: ClientCertificate): User | undefined {
  if (commonName === '') return undefined
  const extra = sha256 ? { 'authentication.kubernetes.io/credential-id': [`X509SHA256=${sha256}`] } : undefined
  return { name: commonName, groups: organizations, ...(extra ? { extra } : {}) }
}
