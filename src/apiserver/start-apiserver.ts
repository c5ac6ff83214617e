import { join } from 'node:path'
import type { Clock } from '../base/clock.ts'
import { makeDirectories, readFileIfPresent, replaceFileDurably } from '../base/host/durable-files.ts'
import type { Host } from '../base/host/host.ts'
import type { Logger } from '../base/logger.ts'
import type { Random } from '../base/random.ts'
import type { DriverGates } from '../api/driver-gates.ts'
import { createAuditObserver } from './audit/audit-observer.ts'
import { parseStaticTokens } from './authentication/static-tokens.ts'
import { formatKeySet, formatOpenIdConfiguration, KEY_SET_PATH } from './authentication/token-key.ts'
import type { KindRegistry } from './core/kind-registry.ts'
import { formatKubeconfig, KUBECONFIG_NAME } from './format-kubeconfig.ts'
import { callWebhook } from './http/call-webhook.ts'
import { createFairQueue } from './http/fair-queue.ts'
import type { FairQueue } from './http/fair-queue.ts'
import { createRequestMetrics } from './metrics/request-metrics.ts'
import { formatServerMetrics } from './metrics/server-metrics.ts'
import type { ServerGauges } from './metrics/server-metrics.ts'
import { qualifiedResource } from '../api/resource-type.ts'
import { startHttpServer } from './http/server.ts'
import { loadOpenApiSource } from './openapi-source.ts'
import { ISSUER, openServer } from './open-server.ts'
import type { OpenServer } from './open-server.ts'
import { keepPrivate } from './keep-private.ts'
import { startCertificateRenewal } from './authentication/renew-certificate.ts'
import type { KeyPair } from './authentication/certificates.ts'
import { createIdentity, issueServerPair, loadIdentity, localAddress } from './server-identity.ts'
import type { ServerIdentity } from './server-identity.ts'
import type { Backend } from './storage/backend.ts'
import { createEncryptedBackend } from './storage/encrypted-backend.ts'
import { loadEncryptionKeys } from './storage/encryption-keys.ts'
import { createMemoryBackend } from './storage/memory-backend.ts'
import { ACKNOWLEDGED_FILE } from './storage/acknowledged-file.ts'
import { createSqliteBackend, STATE_FILE } from './storage/sqlite-backend.ts'
import { refuseAtSight } from './storage/sqlite-format.ts'
import { serverVersion } from './server-version.ts'

export type ApiServerOptions = {
  /** Default: everything is in memory and lost at the end. */
  dataDirectory?: string
  /** Keys that encrypt Secrets on disk. Default: `pki/encryption-keys` in the data directory, created if it is missing. */
  encryptionKeysFile?: string
  /** Address to listen on. Default 127.0.0.1. */
  host?: string
  /** 0 picks a free port. */
  port: number
  /** If the port is in use, listen on a free one. Default false: the start fails. */
  orFreePort?: boolean
  authorizationMode: 'Node,RBAC' | 'AlwaysAllow'
  tokenFile?: string
  /** Label prefixes below kubernetes.io and k8s.io that nodes may set on themselves. Default none. */
  nodeLabelPrefixes?: readonly string[]
  /** Default: all enabled. */
  gates?: DriverGates
  /** The response of `nodes/NAME/proxy/stats/summary` for a node of this process. Absent, or undefined: not served. */
  nodeStats?: (node: string) => object | undefined
  /** Receives the lines of the audit log. */
  writeAudit?: (line: string) => void
  /** Continue with the readable part of a damaged state, after copying its files. Default false: the start fails. */
  acceptDataLoss?: boolean
  /** Delay added to each commit, for measurements. */
  addedCommitMs?: number
  /** How long earlier versions can be listed at least. Default five minutes. */
  versionsKeptMs?: number
}

const KEYS = 'pki'
const ENCRYPTION_KEYS = 'encryption-keys'
const ENCRYPTED_STORAGES: ReadonlySet<string> = new Set(['secrets'])

export type ApiServerParts = { machine: Host; clock: Clock; random: Random; log: Logger; version: string }

export interface RunningApiServer {
  /** `https://127.0.0.1:6443`. */
  readonly address: string
  readonly server: OpenServer
  readonly identity: ServerIdentity
  /** Uses a new server certificate for new connections. Happens by itself at half of the certificate's life. */
  renewCertificate(): Promise<void>
  /** A kubeconfig with a certificate for this user. */
  kubeconfigFor(user: string, groups: readonly string[]): Promise<string>
  stop(): Promise<void>
}

/** Opens the state, then serves it over HTTPS. */
export async function startApiServer(options: ApiServerOptions, parts: ApiServerParts): Promise<RunningApiServer> {
  const { machine, clock, random, log } = parts
  const { dataDirectory, host = '127.0.0.1', port, authorizationMode, tokenFile } = options
  const { files } = machine
  const staticTokens =
    tokenFile === undefined ? undefined : parseStaticTokens(new TextDecoder().decode(await files.readFile(tokenFile)))
  const isFirstStart = dataDirectory === undefined || (await prepareDirectory(dataDirectory, files, log))
  const backend =
    dataDirectory === undefined ? createMemoryBackend() : await openDisk({ ...options, dataDirectory }, parts)
  const identityParts = { clock, random, host }
  const identity =
    dataDirectory === undefined
      ? await createIdentity(identityParts)
      : await loadIdentity(join(dataDirectory, KEYS), files, { ...identityParts, log, isFirstStart })
  const caPem = identity.authority.pair.certificatePem
  const audit = options.writeAudit && createAuditObserver({ clock, random, writeLine: options.writeAudit })
  // Requests of the server itself come before it is open.
  const known: { kinds?: KindRegistry } = {}
  const requests = createRequestMetrics(
    clock,
    ({ group, version, resource }) => known.kinds?.findByResource(group, version, resource) !== undefined,
  )
  const queue = createFairQueue(clock)
  const server = await openServer({
    backend,
    clock,
    random,
    log,
    authorizationMode,
    signingKey: identity.signingKey,
    rootCaPem: caPem,
    callWebhook,
    ...(staticTokens ? { staticTokens } : {}),
    ...(options.versionsKeptMs === undefined ? {} : { versionsKeptMs: options.versionsKeptMs }),
    ...(options.gates ? { gates: options.gates } : {}),
    ...(options.nodeLabelPrefixes ? { nodeLabelPrefixes: options.nodeLabelPrefixes } : {}),
    observe: (ended) => {
      requests.observe(ended)
      audit?.(ended)
    },
  })
  known.kinds = server.core.parts.kinds
  try {
    const keys = [identity.signingKey]
    const version = serverVersion(parts.version)
    const http = await startHttpServer({
      door: { ...server.core, kinds: server.core.parts.kinds },
      authenticate: server.authenticator.authenticate,
      tls: { key: identity.server.keyPem, cert: identity.server.certificatePem, clientCa: caPem },
      host,
      port,
      orFreePort: options.orFreePort ?? false,
      log,
      clock,
      random,
      version,
      queue,
      watchStarted: requests.watchStarted,
      metrics: () => formatServerMetrics(requests.metrics(), gaugesOf(server, queue)),
      ...(options.nodeStats ? { nodeStats: options.nodeStats } : {}),
      openApi: () => loadOpenApiSource(version.gitVersion),
      openId: {
        configuration: () => formatOpenIdConfiguration(ISSUER, `${ISSUER}${KEY_SET_PATH}`, keys),
        keys: () => formatKeySet(keys),
      },
    })
    const { hostname, port: servedPort } = new URL(localAddress(http.address))
    await server.advertise({ ip: hostname.replaceAll(/[[\]]/g, ''), port: Number(servedPort) })
    const kubeconfigFor = async (user: string, groups: readonly string[]): Promise<string> =>
      formatKubeconfig({
        server: localAddress(http.address),
        caPem,
        client: await identity.authority.issueClient({ user, groups }),
      })
    const useServerPair = ({ keyPem, certificatePem }: KeyPair): void =>
      http.setTls({ key: keyPem, cert: certificatePem, clientCa: caPem })
    const issue = (): Promise<KeyPair> => issueServerPair(identity.authority, host)
    const renewal = startCertificateRenewal({ clock, log, issue, use: useServerPair })
    const renewCertificate = async (): Promise<void> => useServerPair(await issue())
    const stop = async (): Promise<void> => {
      renewal.stop()
      await http.close()
      await server.close()
    }
    return { address: http.address, server, identity, renewCertificate, kubeconfigFor, stop }
  } catch (error) {
    await server.close()
    throw error
  }
}

// Kinds that are served in several versions are stored once.
const gaugesOf = ({ core: { parts } }: OpenServer, queue: FairQueue): ServerGauges => ({
  levels: queue.use,
  inflight: queue.inflight,
  objects: () => {
    const stored = new Map(parts.kinds.all().map(({ type, storage }) => [storage, qualifiedResource(type)]))
    return new Map(
      Array.from(stored, ([storage, resource]) => [resource, parts.store.visible.list(storage).length] as const),
    )
  },
  revision: () => parts.store.revision(),
})

/** The state on disk, with Secrets encrypted. */
async function openDisk(
  options: ApiServerOptions & { dataDirectory: string },
  { machine: { files }, random, log }: ApiServerParts,
): Promise<Backend> {
  const { dataDirectory, encryptionKeysFile = join(dataDirectory, KEYS, ENCRYPTION_KEYS) } = options
  await makeDirectories(files, join(dataDirectory, KEYS), { mode: 0o700 })
  await keepPrivate(encryptionKeysFile, { files, log })
  const disk = createSqliteBackend({
    directory: dataDirectory,
    files,
    log,
    acceptDataLoss: options.acceptDataLoss ?? false,
    addedCommitMs: options.addedCommitMs ?? 0,
  })
  const keys = await loadEncryptionKeys(files, encryptionKeysFile, random)
  return createEncryptedBackend(disk, { keys, storages: ENCRYPTED_STORAGES, random, log })
}

/** Makes the directory accessible to its owner only, because it contains keys and secrets. True if nothing was ever stored there. */
async function prepareDirectory(directory: string, files: Host['files'], log: Logger): Promise<boolean> {
  await refuseForeign(files, directory)
  const stored = await Promise.all([STATE_FILE, ACKNOWLEDGED_FILE].map((name) => files.findStat(join(directory, name))))
  // Before any key is created beside a file that is not ours. A directory with an acknowledged revision is ours, and is checked when it is loaded.
  if (stored[0] && !stored[1]) refuseAtSight(join(directory, STATE_FILE))
  for (const path of [directory, join(directory, STATE_FILE), join(directory, ACKNOWLEDGED_FILE)])
    await keepPrivate(path, { files, log })
  return stored.every((stat) => stat === undefined)
}

// Files of the server are never added to a directory that is used for something else.
async function refuseForeign(files: Host['files'], directory: string): Promise<void> {
  const stat = await files.findStat(directory)
  const names = stat?.kind === 'directory' ? (await files.list(directory)).map(({ name }) => name) : []
  const [foreign] = names
  if (foreign !== undefined && ![STATE_FILE, ACKNOWLEDGED_FILE, KEYS].some((own) => names.includes(own))) {
    throw new Error(
      `data directory ${directory} holds ${foreign} but no state of this server: choose an empty directory`,
    )
  }
}

/** Writes the kubeconfig of an administrator, readable by its owner only. A file with other content is not replaced. */
export async function writeAdminKubeconfig(
  path: string,
  apiServer: RunningApiServer,
  { machine, random }: Pick<ApiServerParts, 'machine' | 'random'>,
): Promise<void> {
  const present = await readFileIfPresent(machine.files, path)
  if (present && !(await isAdminKubeconfig(new TextDecoder().decode(present)))) {
    throw new Error(`${path} exists and holds more than holdfast has written: choose another file with --kubeconfig`)
  }
  const text = await apiServer.kubeconfigFor('holdfast-admin', ['system:masters'])
  await replaceFileDurably(machine.files, path, new TextEncoder().encode(text), { mode: 0o600, random })
}

/** Empty, or as we write it. A file with other clusters, or one that is no kubeconfig at all, must not be overwritten. */
export async function isAdminKubeconfig(text: string): Promise<boolean> {
  if (text.trim() === '') return true
  const { parse } = await import('yaml')
  try {
    const config = parse(text) as Record<string, { name?: string }[] | undefined> | null
    const lists = ['clusters', 'users', 'contexts'].map((list) => config?.[list] ?? [])
    return lists.every((list) => list.length > 0 && list.every(({ name }) => name === KUBECONFIG_NAME))
  } catch {
    return false
  }
}
