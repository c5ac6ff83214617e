import { createHash, createPrivateKey, createPublicKey, generateKeyPair, sign, X509Certificate } from 'node:crypto'
import type { KeyObject } from 'node:crypto'
import { promisify } from 'node:util'
import type { Clock } from '../../base/clock.ts'
import type { Random } from '../../base/random.ts'
import * as der from './der.ts'
import type { Der } from './der.ts'

/** A certificate and its key, in PEM. */
export type KeyPair = { readonly certificatePem: string; readonly keyPem: string }

export type ServerNames = {
  readonly commonName: string
  readonly dnsNames: readonly string[]
  readonly ipAddresses: readonly string[]
}

/** The identity of a client: user name and groups. */
export type ClientIdentity = { readonly user: string; readonly groups: readonly string[] }

/** Signs certificates. Clients trust its own certificate. */
export interface Authority {
  readonly pair: KeyPair
  issueServer(names: ServerNames): Promise<KeyPair>
  issueClient(identity: ClientIdentity): Promise<KeyPair>
}

const YEAR_MS = 365 * 24 * 3600 * 1000
const AUTHORITY_LIFE_MS = 10 * YEAR_MS
const LEAF_LIFE_MS = YEAR_MS
// Clocks differ between machines: a new certificate must be valid everywhere.
const CLOCK_SKEW_MS = 5 * 60 * 1000

const OID = {
  commonName: '2.5.4.3',
  organization: '2.5.4.10',
  ecdsaWithSha256: '1.2.840.10045.4.3.2',
  subjectKeyId: '2.5.29.14',
  keyUsage: '2.5.29.15',
  subjectAltName: '2.5.29.17',
  basicConstraints: '2.5.29.19',
  authorityKeyId: '2.5.29.35',
  extendedKeyUsage: '2.5.29.37',
  serverAuth: '1.3.6.1.5.5.7.3.1',
  clientAuth: '1.3.6.1.5.5.7.3.2',
} as const
const USAGE = { digitalSignature: 0, signCertificates: 5, signRevocations: 6 } as const

/** The names under which a server of this cluster is reached from inside and from the same machine. */
export function localServerNames({ dnsNames = [], ipAddresses = [] }: Partial<ServerNames> = {}): ServerNames {
  const service = ['kubernetes', 'kubernetes.default', 'kubernetes.default.svc', 'kubernetes.default.svc.cluster.local']
  return {
    commonName: 'kube-apiserver',
    dnsNames: [...new Set(['localhost', ...service, ...dnsNames])],
    ipAddresses: [...new Set(['127.0.0.1', '::1', ...ipAddresses])],
  }
}

/** A new authority, valid for ten years. Keys come from the system's source of randomness, not from `random`. */
export async function createAuthority(random: Random, clock: Clock, commonName = 'holdfast-ca'): Promise<Authority> {
  const keys = await createKeys()
  const subject = distinguishedName({ commonName, organizations: [] })
  const certificate = signCertificate({
    serial: random.bytes(16),
    issuer: subject,
    subject,
    ...validity(clock, AUTHORITY_LIFE_MS),
    publicKey: keys.publicKey,
    signingKey: keys.privateKey,
    extensions: [
      extension(OID.basicConstraints, der.sequence(der.boolean(true)), { critical: true }),
      extension(OID.keyUsage, der.flags(USAGE.digitalSignature, USAGE.signCertificates, USAGE.signRevocations), {
        critical: true,
      }),
      extension(OID.subjectKeyId, der.octets(keyId(keys.publicKey))),
    ],
  })
  return openAuthority(
    { certificatePem: der.formatPem('CERTIFICATE', certificate), keyPem: formatKey(keys.privateKey) },
    random,
    clock,
  )
}

/** Opens an existing authority. Throws if the key does not match the certificate. */
export function openAuthority(pair: KeyPair, random: Random, clock: Clock): Authority {
  const certificate = new X509Certificate(pair.certificatePem)
  const signingKey = createPrivateKey(pair.keyPem)
  if (!certificate.ca) throw new Error(`the certificate of ${certificate.subject} is not one of an authority`)
  if (!certificate.checkPrivateKey(signingKey))
    throw new Error(`the key is not that of the certificate of ${certificate.subject}`)
  if (signingKey.asymmetricKeyDetails?.namedCurve !== 'prime256v1')
    throw new Error('the key of an authority must be on the curve P-256')
  const issuer = subjectOf(certificate)
  const authorityKeyId = keyId(createPublicKey(signingKey))

  const issue = async (subject: Der, extensions: readonly Der[]): Promise<KeyPair> => {
    const keys = await createKeys()
    const times = validity(clock, LEAF_LIFE_MS)
    const leaf = signCertificate({
      serial: random.bytes(16),
      issuer,
      subject,
      notBeforeMs: times.notBeforeMs,
      // A certificate must not outlive its issuer.
      notAfterMs: Math.min(times.notAfterMs, certificate.validToDate.getTime()),
      publicKey: keys.publicKey,
      signingKey,
      extensions: [
        extension(OID.basicConstraints, der.sequence(), { critical: true }),
        extension(OID.keyUsage, der.flags(USAGE.digitalSignature), { critical: true }),
        extension(OID.subjectKeyId, der.octets(keyId(keys.publicKey))),
        extension(OID.authorityKeyId, der.sequence(der.tagged(0, authorityKeyId))),
        ...extensions,
      ],
    })
    return { certificatePem: der.formatPem('CERTIFICATE', leaf), keyPem: formatKey(keys.privateKey) }
  }

  return {
    pair,
    issueServer: ({ commonName, dnsNames, ipAddresses }) =>
      issue(distinguishedName({ commonName, organizations: [] }), [
        extension(OID.extendedKeyUsage, der.sequence(der.objectId(OID.serverAuth))),
        extension(
          OID.subjectAltName,
          der.sequence(...dnsNames.map(alternativeName), ...ipAddresses.map(alternativeAddress)),
        ),
      ]),
    issueClient: ({ user, groups }) =>
      issue(distinguishedName({ commonName: user, organizations: groups }), [
        extension(OID.extendedKeyUsage, der.sequence(der.objectId(OID.clientAuth))),
      ]),
  }
}

const createKeys = (): Promise<{ publicKey: KeyObject; privateKey: KeyObject }> =>
  promisify(generateKeyPair)('ec', { namedCurve: 'P-256' })

const formatKey = (key: KeyObject): string => key.export({ type: 'pkcs8', format: 'pem' }).toString()

function validity(clock: Clock, lifeMs: number): { notBeforeMs: number; notAfterMs: number } {
  const nowMs = clock.nowMs()
  return { notBeforeMs: nowMs - CLOCK_SKEW_MS, notAfterMs: nowMs + lifeMs }
}

type CertificateParts = {
  serial: Uint8Array
  issuer: Der
  subject: Der
  notBeforeMs: number
  notAfterMs: number
  publicKey: KeyObject
  signingKey: KeyObject
  extensions: readonly Der[]
}

function signCertificate({
  serial,
  issuer,
  subject,
  notBeforeMs,
  notAfterMs,
  publicKey,
  signingKey,
  extensions,
}: CertificateParts): Der {
  const algorithm = der.sequence(der.objectId(OID.ecdsaWithSha256))
  const body = der.sequence(
    der.tagged(0, der.unsigned(new Uint8Array([2])), { constructed: true }),
    der.unsigned(positive(serial)),
    algorithm,
    issuer,
    der.sequence(der.time(notBeforeMs), der.time(notAfterMs)),
    subject,
    publicKey.export({ type: 'spki', format: 'der' }),
    der.tagged(3, der.sequence(...extensions), { constructed: true }),
  )
  return der.sequence(body, algorithm, der.bits(sign('sha256', body, signingKey)))
}

// Serial numbers are neither zero nor longer than twenty bytes including the sign.
const positive = (bytes: Uint8Array): Uint8Array => (bytes.some((byte) => byte !== 0) ? bytes : new Uint8Array([1]))

const extension = (id: string, content: Der, { critical = false } = {}): Der =>
  der.sequence(der.objectId(id), ...(critical ? [der.boolean(true)] : []), der.octets(content))

const distinguishedName = ({
  commonName,
  organizations,
}: {
  commonName: string
  organizations: readonly string[]
}): Der =>
  der.sequence(
    ...organizations.map((name) => attribute(OID.organization, name)),
    ...(commonName === '' ? [] : [attribute(OID.commonName, commonName)]),
  )

const attribute = (id: string, value: string): Der => der.setOf(der.sequence(der.objectId(id), der.text(value)))

// Names are compared byte by byte between a certificate and its issuer, so this copies the authority's own name instead of encoding it again.
function subjectOf(certificate: X509Certificate): Der {
  const { subject } = certificate.toLegacyObject()
  const { CN: commonName = '', O: organizations = [] } = subject as { CN?: string; O?: string | string[] }
  const name = distinguishedName({ commonName, organizations: [organizations].flat() })
  if (!certificate.raw.includes(name))
    throw new Error(`the name of ${certificate.subject} has parts that are not known here`)
  return name
}

/** The key ID in certificates: the hash of the key itself, without the wrapping. */
function keyId(publicKey: KeyObject): Buffer {
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' })
  const point = Buffer.concat([Buffer.from([4]), Buffer.from(x, 'base64url'), Buffer.from(y, 'base64url')])
  return createHash('sha1').update(point).digest()
}

const alternativeName = (name: string): Der => der.tagged(2, Buffer.from(name, 'ascii'))

function alternativeAddress(address: string): Der {
  const bytes = ipv4Bytes(address) ?? ipv6Bytes(address)
  if (!bytes) throw new Error(`${JSON.stringify(address)} is no IP address`)
  return der.tagged(7, bytes)
}

function ipv4Bytes(address: string): Buffer | undefined {
  const parts = address.split('.')
  return parts.length === 4 && parts.every((part) => /^\d{1,3}$/.test(part) && Number(part) < 256)
    ? Buffer.from(parts.map(Number))
    : undefined
}

function ipv6Bytes(address: string): Buffer | undefined {
  // The URL parser accepts every notation, and returns only groups of hexadecimal digits and `::`.
  if (!URL.canParse(`http://[${address}]`)) return undefined
  const [head = '', tail] = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::')
  const groups = (part: string | undefined): number[] =>
    part ? part.split(':').map((group) => Number.parseInt(group, 16)) : []
  const [front, back] = [groups(head), groups(tail)]
  const all =
    tail === undefined ? front : [...front, ...Array.from({ length: 8 - front.length - back.length }, () => 0), ...back]
  return Buffer.from(all.flatMap((group) => [group >> 8, group & 0xff]))
}
