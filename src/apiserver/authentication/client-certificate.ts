import type { User } from '../core/user.ts'

/** The fields of a client's certificate, after TLS has verified that our authority signed it. */
export type ClientCertificate = {
  readonly commonName: string
  readonly organizations: readonly string[]
  /** Hash of the whole certificate, in hexadecimal. */
  readonly sha256?: string
}

/** The part of a TLS peer certificate that is used here. */
export type PeerCertificate = {
  readonly subject?: Readonly<Record<string, string | readonly string[] | undefined>>
  /** `AB:CD:…`. */
  readonly fingerprint256?: string
}

/** From the result of `tls.TLSSocket.getPeerCertificate()`; undefined for a client without one. Only for sockets that are `authorized`. */
export function readClientCertificate({ subject, fingerprint256 }: PeerCertificate): ClientCertificate | undefined {
  if (!subject) return undefined
  const [commonName] = [subject['CN'] ?? ''].flat().slice(-1)
  const organizations = [subject['O'] ?? []].flat()
  const sha256 = fingerprint256?.replaceAll(':', '').toLowerCase()
  return { commonName: commonName ?? '', organizations, ...(sha256 ? { sha256 } : {}) }
}

/** The common name is the user, the organizations are the groups. A certificate without a common name identifies nobody. */
export function certificateUser({ commonName, organizations, sha256 }: ClientCertificate): User | undefined {
  if (commonName === '') return undefined
  const extra = sha256 ? { 'authentication.kubernetes.io/credential-id': [`X509SHA256=${sha256}`] } : undefined
  return { name: commonName, groups: organizations, ...(extra ? { extra } : {}) }
}
