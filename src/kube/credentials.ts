import { dirname, isAbsolute, join } from 'node:path'
import type { Clock } from '../base/clock.ts'
import type { Host } from '../base/host/host.ts'
import { KubeconfigError, parseKubeconfig } from './parse-kubeconfig.ts'
import type { ExecPlugin, KubeconfigContext, TextOrPath } from './parse-kubeconfig.ts'

/** How to reach a server and how to say who is asking. Secrets are held, never printed. */
export interface Credentials {
  readonly server: URL
  readonly tls: TlsSettings
  readonly namespace: string | undefined
  /** Headers that prove who is asking, fresh for each request: tokens are read again when their file changes or their time is up. */
  headers(): Promise<Record<string, string>>
  /** After a 401: forget what was kept, so that the next `headers` asks anew. */
  invalidate(): void
}

export type TlsSettings = {
  readonly ca?: string
  readonly cert?: string
  readonly key?: string
  readonly serverName?: string
  readonly rejectUnauthorized: boolean
}

export type CredentialParts = { host: Host; clock: Clock }

// The kubelet replaces projected tokens well before they expire; upstream reads them again once a minute.
const TOKEN_FILE_LIFETIME_MS = 60_000

/** From a kubeconfig file. Relative paths in it are relative to it. */
export async function loadKubeconfig({ path, context, parts }: { path: string; context?: string; parts: CredentialParts }): Promise<Credentials> {
  const bytes = await parts.host.files.readFile(path).catch((cause: unknown) => {
    throw new KubeconfigError(`kubeconfig ${path} can't be read: ${cause instanceof Error ? cause.message : String(cause)}`, { cause })
  })
  const parsed = parseKubeconfig(new TextDecoder().decode(bytes), path, context)
  const resolve = (name: string): string => (isAbsolute(name) ? name : join(dirname(path), name))
  const read = async (source: TextOrPath | undefined): Promise<string | undefined> => {
    if (!source) return undefined
    return 'text' in source ? source.text : new TextDecoder().decode(await parts.host.files.readFile(resolve(source.path)))
  }
  const [ca, cert, key] = await Promise.all([read(parsed.certificateAuthority), read(parsed.clientCertificate), read(parsed.clientKey)])
  const tls = {
    ...(ca === undefined ? {} : { ca }),
    ...(cert === undefined ? {} : { cert }),
    ...(key === undefined ? {} : { key }),
    ...(parsed.tlsServerName === undefined ? {} : { serverName: parsed.tlsServerName }),
    rejectUnauthorized: !parsed.insecureSkipTlsVerify,
  }
  const tokenFile = parsed.tokenFile === undefined ? undefined : resolve(parsed.tokenFile)
  return createCredentials(parts, { server: new URL(parsed.server), tls, namespace: parsed.namespace, token: tokenSource(parts, parsed, tokenFile), context: parsed })
}

const IN_CLUSTER = '/var/run/secrets/kubernetes.io/serviceaccount'

/** As a pod of the cluster. `env` has the address of the server. */
export async function loadInCluster(env: Readonly<Record<string, string | undefined>>, parts: CredentialParts): Promise<Credentials> {
  const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port = '443' } = env
  if (!host) throw new KubeconfigError('not in a cluster (KUBERNETES_SERVICE_HOST is not set): give --kubeconfig')
  const { files } = parts.host
  const ca = new TextDecoder().decode(await files.readFile(join(IN_CLUSTER, 'ca.crt')))
  const namespace = new TextDecoder().decode(await files.readFile(join(IN_CLUSTER, 'namespace'))).trim()
  const server = new URL(`https://${host.includes(':') ? `[${host}]` : host}:${port}`)
  return createCredentials(parts, { server, tls: { ca, rejectUnauthorized: true }, namespace, token: fileToken(parts, join(IN_CLUSTER, 'token')) })
}

type TokenSource = { get(): Promise<string>; invalidate(): void }
type CredentialSettings = { server: URL; tls: TlsSettings; namespace: string | undefined; token: TokenSource | undefined; context?: KubeconfigContext }

function createCredentials(_parts: CredentialParts, { server, tls, namespace, token, context }: CredentialSettings): Credentials {
  const fixed: Record<string, string> = {}
  if (context?.basic) fixed['authorization'] = `Basic ${Buffer.from(`${context.basic.username}:${context.basic.password}`).toString('base64')}`
  if (context?.impersonate) {
    fixed['impersonate-user'] = context.impersonate.user
    if (context.impersonate.groups.length > 0) fixed['impersonate-group'] = context.impersonate.groups.join(',')
  }
  const headers = async (): Promise<Record<string, string>> => (token ? { ...fixed, authorization: `Bearer ${await token.get()}` } : fixed)
  return { server, tls, namespace, headers, invalidate: () => token?.invalidate() }
}

function tokenSource(parts: CredentialParts, context: KubeconfigContext, tokenFile: string | undefined): TokenSource | undefined {
  const { token, exec } = context
  if (tokenFile !== undefined) return fileToken(parts, tokenFile)
  if (token !== undefined) return { get: () => Promise.resolve(token), invalidate: () => {} }
  return exec ? execToken(parts, exec) : undefined
}

function fileToken({ host, clock }: CredentialParts, path: string): TokenSource {
  return keptToken(clock, async () => {
    const token = new TextDecoder().decode(await host.files.readFile(path)).trim()
    if (token === '') throw new KubeconfigError(`token file ${path} is empty`)
    return { token, expiresMs: clock.nowMs() + TOKEN_FILE_LIFETIME_MS }
  })
}

// One request asks, the others wait for the same answer.
function keptToken(clock: Clock, fetch: () => Promise<{ token: string; expiresMs: number }>): TokenSource {
  let kept: { token: string; expiresMs: number } | undefined
  let asking: Promise<string> | undefined
  const ask = async (): Promise<string> => {
    try {
      kept = await fetch()
      return kept.token
    } finally {
      asking = undefined
    }
  }
  const get = (): Promise<string> => {
    if (kept && kept.expiresMs > clock.nowMs()) return Promise.resolve(kept.token)
    return (asking ??= ask())
  }
  return { get, invalidate: () => void (kept = undefined) }
}

type ExecCredential = { status?: { token?: string; expirationTimestamp?: string } }

function execToken({ host, clock }: CredentialParts, { command, args, env, apiVersion }: ExecPlugin): TokenSource {
  const info = JSON.stringify({ apiVersion, kind: 'ExecCredential', spec: { interactive: false } })
  return keptToken(clock, async () => {
    const result = await host.processes.run(command, args, { env: { ...env, KUBERNETES_EXEC_INFO: info } })
    if (result.exitCode !== 0) throw new KubeconfigError(`credential plugin ${command} failed with exit code ${result.exitCode}: ${result.stderr.trim().slice(0, 500)}`)
    const { token, expirationTimestamp } = parseExecCredential(command, result.stdout).status ?? {}
    if (!token) throw new KubeconfigError(`credential plugin ${command} gave no token (client certificates from plugins are not supported)`)
    return { token, expiresMs: expirationTimestamp ? Date.parse(expirationTimestamp) : Number.POSITIVE_INFINITY }
  })
}

function parseExecCredential(command: string, text: string): ExecCredential {
  try {
    return JSON.parse(text) as ExecCredential
  } catch {
    // The text itself may hold a credential: it is not shown.
    throw new KubeconfigError(`credential plugin ${command} did not print an ExecCredential`)
  }
}
