import { parse } from 'yaml'

/** One cluster and one user of a kubeconfig: all that is needed to connect. Paths are as written. */
export type KubeconfigContext = {
  readonly name: string
  readonly server: string
  readonly tlsServerName?: string
  readonly insecureSkipTlsVerify: boolean
  /** PEM text, or where it is. */
  readonly certificateAuthority?: TextOrPath
  readonly clientCertificate?: TextOrPath
  readonly clientKey?: TextOrPath
  readonly token?: string
  readonly tokenFile?: string
  readonly basic?: { readonly username: string; readonly password: string }
  readonly exec?: ExecPlugin
  readonly impersonate?: { readonly user: string; readonly groups: readonly string[]; readonly uid?: string }
  readonly namespace?: string
}

export type TextOrPath = { readonly text: string } | { readonly path: string }

/** A program that gives credentials. */
export type ExecPlugin = {
  readonly apiVersion: string
  readonly command: string
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly provideClusterInfo: boolean
}

/** Something is wrong with the file itself; the message names it and what to change. */
export class KubeconfigError extends Error {
  override readonly name = 'KubeconfigError'
}

type Entry = Readonly<Record<string, unknown>>

/** The context to use: the one asked for, else the current one of the file. */
export function parseKubeconfig(text: string, source: string, contextName?: string): KubeconfigContext {
  const config = asEntry(parseYaml(text, source), source)
  const name = contextName ?? asText(config['current-context'])
  if (!name) throw new KubeconfigError(`${source} has no current-context: run kubectl config use-context NAME`)
  const context = findNamed(config, 'contexts', 'context', name, source)
  const clusterName = asText(context['cluster']) ?? ''
  const userName = asText(context['user']) ?? ''
  const cluster = findNamed(config, 'clusters', 'cluster', clusterName, source)
  const user = userName === '' ? {} : findNamed(config, 'users', 'user', userName, source)
  const server = asText(cluster['server'])
  if (!server || !URL.canParse(server)) throw new KubeconfigError(`${source}: cluster ${clusterName} has no usable server: ${JSON.stringify(server ?? '')}`)
  return {
    name,
    server,
    insecureSkipTlsVerify: cluster['insecure-skip-tls-verify'] === true,
    ...optional('tlsServerName', asText(cluster['tls-server-name'])),
    ...optional('certificateAuthority', textOrPath(cluster, 'certificate-authority', source)),
    ...optional('clientCertificate', textOrPath(user, 'client-certificate', source)),
    ...optional('clientKey', textOrPath(user, 'client-key', source)),
    ...optional('token', asText(user['token'])),
    ...optional('tokenFile', asText(user['tokenFile'])),
    ...optional('basic', basicOf(user)),
    ...optional('exec', execOf(user, source)),
    ...optional('impersonate', impersonationOf(user)),
    ...optional('namespace', asText(context['namespace'])),
  }
}

function parseYaml(text: string, source: string): unknown {
  try {
    return parse(text)
  } catch (cause) {
    throw new KubeconfigError(`${source} is not valid YAML: ${cause instanceof Error ? cause.message : String(cause)}`, { cause })
  }
}

function asEntry(value: unknown, where: string): Entry {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Entry
  throw new KubeconfigError(`${where} is not a kubeconfig`)
}

const asText = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined)

const optional = <K extends string, V>(key: K, value: V | undefined): { [P in K]?: V } => (value === undefined ? {} : { [key]: value }) as { [P in K]?: V }

function findNamed(config: Entry, list: string, member: string, name: string, source: string): Entry {
  const entries = Array.isArray(config[list]) ? (config[list] as unknown[]) : []
  const found = entries.map((entry) => asEntry(entry, `${source}: ${list}`)).find((entry) => entry['name'] === name)
  if (!found) throw new KubeconfigError(`${source} has no ${member} named ${JSON.stringify(name)}`)
  return asEntry(found[member] ?? {}, `${source}: ${member} ${name}`)
}

// `x-data` holds the text itself, in base64, and wins over a path.
function textOrPath(entry: Entry, name: string, source: string): TextOrPath | undefined {
  const data = asText(entry[`${name}-data`])
  if (data !== undefined) {
    if (!/^[A-Za-z0-9+/=\s]+$/.test(data)) throw new KubeconfigError(`${source}: ${name}-data is not base64`)
    return { text: Buffer.from(data, 'base64').toString() }
  }
  const path = asText(entry[name])
  return path === undefined ? undefined : { path }
}

function basicOf(user: Entry): { username: string; password: string } | undefined {
  const username = asText(user['username'])
  return username === undefined ? undefined : { username, password: asText(user['password']) ?? '' }
}

function execOf(user: Entry, source: string): ExecPlugin | undefined {
  if (user['exec'] === undefined) return undefined
  const exec = asEntry(user['exec'], `${source}: exec`)
  const command = asText(exec['command'])
  if (!command) throw new KubeconfigError(`${source}: exec has no command`)
  const pairs = Array.isArray(exec['env']) ? (exec['env'] as { name?: unknown; value?: unknown }[]) : []
  return {
    command,
    apiVersion: asText(exec['apiVersion']) ?? 'client.authentication.k8s.io/v1',
    args: Array.isArray(exec['args']) ? (exec['args'] as unknown[]).map(String) : [],
    env: Object.fromEntries(pairs.map(({ name, value }) => [String(name), String(value ?? '')])),
    provideClusterInfo: exec['provideClusterInfo'] === true,
  }
}

function impersonationOf(user: Entry): { user: string; groups: string[]; uid?: string } | undefined {
  const name = asText(user['as'])
  if (name === undefined) return undefined
  const groups = Array.isArray(user['as-groups']) ? (user['as-groups'] as unknown[]).map(String) : []
  return { user: name, groups, ...optional('uid', asText(user['as-uid'])) }
}
