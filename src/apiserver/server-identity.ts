import { join } from 'node:path'
import type { Clock } from '../base/clock.ts'
import { makeDirectories, readFileIfPresent, replaceFileDurably } from '../base/host/durable-files.ts'
import type { HostFiles } from '../base/host/host.ts'
import type { Logger } from '../base/logger.ts'
import type { Random } from '../base/random.ts'
import { createAuthority, localServerNames, openAuthority } from './authentication/certificates.ts'
import type { Authority, KeyPair, ServerNames } from './authentication/certificates.ts'
import { keepPrivate } from './keep-private.ts'
import { createSigningKey, formatSigningKey, parseSigningKey } from './authentication/token-key.ts'
import type { SigningKey } from './authentication/token-key.ts'

/** The identity of a server: its CA, its certificate, and the key that signs its tokens. */
export type ServerIdentity = { authority: Authority; server: KeyPair; signingKey: SigningKey }

export type IdentityParts = {
  clock: Clock
  random: Random
  /** Where the server listens: its certificate is valid for that, and for this machine. Default: for this machine only. */
  host?: string
}

// Not addresses to connect to: they mean all addresses of the machine.
const ALL_ADDRESSES: readonly string[] = ['0.0.0.0', '::']

function serverNames(host: string | undefined): ServerNames {
  if (!host || ALL_ADDRESSES.includes(host)) return localServerNames()
  const isAddress = host.includes(':') || /^[\d.]+$/.test(host)
  return localServerNames(isAddress ? { ipAddresses: [host] } : { dnsNames: [host] })
}

/** A new certificate for a server that listens there. */
export const issueServerPair = (authority: Authority, host: string | undefined): Promise<KeyPair> =>
  authority.issueServer(serverNames(host))

/** The address that a client on this machine connects to, for a server that listens on all of them. */
export const localAddress = (address: string): string =>
  address.replace('//0.0.0.0:', '//127.0.0.1:').replace('//[::]:', '//[::1]:')

/** Lost when the process ends. */
export async function createIdentity({ clock, random, host }: IdentityParts): Promise<ServerIdentity> {
  const [authority, signingKey] = await Promise.all([createAuthority(random, clock), createSigningKey()])
  return { authority, signingKey, server: await issueServerPair(authority, host) }
}

export type LoadIdentityParts = IdentityParts & {
  log: Logger
  /** Nothing has been stored yet, so no client trusts the keys: keys left by an interrupted first start may be replaced. */
  isFirstStart: boolean
}

// In the order of their creation: if the last one, the certificate, exists, all of them do.
const FILES = ['service-account.key', 'ca.key', 'ca.crt'] as const

/** Stored in files that only their owner may read; created if none of them exists. Clients still trust the server after a restart. */
export async function loadIdentity(
  directory: string,
  files: HostFiles,
  parts: LoadIdentityParts,
): Promise<ServerIdentity> {
  const { log, random, clock } = parts
  await makeDirectories(files, directory, { mode: 0o700 })
  for (const path of [directory, ...FILES.map((name) => join(directory, name))]) await keepPrivate(path, { files, log })
  const [signingPem, keyPem, certificatePem] = await Promise.all(FILES.map((name) => readKey(files, directory, name)))
  const missing = FILES.filter((_, index) => [signingPem, keyPem, certificatePem][index] === undefined)
  if (missing.length === FILES.length || (parts.isFirstStart && certificatePem === undefined)) {
    if (!parts.isFirstStart)
      log.warn('no keys were found: new ones are created, and certificates and tokens of before are no longer valid', {
        directory,
      })
    return makeIdentity(directory, files, parts)
  }
  if (signingPem === undefined || keyPem === undefined || certificatePem === undefined) {
    throw new Error(
      `${directory} holds keys of this server, but not ${missing.join(' and ')}: restore what is missing from a backup, or ${howToStartAnew(directory)}`,
    )
  }
  const authority = await refusing(directory, 'ca.key or ca.crt', () =>
    openAuthority({ certificatePem, keyPem }, random, clock),
  )
  const signingKey = await refusing(directory, 'service-account.key', () => parseSigningKey(signingPem))
  // Created again at each start, so that it never expires soon.
  return { authority, signingKey, server: await issueServerPair(authority, parts.host) }
}

async function makeIdentity(directory: string, files: HostFiles, parts: LoadIdentityParts): Promise<ServerIdentity> {
  const identity = await createIdentity(parts)
  const { certificatePem, keyPem } = identity.authority.pair
  const texts = {
    'service-account.key': formatSigningKey(identity.signingKey),
    'ca.key': keyPem,
    'ca.crt': certificatePem,
  }
  for (const name of FILES)
    await replaceFileDurably(files, join(directory, name), new TextEncoder().encode(texts[name]), {
      mode: 0o600,
      random: parts.random,
    })
  return identity
}

async function readKey(files: HostFiles, directory: string, name: string): Promise<string | undefined> {
  try {
    const bytes = await readFileIfPresent(files, join(directory, name))
    return bytes && new TextDecoder().decode(bytes)
  } catch (cause) {
    throw new Error(
      `${name} in ${directory} cannot be read: run the server as the user that owns it, or restore it from a backup (${(cause as Error).message})`,
      { cause },
    )
  }
}

const howToStartAnew = (directory: string): string =>
  `remove all files in ${directory} to create new ones, after which no certificate, kubeconfig or token of before is valid`

// The error of the crypto library for a damaged file does not name the file.
async function refusing<T>(directory: string, name: string, open: () => T | Promise<T>): Promise<T> {
  try {
    return await open()
  } catch (cause) {
    throw new Error(`${name} in ${directory} is damaged: restore it from a backup, or ${howToStartAnew(directory)}`, {
      cause,
    })
  }
}
