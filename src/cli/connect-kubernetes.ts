import { resolve } from 'node:path'
import type { Api } from '../api/api.ts'
import { connectApi } from '../kube/connect-api.ts'
import { loadInCluster, loadKubeconfig } from '../kube/credentials.ts'
import { createRateLimit } from '../kube/rate-limit.ts'
import type { World } from './world.ts'

export type KubernetesConnection = {
  /** For the work; limited when that was asked for. */
  readonly api: Api
  /** For leader election: on a connection of its own, never limited. */
  readonly electionApi: Api
  /** Of the pod or of the context. */
  readonly namespace: string | undefined
  close(): void
}

/** The cluster that the flags, else the environment, else the pod itself name. */
export async function connectKubernetes(config: { kubeconfig: string | undefined; kubeApiQps: number; kubeApiBurst: number }, world: World, program: string): Promise<KubernetesConnection> {
  const { clock, random, host, env, version } = world
  const parts = { host, clock, env }
  const path = config.kubeconfig ?? env['KUBECONFIG']
  const credentials = path ? await loadKubeconfig({ path: resolve(path), parts }) : await loadInCluster(parts)
  const common = { credentials, clock, random, userAgent: `${program}/${version} (holdfast)` }
  const work = connectApi({ ...common, ...(config.kubeApiQps > 0 ? { limit: createRateLimit(clock, { qps: config.kubeApiQps, burst: config.kubeApiBurst }) } : {}) })
  const election = connectApi(common)
  return {
    api: work.api,
    electionApi: election.api,
    namespace: credentials.namespace,
    close: () => {
      work.close()
      election.close()
    },
  }
}
