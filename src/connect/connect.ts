import { delimiter, join, resolve } from 'node:path'
import type { Api } from '../api/api.ts'
import { createSystemClock } from '../base/clock.ts'
import type { Clock } from '../base/clock.ts'
import { createSystemHost } from '../base/host/index.ts'
import type { Host } from '../base/host/index.ts'
import { createLogger } from '../base/logger.ts'
import type { Logger } from '../base/logger.ts'
import { createSystemRandom } from '../base/random.ts'
import type { Random } from '../base/random.ts'
import { connectApi } from '../kube/client/connect-api.ts'
import { loadInCluster, loadKubeconfig } from '../kube/client/credentials.ts'
import type { Credentials } from '../kube/client/credentials.ts'
import { createEventRecorder } from '../kube/controller/event-recorder.ts'
import { createInformers } from '../kube/cache/informers.ts'
import type { RoleWorld } from '../kube/process/role-world.ts'

export type ConnectOptions = {
  /** Name of the program in the user agent and in events. Default `holdfast`. */
  readonly name?: string
  /** Path of a kubeconfig. Default: the environment variable KUBECONFIG, else the service account of the pod, else `~/.kube/config`. */
  readonly kubeconfig?: string
  /** Default: the current context of the kubeconfig. */
  readonly context?: string
  /** Default: one line of text for each message, on standard error. */
  readonly log?: Logger
  /** Default: the real ones. */
  readonly clock?: Clock
  readonly random?: Random
  readonly host?: Host
  readonly env?: Readonly<Record<string, string | undefined>>
}

/** A connection to a cluster, with everything that controllers need. */
export interface ConnectedCluster extends RoleWorld, AsyncDisposable {
  /** On a separate connection, because leader election must not wait for other requests. */
  readonly electionApi: Api
  /** Of the kubeconfig's context, or of the pod. Default `default`. */
  readonly namespace: string
  readonly server: URL
  /** Writes pending events, stops the informers and closes the connections. */
  close(): Promise<void>
}

/** Connects to a Kubernetes cluster. Only the credentials are read here; the connection opens with the first request. */
export async function connect(options: ConnectOptions = {}): Promise<ConnectedCluster> {
  const { name = 'holdfast', clock = createSystemClock(), random = createSystemRandom() } = options
  const log = options.log ?? createLogger({ clock, format: 'text', write: (line) => void process.stderr.write(line) })
  const credentials = await loadCredentials(options, clock)
  const parts = { credentials, clock, random, userAgent: name }
  const [work, election] = [connectApi(parts), connectApi(parts)]
  const informers = createInformers({ api: work.api, clock, random, log })
  const events = createEventRecorder({ api: work.api, clock, log, component: name })
  const close = async (): Promise<void> => {
    await events.flush()
    await informers.stop()
    work.close()
    election.close()
  }
  return {
    api: work.api,
    electionApi: election.api,
    informers,
    events,
    clock,
    random,
    log,
    namespace: credentials.namespace ?? 'default',
    server: credentials.server,
    close,
    [Symbol.asyncDispose]: close,
  }
}

async function loadCredentials(
  { kubeconfig, context, host = createSystemHost(), env = process.env }: ConnectOptions,
  clock: Clock,
): Promise<Credentials> {
  const parts = { host, clock, env }
  const given = kubeconfig === undefined ? (env['KUBECONFIG'] ?? '').split(delimiter).filter(Boolean) : [kubeconfig]
  if (given.length === 0 && env['KUBERNETES_SERVICE_HOST']) return loadInCluster(parts)
  const paths = given.length === 0 ? [join(env['HOME'] ?? '/', '.kube/config')] : given
  return loadKubeconfig({
    path: paths.map((path) => resolve(path)),
    parts,
    ...(context === undefined ? {} : { context }),
  })
}
