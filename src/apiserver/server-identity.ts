import { join } from 'node:path'
import type { Clock } from '../base/clock.ts'
import { makeDirectories, readFileIfPresent, replaceFileDurably } from '../base/host/durable-files.ts'
import type { HostFiles } from '../base/host/host.ts'
import type { Random } from '../base/random.ts'
import { createAuthority, localServerNames, openAuthority } from './authentication/certificates.ts'
import type { Authority, KeyPair, ServerNames } from './authentication/certificates.ts'
import { createSigningKey, formatSigningKey, parseSigningKey } from './authentication/token-key.ts'
import type { SigningKey } from './authentication/token-key.ts'

/** What a server is known by: its authority, its certificate, and the key that its tokens are signed with. */
export type ServerIdentity = { authority: Authority; server: KeyPair; signingKey: SigningKey }

export type IdentityParts = {
  clock: Clock
  random: Random
  /** Where the server listens: its certificate is good for that, and for this machine. Default: for this machine alone. */
  host?: string
}

// Nobody connects to these: they stand for all addresses of the machine.
const ALL_ADDRESSES: readonly string[] = ['0.0.0.0', '::']

function serverNames(host: string | undefined): ServerNames {
  if (!host || ALL_ADDRESSES.includes(host)) return localServerNames()
  const isAddress = host.includes(':') || /^[\d.]+$/.test(host)
  return localServerNames(isAddress ? { ipAddresses: [host] } : { dnsNames: [host] })
}

/** The address that a client on this machine connects to, for a server that listens on all of them. */
export const localAddress = (address: string): string => address.replace('//0.0.0.0:', '//127.0.0.1:').replace('//[::]:', '//[::1]:')

/** Lost with the process. */
export async function createIdentity({ clock, random, host }: IdentityParts): Promise<ServerIdentity> {
  const [authority, signingKey] = await Promise.all([createAuthority(random, clock), createSigningKey()])
  return { authority, signingKey, server: await authority.issueServer(serverNames(host)) }
}

/** Kept in files that only their owner may read; made when they are missing. Whoever trusts the server goes on doing so after a restart. */
export async function loadIdentity(directory: string, files: HostFiles, parts: IdentityParts): Promise<ServerIdentity> {
  await makeDirectories(files, directory, { mode: 0o700 })
  const read = async (name: string): Promise<string | undefined> => {
    const bytes = await readFileIfPresent(files, join(directory, name))
    return bytes && new TextDecoder().decode(bytes)
  }
  const write = (name: string, text: string): Promise<void> =>
    replaceFileDurably(files, join(directory, name), new TextEncoder().encode(text), { mode: 0o600, random: parts.random })

  const [certificatePem, keyPem, signingPem] = await Promise.all([read('ca.crt'), read('ca.key'), read('service-account.key')])
  let authority: Authority
  if (certificatePem && keyPem) authority = await refusing(directory, 'ca.key or ca.crt', () => openAuthority({ certificatePem, keyPem }, parts.random, parts.clock))
  else {
    authority = await createAuthority(parts.random, parts.clock)
    // The key first: a certificate without its key would be of no use.
    await write('ca.key', authority.pair.keyPem)
    await write('ca.crt', authority.pair.certificatePem)
  }
  const signingKey = signingPem ? await refusing(directory, 'service-account.key', () => parseSigningKey(signingPem)) : await createSigningKey()
  if (!signingPem) await write('service-account.key', formatSigningKey(signingKey))
  // Anew at each start: it is never close to its end then.
  return { authority, signingKey, server: await authority.issueServer(serverNames(parts.host)) }
}

// What cryptography says of a damaged file names no file.
async function refusing<T>(directory: string, name: string, open: () => T | Promise<T>): Promise<T> {
  try {
    return await open()
  } catch (cause) {
    throw new Error(`${name} in ${directory} is damaged: restore it from a backup, or remove it for a new one, which nobody trusts yet`, { cause })
  }
}
