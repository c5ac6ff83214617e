import { delimiter, join, resolve } from 'node:path'
import type { Api } from '../api/api.ts'
import { createAdaptiveLimit } from '../base/adaptive-limit.ts'
import { UsageError } from '../base/options/index.ts'
import { connectApi } from '../kube/client/connect-api.ts'
import { loadInCluster, loadKubeconfig } from '../kube/client/credentials.ts'
import type { Credentials } from '../kube/client/credentials.ts'
import { createRateLimit } from '../kube/client/rate-limit.ts'
import type { World } from './world.ts'

export type KubernetesConfig = {
  readonly kubeconfig: string | undefined
  readonly kubeApiQps: number
  readonly kubeApiBurst: number
  /** Context of the kubeconfig. Default: its current one. */
  readonly context?: string | undefined
  /** Address to use instead of the one that belongs to the credentials. */
  readonly master?: string
}

export type KubernetesConnection = {
  /** For the work. Adapts to the server how many requests are under way at once; limited further when that was asked for. */
  readonly api: Api
  /** For leader election: on a connection of its own, never limited. */
  readonly electionApi: Api
  /** Of the pod or of the context. */
  readonly namespace: string | undefined
  readonly server: string
  /** One more with a limit of its own, closed with the others. */
  connectLimited(limit: { qps: number; burst: number }): Api
  close(): void
}

export type ConnectExtras = {
  /** How it names itself to the server. */
  program: string
  /** Whether `KUBECONFIG` counts before the flag, as in one upstream program. Default false. */
  environmentFirst?: boolean
  /** The user to impersonate. The credentials must be allowed to do so. */
  actAs?: { readonly user: string; readonly groups: readonly string[] }
}

// Requests under way at once. Each takes a connection of its own.
const TURNS = { start: 32, floor: 2, ceiling: 128, restMs: 5000 }

/** The cluster that the flags, else the environment, else the pod itself name. */
export async function connectKubernetes(
  config: KubernetesConfig,
  world: World,
  { program, environmentFirst = false, actAs }: ConnectExtras,
): Promise<KubernetesConnection> {
  const { clock, random, host, env, version } = world
  const parts = { host, clock, env }
  // The variable may be a list of files; the flag is one.
  const fromFlag = config.kubeconfig ? [config.kubeconfig] : []
  const fromEnvironment = (env['KUBECONFIG'] ?? '').split(delimiter).filter(Boolean)
  const [first, second] = environmentFirst ? [fromEnvironment, fromFlag] : [fromFlag, fromEnvironment]
  const paths = (first.length > 0 ? first : second).map((path) => resolve(path))
  if (paths.length === 0 && config.context !== undefined)
    throw new UsageError(['--context names a context of a kubeconfig, and there is none: add --kubeconfig'])
  const context = config.context === undefined ? {} : { context: config.context }
  const loaded =
    paths.length > 0 ? await loadKubeconfig({ path: paths, parts, ...context }) : await loadInCluster(parts)
  const addressed = config.master ? { ...loaded, server: parseServer(config.master) } : loaded
  const credentials = actAs ? impersonate(addressed, actAs) : addressed
  const opened: { close(): void }[] = []
  const connect = (limit?: { qps: number; burst: number }): Api => {
    const limited = limit && limit.qps > 0 ? { limit: createRateLimit(clock, limit) } : {}
    const connection = connectApi({
      credentials,
      clock,
      random,
      userAgent: `${program}/${version} (holdfast)`,
      ...limited,
      ...(limit ? { turns: createAdaptiveLimit(clock, TURNS) } : {}),
    })
    opened.push(connection)
    return connection.api
  }
  return {
    api: connect({ qps: config.kubeApiQps, burst: config.kubeApiBurst }),
    electionApi: connect(),
    namespace: credentials.namespace,
    server: credentials.server.origin,
    connectLimited: connect,
    close: () => {
      for (const { close } of opened) close()
    },
  }
}

/** As kubectl looks for one. Undefined: the flag or the environment says where, or it runs in a pod. */
export function usualKubeconfig({ env }: World): string | undefined {
  const isSaid = env['KUBECONFIG'] || env['KUBERNETES_SERVICE_HOST']
  return isSaid || !env['HOME'] ? undefined : join(env['HOME'], '.kube', 'config')
}

function impersonate(credentials: Credentials, { user, groups }: NonNullable<ConnectExtras['actAs']>): Credentials {
  const headers = async () => ({
    ...(await credentials.headers()),
    'impersonate-user': user,
    'impersonate-group': [...groups],
  })
  return { ...credentials, headers }
}

function parseServer(address: string): URL {
  if (!/^https?:\/\/[^/]/.test(address) || !URL.canParse(address))
    throw new UsageError([
      `--master: ${JSON.stringify(address)} is not an address; write for example --master=https://10.0.0.1:6443`,
    ])
  return new URL(address)
}
