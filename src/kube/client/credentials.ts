import { dirname, isAbsolute, join } from 'node:path'
import type { Clock } from '../../base/clock.ts'
import { readFile, readIdentity } from './identity.ts'
import type { CredentialParts, Identity, IdentitySources } from './identity.ts'
import { keepUntilExpiry } from './keep-until-expiry.ts'
import type { Kept } from './keep-until-expiry.ts'
import { KubeconfigError, parseKubeconfig, parseKubeconfigs } from './parse-kubeconfig.ts'
import type { KubeconfigContext } from './parse-kubeconfig.ts'
import { runCredentialPlugin } from './run-credential-plugin.ts'

/** How to reach a server and how to authenticate. Secrets are never printed. */
export interface Credentials {
  readonly server: URL
  /** The namespace of the context, or of the pod. */
  readonly namespace: string | undefined
  /** For new connections: returns the same object until something in it changes. Files are read again once a minute. */
  tls(): Promise<TlsSettings>
  /** The headers that authenticate a request. Call it for each request. */
  headers(): Promise<RequestHeaders>
  /** Call after a 401 to a request with these headers: discards cached credentials. False if nothing can be refreshed. */
  invalidate(used: RequestHeaders): boolean
}

export type RequestHeaders = Readonly<Record<string, string | string[]>>

export type TlsSettings = {
  readonly ca?: string
  readonly cert?: string
  readonly key?: string
  readonly serverName?: string
  readonly rejectUnauthorized: boolean
}

// The kubelet replaces projected tokens well before they expire; upstream reads them again once a minute.
const FILE_LIFETIME_MS = 60_000

/** From a kubeconfig file, or from several that count as one. Relative paths in a file are relative to that file. */
export async function loadKubeconfig({
  path,
  context,
  parts,
}: {
  path: string | readonly string[]
  context?: string
  parts: CredentialParts
}): Promise<Credentials> {
  const paths = typeof path === 'string' ? [path] : await existing(path, parts)
  const files = await Promise.all(
    paths.map(async (source) => ({ source, text: await readFile(parts, 'the kubeconfig', source) })),
  )
  const [first = { source: '', text: '' }] = files
  const parsed =
    files.length === 1 ? parseKubeconfig(first.text, first.source, context) : parseKubeconfigs(files, context)
  const resolve = (name: string): string => (isAbsolute(name) ? name : join(dirname(first.source), name))
  const sources: IdentitySources = {
    ca: parsed.certificateAuthority,
    cert: parsed.clientCertificate,
    key: parsed.clientKey,
    // A file takes precedence over an inline token, which may be an old copy of it.
    token: parsed.tokenFile === undefined ? parsed.token && { text: parsed.token } : { path: parsed.tokenFile },
  }
  const readAll = (): Promise<Identity> => readIdentity(parts, sources, resolve)
  const plugin = parsed.exec && {
    ...parsed.exec,
    command: parsed.exec.command.includes('/') ? resolve(parsed.exec.command) : parsed.exec.command,
  }
  // Reads immediately, so that problems with the files are reported at the start.
  const own = await readAll()
  const hasOwn = own.token !== undefined || own.cert !== undefined || parsed.basic !== undefined
  const identity =
    plugin && !hasOwn
      ? keepUntilExpiry(parts.clock, () => runCredentialPlugin(parts, plugin, parsed, own))
      : keepFiles(parts.clock, sources, readAll)
  return createCredentials({ server: new URL(parsed.server), namespace: parsed.namespace, identity, context: parsed })
}

/** Those of a list that exist; kubectl skips the others. If there are none, the first, whose absence is then reported. */
async function existing(paths: readonly string[], { host }: CredentialParts): Promise<readonly string[]> {
  const stats = await Promise.all(paths.map((path) => host.files.findStat(path)))
  const found = paths.filter((_, index) => stats[index] !== undefined)
  return found.length > 0 ? found : paths.slice(0, 1)
}

const IN_CLUSTER = '/var/run/secrets/kubernetes.io/serviceaccount'

/** Credentials of a pod in the cluster. */
export async function loadInCluster(parts: CredentialParts): Promise<Credentials> {
  const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port = '443' } = parts.env
  if (!host) throw new KubeconfigError('not in a cluster (KUBERNETES_SERVICE_HOST is not set): give --kubeconfig')
  const server = new URL(`https://${host.includes(':') ? `[${host}]` : host}:${port}`)
  const sources: IdentitySources = { ca: { path: 'ca.crt' }, cert: undefined, key: undefined, token: { path: 'token' } }
  const readAll = (): Promise<Identity> => readIdentity(parts, sources, (name) => join(IN_CLUSTER, name))
  await readAll()
  const namespace = (await readFile(parts, 'the namespace of the pod', join(IN_CLUSTER, 'namespace'))).trim()
  return createCredentials({ server, namespace, identity: keepFiles(parts.clock, sources, readAll) })
}

function keepFiles(clock: Clock, sources: IdentitySources, readAll: () => Promise<Identity>): Kept<Identity> {
  const hasFiles = Object.values(sources).some((source) => source && 'path' in source)
  const lifetimeMs = hasFiles ? FILE_LIFETIME_MS : Number.POSITIVE_INFINITY
  return keepUntilExpiry(clock, async () => ({ value: await readAll(), expiresMs: clock.nowMs() + lifetimeMs }))
}

type CredentialSettings = {
  server: URL
  namespace: string | undefined
  identity: Kept<Identity>
  context?: KubeconfigContext
}

function createCredentials({ server, namespace, identity, context }: CredentialSettings): Credentials {
  const fixed = fixedHeaders(context)
  const bearer = (token: string): string => `Bearer ${token}`
  let lastTls: TlsSettings | undefined

  const tls = async (): Promise<TlsSettings> => {
    const { ca, cert, key } = await identity.get()
    if (lastTls && lastTls.ca === ca && lastTls.cert === cert && lastTls.key === key) return lastTls
    const { tlsServerName: serverName, insecureSkipTlsVerify = false } = context ?? {}
    const own = { ...(ca && { ca }), ...(cert && { cert }), ...(key && { key }) }
    lastTls = { ...own, ...(serverName && { serverName }), rejectUnauthorized: !insecureSkipTlsVerify }
    return lastTls
  }
  const headers = async (): Promise<RequestHeaders> => {
    const { token } = await identity.get()
    return token === undefined ? fixed : { ...fixed, authorization: bearer(token) }
  }
  const invalidate = (used: RequestHeaders): boolean =>
    // Many requests may get a 401 at once: the others must not discard what the first one has refreshed.
    identity.forget(({ token }) => token === undefined || used['authorization'] === bearer(token))
  return { server, namespace, tls, headers, invalidate }
}

function fixedHeaders({ basic, impersonate }: Partial<KubeconfigContext> = {}): RequestHeaders {
  const headers: Record<string, string | string[]> = {}
  if (basic) headers['authorization'] = `Basic ${Buffer.from(`${basic.username}:${basic.password}`).toString('base64')}`
  if (impersonate) {
    headers['impersonate-user'] = impersonate.user
    if (impersonate.uid) headers['impersonate-uid'] = impersonate.uid
    if (impersonate.groups.length > 0) headers['impersonate-group'] = [...impersonate.groups]
    for (const [key, values] of Object.entries(impersonate.extra))
      headers[`impersonate-extra-${encodeURIComponent(key).toLowerCase()}`] = [...values]
  }
  return headers
}
