import { delimiter, dirname, resolve } from 'node:path'
import { parse, YAMLParseError } from 'yaml'

/** One cluster and one user of a kubeconfig: everything needed to connect. Paths are as written. */
export type KubeconfigContext = {
  readonly name: string
  readonly server: string
  readonly tlsServerName?: string
  readonly insecureSkipTlsVerify: boolean
  /** PEM text, or the path of its file. */
  readonly certificateAuthority?: TextOrPath
  readonly clientCertificate?: TextOrPath
  readonly clientKey?: TextOrPath
  readonly token?: string
  readonly tokenFile?: string
  readonly basic?: { readonly username: string; readonly password: string }
  readonly exec?: ExecPlugin
  /** The extension of the cluster entry for credential plugins. */
  readonly execConfig?: unknown
  readonly impersonate?: Impersonation
  readonly namespace?: string
}

export type TextOrPath = { readonly text: string } | { readonly path: string }

export type Impersonation = {
  readonly user: string
  readonly groups: readonly string[]
  readonly uid?: string
  readonly extra: Readonly<Record<string, readonly string[]>>
}

/** A program that provides credentials. */
export type ExecPlugin = {
  readonly apiVersion: string
  readonly command: string
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly provideClusterInfo: boolean
}

/** A problem with the connection settings. The message says what to change, and contains no secret. */
export class KubeconfigError extends Error {
  override readonly name = 'KubeconfigError'
}

type Entry = Readonly<Record<string, unknown>>

/** The requested context, or the current one of the file. */
export function parseKubeconfig(text: string, source: string, contextName?: string): KubeconfigContext {
  return pickContext(asEntry(parseYaml(text, source), source), source, contextName)
}

/**
 * Several files as one, as kubectl combines those in KUBECONFIG: of entries with the same name, and of current-context, the first counts. Relative
 * paths become absolute, because they are relative to the file that has them.
 */
export function parseKubeconfigs(
  files: readonly { readonly text: string; readonly source: string }[],
  contextName?: string,
): KubeconfigContext {
  const configs = files.map(({ text, source }) => {
    // A file that is empty adds nothing.
    const config = asEntry(parseYaml(text, source) ?? {}, source)
    return withAbsolutePaths(config, dirname(source))
  })
  const join = (list: string): unknown[] => configs.flatMap((config) => asList(config[list]))
  const merged = {
    'current-context': configs.map((config) => asText(config['current-context'])).find(Boolean),
    contexts: join('contexts'),
    clusters: join('clusters'),
    users: join('users'),
  }
  return pickContext(merged, files.map(({ source }) => source).join(delimiter), contextName)
}

const PATH_MEMBERS = ['certificate-authority', 'client-certificate', 'client-key', 'tokenFile']

function withAbsolutePaths(config: Entry, directory: string): Entry {
  const inEntry = (value: unknown): unknown => {
    if (typeof value !== 'object' || value === null) return value
    const members = Object.entries(value).map(([key, member]: [string, unknown]) =>
      PATH_MEMBERS.includes(key) && typeof member === 'string' && member !== ''
        ? [key, resolve(directory, member)]
        : [key, key === 'exec' ? withAbsoluteCommand(member, directory) : member],
    )
    return Object.fromEntries(members) as unknown
  }
  const inList = (list: string, member: string): unknown[] =>
    asList(config[list]).map((entry) => {
      const named = asEntry(entry, `an entry of ${list}`)
      return { ...named, [member]: inEntry(named[member]) }
    })
  return { ...config, clusters: inList('clusters', 'cluster'), users: inList('users', 'user') }
}

// A command without a slash is looked up in PATH.
function withAbsoluteCommand(exec: unknown, directory: string): unknown {
  const { command } = (exec ?? {}) as Entry
  return typeof command === 'string' && command.includes('/')
    ? { ...(exec as Entry), command: resolve(directory, command) }
    : exec
}

function pickContext(config: Entry, source: string, contextName: string | undefined): KubeconfigContext {
  const name = contextName ?? asText(config['current-context'])
  if (!name) throw new KubeconfigError(`${source} has no current-context: run kubectl config use-context NAME`)
  const context = findNamed(config, 'contexts', 'context', name, source)
  const clusterName = asText(context['cluster']) ?? ''
  const userName = asText(context['user']) ?? ''
  const cluster = findNamed(config, 'clusters', 'cluster', clusterName, source)
  const user = userName === '' ? {} : findNamed(config, 'users', 'user', userName, source)
  const server = asText(cluster['server'])
  const refuse = (problem: string): never => {
    throw new KubeconfigError(`${source}: ${problem}`)
  }
  // Not shown: a URL may contain a password.
  if (!server || !/^https?:$/.test(URL.parse(server)?.protocol ?? ''))
    return refuse(`the server of cluster ${clusterName} is not an address such as https://host:6443`)
  if (cluster['proxy-url'] !== undefined)
    refuse(`cluster ${clusterName} has a proxy-url: connections through a proxy are not supported`)
  if (user['auth-provider'] !== undefined)
    refuse(`user ${userName} has an auth-provider, which Kubernetes has removed: use exec`)
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
    ...optional('execConfig', execConfigOf(cluster)),
    ...optional('impersonate', impersonationOf(user)),
    ...optional('namespace', asText(context['namespace'])),
  }
}

function parseYaml(text: string, source: string): unknown {
  try {
    return parse(text, { prettyErrors: true, logLevel: 'error' })
  } catch (error) {
    // Shows only the position: the parser's message quotes the line, which may contain a token.
    const [start] = (error instanceof YAMLParseError && error.linePos) || []
    throw new KubeconfigError(
      `${source} is not valid YAML${start ? `: look at line ${start.line}, column ${start.col}` : ''}`,
    )
  }
}

function asEntry(value: unknown, where: string): Entry {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Entry
  throw new KubeconfigError(`${where} is not a kubeconfig`)
}

const asText = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined)

const asList = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])

const optional = <K extends string, V>(key: K, value: V | undefined): { [P in K]?: V } =>
  (value === undefined ? {} : { [key]: value }) as { [P in K]?: V }

function findNamed(config: Entry, list: string, member: string, name: string, source: string): Entry {
  const found = asList(config[list])
    .map((entry) => asEntry(entry, `${source}: an entry of ${list}`))
    .find((entry) => entry['name'] === name)
  if (!found) throw new KubeconfigError(`${source} has no ${member} named ${JSON.stringify(name)}`)
  return asEntry(found[member] ?? {}, `${source}: ${member} ${name}`)
}

// `x-data` is the text itself, in base64, and takes precedence over a path.
function textOrPath(entry: Entry, name: string, source: string): TextOrPath | undefined {
  const data = asText(entry[`${name}-data`])
  if (data !== undefined) {
    const decoded = Buffer.from(data, 'base64').toString()
    if (!decoded.includes('-----BEGIN ')) throw new KubeconfigError(`${source}: ${name}-data is not PEM in base64`)
    return { text: decoded }
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
  if (exec['interactiveMode'] === 'Always')
    throw new KubeconfigError(`${source}: the exec plugin ${command} needs a terminal`)
  const pairs = asList(exec['env']).map((pair) => asEntry(pair, `${source}: env of exec`))
  return {
    command,
    apiVersion: asText(exec['apiVersion']) ?? 'client.authentication.k8s.io/v1',
    args: asList(exec['args']).map(String),
    env: Object.fromEntries(pairs.map(({ name, value }) => [asText(name) ?? '', asText(value) ?? ''])),
    provideClusterInfo: exec['provideClusterInfo'] === true,
  }
}

const EXEC_EXTENSION = 'client.authentication.k8s.io/exec'

function execConfigOf(cluster: Entry): unknown {
  const extensions = asList(cluster['extensions']) as ({ name?: unknown; extension?: unknown } | null)[]
  return extensions.find((entry) => entry?.name === EXEC_EXTENSION)?.extension
}

function impersonationOf(user: Entry): Impersonation | undefined {
  const name = asText(user['as'])
  if (name === undefined) return undefined
  const extra = Object.entries((user['as-user-extra'] ?? {}) as Entry).map(([key, values]) => [
    key,
    asList(values).map(String),
  ])
  return {
    user: name,
    groups: asList(user['as-groups']).map(String),
    ...optional('uid', asText(user['as-uid'])),
    extra: Object.fromEntries(extra),
  }
}
